// Package passkeys has the ceremonies of passkeys for programs in memory: real signatures with
// keys of P-256, and nothing else that WebAuthn knows.
package passkeys

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/netip"
	"net/url"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/passkeys"
)

// Ceremonies are those of a service at one address.
type Ceremonies struct{ origin, host string }

var _ port.Ceremonies = (*Ceremonies)(nil)

// New returns the ceremonies of a service at an address.
func New(address *url.URL) *Ceremonies {
	return &Ceremonies{address.Scheme + "://" + address.Host, address.Hostname()}
}

// object is a JSON object.
type object map[string]any

func (c *Ceremonies) check() error {
	if _, err := netip.ParseAddr(c.host); err == nil || c.host == "" {
		return core.Errorf(core.CodeConflict, "passkeys need a service with a name; the address of this one is an IP address")
	}
	return nil
}

func descriptors(keys []core.Passkey) []object {
	found := make([]object, len(keys))
	for i, key := range keys {
		found[i] = object{"type": "public-key", "id": key.CredentialID, "transports": key.Transports}
	}
	return found
}

// Creation implements passkeys.Ceremonies.
func (c *Ceremonies) Creation(challenge string, person core.User, existing []core.Passkey) (json.RawMessage, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	name := person.Email
	if person.DisplayName != nil {
		name = *person.DisplayName
	}
	return json.Marshal(object{
		"challenge": challenge, "rp": object{"id": c.host, "name": "Atelier"},
		"user":               object{"id": base64.RawURLEncoding.EncodeToString([]byte(person.ID)), "name": person.Email, "displayName": name},
		"pubKeyCredParams":   []object{{"type": "public-key", "alg": -7}},
		"excludeCredentials": descriptors(existing), "attestation": "none",
		"authenticatorSelection": object{"residentKey": "preferred", "userVerification": "preferred"},
	})
}

// Request implements passkeys.Ceremonies.
func (c *Ceremonies) Request(challenge string, allowed []core.Passkey, verified bool) (json.RawMessage, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	verification := "preferred"
	if verified {
		verification = "required"
	}
	return json.Marshal(object{"challenge": challenge, "rpId": c.host, "allowCredentials": descriptors(allowed), "userVerification": verification})
}

// text is base64url in JSON.
type text []byte

// UnmarshalText decodes base64url.
func (t *text) UnmarshalText(encoded []byte) (err error) {
	*t, err = base64.RawURLEncoding.DecodeString(string(encoded))
	return err
}

// credential is an answer as the browser sends it.
type credential struct {
	ID       string
	Type     string
	Response struct {
		ClientDataJSON, AuthenticatorData, PublicKey, Signature, UserHandle text
		Transports                                                          []string
	}
	client struct{ Type, Challenge, Origin string }
}

func parse(answer json.RawMessage) (credential, error) {
	var made credential
	err := json.Unmarshal(answer, &made)
	if err == nil {
		err = json.Unmarshal(made.Response.ClientDataJSON, &made.client)
	}
	if err != nil {
		return credential{}, core.Wrap(core.CodeValidationFailed, err, "credential is not the answer of a browser to a passkey's challenge")
	}
	if made.ID == "" || made.Type != "public-key" || made.client.Challenge == "" {
		return credential{}, core.Errorf(core.CodeValidationFailed, "credential is not the answer of a browser to a passkey's challenge")
	}
	return made, nil
}

// Read implements passkeys.Ceremonies.
func (c *Ceremonies) Read(answer json.RawMessage) (port.Answer, error) {
	made, err := parse(answer)
	return port.Answer{Challenge: made.client.Challenge, CredentialID: made.ID, Person: core.ID(made.Response.UserHandle)}, err
}

// The parts of authenticator data: the hash of the service's name, flags, and a counter.
const (
	flagsAt, countAt, headBytes   = 32, 33, 37
	present, verifiedFlag, synced = 1, 4, 8
)

// holds checks that an answer is of a kind, to the challenge, and made here by somebody present.
func (c *Ceremonies) holds(made credential, kind, challenge string) bool {
	data, host := made.Response.AuthenticatorData, sha256.Sum256([]byte(c.host))
	return made.client.Type == kind && made.client.Origin == c.origin && len(data) >= headBytes &&
		subtle.ConstantTimeCompare([]byte(made.client.Challenge), []byte(challenge)) == 1 &&
		bytes.Equal(data[:flagsAt], host[:]) && data[flagsAt]&present != 0
}

// Created implements passkeys.Ceremonies. It takes the key that the browser read out of the
// attestation.
func (c *Ceremonies) Created(challenge string, _ core.ID, answer json.RawMessage) (core.Passkey, error) {
	made, err := parse(answer)
	if err != nil {
		return core.Passkey{}, err
	}
	key, err := x509.ParsePKIXPublicKey(made.Response.PublicKey)
	public, ok := key.(*ecdsa.PublicKey)
	if err != nil || !ok || public.Curve != elliptic.P256() || !c.holds(made, "webauthn.create", challenge) {
		return core.Passkey{}, core.Errorf(core.CodeValidationFailed, "credential was not made for this service and this challenge")
	}
	data := made.Response.AuthenticatorData
	return core.Passkey{
		CredentialID: made.ID, PublicKey: made.Response.PublicKey, SignCount: int64(binary.BigEndian.Uint32(data[countAt:])),
		Synced: data[flagsAt]&synced != 0, Transports: made.Response.Transports,
	}, nil
}

// Used implements passkeys.Ceremonies.
func (c *Ceremonies) Used(challenge string, passkey core.Passkey, verified bool, answer json.RawMessage) (count int64, err error) {
	refused := core.Errorf(core.CodeInvalidCredentials, "the passkey was not accepted")
	made, err := parse(answer)
	if err != nil {
		return 0, refused
	}
	key, err := x509.ParsePKIXPublicKey(passkey.PublicKey)
	public, ok := key.(*ecdsa.PublicKey)
	if err != nil || !ok {
		return 0, core.Wrap(core.CodeInternal, err, "the key of a passkey cannot be read")
	}
	handle := core.ID(made.Response.UserHandle)
	if made.ID != passkey.CredentialID || handle != "" && handle != passkey.UserID || !c.holds(made, "webauthn.get", challenge) {
		return 0, refused
	}
	data, hash := made.Response.AuthenticatorData, sha256.Sum256(made.Response.ClientDataJSON)
	digest := sha256.Sum256(append(bytes.Clone(data), hash[:]...))
	if verified && data[flagsAt]&verifiedFlag == 0 || !ecdsa.VerifyASN1(public, digest[:], made.Response.Signature) {
		return 0, refused
	}
	return int64(binary.BigEndian.Uint32(data[countAt:])), nil
}
