package age

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/atelierhq/atelier/core"
)

func newIdentity(t *testing.T) *age.X25519Identity {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return identity
}

func parsed(t *testing.T, text string) Key {
	t.Helper()
	key, err := ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func encrypted(t *testing.T, key Key, content []byte) []byte {
	t.Helper()
	var sealed bytes.Buffer
	w, err := key.Encrypt(&sealed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return sealed.Bytes()
}

func decrypted(key Key, sealed []byte) ([]byte, error) {
	r, err := key.Decrypt(bytes.NewReader(sealed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func TestWhatARecipientEncryptsItsIdentityOpens(t *testing.T) {
	identity := newIdentity(t)
	whole, half := parsed(t, "# created: now\n"+identity.String()+"\n"), parsed(t, identity.Recipient().String())
	content := bytes.Repeat([]byte("content "), 30_000)
	for _, key := range []Key{whole, half} {
		sealed := encrypted(t, key, content)
		if bytes.Contains(sealed, []byte("content")) {
			t.Error("the content can be read without the key")
		}
		if got, err := decrypted(whole, sealed); err != nil || !bytes.Equal(got, content) {
			t.Errorf("got %d bytes, %v, want what was encrypted", len(got), err)
		}
		for name, other := range map[string]Key{"no key": {}, "the recipient": half, "another key": parsed(t, newIdentity(t).String())} {
			if _, err := decrypted(other, sealed); !core.IsCode(err, core.CodeValidationFailed) {
				t.Errorf("%s: got %v, want code %s", name, err, core.CodeValidationFailed)
			}
		}
		if _, err := decrypted(whole, sealed[:len(sealed)-100]); err == nil {
			t.Error("a stream that was cut off decrypts")
		}
		sealed[len(sealed)/2] ^= 1
		if _, err := decrypted(whole, sealed); err == nil {
			t.Error("a stream that was changed decrypts")
		}
	}
}

func TestWithoutAKeyStreamsStayAsTheyAre(t *testing.T) {
	key := parsed(t, " \n")
	if !key.IsZero() || !key.Decrypts() {
		t.Fatal("got a key, want none")
	}
	for _, content := range []string{"", "short", strings.Repeat("long", 50_000)} {
		sealed := encrypted(t, key, []byte(content))
		if got, err := decrypted(key, sealed); string(sealed) != content || err != nil || string(got) != content {
			t.Errorf("got %.20q, %.20q, %v, want %.20q", sealed, got, err, content)
		}
	}
}

func TestOnlyKeysOfAgeAreTaken(t *testing.T) {
	for _, text := range []string{"secret", "AGE-SECRET-KEY-1", "age1", newIdentity(t).String() + "\n" + newIdentity(t).String()} {
		var known *core.Error
		if _, err := ParseKey(text); !errors.As(err, &known) || known.Code != core.CodeValidationFailed || strings.Contains(known.Message, text) && len(text) > 20 {
			t.Errorf("got %v, want code %s without the key", err, core.CodeValidationFailed)
		}
	}
}
