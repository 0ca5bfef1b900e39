package passkeysignin_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	memorypasskeys "github.com/atelierhq/atelier/adapters/memory/passkeys"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/passkeysignin"
	"github.com/atelierhq/atelier/ports/passkeys/passkeystest"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	password = "correct horse"
	origin   = "https://atelier.example"
)

var from = core.Actor{IP: "192.0.2.1"}

// company is the rule of a company that has its own sign-in while it is true.
type company bool

// Check implements accounts.Companies.
func (c *company) Check(_ context.Context, _ storage.Tables, _ core.User, proof string) error {
	if *c && proof == accounts.ProofPasskey {
		return core.Errorf(core.CodeCompanySignIn, "people at acme.example sign in with Acme")
	}
	return nil
}

// CheckAddress implements accounts.Companies.
func (c *company) CheckAddress(context.Context, storage.Tables, string, string) error { return nil }

// house is a service on memory adapters, with somebody whose address is verified.
type house struct {
	*passkeysignin.Service
	t       *testing.T
	store   storage.Store
	people  *accounts.Service
	company company
	by      core.Actor
	now     time.Time
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, store: memory.NewStore(), now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	clock, quiet := func() time.Time { return h.now }, slog.New(slog.DiscardHandler)
	gate, sealer := access.NewGate(h.store), memory.NewSealer()
	log := audit.New(audit.Deps{Store: h.store, Gate: gate, Now: clock, Log: quiet})
	mails := mailer.New(sealer, clock)
	h.people = accounts.New(accounts.Deps{
		Companies: &h.company, Doors: instance.NewDoors(h.store, gate, instance.Environment{Signup: core.SignupOpen}, clock),
		Store: h.store, Tokens: memory.NewTokens(clock), Passwords: memory.NewPasswords(), Sealer: sealer, Codes: memory.NewTimeCodes(), Audit: log,
		Mails: mails, Now: clock, Log: quiet, Settings: accounts.Settings{AccessTTL: 24 * time.Hour, RefreshTTL: 24 * time.Hour, LimitGuesses: true},
	})
	address, err := url.Parse(origin)
	h.must(err)
	h.Service = passkeysignin.New(passkeysignin.Deps{
		Store: h.store, Ceremonies: memorypasskeys.New(address), Accounts: h.people, Audit: log, Mails: mails, Now: clock,
	})
	made, _, err := h.people.SignUp(t.Context(), from, accounts.NewAccount{Email: "ada@acme.example", Password: password})
	h.must(err)
	_, err = h.store.Tables().Users.Update(t.Context(), made.User.ID, func(user *core.User) error {
		user.EmailVerified = true
		return nil
	})
	h.must(err)
	h.by, err = h.people.Authenticate(t.Context(), made.AccessToken)
	h.must(err)
	return h
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) wantCode(what string, err error, code core.Code) {
	h.t.Helper()
	if got := core.CodeOf(err); got != code {
		h.t.Errorf("%s: got %v, want %q", what, err, code)
	}
}

// made is the answer of a new device to the options of a registration.
func (h *house) made(proof passkeysignin.Proof) (*passkeystest.Authenticator, json.RawMessage) {
	h.t.Helper()
	options, err := h.BeginRegistration(h.t.Context(), h.by, proof)
	h.must(err)
	device := passkeystest.NewAuthenticator(h.t, origin)
	return device, device.Create(h.t, options)
}

func (h *house) register() (*passkeystest.Authenticator, passkeysignin.Registration) {
	h.t.Helper()
	device, answer := h.made(passkeysignin.Proof{Password: password})
	registered, err := h.FinishRegistration(h.t.Context(), h.by, " Laptop ", answer)
	h.must(err)
	return device, registered
}

// asked is the answer of a device to the options of a sign-in.
func (h *house) asked(device *passkeystest.Authenticator, token string) json.RawMessage {
	h.t.Helper()
	options, err := h.BeginSignIn(h.t.Context(), token)
	h.must(err)
	return device.Get(h.t, options)
}

// token is that of the second step after the password.
func (h *house) token() string {
	h.t.Helper()
	_, err := h.people.SignIn(h.t.Context(), from, "ada@acme.example", password)
	var required *core.Error
	if !errors.As(err, &required) || required.Code != core.CodeMFARequired {
		h.t.Fatalf("got %v, want %s", err, core.CodeMFARequired)
	}
	return required.MFAToken
}

