package accounts

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// AttemptLifetime is how long a sign-in at a provider may take.
const AttemptLifetime = 10 * time.Minute

// MaxNextBytes bounds the path to which an attempt leads. It is stored with the
// rest of the attempt, sealed and in base64, in a cookie, of which browsers keep at
// most 4096 bytes.
const MaxNextBytes = 2048

// OAuthRedirect sends a browser to a provider.
type OAuthRedirect struct {
	// Address is the URL to go to.
	Address string
	// Sealed is the encrypted state that it must bring back, as text for a cookie.
	Sealed string
}

// OAuthCallback holds the parameters with which a provider sends a browser back.
type OAuthCallback struct {
	// Sealed is that of the OAuthRedirect; "" if the browser has none.
	Sealed string
	State  string
	Code   string
	// Issuer is the parameter iss (RFC 9207), "" without one.
	Issuer string
	// Error is the provider's error code (RFC 6749, section 4.1.2.1), "" for none.
	Error string
}

// attempt is one visit of one browser to a provider. It is stored only in that
// browser, sealed.
type attempt struct {
	oauth.Attempt
	// Purpose is what it is for, so that an attempt is not accepted for another
	// purpose.
	Purpose string
	// Person is the user who began it; "" if nobody had to be signed in.
	Person core.ID
	// Next is the path to which the browser finally goes.
	Next      string
	ExpiresAt core.Time
}

// BeginVisit is BeginOAuth for a provider that is known by its purpose alone, without the address.
func (o *OAuthSignIns) BeginVisit(purpose, next string) (made oauth.Attempt, sealed string, err error) {
	begun, sealed, err := o.attempts().begin(purpose, "", next)
	return begun.Attempt, sealed, err
}

// EndVisit spends the attempt of BeginVisit with which a browser returns, and returns its path. It
// returns core.CodeInvalidState, core.CodeAccessDenied, core.CodeUnavailable and
// core.CodeInvalidCredentials as FinishOAuth does.
func (o *OAuthSignIns) EndVisit(ctx context.Context, purpose string, back OAuthCallback) (made oauth.Attempt, next string, err error) {
	begun, err := o.attempts().redeem(ctx, purpose, "", back)
	return begun.Attempt, begun.Next, err
}

// attempts begins visits to providers, and accepts each return once.
type attempts struct {
	store  storage.Store
	sealer identity.Sealer
	now    func() time.Time
}

// begin makes an attempt and seals it.
func (a attempts) begin(purpose string, person core.ID, next string) (attempt, string, error) {
	if len(next) > MaxNextBytes {
		return attempt{}, "", core.Errorf(core.CodeValidationFailed, "next must have at most %d bytes", MaxNextBytes)
	}
	made := attempt{
		Attempt: oauth.Attempt{State: core.NewSecret(), Verifier: core.NewSecret(), Nonce: core.NewSecret()},
		Purpose: purpose, Person: person, Next: next, ExpiresAt: core.At(a.now()).Add(AttemptLifetime),
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	// Each "&" of next would take six bytes instead of one.
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(made); err != nil {
		return attempt{}, "", core.Wrap(core.CodeInternal, err, "the OAuth attempt cannot be encoded")
	}
	sealed, err := a.sealer.Seal(text.Bytes(), attemptPlace(purpose))
	return made, base64.RawURLEncoding.EncodeToString(sealed), err
}

// redeem returns the attempt from which a browser returns, and spends it. It
// returns core.CodeInvalidState for an attempt of another browser, purpose or
// person, and for one that expired or was redeemed before. It returns
// core.CodeAccessDenied if the person refused, and core.CodeUnavailable if the
// provider failed; the attempt is spent then, too.
func (a attempts) redeem(ctx context.Context, purpose string, person core.ID, back OAuthCallback) (attempt, error) {
	made, err := a.open(purpose, back.Sealed)
	if err != nil {
		return attempt{}, err
	}
	if subtle.ConstantTimeCompare([]byte(made.State), []byte(back.State)) != 1 {
		return attempt{}, core.Errorf(core.CodeInvalidState, "the OAuth flow was started in another browser: start again")
	}
	if made.Person != person || made.Purpose != purpose {
		return attempt{}, core.Errorf(core.CodeInvalidState, "the OAuth flow was started by another user or for another purpose: start again")
	}
	if core.At(a.now()) >= made.ExpiresAt {
		return attempt{}, core.Errorf(core.CodeInvalidState, "the OAuth flow took longer than %s: start again", AttemptLifetime)
	}
	if err := a.spend(ctx, made); err != nil {
		return attempt{}, err
	}
	switch {
	case back.Error == "access_denied":
		return attempt{}, core.Errorf(core.CodeAccessDenied, "access was denied at the provider")
	case back.Error != "":
		return attempt{}, core.Errorf(core.CodeUnavailable, "the provider failed: %.100q", back.Error)
	case back.Code == "":
		return attempt{}, core.Errorf(core.CodeInvalidCredentials, "the provider sent no code")
	}
	return made, nil
}

func (a attempts) open(purpose, sealed string) (attempt, error) {
	var made attempt
	box, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil || len(box) == 0 {
		return attempt{}, core.Wrap(core.CodeInvalidState, err, "the OAuth flow's cookie is missing: start again")
	}
	text, err := a.sealer.Open(box, attemptPlace(purpose))
	if err != nil {
		return attempt{}, core.Wrap(core.CodeInvalidState, err, "the OAuth flow's cookie is not from this service: start again")
	}
	if err := json.Unmarshal(text, &made); err != nil {
		return attempt{}, core.Wrap(core.CodeInternal, err, "a sealed OAuth attempt is malformed")
	}
	return made, nil
}

// spend stores that an attempt was redeemed. The record lives twice as long as the
// attempt, in case the clocks of several machines differ.
func (a attempts) spend(ctx context.Context, made attempt) error {
	err := a.store.Tables().Tickets.Create(ctx, core.Ticket{
		Kind: core.TicketOAuthState, Hash: core.HashSecret(made.State), ExpiresAt: made.ExpiresAt.Add(AttemptLifetime),
	})
	if core.IsCode(err, core.CodeConflict) {
		return core.Wrap(core.CodeInvalidState, err, "the OAuth flow was already completed: start again")
	}
	return err
}

// attemptPlace binds a sealed attempt to the cookie of its purpose.
func attemptPlace(purpose string) string { return "oauth attempt " + purpose }
