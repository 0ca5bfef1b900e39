// Package passkeys is the port to the ceremonies of passkeys (WebAuthn): what a browser is asked,
// and whether its answer is right. It keeps nothing; its caller makes each challenge,
// stores it, and sees to it that it is answered once.
package passkeys

import (
	"encoding/json"

	"github.com/atelierhq/atelier/core"
)

// Answer is a browser's description of its own answer, which nobody has checked.
type Answer struct {
	// Challenge is the one that it answers.
	Challenge string
	// CredentialID is that of the passkey, in base64url.
	CredentialID string
	// Person is the account for which the passkey was made, "" if the answer does not say.
	Person core.ID
}

// Ceremonies asks browsers and checks their answers, for one service with one origin. Challenges
// are texts of core.NewSecret. Options and answers are the JSON forms of WebAuthn, level 3:
// PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON and the toJSON of
// a PublicKeyCredential. Many goroutines may use it.
//
// A service whose address is no name, such as an IP address, has no passkeys: Creation and Request
// return core.CodeConflict.
type Ceremonies interface {
	// Creation returns the options with which a person makes a passkey. Devices that hold one of
	// existing make no second one.
	Creation(challenge string, person core.User, existing []core.Passkey) (json.RawMessage, error)
	// Request returns the options with which a person uses a passkey: one of allowed, or with none
	// any that the browser finds. verified asks the device to check who uses it.
	Request(challenge string, allowed []core.Passkey, verified bool) (json.RawMessage, error)
	// Read returns what an answer says. Text that is no answer has core.CodeValidationFailed.
	Read(answer json.RawMessage) (Answer, error)
	// Created returns the passkey of an answer to Creation, with all that the key and the browser
	// decide; ID, UserID, Name and the times are the caller's. An answer to another challenge,
	// from another origin, or broken has core.CodeValidationFailed.
	Created(challenge string, person core.ID, answer json.RawMessage) (core.Passkey, error)
	// Used checks an answer to Request and returns the counter of the key. An answer to another
	// challenge, from another origin, for another service or person, by another key, or, with
	// verified, of somebody whom the device did not check has core.CodeInvalidCredentials.
	Used(challenge string, passkey core.Passkey, verified bool, answer json.RawMessage) (count int64, err error)
}
