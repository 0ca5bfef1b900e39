package accounts_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

// forgot asks for a mail and returns the token in it.
func (w *world) forgot(email string) string {
	w.t.Helper()
	if err := w.ForgotPassword(w.t.Context(), core.Actor{}, email); err != nil {
		w.t.Fatal(err)
	}
	box := memory.NewMailbox()
	defer w.post(box)()
	return w.tokenIn(box, email, "/reset-password?token=")
}

// post sends mails into a box until stop is called.
func (w *world) post(box *memory.Mailbox) (stop func()) {
	worker := mailer.NewWorker(mailer.Deps{
		Queue: w.mails, Store: w.store, Sender: box, Audit: w.audit, Origin: "https://atelier.example",
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return w.now },
	})
	worker.Start()
	return func() { _ = worker.Close(context.Background()) }
}

// tokenIn waits for a mail with a link and returns the link's token.
func (w *world) tokenIn(box *memory.Mailbox, email, link string) string {
	w.t.Helper()
	for n := 1; ; {
		mails, err := box.Await(w.t.Context(), email, n)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, message := range mails {
			if _, rest, found := strings.Cut(message.Text, link); found {
				token, _, _ := strings.Cut(rest, "\n")
				return token
			}
		}
		n = len(mails) + 1
	}
}

func (w *world) reset(token, password string) error {
	return w.ResetPassword(w.t.Context(), from, token, password)
}

func TestResettingThePassword(t *testing.T) {
	w := newWorld(t)
	session, home := w.signUp("ada@example.com")
	wantCode(t, "the reset", w.reset(w.forgot("ada@example.com"), "new password"), "")
	user, err := w.store.Tables().Users.ByID(t.Context(), home.User.ID)
	if err != nil || !user.EmailVerified || user.CredentialVersion != 1 {
		t.Errorf("got %+v, %v, want a verified address and other credentials", user, err)
	}
	_, err = w.Refresh(t.Context(), from, session.RefreshToken)
	wantCode(t, "a session from before", err, core.CodeUnauthenticated)
	_, err = w.SignIn(t.Context(), from, "ada@example.com", password)
	wantCode(t, "the old password", err, core.CodeInvalidCredentials)
	opened, err := w.SignIn(t.Context(), from, "ada@example.com", "new password")
	wantCode(t, "the new password", err, "")
	_, err = w.Refresh(t.Context(), from, opened.RefreshToken)
	wantCode(t, "a session from after", err, "")
	entries, err := w.audit.Own(t.Context(), core.Actor{UserID: user.ID}, core.Page{Limit: 10})
	for _, entry := range entries {
		if entry.Action == core.AuditPasswordReset {
			if entry.Actor.UserID != user.ID || entry.IP != from.IP || !strings.HasPrefix(entry.Target, "ada@example.com") {
				t.Errorf("got %+v, want who, from where and whose", entry)
			}
			return
		}
	}
	t.Errorf("got %+v, %v, want the reset in the audit log", entries, err)
}

func TestAResetTokenWorksOnce(t *testing.T) {
	w := newWorld(t)
	w.signUp("ada@example.com")
	token := w.forgot("ada@example.com")
	wantCode(t, "the first time", w.reset(token, "new password"), "")
	wantCode(t, "the second time", w.reset(token, "newer password"), core.CodeInvalidToken)
	_, err := w.SignIn(t.Context(), from, "ada@example.com", "new password")
	wantCode(t, "the first one's password", err, "")
}

func TestOfParallelUsesOfAResetTokenOneWins(t *testing.T) {
	w := newWorld(t)
	w.signUp("ada@example.com")
	token := w.forgot("ada@example.com")
	errs := make([]error, 16)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { errs[i] = w.reset(token, "new password") })
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			wantCode(t, "one that lost", err, core.CodeInvalidToken)
		}
	}
	user, err := w.store.Tables().Users.ByEmail(t.Context(), "ada@example.com")
	if won != 1 || err != nil || user.CredentialVersion != 1 {
		t.Errorf("got %d resets and version %d, want one", won, user.CredentialVersion)
	}
}

func TestAResetTokenLapsesAfterAnHour(t *testing.T) {
	w := newWorld(t)
	w.signUp("ada@example.com")
	token := w.forgot("ada@example.com")
	w.now = w.now.Add(time.Hour - time.Second)
	other := w.forgot("ada@example.com")
	w.now = w.now.Add(time.Second)
	wantCode(t, "an hour later", w.reset(token, "new password"), core.CodeInvalidToken)
	wantCode(t, "a second after it was sent", w.reset(other, "new password"), "")
}

