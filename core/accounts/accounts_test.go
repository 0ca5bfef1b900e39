package accounts_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/workspaces"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
)

const password = "correct horse"

// from is the caller of all calls, with an address.
var from = core.Actor{IP: "192.0.2.1"}

// world is the use cases over memory adapters.
type world struct {
	*accounts.Service
	t      *testing.T
	store  storage.Store
	tokens identity.Tokens
	hasher *countingPasswords
	audit  *audit.Log
	mails  *mailer.Queue
	now    time.Time
}

// countingPasswords counts the slow calls.
type countingPasswords struct {
	identity.Passwords
	mu             sync.Mutex
	hashed, tested int
	// meet, if set, makes every call wait before hashing until all have tested.
	meet *sync.WaitGroup
}

func (p *countingPasswords) Hash(ctx context.Context, text string) (string, error) {
	p.mu.Lock()
	p.hashed++
	p.mu.Unlock()
	if p.meet != nil {
		p.meet.Wait()
	}
	return p.Passwords.Hash(ctx, text)
}

func (p *countingPasswords) Verify(ctx context.Context, hash, text string) (bool, error) {
	p.mu.Lock()
	p.tested++
	p.mu.Unlock()
	match, err := p.Passwords.Verify(ctx, hash, text)
	if p.meet != nil {
		p.meet.Done()
	}
	return match, err
}

// estate is everything that people own besides their accounts.
func (w *world) estate() *workspaces.Members {
	return workspaces.NewMembers(workspaces.MemberDeps{
		Store: w.store, Audit: w.audit, Runs: noRuns{}, Trash: noTrash{}, Bus: memory.NewBus(), Log: slog.New(slog.DiscardHandler),
	})
}

// noRuns is an agent that works for nobody.
type noRuns struct{}

func (noRuns) StopOf(context.Context, core.ID, core.ID) error { return nil }

// departures deletes accounts.
func (w *world) departures() *instance.Departures {
	return instance.NewDepartures(instance.DepartureDeps{
		Store: w.store, Gate: access.NewGate(w.store), Audit: w.audit, Mail: w.mails, Estate: w.estate(),
	})
}

// noTrash is one that nobody empties.
type noTrash struct{}

func (noTrash) WakePurge() {}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, store: memory.NewStore(), now: time.Date(2030, 1, 2, 3, 4, 5, 678_000_000, time.UTC)}
	clock := func() time.Time { return w.now }
	w.tokens, w.hasher = memory.NewTokens(clock), &countingPasswords{Passwords: memory.NewPasswords()}
	limit := 5.0
	w.mails = mailer.New(memory.NewSealer(), clock)
	w.audit = audit.New(audit.Deps{Store: w.store, Gate: access.NewGate(w.store), Now: clock, Log: slog.New(slog.DiscardHandler)})
	w.Service = accounts.New(accounts.Deps{
		Companies: companysignin.NewRules(access.NewGate(nil)), Doors: doorsOf(w.store, instance.Environment{Preset: core.SignupOpen, CreditLimit: &limit}),
		Store: w.store, Tokens: w.tokens, Passwords: w.hasher, Audit: w.audit, Mails: w.mails, Estate: w.estate(), Departures: w.departures(), Now: clock, Log: slog.New(slog.DiscardHandler),
		Settings: accounts.Settings{AccessTTL: 15 * time.Minute, RefreshTTL: time.Hour},
	})
	return w
}

// openDoors lets everybody sign up.
func openDoors(store storage.Store) *instance.Doors {
	return doorsOf(store, instance.Environment{Preset: core.SignupOpen})
}

func doorsOf(store storage.Store, env instance.Environment) *instance.Doors {
	return instance.NewDoors(store, access.NewGate(store), env, time.Now)
}

func (w *world) signUp(email string) (accounts.Session, accounts.Home) {
	w.t.Helper()
	session, home, err := w.SignUp(w.t.Context(), from, accounts.NewAccount{Email: email, Password: password})
	if err != nil {
		w.t.Fatalf("sign up %s: %v", email, err)
	}
	return session, home
}

func wantCode(t *testing.T, what string, err error, code core.Code) {
	t.Helper()
	if got := core.CodeOf(err); got != code {
		t.Errorf("%s: got %v, want code %q", what, err, code)
	}
}

