package accounts_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/ports/storage"
)

// over returns the use cases over another store than the world's own.
func (w *world) over(store storage.Store, log *slog.Logger) *accounts.Service {
	return accounts.New(accounts.Deps{
		Companies: companysignin.NewRules(access.NewGate(nil)), Doors: openDoors(store),
		Store: store, Tokens: w.tokens, Passwords: w.hasher, Audit: w.audit, Mails: w.mails, Now: func() time.Time { return w.now }, Log: log,
		Settings: accounts.Settings{AccessTTL: 15 * time.Minute, RefreshTTL: time.Hour},
	})
}

// program signs somebody up and creates a token with all scopes.
func (w *world) program(email string) (core.Actor, core.APIToken, string) {
	w.t.Helper()
	_, home := w.signUp(email)
	by := core.Actor{UserID: home.User.ID, IP: from.IP}
	token, secret, err := w.APITokens.Create(w.t.Context(), by, accounts.NewAPIToken{Name: "CI", Scopes: allScopes()})
	if err != nil {
		w.t.Fatal(err)
	}
	return by, token, secret
}

func allScopes() []string {
	var words []string
	for _, scope := range core.Scopes() {
		words = append(words, string(scope))
	}
	return words
}

func TestAnAPITokenStandsForItsOwnerWithinItsScopes(t *testing.T) {
	w := newWorld(t)
	_, home := w.signUp("ada@example.com")
	by := core.Actor{UserID: home.User.ID}
	made, secret, err := w.APITokens.Create(t.Context(), by, accounts.NewAPIToken{Name: "CI", Scopes: []string{"publish", "chat"}})
	if err != nil {
		t.Fatal(err)
	}
	actor, err := w.Authenticate(t.Context(), secret)
	if err != nil || actor.UserID != by.UserID || !actor.Token || !slices.Equal(actor.Scopes, []core.Scope{core.ScopeChat, core.ScopePublish}) {
		t.Errorf("got %+v, %v, want the owner with the two scopes", actor, err)
	}
	stored, err := w.store.Tables().APITokens.ByHash(t.Context(), core.HashSecret(secret))
	if err != nil || stored.ID != made.ID || strings.Contains(stored.TokenHash, secret[4:]) || stored.Prefix != secret[:12] {
		t.Errorf("got %+v, %v, want the record with a hash and the beginning alone", stored, err)
	}
}

func TestWhatIsNoAPITokenIsUnauthenticated(t *testing.T) {
	w := newWorld(t)
	_, _, secret := w.program("ada@example.com")
	for _, text := range []string{
		"atl_", "atl_ ", secret[:46], secret + "x", "atl_" + core.NewSecret(), "atl_" + core.HashSecret(secret), strings.Repeat("atl_", 1<<14), "atl_\x00\xff", "ATL" + secret[3:],
	} {
		_, err := w.Authenticate(t.Context(), text)
		wantCode(t, text[:min(len(text), 60)], err, core.CodeUnauthenticated)
	}
}

func TestTokensAreInTheAuditLog(t *testing.T) {
	w := newWorld(t)
	by, token, secret := w.program("ada@example.com")
	wantCode(t, "delete", w.APITokens.Delete(t.Context(), by, token.ID), "")
	wantCode(t, "delete again", w.APITokens.Delete(t.Context(), by, token.ID), core.CodeNotFound)
	entries, err := w.store.Tables().Audit.OfPerson(t.Context(), by.UserID, core.Page{Limit: 3})
	if err != nil || len(entries) < 2 || entries[0].Action != core.AuditTokenDeleted || entries[1].Action != core.AuditTokenCreated {
		t.Fatalf("got %+v, %v, want the token deleted after it was created", entries, err)
	}
	for _, entry := range entries[:2] {
		if entry.Target != "CI ("+secret[:12]+"…)" || entry.Actor.UserID != by.UserID || entry.IP != from.IP {
			t.Errorf("got %+v, want it to name the token, who and from where", entry)
		}
	}
}

