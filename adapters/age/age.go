// Package age encrypts streams with a key of the operator's, in the format of age
// (age-encryption.org/v1): anyone with the key can also open them with the age program, without this
// one. A stream that was changed or cut off does not decrypt.
package age

import (
	"bufio"
	"io"
	"strings"

	"filippo.io/age"

	"github.com/atelierhq/atelier/core"
)

// Suffix ends the names of encrypted files.
const Suffix = ".age"

// magic begins every encrypted stream.
const magic = "age-encryption.org/v1\n"

// Key encrypts, and decrypts if it is an identity. The zero value leaves streams as they are.
type Key struct {
	recipient age.Recipient
	identity  age.Identity
}

// ParseKey reads a key as age-keygen writes it: an identity ("AGE-SECRET-KEY-1…"), which encrypts and
// decrypts, or a recipient ("age1…"), which only encrypts. Lines that begin with # are comments. "" is the
// zero value; anything else has code core.CodeValidationFailed.
func ParseKey(text string) (Key, error) {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return Key{}, nil
	}
	if len(lines) == 1 {
		if identity, err := age.ParseX25519Identity(lines[0]); err == nil {
			return Key{identity.Recipient(), identity}, nil
		}
		if recipient, err := age.ParseX25519Recipient(lines[0]); err == nil {
			return Key{recipient, nil}, nil
		}
	}
	return Key{}, core.Errorf(core.CodeValidationFailed, "a key must be one that age-keygen made: AGE-SECRET-KEY-1…, or age1… to encrypt only")
}

// IsZero reports whether the key leaves streams as they are.
func (k Key) IsZero() bool { return k.recipient == nil }

// Decrypts reports whether Decrypt can open what Encrypt wrote.
func (k Key) Decrypts() bool { return k.IsZero() || k.identity != nil }

// Encrypt returns a writer whose content arrives encrypted at w once it is closed.
func (k Key) Encrypt(w io.Writer) (io.WriteCloser, error) {
	if k.IsZero() {
		return plain{w}, nil
	}
	sealed, err := age.Encrypt(w, k.recipient)
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "the stream cannot be encrypted")
	}
	return sealed, nil
}

// plain writes on as it is.
type plain struct{ io.Writer }

// Close implements io.Closer.
func (plain) Close() error { return nil }

// Decrypt returns the content of a stream, whether it is encrypted or not. It returns
// core.CodeValidationFailed for one that this key does not open; reads of one that was changed fail.
func (k Key) Decrypt(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	if begin, _ := buffered.Peek(len(magic)); string(begin) != magic {
		return buffered, nil
	}
	if k.identity == nil {
		return nil, core.Errorf(core.CodeValidationFailed, "the archive is encrypted: set BACKUP_KEY to the AGE-SECRET-KEY-1… that opens it")
	}
	opened, err := age.Decrypt(buffered, k.identity)
	if err != nil {
		return nil, core.Wrap(core.CodeValidationFailed, err, "BACKUP_KEY does not open the archive: it was encrypted with another key, or its beginning is damaged")
	}
	return opened, nil
}