func TestAChallengeIsOverAfterItsLifetime(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, late := h.made(passkeysignin.Proof{Password: password})
	h.now = h.now.Add(passkeysignin.ChallengeLifetime)
	_, err := h.FinishRegistration(t.Context(), h.by, "Late", late)
	h.wantCode("a late registration", err, core.CodeInvalidToken)

	device, registered := h.register()
	if registered.Passkey.Name != "Laptop" || registered.Passkey.CreatedAt != core.At(h.now) || len(registered.RecoveryCodes) != core.RecoveryCodes {
		t.Errorf("got %+v, want the laptop of now, with recovery codes", registered)
	}
	answer := h.asked(device, "")
	h.now = h.now.Add(passkeysignin.ChallengeLifetime - time.Millisecond)
	_, err = h.FinishSignIn(t.Context(), from, answer)
	h.wantCode("just in time", err, "")
	answer = h.asked(device, "")
	h.now = h.now.Add(passkeysignin.ChallengeLifetime)
	_, err = h.FinishSignIn(t.Context(), from, answer)
	h.wantCode("a late sign-in", err, core.CodeInvalidToken)
}

func TestACompanyOrAnAdminStopsPasskeys(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	device, _ := h.register()
	h.company = true
	_, err := h.FinishSignIn(t.Context(), from, h.asked(device, ""))
	h.wantCode("a company with its own sign-in", err, core.CodeCompanySignIn)
	h.company = false
	_, err = h.store.Tables().Users.Update(t.Context(), h.by.UserID, func(user *core.User) error {
		user.DisabledAt = 1
		return nil
	})
	h.must(err)
	_, err = h.FinishSignIn(t.Context(), from, h.asked(device, ""))
	h.wantCode("a disabled account", err, core.CodeAccountDisabled)
}

func TestWrongPasskeysEndASecondStep(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	device, _ := h.register()
	token := h.token()
	device.Origin = "https://evil.example"
	for range accounts.MaxWrongCodes {
		_, err := h.FinishStep(t.Context(), from, token, h.asked(device, token))
		h.wantCode("a passkey at another origin", err, core.CodeInvalidCredentials)
	}
	_, err := h.BeginSignIn(t.Context(), token)
	h.wantCode("the token after too many", err, core.CodeInvalidToken)
	device.Origin = origin
	token = h.token()
	_, err = h.FinishStep(t.Context(), from, h.token(), h.asked(device, token))
	h.wantCode("the challenge of another sign-in", err, core.CodeInvalidToken)
	_, err = h.FinishStep(t.Context(), from, token, h.asked(device, token))
	h.wantCode("the passkey", err, "")
}

func TestPasskeysHaveBounds(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	device, registered := h.register()
	code := passkeysignin.Proof{Password: password, Code: registered.RecoveryCodes[0]}
	_, answer := h.made(code)
	_, err := h.BeginRegistration(t.Context(), h.by, code)
	h.wantCode("a recovery code again", err, core.CodeInvalidCredentials)
	_, err = h.FinishRegistration(t.Context(), h.by, "", answer)
	h.wantCode("no name", err, core.CodeValidationFailed)
	_, err = h.store.Tables().Factors.Update(t.Context(), h.by.UserID, func(factor *core.Factor) error {
		factor.Passkeys = core.MaxPasskeys
		return nil
	})
	h.must(err)
	_, err = h.FinishRegistration(t.Context(), h.by, "Too many", answer)
	h.wantCode("one too many, begun before", err, core.CodeConflict)
	_, err = h.BeginRegistration(t.Context(), h.by, passkeysignin.Proof{Password: password, Credential: h.asked(device, "")})
	h.wantCode("one too many", err, core.CodeConflict)
	both := passkeysignin.Proof{Password: password, Code: "000000", Credential: h.asked(device, "")}
	_, err = h.BeginRegistration(t.Context(), h.by, both)
	h.wantCode("a code and a passkey", err, core.CodeValidationFailed)
	program := core.Actor{UserID: h.by.UserID, Token: true, Scopes: core.Scopes()}
	_, err = h.FinishRegistration(t.Context(), program, "x", answer)
	h.wantCode("an API token", err, core.CodeInsufficientScope)
}