func TestProgramsDoNotManageTheAccount(t *testing.T) {
	w := newWorld(t)
	_, token, secret := w.program("ada@example.com")
	program, err := w.Authenticate(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = w.APITokens.Create(t.Context(), program, accounts.NewAPIToken{Name: "more", Scopes: []string{"chat"}})
	wantCode(t, "create", err, core.CodeInsufficientScope)
	_, err = w.APITokens.List(t.Context(), program)
	wantCode(t, "list", err, core.CodeInsufficientScope)
	wantCode(t, "delete", w.APITokens.Delete(t.Context(), program, token.ID), core.CodeInsufficientScope)
	_, err = w.Me(t.Context(), program)
	wantCode(t, "me", err, core.CodeInsufficientScope)
	_, err = w.Update(t.Context(), program, accounts.Change{Password: &accounts.PasswordChange{Current: password, New: password}})
	wantCode(t, "a new password", err, core.CodeInsufficientScope)
	wantCode(t, "sign out everywhere", w.SignOutEverywhere(t.Context(), program), core.CodeInsufficientScope)
}

func TestAPersonHasAHundredTokensEvenInParallel(t *testing.T) {
	w := newWorld(t)
	by, _, _ := w.program("ada@example.com")
	codes := make([]core.Code, accounts.MaxAPITokens+10)
	var group sync.WaitGroup
	for i := range codes {
		group.Go(func() {
			_, _, err := w.APITokens.Create(t.Context(), by, accounts.NewAPIToken{Name: "x", Scopes: []string{"chat"}})
			codes[i] = core.CodeOf(err)
		})
	}
	group.Wait()
	refused := 0
	for _, code := range codes {
		if code == core.CodeConflict {
			refused++
		} else if code != "" {
			t.Errorf("got %s, want a token or a conflict", code)
		}
	}
	tokens, err := w.APITokens.List(t.Context(), by)
	if err != nil || len(tokens) != accounts.MaxAPITokens || refused != 11 {
		t.Errorf("got %d tokens and %d conflicts, %v, want %d and 11", len(tokens), refused, err, accounts.MaxAPITokens)
	}
	wantCode(t, "delete", w.APITokens.Delete(t.Context(), by, tokens[0].ID), "")
	_, _, err = w.APITokens.Create(t.Context(), by, accounts.NewAPIToken{Name: "x", Scopes: []string{"chat"}})
	wantCode(t, "one more after one went", err, "")
}

func TestWithoutAnAccountThereAreNoTokens(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.APITokens.Create(t.Context(), core.Actor{UserID: core.NewID()}, accounts.NewAPIToken{Name: "x", Scopes: []string{"chat"}})
	wantCode(t, "create", err, core.CodeUnauthenticated)
}

// tokenStore is a store with watchedTokens as its table of tokens.
type tokenStore struct {
	storage.Store
	table watchedTokens
}

func (s *tokenStore) Tables() storage.Tables {
	tables, watched := s.Store.Tables(), s.table
	watched.APITokens = tables.APITokens
	tables.APITokens = &watched
	return tables
}

// watchedTokens counts touches, and can hold them up, fail them, and fail to find
// tokens.
type watchedTokens struct {
	storage.APITokens
	touches           *atomic.Int32
	hold              chan struct{}
	finding, touching error
}

func (t *watchedTokens) ByHash(ctx context.Context, hash string) (core.APIToken, error) {
	if t.finding != nil {
		return core.APIToken{}, t.finding
	}
	return t.APITokens.ByHash(ctx, hash)
}

func (t *watchedTokens) Touch(ctx context.Context, id core.ID, at core.Time) error {
	t.touches.Add(1)
	if t.hold != nil {
		<-t.hold
	}
	if t.touching != nil {
		return t.touching
	}
	return t.APITokens.Touch(ctx, id, at)
}

func TestACallNeitherWaitsForNorFailsWithTheWritingOfItsUse(t *testing.T) {
	w := newWorld(t)
	_, _, secret := w.program("ada@example.com")
	var log strings.Builder
	table := watchedTokens{touches: new(atomic.Int32), hold: make(chan struct{}), touching: core.Errorf(core.CodeUnavailable, "the disk is full")}
	service := w.over(&tokenStore{w.store, table}, slog.New(slog.NewTextHandler(&log, nil)))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := service.Authenticate(ctx, secret)
	wantCode(t, "while the writing hangs", err, "")
	cancel()
	close(table.hold)
	service.Close()
	if table.touches.Load() != 1 || !strings.Contains(log.String(), "the disk is full") || strings.Contains(log.String(), secret) {
		t.Errorf("got %d touches and the log %q, want one that failed, without the token", table.touches.Load(), log.String())
	}
}

func TestADatabaseThatIsGoneIsNotAWrongToken(t *testing.T) {
	w := newWorld(t)
	_, _, secret := w.program("ada@example.com")
	table := watchedTokens{touches: new(atomic.Int32), finding: core.Errorf(core.CodeUnavailable, "the database is gone")}
	_, err := w.over(&tokenStore{w.store, table}, slog.New(slog.DiscardHandler)).Authenticate(t.Context(), secret)
	wantCode(t, "an API token", err, core.CodeUnavailable)
}

func TestUsesAreWrittenOnceAMinute(t *testing.T) {
	w := newWorld(t)
	_, token, secret := w.program("ada@example.com")
	table := watchedTokens{touches: new(atomic.Int32)}
	service := w.over(&tokenStore{w.store, table}, slog.New(slog.DiscardHandler))
	for minute := range 3 {
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				if _, err := service.Authenticate(t.Context(), secret); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		service.Close()
		if got := table.touches.Load(); got != int32(minute+1) {
			t.Errorf("minute %d: got %d writes, want one a minute", minute, got)
		}
		stored, err := w.store.Tables().APITokens.ByHash(t.Context(), token.TokenHash)
		if err != nil || stored.LastUsedAt == nil || *stored.LastUsedAt != core.At(w.now) {
			t.Errorf("minute %d: got %v, %v, want it used at %s", minute, stored.LastUsedAt, err, w.now)
		}
		w.now = w.now.Add(time.Minute)
	}
}

func TestAUseThatAnotherProcessWroteIsNotWrittenAgain(t *testing.T) {
	w := newWorld(t)
	_, token, secret := w.program("ada@example.com")
	if err := w.store.Tables().APITokens.Touch(t.Context(), token.ID, core.At(w.now.Add(-59*time.Second))); err != nil {
		t.Fatal(err)
	}
	table := watchedTokens{touches: new(atomic.Int32)}
	service := w.over(&tokenStore{w.store, table}, slog.New(slog.DiscardHandler))
	_, err := service.Authenticate(t.Context(), secret)
	service.Close()
	if err != nil || table.touches.Load() != 0 {
		t.Errorf("got %d writes, %v, want none", table.touches.Load(), err)
	}
}
