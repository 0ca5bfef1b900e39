package oauth

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/atelierhq/atelier/core"
)

// errClient is a refusal of this service, not of a person.
var errClient = errors.New("check the client id, the secret and the redirect URI")

// providerName is a provider's name in errors. Messages are for the person who signs in, causes
// for the log. Neither repeats what the provider sent, except known words.
type providerName string

// refusal translates the error words of RFC 6749, section 5.2, and GitHub's. The
// operator's mistakes and the provider's own failures are not the person's fault. An
// unknown word is not repeated, because it may be anything.
func (n providerName) refusal(word string) error {
	switch word {
	case "invalid_client", "unauthorized_client", "incorrect_client_credentials", "redirect_uri_mismatch",
		"unsupported_grant_type", "invalid_scope", "application_suspended":
		return n.down("it refused this service (%s): %w", word, errClient)
	case "server_error", "temporarily_unavailable", "slow_down":
		return n.down("it answered %s", word)
	case "invalid_grant", "bad_verification_code", "bad_refresh_token", "invalid_request", "access_denied",
		"expired_token", "unverified_user_email":
		return n.refused("it answered %s", word)
	}
	return n.refused("it refused with an unknown error")
}

// broken translates an error of the connection. It keeps only errors about addresses and
// certificates: others may quote what the server sent.
func (n providerName) broken(ctx context.Context, err error) error {
	var network *net.OpError
	var known *core.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil:
		return core.Wrap(core.CodeUnavailable, ctx.Err(), "%s could not be reached in time", string(n))
	case errors.As(err, &known) && known.Code == core.CodeForbiddenAddress:
		// The guard of addresses quotes no answer.
		return core.Wrap(core.CodeUnavailable, known, "%s did not answer", string(n))
	case errors.Is(err, context.DeadlineExceeded):
		return n.down("it gave no complete answer within %s", timeLimit)
	case errors.As(err, &certificate):
		return core.Wrap(core.CodeUnavailable, certificate, "%s did not answer", string(n))
	case errors.As(err, &network):
		return core.Wrap(core.CodeUnavailable, network, "%s did not answer", string(n))
	}
	return n.down("the connection broke, or its answer is not HTTP")
}

// down is the error for a provider without a usable answer.
func (n providerName) down(why string, args ...any) error {
	return core.Wrap(core.CodeUnavailable, fmt.Errorf(why, args...), "%s did not answer", string(n))
}

// refused is the error for a sign-in that the provider, or its answer, rules out.
func (n providerName) refused(why string, args ...any) error {
	return core.Wrap(core.CodeInvalidCredentials, fmt.Errorf(why, args...), "%s refused the sign-in", string(n))
}
