package accounts_test

import (
	"context"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// prepare lets an attacker create an account with somebody else's address, with
// every way to sign in.
func (a *agora) prepare(email string) (session accounts.Session, token string) {
	a.t.Helper()
	session, home := a.signUp(email)
	tables, ctx, now := a.store.Tables(), a.t.Context(), core.At(a.now)
	_, token, err := a.APITokens.Create(ctx, core.Actor{UserID: home.User.ID}, accounts.NewAPIToken{Name: "back door", Scopes: []string{"chat"}})
	for _, err := range []error{
		err,
		tables.Tickets.Create(ctx, core.Ticket{Kind: core.TicketPasswordReset, Hash: core.HashSecret(email), UserID: home.User.ID, ExpiresAt: now.Add(time.Hour)}),
		tables.Identities.Create(ctx, core.Identity{Provider: core.IdentityGoogle, Subject: "evil " + email, UserID: home.User.ID, CreatedAt: now}),
	} {
		if err != nil {
			a.t.Fatal(err)
		}
	}
	_, err = tables.Subscriptions.Put(ctx, core.Subscription{ID: core.NewID(), Kind: core.SubscriptionGitHub, UserID: home.User.ID, SealedKey: []byte("x")})
	if err != nil {
		a.t.Fatal(err)
	}
	return session, token
}

// waysIn says which of the prepared ways to sign in still work.
func (a *agora) waysIn(email string, session accounts.Session, token string) map[string]bool {
	ctx, tables := a.t.Context(), a.store.Tables()
	worked := func(err error) bool { return err == nil }
	_, password := a.SignIn(ctx, from, email, password)
	_, refresh := a.Refresh(ctx, from, session.RefreshToken)
	_, apiToken := a.Authenticate(ctx, token)
	_, ticket := tables.Tickets.Take(ctx, core.TicketPasswordReset, core.HashSecret(email))
	_, identity := tables.Identities.Find(ctx, core.IdentityGoogle, "evil "+email)
	subscriptions, err := tables.Subscriptions.List(ctx, session.User.ID)
	if err != nil {
		a.t.Fatal(err)
	}
	return map[string]bool{
		"the password": worked(password), "the session": worked(refresh), "the API token": worked(apiToken), "the reset ticket": worked(ticket),
		"the other identity": worked(identity), "the subscription": len(subscriptions) > 0,
	}
}

func TestPreHijack_WhoPreparedAnUnprovenAccountIsShutOutOfIt(t *testing.T) {
	a := newAgora(t)
	session, token := a.prepare("ada@example.com")
	user := a.mustVisit(core.IdentityGitHub, ada())
	if user.ID != session.User.ID || !user.EmailVerified || user.PasswordHash != "" {
		t.Errorf("got %+v, want the account of the address, now proven", user)
	}
	for way, works := range a.waysIn("ada@example.com", session, token) {
		if works {
			t.Errorf("%s of the account's preparer still works, want it gone", way)
		}
	}
	_, err := a.Authenticate(t.Context(), session.AccessToken)
	wantCode(t, "what is left of the session", err, core.CodeUnauthenticated)
	old := core.Actor{UserID: user.ID}
	_, _, err = a.APITokens.Create(t.Context(), old, accounts.NewAPIToken{Name: "again", Scopes: []string{"chat"}})
	wantCode(t, "a new API token by somebody who was let in just before", err, core.CodeUnauthenticated)
	if again := a.mustVisit(core.IdentityGitHub, ada()); again.ID != user.ID {
		t.Errorf("got %s at the next visit, want %s", again.ID, user.ID)
	}
}

func TestPreHijack_AProvenAccountKeepsWhatItHas(t *testing.T) {
	a := newAgora(t)
	session, token := a.prepare("ada@example.com")
	_, err := a.store.Tables().Users.Update(t.Context(), session.User.ID, func(user *core.User) error {
		user.EmailVerified = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if user := a.mustVisit(core.IdentityGitHub, ada()); user.ID != session.User.ID || *user.AvatarURL != ada().AvatarURL {
		t.Errorf("got %+v, want the account, with the picture that it lacked", user)
	}
	for way, works := range a.waysIn("ada@example.com", session, token) {
		if !works {
			t.Errorf("%s stopped working, want it kept", way)
		}
	}
}

// TestPreHijack_AProviderThatVerifiesNothingPreparesNothing is CVE-2026-44166 of
// PocketBase: an account from a provider that did not verify the address waits for
// its owner, who signs in with one that did.
func TestPreHijack_AProviderThatVerifiesNothingPreparesNothing(t *testing.T) {
	a := newAgora(t)
	evil := oauth.Profile{Subject: "666", Email: "ada@example.com"}
	_, err := a.visit(core.IdentityGoogle, evil)
	wantCode(t, "the attacker first", err, core.CodeEmailUnverified)
	owner := a.mustVisit(core.IdentityGitHub, ada())
	_, err = a.visit(core.IdentityGoogle, evil)
	wantCode(t, "the attacker afterwards", err, core.CodeEmailUnverified)
	identities, err := a.store.Tables().Identities.OfUser(t.Context(), owner.ID)
	if err != nil || len(identities) != 1 || identities[0].Provider != core.IdentityGitHub {
		t.Errorf("got %+v and %v, want the owner's identity alone", identities, err)
	}
}

// brokenIdentities fails when an identity is created, the last step but one of a
// link.
type brokenIdentities struct{ storage.Identities }

func (brokenIdentities) Create(context.Context, core.Identity) error {
	return core.Errorf(core.CodeUnavailable, "the database is gone")
}

type storeWithoutIdentities struct{ storage.Store }

func (s storeWithoutIdentities) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	return s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		tables.Identities = brokenIdentities{tables.Identities}
		return do(ctx, tables)
	})
}

func TestALinkHappensWhollyOrNotAtAll(t *testing.T) {
	a := newAgora(t)
	session, token := a.prepare("ada@example.com")
	stranger := ada()
	stranger.Subject, stranger.Email = "2", "new@example.com"
	a.github.AddPerson(ada())
	a.github.AddPerson(stranger)
	broken := a.over(storeWithoutIdentities{a.store})
	for _, subject := range []string{"1815", "2"} {
		_, _, err := broken.FinishOAuth(t.Context(), from, core.IdentityGitHub, a.leave(core.IdentityGitHub, subject))
		wantCode(t, subject, err, core.CodeUnavailable)
	}
	for way, works := range a.waysIn("ada@example.com", session, token) {
		if !works {
			t.Errorf("%s is gone after a link that failed, want it kept", way)
		}
	}
	_, err := a.store.Tables().Users.ByEmail(t.Context(), "new@example.com")
	wantCode(t, "the new account", err, core.CodeNotFound)
}
