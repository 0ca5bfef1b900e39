// Package webauthn has the ceremonies of passkeys with github.com/go-webauthn/webauthn. Nothing is
// asked about the make of a device (attestation "none"), so that every one is welcome and none can
// be traced.
package webauthn

import (
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	library "github.com/go-webauthn/webauthn/webauthn"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/passkeys"
)

// Ceremonies are those of a service at one address. Sessions of the library are not used as it
// means them: challenges are the caller's, so a session is made of each when it is answered.
type Ceremonies struct {
	// party is nil for a service without a name.
	party *library.WebAuthn
	host  string
}

var _ passkeys.Ceremonies = (*Ceremonies)(nil)

// New returns the ceremonies of a service at an address.
func New(address *url.URL) (*Ceremonies, error) {
	host := address.Hostname()
	if _, err := netip.ParseAddr(host); err == nil || host == "" {
		return &Ceremonies{}, nil
	}
	party, err := library.New(&library.Config{
		RPID: host, RPDisplayName: "Atelier", RPOrigins: []string{address.Scheme + "://" + address.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementPreferred, UserVerification: protocol.VerificationPreferred,
		},
		// Browsers and extensions send outputs that nobody asked for, which nobody reads.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "passkeys cannot be set up for %s", host)
	}
	return &Ceremonies{party, host}, nil
}

func (c *Ceremonies) check() error {
	if c.party == nil {
		return core.Errorf(core.CodeConflict, "passkeys need a service with a name; the address of this one is an IP address")
	}
	return nil
}

// owner is a person as the library sees them.
type owner struct {
	person core.User
	keys   []library.Credential
}

// WebAuthnID implements the library's User.
func (o owner) WebAuthnID() []byte { return []byte(o.person.ID) }

// WebAuthnName implements the library's User.
func (o owner) WebAuthnName() string { return o.person.Email }

// WebAuthnDisplayName implements the library's User.
func (o owner) WebAuthnDisplayName() string {
	if o.person.DisplayName != nil {
		return *o.person.DisplayName
	}
	return o.person.Email
}

// WebAuthnCredentials implements the library's User.
func (o owner) WebAuthnCredentials() []library.Credential { return o.keys }

func credentialOf(passkey core.Passkey) (library.Credential, error) {
	id, err := base64.RawURLEncoding.DecodeString(passkey.CredentialID)
	if err != nil {
		return library.Credential{}, core.Wrap(core.CodeInternal, err, "the id of a passkey cannot be read")
	}
	made := library.Credential{ID: id, PublicKey: passkey.PublicKey, Flags: library.CredentialFlags{BackupEligible: passkey.Synced}}
	for _, transport := range passkey.Transports {
		made.Transport = append(made.Transport, protocol.AuthenticatorTransport(transport))
	}
	return made, nil
}

func descriptors(keys []core.Passkey) ([]protocol.CredentialDescriptor, error) {
	found := make([]protocol.CredentialDescriptor, len(keys))
	for i, key := range keys {
		credential, err := credentialOf(key)
		if err != nil {
			return nil, err
		}
		found[i] = credential.Descriptor()
	}
	return found, nil
}

// Creation implements passkeys.Ceremonies.
func (c *Ceremonies) Creation(challenge string, person core.User, existing []core.Passkey) (json.RawMessage, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	known, err := descriptors(existing)
	if err != nil {
		return nil, err
	}
	secret, err := base64.RawURLEncoding.DecodeString(challenge)
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "a challenge is not in base64url")
	}
	asked, _, err := c.party.BeginRegistration(owner{person: person}, library.WithExclusions(known), func(options *protocol.PublicKeyCredentialCreationOptions) error {
		options.Challenge = secret
		return nil
	})
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "a passkey cannot be asked for")
	}
	return json.Marshal(asked.Response)
}

// Request implements passkeys.Ceremonies.
func (c *Ceremonies) Request(challenge string, allowed []core.Passkey, verified bool) (json.RawMessage, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	known, err := descriptors(allowed)
	if err != nil {
		return nil, err
	}
	secret, err := base64.RawURLEncoding.DecodeString(challenge)
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "a challenge is not in base64url")
	}
	asked, _, err := c.party.BeginDiscoverableLogin(
		library.WithChallenge(secret), library.WithAllowedCredentials(known), library.WithUserVerification(verification(verified)),
	)
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "a passkey cannot be asked for")
	}
	return json.Marshal(asked.Response)
}

func verification(required bool) protocol.UserVerificationRequirement {
	if required {
		return protocol.VerificationRequired
	}
	return protocol.VerificationPreferred
}

// Read implements passkeys.Ceremonies.
func (c *Ceremonies) Read(answer json.RawMessage) (passkeys.Answer, error) {
	var read struct {
		ID       string
		Type     string
		Response struct{ ClientDataJSON, UserHandle protocol.URLEncodedBase64 }
	}
	var client struct{ Challenge string }
	err := json.Unmarshal(answer, &read)
	if err == nil {
		err = json.Unmarshal(read.Response.ClientDataJSON, &client)
	}
	if err != nil || read.ID == "" || read.Type != "public-key" || client.Challenge == "" {
		return passkeys.Answer{}, malformed(err)
	}
	return passkeys.Answer{Challenge: client.Challenge, CredentialID: read.ID, Person: core.ID(read.Response.UserHandle)}, nil
}

func malformed(err error) error {
	return core.Wrap(core.CodeValidationFailed, err, "credential is not the answer of a browser to a passkey's challenge")
}

// Created implements passkeys.Ceremonies.
func (c *Ceremonies) Created(challenge string, person core.ID, answer json.RawMessage) (core.Passkey, error) {
	if err := c.check(); err != nil {
		return core.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return core.Passkey{}, malformed(err)
	}
	made, err := c.party.CreateCredential(owner{person: core.User{ID: person}}, library.SessionData{
		Challenge: challenge, RelyingPartyID: c.host, UserID: []byte(person), UserVerification: protocol.VerificationPreferred,
		CredParams: library.CredentialParametersDefault(),
	}, parsed)
	if err != nil {
		return core.Passkey{}, core.Wrap(core.CodeValidationFailed, err, "credential was not made for this service and this challenge")
	}
	passkey := core.Passkey{
		CredentialID: base64.RawURLEncoding.EncodeToString(made.ID), PublicKey: made.PublicKey,
		SignCount: int64(made.Authenticator.SignCount), Synced: made.Flags.BackupEligible, AAGUID: base64.RawURLEncoding.EncodeToString(made.Authenticator.AAGUID),
	}
	for _, transport := range made.Transport {
		passkey.Transports = append(passkey.Transports, string(transport))
	}
	return passkey, nil
}

// Used implements passkeys.Ceremonies. The library only warns of a counter that has not grown, so
// the caller decides.
func (c *Ceremonies) Used(challenge string, passkey core.Passkey, verified bool, answer json.RawMessage) (count int64, err error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	credential, err := credentialOf(passkey)
	if err != nil {
		return 0, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err == nil {
		_, err = c.party.ValidateLogin(owner{core.User{ID: passkey.UserID}, []library.Credential{credential}}, library.SessionData{
			Challenge: challenge, RelyingPartyID: c.host, UserID: []byte(passkey.UserID), UserVerification: verification(verified),
		}, parsed)
	}
	if err != nil {
		return 0, core.Wrap(core.CodeInvalidCredentials, err, "the passkey was not accepted")
	}
	return int64(parsed.Response.AuthenticatorData.Counter), nil
}
