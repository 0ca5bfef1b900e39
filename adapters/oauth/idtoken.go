package oauth

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
)

const (
	// clockLeeway is how far an issuer's clock may be ahead. The library allows the same
	// for "nbf".
	clockLeeway = 5 * time.Minute
	// maxSubjectBytes bounds "sub" (OpenID Connect Core, section 2).
	maxSubjectBytes = 255
)

// verify checks a token's form, signature, issuer, audience and times. The accepted algorithms
// all have a private key: neither "none" nor an HMAC keyed with the public key passes.
func (g *openID) verify(ctx context.Context, found *discovery, raw string) (*oidc.IDToken, error) {
	if !isTokenText(raw) || strings.Count(raw, ".") != 2 {
		return nil, g.refused("its answer has no identity token")
	}
	keys := &watchedKeys{KeySet: found.keys}
	verifier := oidc.NewVerifier(g.issuer, keys, &oidc.Config{
		ClientID: g.client.ID, SupportedSigningAlgs: g.algorithms, Now: g.now,
	})
	token, err := verifier.Verify(ctx, raw)
	var expired *oidc.TokenExpiredError
	switch {
	case err == nil:
		return token, nil
	case keys.missing():
		return nil, g.keyless(ctx, keys.err)
	case errors.As(err, &expired):
		return nil, g.refused("its identity token has expired")
	}
	return nil, g.refused("the form, signature, issuer, audience or times of its identity token are invalid")
}

// keyless is the failure to fetch the issuer's keys.
func (g *openID) keyless(ctx context.Context, err error) error {
	var failure *core.Error
	switch {
	case errors.As(err, &failure) && failure.Code == core.CodeUnavailable:
		return failure
	case ctx.Err() != nil:
		return g.broken(ctx, err)
	}
	return g.down("its keys are invalid")
}

// watchedKeys records why a signature could not be checked: the verifier above it keeps
// only the text of an error.
type watchedKeys struct {
	oidc.KeySet
	err error
}

// VerifySignature implements oidc.KeySet.
func (k *watchedKeys) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, token)
	k.err = err
	return payload, err
}

// missing reports whether there were no keys to check with. The library wraps failures to
// fetch the keys, and nothing else.
func (k *watchedKeys) missing() bool { return errors.Unwrap(k.err) != nil }

// expectation is what a token must match.
type expectation struct {
	client, nonce string
	now           time.Time
}

// claimsOf returns the claims of a token whose signature, issuer and audience are verified. The
// errors quote nothing of it.
func claimsOf(token *oidc.IDToken, want expectation) (claims, error) {
	var set claims
	if err := token.Claims(&set); err != nil {
		return nil, errors.New("its claims are not an object")
	}
	err := errors.Join(set.checkTimes(want.now), set.checkNonce(want.nonce), set.checkParty(want.client, len(token.Audience)))
	if err != nil {
		return nil, err
	}
	return set, nil
}

func isSubject(text string) bool {
	isOdd := func(r rune) bool { return r < ' ' || r > '~' }
	return text != "" && len(text) <= maxSubjectBytes && !strings.ContainsFunc(text, isOdd)
}

// claims is the payload of a token. Unlike in the library, names are case-sensitive.
type claims map[string]json.RawMessage

// profile reads the claims about the person. Each has one type.
func (c claims) profile() (oauth.Profile, error) {
	var profile oauth.Profile
	err := errors.Join(
		c.text("sub", &profile.Subject), c.text("email", &profile.Email),
		c.text("name", &profile.Name), c.text("picture", &profile.AvatarURL),
	)
	if err != nil {
		return oauth.Profile{}, err
	}
	if !isSubject(profile.Subject) {
		return oauth.Profile{}, fmt.Errorf("its subject does not have 1 to %d ASCII characters", maxSubjectBytes)
	}
	profile.EmailVerified = profile.Email != "" && c.isTrue("email_verified")
	return profile, nil
}

// checkTimes is stricter than the library: "exp" and "iat" must be present and numbers,
// and a token expires at "exp" itself (RFC 7519, section 4.1.4).
func (c claims) checkTimes(now time.Time) error {
	var expires, issued time.Time
	if err := errors.Join(c.instant("exp", &expires), c.instant("iat", &issued)); err != nil {
		return err
	}
	if !now.Before(expires) {
		return errors.New("it has expired")
	}
	if issued.After(now.Add(clockLeeway)) {
		return errors.New("it was issued in the future")
	}
	return nil
}

func (c claims) checkNonce(want string) error {
	var nonce string
	if err := c.text("nonce", &nonce); err != nil {
		return err
	}
	if want == "" || subtle.ConstantTimeCompare([]byte(nonce), []byte(want)) != 1 {
		return errors.New("it does not have the nonce of the attempt")
	}
	return nil
}

// checkParty requires "azp", the party for which the token was issued, to be this client
// (OpenID Connect Core, section 3.1.3.7). With several audiences it must be present.
func (c claims) checkParty(client string, audiences int) error {
	var party string
	if err := c.text("azp", &party); err != nil {
		return err
	}
	_, present := c["azp"]
	if (present || audiences > 1) && party != client {
		return errors.New("it was issued for another client")
	}
	return nil
}

// text reads an optional claim that is a text.
func (c claims) text(name string, into *string) error {
	raw := c[name]
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if json.Unmarshal(raw, into) != nil {
		return fmt.Errorf("its claim %q is not text", name)
	}
	return nil
}

// instant reads a claim that is a number of seconds since 1970.
func (c claims) instant(name string, into *time.Time) error {
	var seconds float64
	if raw := c[name]; len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &seconds) != nil {
		return fmt.Errorf("its claim %q is not a number", name)
	}
	if math.Abs(seconds) > 1<<40 {
		return fmt.Errorf("its claim %q is out of bounds", name)
	}
	*into = time.UnixMilli(int64(seconds * 1000))
	return nil
}

// isTrue reports whether a claim is true, or the text "true", which some issuers
// write.
func (c claims) isTrue(name string) bool {
	raw := string(c[name])
	return raw == "true" || raw == `"true"`
}
