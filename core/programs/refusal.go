package programs

import (
	"errors"

	"github.com/atelierhq/atelier/core"
)

// Reason is why a program is refused, in the words of OAuth.
type Reason string

// The reasons of RFC 6749, RFC 7591 and RFC 8707.
const (
	InvalidRequest        Reason = "invalid_request"
	InvalidClient         Reason = "invalid_client"
	InvalidGrant          Reason = "invalid_grant"
	InvalidScope          Reason = "invalid_scope"
	InvalidTarget         Reason = "invalid_target"
	UnsupportedGrantType  Reason = "unsupported_grant_type"
	InvalidRedirect       Reason = "invalid_redirect_uri"
	InvalidClientMetadata Reason = "invalid_client_metadata"
)

// Refusal is an error that programs are told. Its code is core.CodeValidationFailed.
type Refusal struct {
	Reason Reason
	err    error
}

// Error implements error.
func (r *Refusal) Error() string { return r.err.Error() }

// Unwrap returns the error with the code.
func (r *Refusal) Unwrap() error { return r.err }

func refuse(reason Reason, text string) error {
	return &Refusal{reason, core.Errorf(core.CodeValidationFailed, "%s", text)}
}

// refused makes a refusal of an error that is about what the program sent.
func refused(reason Reason, err error) error {
	if code := core.CodeOf(err); code != core.CodeValidationFailed && code != core.CodeForbiddenAddress {
		return err
	}
	return &Refusal{reason, err}
}

// ReasonOf returns why a program is refused, false for other errors.
func ReasonOf(err error) (Reason, bool) {
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		return "", false
	}
	return refusal.Reason, true
}