func TestAResetEndsTheOtherLinks(t *testing.T) {
	w := newWorld(t)
	w.signUp("ada@example.com")
	w.signUp("grace@example.com")
	wantCode(t, "one that proves the address", w.reset(w.forgot("ada@example.com"), "new password"), "")
	first, second, graces := w.forgot("ada@example.com"), w.forgot("ada@example.com"), w.forgot("grace@example.com")
	wantCode(t, "the first", w.reset(first, "new password"), "")
	wantCode(t, "the second", w.reset(second, "newer password"), core.CodeInvalidToken)
	wantCode(t, "somebody else's", w.reset(graces, "new password"), "")
}

func TestAPasswordOutOfBoundsSpendsNoToken(t *testing.T) {
	w := newWorld(t)
	w.signUp("ada@example.com")
	token := w.forgot("ada@example.com")
	for _, bad := range []string{"", "short", strings.Repeat("x", core.MaxPasswordChars+1), "long enough \xff"} {
		wantCode(t, bad, w.reset(token, bad), core.CodeValidationFailed)
	}
	wantCode(t, "a good one", w.reset(token, "new password"), "")
}

func TestAFailureWhileResettingSpendsNoToken(t *testing.T) {
	w := newWorld(t)
	w.signUp("ada@example.com")
	token := w.forgot("ada@example.com")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.ResetPassword(ended, from, token, "new password"); err == nil {
		t.Error("got no error from a call that has ended")
	}
	broken := accounts.New(accounts.Deps{
		Companies: companysignin.NewRules(access.NewGate(nil)), Doors: openDoors(w.store),
		Store: &brokenAudit{w.store}, Tokens: w.tokens, Passwords: w.hasher, Audit: w.audit, Mails: w.mails, Estate: w.estate(),
		Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler),
	})
	wantCode(t, "a store that fails at the last step", broken.ResetPassword(t.Context(), from, token, "new password"), core.CodeUnavailable)
	_, err := w.SignIn(t.Context(), from, "ada@example.com", password)
	wantCode(t, "the old password", err, "")
	wantCode(t, "the next try", w.reset(token, "new password"), "")
}

// brokenAudit fails when an entry is written.
type brokenAudit struct{ storage.Store }

type noAudit struct{ storage.Audit }

func (noAudit) Append(context.Context, []core.AuditEntry) error {
	return core.Errorf(core.CodeUnavailable, "the database is gone")
}

func (s *brokenAudit) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	return s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		tables.Audit = noAudit{tables.Audit}
		return do(ctx, tables)
	})
}

func TestGuessesOfAResetTokenCostNoHash(t *testing.T) {
	w := newWorld(t)
	w.signUp("ada@example.com")
	token := w.forgot("ada@example.com")
	hashed := w.hasher.hashed
	for _, guess := range []string{"", "x", token[1:], token + "=", strings.ToUpper(token), core.NewSecret(), strings.Repeat("x", 1<<16), "\x00\xff"} {
		wantCode(t, guess, w.reset(guess, "new password"), core.CodeInvalidToken)
	}
	if w.hasher.hashed != hashed {
		t.Errorf("got %d hashes for guesses, want none", w.hasher.hashed-hashed)
	}
	ticket := core.Ticket{Kind: core.TicketOAuthState, Hash: core.HashSecret("state"), ExpiresAt: core.At(w.now.Add(time.Hour))}
	if err := w.store.Tables().Tickets.Create(t.Context(), ticket); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "a ticket of another kind", w.reset("state", "new password"), core.CodeInvalidToken)
}

