package passkeystest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/url"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// Authenticator is a device with one passkey, and the browser in front of it.
type Authenticator struct {
	// Origin is the page in which the browser is.
	Origin string
	// Unverified says that the device does not check who uses it.
	Unverified bool
	// Count is the counter of the next use. Every use raises it.
	Count uint32
	// ID is the id of the credential.
	ID []byte
	// Person is the account for which the passkey was made.
	Person core.ID

	key *ecdsa.PrivateKey
}

// NewAuthenticator returns a device whose browser shows a page of the origin.
func NewAuthenticator(t testing.TB, origin string) *Authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 32)
	_, _ = rand.Read(id) // never fails, as crypto/rand says
	return &Authenticator{Origin: origin, ID: id, Count: 1, key: key}
}

// options is the part of both kinds of options that the device reads.
type options struct {
	Challenge string
	RPID      string `json:"rpId"`
	RP        struct{ ID string }
	User      struct{ ID string }
}

func optionsOf(t testing.TB, text json.RawMessage) options {
	t.Helper()
	var read options
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatalf("got the options %s: %v", text, err)
	}
	return read
}

func encoded(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// Create makes the passkey for the options of a registration.
func (a *Authenticator) Create(t testing.TB, creation json.RawMessage) json.RawMessage {
	t.Helper()
	read := optionsOf(t, creation)
	person, err := base64.RawURLEncoding.DecodeString(read.User.ID)
	if err != nil {
		t.Fatal(err)
	}
	a.Person = core.ID(person)
	public, err := a.key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	spki, err := x509.MarshalPKIXPublicKey(&a.key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	// COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y}
	cose := append([]byte{0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32}, public[1:33]...)
	cose = append(append(cose, 0x22, 0x58, 32), public[33:]...)
	data := a.data(read.RP.ID, 0x40)
	data = append(data, make([]byte, 16)...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(a.ID)))
	data = append(append(data, a.ID...), cose...)
	// CBOR: {"fmt": "none", "attStmt": {}, "authData": data}
	var object bytes.Buffer
	object.WriteString("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59")
	_ = binary.Write(&object, binary.BigEndian, uint16(len(data)))
	object.Write(data)
	return a.answer(t, map[string]any{
		"clientDataJSON": encoded(a.clientData(t, "webauthn.create", read.Challenge)), "attestationObject": encoded(object.Bytes()),
		"authenticatorData": encoded(data), "publicKey": encoded(spki), "publicKeyAlgorithm": -7, "transports": []string{"internal"},
	})
}

// Get uses the passkey for the options of a sign-in.
func (a *Authenticator) Get(t testing.TB, request json.RawMessage) json.RawMessage {
	t.Helper()
	read := optionsOf(t, request)
	a.Count++
	data, client := a.data(read.RPID, 0), a.clientData(t, "webauthn.get", read.Challenge)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(bytes.Clone(data), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return a.answer(t, map[string]any{
		"clientDataJSON": encoded(client), "authenticatorData": encoded(data), "signature": encoded(signature), "userHandle": encoded([]byte(a.Person)),
	})
}

// data is the beginning of the authenticator data: whose service, which flags, the counter.
func (a *Authenticator) data(rp string, flags byte) []byte {
	hash := sha256.Sum256([]byte(rp))
	if flags |= 1; !a.Unverified {
		flags |= 4
	}
	return binary.BigEndian.AppendUint32(append(hash[:], flags), a.Count)
}

func (a *Authenticator) clientData(t testing.TB, kind, challenge string) []byte {
	t.Helper()
	if _, err := url.Parse(a.Origin); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.Origin, "crossOrigin": false})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (a *Authenticator) answer(t testing.TB, response map[string]any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"id": encoded(a.ID), "rawId": encoded(a.ID), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