func TestSignUpMakesAUserWithAWorkspaceOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	session, home := w.signUp(" Ada.L@Example.com ")
	if home.User.Email != "ada.l@example.com" || home.User.EmailVerified || home.User.CreatedAt != core.At(w.now) {
		t.Errorf("got %+v, want an unverified user of now", home.User)
	}
	if !home.Workspace.Personal || home.Workspace.Name != "ada.l" || *home.Workspace.CreditLimit != 5 || home.Role != core.RoleOwner {
		t.Errorf("got %+v as %s, want the personal workspace with the default limit", home.Workspace, home.Role)
	}
	stored, err := w.Me(t.Context(), core.Actor{UserID: session.User.ID})
	if err != nil || stored.User.ID != home.User.ID || stored.Workspace.ID != home.Workspace.ID || stored.Role != core.RoleOwner {
		t.Errorf("got %+v, %v, want what sign-up returned", stored, err)
	}
	if stored.User.PasswordHash == "" || strings.Contains(stored.User.PasswordHash, password) {
		t.Errorf("got the hash %q, want one", stored.User.PasswordHash)
	}
	for _, kind := range []struct {
		kind  identity.TokenKind
		token string
		life  time.Duration
	}{{identity.TokenAccess, session.AccessToken, 15 * time.Minute}, {identity.TokenRefresh, session.RefreshToken, time.Hour}} {
		claims, err := w.tokens.Verify(kind.token, kind.kind)
		if err != nil || claims.Subject != home.User.ID || claims.ExpiresAt.Std() != w.now.Truncate(time.Second).Add(kind.life) {
			t.Errorf("%s: got %+v, %v, want it to live %s", kind.kind, claims, err, kind.life)
		}
	}
}

func TestASignUpThatFailsLeavesNothing(t *testing.T) {
	w := newWorld(t)
	w.signUp("ada@example.com")
	hashed := w.hasher.hashed
	_, _, err := w.SignUp(t.Context(), from, accounts.NewAccount{Email: "ADA@example.com", Password: password})
	wantCode(t, "a taken address", err, core.CodeEmailTaken)
	if w.hasher.hashed != hashed {
		t.Error("got a hash computed for a taken address, want none")
	}
	broken := &brokenStore{Store: w.store}
	service := accounts.New(accounts.Deps{Companies: companysignin.NewRules(access.NewGate(nil)), Doors: openDoors(broken), Store: broken, Tokens: w.tokens, Passwords: w.hasher, Audit: w.audit, Mails: w.mails, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	_, _, err = service.SignUp(t.Context(), from, accounts.NewAccount{Email: "eve@example.com", Password: password})
	wantCode(t, "a store that fails at the last step", err, core.CodeUnavailable)
	_, err = w.store.Tables().Users.ByEmail(t.Context(), "eve@example.com")
	wantCode(t, "the user of the failed sign-up", err, core.CodeNotFound)
}

// brokenStore fails when a member is put.
type brokenStore struct{ storage.Store }

type brokenWorkspaces struct{ storage.Workspaces }

func (brokenWorkspaces) PutMember(context.Context, core.Membership) error {
	return core.Errorf(core.CodeUnavailable, "the database is gone")
}

func (s *brokenStore) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	return s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		tables.Workspaces = brokenWorkspaces{tables.Workspaces}
		return do(ctx, tables)
	})
}

func TestParallelSignUpsOfOneAddress(t *testing.T) {
	w := newWorld(t)
	errs := make([]error, 16)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			_, _, errs[i] = w.SignUp(t.Context(), from, accounts.NewAccount{Email: "ada@example.com", Password: password})
		})
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			wantCode(t, "one that lost", err, core.CodeEmailTaken)
		}
	}
	if won != 1 {
		t.Errorf("got %d accounts, want one", won)
	}
}

func TestSigningInAlwaysTestsOnePassword(t *testing.T) {
	w := newWorld(t)
	w.signUp("ada@example.com")
	for _, c := range []struct {
		name, email, password string
		code                  core.Code
	}{
		{"right", " ADA@example.com", password, ""},
		{"wrong", "ada@example.com", "wrong", core.CodeInvalidCredentials},
		{"unknown", "eve@example.com", password, core.CodeInvalidCredentials},
		{"no address", "eve", password, core.CodeInvalidCredentials},
		{"empty", "", "", core.CodeInvalidCredentials},
	} {
		before := w.hasher.tested
		_, err := w.SignIn(t.Context(), from, c.email, c.password)
		wantCode(t, c.name, err, c.code)
		if n := w.hasher.tested - before; n != 1 {
			t.Errorf("%s: got %d passwords tested, want one, so that the time tells nothing", c.name, n)
		}
	}
}

func TestAuthenticating(t *testing.T) {
	w := newWorld(t)
	session, home := w.signUp("ada@example.com")
	actor, err := w.Authenticate(t.Context(), session.AccessToken)
	if err != nil || actor.UserID != home.User.ID || actor.Token {
		t.Errorf("got %+v, %v, want the user without an API token", actor, err)
	}
	_, err = w.Authenticate(t.Context(), session.RefreshToken)
	wantCode(t, "a refresh token", err, core.CodeUnauthenticated)
	w.now = w.now.Add(15 * time.Minute)
	_, err = w.Authenticate(t.Context(), session.AccessToken)
	wantCode(t, "15 minutes later", err, core.CodeTokenExpired)
}

