package accounts_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// desk is people with subscriptions to a vendor's models.
type desk struct {
	*accounts.Subscriptions
	t        *testing.T
	store    storage.Store
	sealer   identity.Sealer
	vendor   *watchedVendor
	locks    *losableLocks
	now      time.Time
	ada, eve core.Actor
}

// watchedVendor counts the renewals, and can call a test in the middle of one.
type watchedVendor struct {
	*memory.OAuth
	renewals chan struct{}
	// during, if set, runs between the vendor's answer and its arrival.
	during func()
	refuse bool
}

func (v *watchedVendor) Refresh(ctx context.Context, token string) (oauth.Grant, error) {
	v.renewals <- struct{}{}
	if v.refuse {
		return oauth.Grant{}, core.Errorf(core.CodeInvalidCredentials, "the app was removed")
	}
	grant, err := v.OAuth.Refresh(ctx, token)
	if v.during != nil {
		v.during()
	}
	return grant, err
}

// losableLocks are locks that a test can make lost.
type losableLocks struct {
	*memory.Locks
	lost bool
}

func (l *losableLocks) Lock(ctx context.Context, record core.ID) (context.Context, func(), error) {
	held, unlock, err := l.Locks.Lock(ctx, record)
	return locks.With(held, func() error {
		if l.lost {
			return core.Errorf(core.CodeUnavailable, "the lock was lost")
		}
		return nil
	}), unlock, err
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, store: memory.NewStore(), sealer: memory.NewSealer(), locks: &losableLocks{Locks: memory.NewLocks()}, now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	clock := func() time.Time { return d.now }
	d.vendor = &watchedVendor{
		OAuth:    memory.NewOAuth(core.IdentityGitHub, "http://localhost:8080/auth/github/assistant/callback", clock),
		renewals: make(chan struct{}, 100),
	}
	d.vendor.SetTokens(8*time.Hour, true)
	for actor, name := range map[*core.Actor]string{&d.ada: "ada", &d.eve: "eve"} {
		user := core.User{ID: core.NewID(), Email: name + "@example.com"}
		space := core.NewWorkspace(name, true, nil, core.At(d.now))
		actor.UserID, actor.IP = user.ID, from.IP
		for _, err := range []error{
			d.store.Tables().Users.Create(t.Context(), user),
			d.store.Tables().Workspaces.Create(t.Context(), space),
			d.store.Tables().Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: space.ID, UserID: user.ID, Role: core.RoleOwner}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		d.vendor.AddPerson(oauth.Profile{Subject: name})
	}
	d.Subscriptions = accounts.NewSubscriptions(accounts.SubscriptionDeps{
		Store: d.store, Sealer: d.sealer, OAuth: oauth.Providers{Assistant: d.vendor}, Locks: d.locks,
		Audit: audit.New(audit.Deps{Store: d.store, Gate: access.NewGate(d.store), Now: clock, Log: slog.New(slog.DiscardHandler)}), Now: clock,
	})
	return d
}

// leave begins to connect, and lets the person agree.
func (d *desk) leave(by core.Actor, subject string) accounts.OAuthCallback {
	d.t.Helper()
	departure, err := d.Begin(d.t.Context(), by)
	if err != nil {
		d.t.Fatal(err)
	}
	return approve(d.t, d.vendor.OAuth, departure, subject)
}

func (d *desk) connect(by core.Actor, subject string) core.Subscription {
	d.t.Helper()
	made, err := d.Finish(d.t.Context(), by, d.leave(by, subject))
	if err != nil {
		d.t.Fatal(err)
	}
	return made
}

// key returns a person's key, which must be one that the vendor gave to subject.
func (d *desk) key(by core.Actor, subject string) string {
	d.t.Helper()
	key, err := d.Key(d.t.Context(), by.UserID)
	if err != nil || d.vendor.Holder(key) != subject {
		d.t.Fatalf("got the key of %q and %v, want one of %s", d.vendor.Holder(key), err, subject)
	}
	return key
}