// TestPreHijackedAccountLosesEveryWayInByAReset: an attacker created an account
// with somebody else's address, and keeps tokens until its owner comes.
func TestPreHijackedAccountLosesEveryWayInByAReset(t *testing.T) {
	w := newWorld(t)
	_, home := w.signUp("ada@example.com")
	by, tables := core.Actor{UserID: home.User.ID}, w.store.Tables()
	_, kept, err := w.APITokens.Create(t.Context(), by, accounts.NewAPIToken{Name: "kept", Scopes: []string{"files:read"}})
	if err != nil {
		t.Fatal(err)
	}
	theirs := core.Identity{Provider: core.IdentityGitHub, Subject: "eve", UserID: home.User.ID}
	if err := tables.Identities.Create(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "the reset", w.reset(w.forgot("ada@example.com"), "new password"), "")
	_, err = w.Authenticate(t.Context(), kept)
	wantCode(t, "an API token from before", err, core.CodeUnauthenticated)
	_, err = tables.Identities.Find(t.Context(), core.IdentityGitHub, "eve")
	wantCode(t, "an identity from before", err, core.CodeNotFound)

	_, _, err = w.APITokens.Create(t.Context(), by, accounts.NewAPIToken{Name: "again", Scopes: []string{"files:read"}})
	wantCode(t, "another API token by a session from before", err, core.CodeUnauthenticated)

	by.CredentialVersion++
	_, own, err := w.APITokens.Create(t.Context(), by, accounts.NewAPIToken{Name: "own", Scopes: []string{"files:read"}})
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, "a second reset", w.reset(w.forgot("ada@example.com"), "newer password"), "")
	_, err = w.Authenticate(t.Context(), own)
	wantCode(t, "an API token of the address's holder", err, "")
}

// countingStore counts queries to the table of users, and transactions.
type countingStore struct {
	storage.Store
	mu            sync.Mutex
	lookups, txes int
}

type countingUsers struct {
	storage.Users
	count func()
}

func (u countingUsers) ByEmail(ctx context.Context, email string) (core.User, error) {
	u.count()
	return u.Users.ByEmail(ctx, email)
}

func (s *countingStore) counted(tables storage.Tables) storage.Tables {
	tables.Users = countingUsers{tables.Users, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lookups++
	}}
	return tables
}

func (s *countingStore) Tables() storage.Tables { return s.counted(s.Store.Tables()) }

func (s *countingStore) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	s.mu.Lock()
	s.txes++
	s.mu.Unlock()
	return s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error { return do(ctx, s.counted(tables)) })
}

// effort is how often one call used the slow parts.
type effort struct{ hashed, tested, lookups, txes int }

// measured is accounts over a store that counts, on the same data.
func (w *world) measured() (*accounts.Service, func(do func()) effort) {
	store := &countingStore{Store: w.store}
	service := accounts.New(accounts.Deps{
		Companies: companysignin.NewRules(access.NewGate(nil)), Doors: openDoors(store),
		Store: store, Tokens: w.tokens, Passwords: w.hasher, Audit: w.audit, Mails: w.mails, Estate: w.estate(),
		Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler),
		Settings: accounts.Settings{AccessTTL: time.Hour, RefreshTTL: time.Hour},
	})
	return service, func(do func()) effort {
		before := effort{w.hasher.hashed, w.hasher.tested, store.lookups, store.txes}
		do()
		return effort{w.hasher.hashed - before.hashed, w.hasher.tested - before.tested, store.lookups - before.lookups, store.txes - before.txes}
	}
}

func TestEnumerationByForgottenPasswords(t *testing.T) {
	w := newWorld(t)
	w.signUp("ada@example.com")
	service, measure := w.measured()
	for _, email := range []string{"ada@example.com", " ADA@example.com ", "eve@example.com"} {
		got := measure(func() { wantCode(t, email, service.ForgotPassword(t.Context(), core.Actor{}, email), "") })
		if want := (effort{txes: 1}); got != want {
			t.Errorf("%s: got %+v, want %+v: one mail stored and nobody looked up", email, got, want)
		}
	}
	for _, bad := range []string{"", "ada", "ada@", "a@b@c", "ada@example.com\r\nBcc: eve@example.com", strings.Repeat("a", 300) + "@example.com"} {
		got := measure(func() {
			wantCode(t, bad, service.ForgotPassword(t.Context(), core.Actor{}, bad), core.CodeValidationFailed)
		})
		if got != (effort{}) {
			t.Errorf("%q: got %+v, want nothing done", bad, got)
		}
	}
}

func TestEnumerationBySigningIn(t *testing.T) {
	w := newWorld(t)
	w.signUp("ada@example.com")
	service, measure := w.measured()
	var texts []string
	for _, email := range []string{"ada@example.com", "eve@example.com"} {
		var err error
		got := measure(func() { _, err = service.SignIn(t.Context(), from, email, "wrong password") })
		if want := (effort{tested: 1, lookups: 1}); got != want {
			t.Errorf("%s: got %+v, want %+v", email, got, want)
		}
		wantCode(t, email, err, core.CodeInvalidCredentials)
		texts = append(texts, err.Error())
	}
	if texts[0] != texts[1] {
		t.Errorf("got %q, want the same words for both", texts)
	}
}