func TestRefreshing(t *testing.T) {
	w := newWorld(t)
	session, home := w.signUp("ada@example.com")
	w.now = w.now.Add(30 * time.Minute)
	renewed, err := w.Refresh(t.Context(), from, session.RefreshToken)
	if err != nil {
		t.Fatalf("got %v, want a token", err)
	}
	if actor, err := w.Authenticate(t.Context(), renewed.AccessToken); err != nil || actor.UserID != home.User.ID {
		t.Errorf("got %+v, %v, want the user", actor, err)
	}
	if err := w.SignOutEverywhere(t.Context(), core.Actor{UserID: home.User.ID}); err != nil {
		t.Fatal(err)
	}
	_, err = w.Refresh(t.Context(), from, session.RefreshToken)
	wantCode(t, "after signing out everywhere", err, core.CodeUnauthenticated)
	_, err = w.Refresh(t.Context(), from, renewed.AccessToken)
	wantCode(t, "an access token", err, core.CodeUnauthenticated)
	w.now = w.now.Add(time.Hour)
	_, err = w.Refresh(t.Context(), from, session.RefreshToken)
	wantCode(t, "an hour later", err, core.CodeTokenExpired)
}

func TestCallersWithoutAnAccountAreUnauthenticated(t *testing.T) {
	w := newWorld(t)
	ghost := core.Actor{UserID: core.NewID()}
	_, err := w.Me(t.Context(), ghost)
	wantCode(t, "me", err, core.CodeUnauthenticated)
	_, err = w.Update(t.Context(), ghost, accounts.Change{Password: &accounts.PasswordChange{Current: password, New: password}})
	wantCode(t, "a new password", err, core.CodeUnauthenticated)
	wantCode(t, "sign out", w.SignOutEverywhere(t.Context(), ghost), core.CodeUnauthenticated)
	token, err := w.tokens.Sign(identity.Claims{ID: core.NewID(), Subject: ghost.UserID, Kind: identity.TokenRefresh, ExpiresAt: core.At(w.now.Add(time.Hour))})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Refresh(t.Context(), from, token)
	wantCode(t, "refresh", err, core.CodeUnauthenticated)
}

func TestChangingThePassword(t *testing.T) {
	w := newWorld(t)
	session, home := w.signUp("ada@example.com")
	by := core.Actor{UserID: home.User.ID}
	change := func(current, next string) error {
		_, err := w.Update(t.Context(), by, accounts.Change{Password: &accounts.PasswordChange{Current: current, New: next}})
		return err
	}
	wantCode(t, "a wrong one", change("wrong", "new password"), core.CodeInvalidCredentials)
	wantCode(t, "a short new one", change(password, "short"), core.CodeValidationFailed)
	wantCode(t, "right", change(password, "new password"), "")
	_, err := w.Refresh(t.Context(), from, session.RefreshToken)
	wantCode(t, "the old session", err, core.CodeUnauthenticated)
	_, err = w.SignIn(t.Context(), from, "ada@example.com", "new password")
	wantCode(t, "the new password", err, "")
}

func TestOfParallelPasswordChangesOneWins(t *testing.T) {
	w := newWorld(t)
	_, home := w.signUp("ada@example.com")
	errs := make([]error, 8)
	w.hasher.meet = &sync.WaitGroup{}
	w.hasher.meet.Add(len(errs))
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			_, errs[i] = w.Update(t.Context(), core.Actor{UserID: home.User.ID}, accounts.Change{
				Password: &accounts.PasswordChange{Current: password, New: "new password " + string(rune('a'+i))},
			})
		})
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			wantCode(t, "one that lost", err, core.CodeInvalidCredentials)
		}
	}
	if won != 1 {
		t.Errorf("got %d changes, want one: %v", won, errors.Join(errs...))
	}
}

func TestAnAccountWithoutAPasswordHasNone(t *testing.T) {
	w := newWorld(t)
	_, home := w.signUp("ada@example.com")
	_, err := w.store.Tables().Users.Update(t.Context(), home.User.ID, func(user *core.User) error {
		user.PasswordHash = ""
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", password} {
		_, err := w.SignIn(t.Context(), from, "ada@example.com", text)
		wantCode(t, "sign in", err, core.CodeInvalidCredentials)
		_, err = w.Update(t.Context(), core.Actor{UserID: home.User.ID}, accounts.Change{Password: &accounts.PasswordChange{Current: text, New: "new password"}})
		wantCode(t, "set one", err, core.CodeInvalidCredentials)
	}
}

func TestChangingTheName(t *testing.T) {
	w := newWorld(t)
	_, home := w.signUp("ada@example.com")
	by := core.Actor{UserID: home.User.ID}
	name, long := " Ada ", strings.Repeat("x", core.MaxDisplayNameChars+1)
	set, unset, tooLong := &name, (*string)(nil), &long
	user, err := w.Update(t.Context(), by, accounts.Change{DisplayName: &set})
	if err != nil || *user.DisplayName != "Ada" || user.CredentialVersion != 0 {
		t.Errorf("got %+v, %v, want the name Ada and the same credentials", user, err)
	}
	_, err = w.Update(t.Context(), by, accounts.Change{DisplayName: &tooLong})
	wantCode(t, "a long name", err, core.CodeValidationFailed)
	if user, err = w.Update(t.Context(), by, accounts.Change{DisplayName: &unset}); err != nil || user.DisplayName != nil {
		t.Errorf("got %+v, %v, want no name", user, err)
	}
}