func TestConnectingKeepsTheKeySealed(t *testing.T) {
	d := newDesk(t)
	made := d.connect(d.ada, "ada")
	key := d.key(d.ada, "ada")
	if made.Kind != core.SubscriptionGitHub || made.Name == "" || made.KeyHint != "…"+key[len(key)-4:] || *made.ExpiresAt != core.At(d.now.Add(8*time.Hour)) {
		t.Errorf("got %+v, want the end of the key and when it runs out", made)
	}
	if made.CreatedAt != core.At(d.now) || made.UpdatedAt != made.CreatedAt {
		t.Errorf("got %+v, want it made now", made)
	}
	stored, err := d.store.Tables().Subscriptions.List(t.Context(), d.ada.UserID)
	if err != nil || len(stored) != 1 || strings.Contains(string(stored[0].SealedKey), key) || len(stored[0].SealedRefresh) == 0 {
		t.Fatalf("got %+v and %v, want both secrets sealed", stored, err)
	}
	// A row that was copied to another person cannot be unsealed.
	stolen := stored[0]
	stolen.ID, stolen.UserID = core.NewID(), d.eve.UserID
	if _, err := d.store.Tables().Subscriptions.Put(t.Context(), stolen); err != nil {
		t.Fatal(err)
	}
	_, err = d.Key(t.Context(), d.eve.UserID)
	wantCode(t, "a stolen row", err, core.CodeInternal)
}

func TestConnectingAgainReplacesTheKey(t *testing.T) {
	d := newDesk(t)
	first := d.connect(d.ada, "ada")
	old := d.key(d.ada, "ada")
	d.vendor.SetTokens(0, false)
	second := d.connect(d.ada, "eve")
	if second.ID != first.ID || second.ExpiresAt != nil {
		t.Errorf("got %+v, want the same subscription with a key that does not run out", second)
	}
	if d.key(d.ada, "eve") == old {
		t.Error("got the old key, want the new one")
	}
}

func TestAnAttemptToConnectIsThePersonsWhoBeganIt(t *testing.T) {
	d := newDesk(t)
	back := d.leave(d.ada, "ada")
	_, err := d.Finish(t.Context(), d.eve, back)
	wantCode(t, "another person", err, core.CodeInvalidState)
	_, err = d.Finish(t.Context(), core.Actor{}, back)
	wantCode(t, "nobody", err, core.CodeInvalidState)
	if _, err = d.Finish(t.Context(), d.ada, back); err != nil {
		t.Errorf("the person: %v", err)
	}
	_, err = d.Finish(t.Context(), d.ada, back)
	wantCode(t, "a replay", err, core.CodeInvalidState)
	injected := d.leave(d.ada, "ada")
	injected.Code = d.leave(d.eve, "eve").Code
	_, err = d.Finish(t.Context(), d.ada, injected)
	wantCode(t, "the code of another attempt", err, core.CodeInvalidCredentials)
}

func TestASessionThatWasEndedConnectsNothing(t *testing.T) {
	d := newDesk(t)
	back := d.leave(d.ada, "ada")
	_, err := d.store.Tables().Users.Update(t.Context(), d.ada.UserID, func(user *core.User) error {
		user.CredentialVersion++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Finish(t.Context(), d.ada, back)
	wantCode(t, "an ended session", err, core.CodeUnauthenticated)
	wantCode(t, "what it connected", d.Check(t.Context(), d.ada.UserID), core.CodeNoProvider)
}

func TestASignInIsNoAttemptToConnect(t *testing.T) {
	a := newAgora(t)
	a.github.AddPerson(ada())
	back := a.leave(core.IdentityGitHub, "1815")
	subscriptions := accounts.NewSubscriptions(accounts.SubscriptionDeps{
		Store: a.store, Sealer: a.sealer, OAuth: oauth.Providers{Assistant: a.github}, Locks: memory.NewLocks(), Audit: a.audit,
		Now: func() time.Time { return a.now },
	})
	_, err := subscriptions.Finish(t.Context(), core.Actor{}, back)
	wantCode(t, "connect with a sign-in", err, core.CodeInvalidState)
}

func TestOnlyTheirOwnerSeesAndRemovesSubscriptions(t *testing.T) {
	d := newDesk(t)
	made := d.connect(d.ada, "ada")
	if all, err := d.List(t.Context(), d.ada); err != nil || len(all) != 1 || all[0].ID != made.ID {
		t.Errorf("got %+v and %v, want the one", all, err)
	}
	if all, err := d.List(t.Context(), d.eve); err != nil || len(all) != 0 {
		t.Errorf("somebody else: got %+v and %v, want none", all, err)
	}
	wantCode(t, "somebody else removes", d.Delete(t.Context(), d.eve, made.ID), core.CodeNotFound)
	if err := d.Delete(t.Context(), d.ada, made.ID); err != nil {
		t.Errorf("remove: %v", err)
	}
	wantCode(t, "remove again", d.Delete(t.Context(), d.ada, made.ID), core.CodeNotFound)
	wantCode(t, "check", d.Check(t.Context(), d.ada.UserID), core.CodeNoProvider)
	log, err := d.store.Tables().Audit.OfPerson(t.Context(), d.ada.UserID, core.Page{Limit: 10})
	if err != nil || len(log) != 2 || log[0].Action != core.AuditSubscriptionRemoved || log[1].Action != core.AuditSubscriptionAdded {
		t.Errorf("got %+v and %v, want both in the audit log", log, err)
	}
}

func TestNoAPITokenReachesSubscriptions(t *testing.T) {
	d := newDesk(t)
	back := d.leave(d.ada, "ada")
	token := d.ada
	token.Token, token.Scopes = true, core.Scopes()
	_, begun := d.Begin(t.Context(), token)
	_, finished := d.Finish(t.Context(), token, back)
	_, listed := d.List(t.Context(), token)
	for what, err := range map[string]error{"begin": begun, "finish": finished, "list": listed, "delete": d.Delete(t.Context(), token, core.NewID())} {
		wantCode(t, what, err, core.CodeInsufficientScope)
	}
}

func TestWithoutAVendorThereAreNoSubscriptions(t *testing.T) {
	d := newDesk(t)
	d.connect(d.ada, "ada")
	bare := accounts.NewSubscriptions(accounts.SubscriptionDeps{Store: d.store, Sealer: d.sealer, Now: time.Now})
	_, err := bare.Begin(t.Context(), d.ada)
	wantCode(t, "begin", err, core.CodeProviderNotConfigured)
	_, err = bare.Finish(t.Context(), d.ada, accounts.OAuthCallback{})
	wantCode(t, "finish", err, core.CodeProviderNotConfigured)
	wantCode(t, "check", bare.Check(t.Context(), d.ada.UserID), core.CodeNoProvider)
	if all, err := bare.List(t.Context(), d.ada); err != nil || len(all) != 1 {
		t.Errorf("got %+v and %v, want what was connected before still listed", all, err)
	}
}

// oddVendor grants an invalid key.
type oddVendor struct {
	*memory.OAuth
	key string
}

func (v oddVendor) Redeem(context.Context, oauth.Attempt, string) (oauth.Grant, error) {
	return oauth.Grant{AccessToken: v.key}, nil
}

func TestAKeyThatNoHeaderHoldsIsRefused(t *testing.T) {
	d := newDesk(t)
	for key, want := range map[string]core.Code{
		"": core.CodeInvalidCredentials, "a b": core.CodeInvalidCredentials, "a\r\nX-Evil: 1": core.CodeInvalidCredentials,
		"ключ": core.CodeInvalidCredentials, strings.Repeat("x", 4097): core.CodeInvalidCredentials, "short": "", strings.Repeat("x", 4096): "",
	} {
		d.Subscriptions = accounts.NewSubscriptions(accounts.SubscriptionDeps{
			Store: d.store, Sealer: d.sealer, OAuth: oauth.Providers{Assistant: oddVendor{d.vendor.OAuth, key}}, Locks: memory.NewLocks(),
			Audit: audit.New(audit.Deps{Store: d.store, Gate: access.NewGate(d.store), Now: time.Now, Log: slog.New(slog.DiscardHandler)}), Now: func() time.Time { return d.now },
		})
		made, err := d.Finish(t.Context(), d.ada, d.leave(d.ada, "ada"))
		wantCode(t, key, err, want)
		if want == "" && !slices.Contains([]string{"", "…xxxx"}, made.KeyHint) {
			t.Errorf("got the hint %q, want none of a short key", made.KeyHint)
		}
	}
}
