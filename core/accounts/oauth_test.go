package accounts_test

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// agora is a world in which people sign in with GitHub and Google.
type agora struct {
	*world
	sealer         identity.Sealer
	github, google *memory.OAuth
}

func newAgora(t *testing.T) *agora {
	t.Helper()
	a := &agora{world: newWorld(t), sealer: memory.NewSealer()}
	clock := func() time.Time { return a.now }
	a.github = memory.NewOAuth(core.IdentityGitHub, "http://localhost:8080/auth/github/callback", clock)
	a.google = memory.NewOAuth(core.IdentityGoogle, "http://localhost:8080/auth/google/callback", clock)
	a.Service = a.over(a.store)
	return a
}

// over returns the use cases over another store.
func (a *agora) over(store storage.Store) *accounts.Service {
	return accounts.New(accounts.Deps{
		Companies: companysignin.NewRules(access.NewGate(nil)), Doors: openDoors(store),
		Store: store, Tokens: a.tokens, Passwords: a.hasher, Sealer: a.sealer, Codes: memory.NewTimeCodes(), Audit: a.audit, Mails: a.mails, Estate: a.estate(), Departures: a.departures(),
		OAuth: oauth.Providers{GitHub: a.github, Google: a.google}, Now: func() time.Time { return a.now },
		Settings: accounts.Settings{AccessTTL: 15 * time.Minute, RefreshTTL: time.Hour},
	})
}

func (a *agora) provider(name core.IdentityProvider) *memory.OAuth {
	if name == core.IdentityGoogle {
		return a.google
	}
	return a.github
}

// leave begins a sign-in and lets the person of the subject agree.
func (a *agora) leave(provider core.IdentityProvider, subject string) accounts.OAuthCallback {
	a.t.Helper()
	departure, err := a.BeginOAuth(a.t.Context(), provider, "/projects")
	if err != nil {
		a.t.Fatal(err)
	}
	return approve(a.t, a.provider(provider), departure, subject)
}

// approve goes to the provider's page and comes back.
func approve(t *testing.T, provider *memory.OAuth, departure accounts.OAuthRedirect, subject string) accounts.OAuthCallback {
	t.Helper()
	back, err := provider.Approve(departure.Address, subject)
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(back)
	if err != nil {
		t.Fatal(err)
	}
	query := address.Query()
	return accounts.OAuthCallback{Sealed: departure.Sealed, State: query.Get("state"), Code: query.Get("code"), Error: query.Get("error")}
}

// visit signs the profile's person in.
func (a *agora) visit(provider core.IdentityProvider, profile oauth.Profile) (core.User, error) {
	a.t.Helper()
	a.provider(provider).AddPerson(profile)
	session, _, err := a.FinishOAuth(a.t.Context(), from, provider, a.leave(provider, profile.Subject))
	return session.User, err
}

func (a *agora) mustVisit(provider core.IdentityProvider, profile oauth.Profile) core.User {
	a.t.Helper()
	user, err := a.visit(provider, profile)
	if err != nil {
		a.t.Fatalf("%s: %v", provider, err)
	}
	return user
}

// actions are the audited actions of a person's account, the oldest first.
func (a *agora) actions(person core.ID) string {
	a.t.Helper()
	entries, err := a.store.Tables().Audit.OfPerson(a.t.Context(), person, core.Page{Limit: 100})
	if err != nil {
		a.t.Fatal(err)
	}
	var actions []string
	for _, entry := range entries {
		if entry.IP != from.IP || entry.Actor == nil || entry.Actor.UserID != person {
			a.t.Errorf("%s: got %+v from %q, want the person and their address", entry.Action, entry.Actor, entry.IP)
		}
		actions = append([]string{string(entry.Action)}, actions...)
	}
	return strings.Join(actions, " ")
}

func ada() oauth.Profile {
	return oauth.Profile{Subject: "1815", Email: "Ada@Example.com", EmailVerified: true, Name: "Ada", AvatarURL: "https://img.example.com/ada.png"}
}

func TestANewPersonGetsAnAccountWithAWorkspace(t *testing.T) {
	a := newAgora(t)
	a.github.AddPerson(ada())
	session, next, err := a.FinishOAuth(t.Context(), from, core.IdentityGitHub, a.leave(core.IdentityGitHub, "1815"))
	if err != nil || next != "/projects" {
		t.Fatalf("got %q and %v, want where the browser wanted to be", next, err)
	}
	user := session.User
	if user.Email != "ada@example.com" || !user.EmailVerified || user.PasswordHash != "" || *user.DisplayName != "Ada" || *user.AvatarURL != "https://img.example.com/ada.png" {
		t.Errorf("got %+v, want a verified account without a password", user)
	}
	home, err := a.Me(t.Context(), core.Actor{UserID: user.ID})
	if err != nil || !home.Workspace.Personal || home.Workspace.Name != "Ada" || home.Role != core.RoleOwner {
		t.Errorf("got %+v and %v, want a personal workspace of Ada's", home, err)
	}
	if actor, err := a.Authenticate(t.Context(), session.AccessToken); err != nil || actor.UserID != user.ID {
		t.Errorf("got %+v and %v, want a session", actor, err)
	}
	if _, err := a.Refresh(t.Context(), from, session.RefreshToken); err != nil {
		t.Errorf("refresh: %v", err)
	}
	if got := a.actions(user.ID); got != "auth.signup" {
		t.Errorf("got the audit log %q, want auth.signup", got)
	}
}

func TestAPersonIsKnownByTheSubjectWhateverTheAddress(t *testing.T) {
	a := newAgora(t)
	first := a.mustVisit(core.IdentityGitHub, ada())
	moved := ada()
	moved.Email, moved.EmailVerified = "lovelace@example.com", false
	if again := a.mustVisit(core.IdentityGitHub, moved); again.ID != first.ID || again.Email != "ada@example.com" {
		t.Errorf("got %+v, want the account of the first visit", again)
	}
	if got := a.actions(first.ID); got != "auth.signup auth.login" {
		t.Errorf("got the audit log %q, want a sign-up and a sign-in", got)
	}
	// The address now belongs to somebody else.
	other := oauth.Profile{Subject: "2", Email: "lovelace@example.com", EmailVerified: true}
	if second := a.mustVisit(core.IdentityGitHub, other); second.ID == first.ID {
		t.Error("got the first person's account for the second, want another")
	}
}

func TestTwoProvidersThatVerifiedOneAddressNameOnePerson(t *testing.T) {
	a := newAgora(t)
	first := a.mustVisit(core.IdentityGitHub, ada())
	second := a.mustVisit(core.IdentityGoogle, oauth.Profile{Subject: "1815", Email: "ada@example.com", EmailVerified: true})
	identities, err := a.store.Tables().Identities.OfUser(t.Context(), first.ID)
	if err != nil || second.ID != first.ID || len(identities) != 2 {
		t.Errorf("got %s, %+v and %v, want one account with two identities", second.ID, identities, err)
	}
	if got := a.actions(first.ID); got != "auth.signup auth.identity_linked auth.login" {
		t.Errorf("got the audit log %q, want the link in it", got)
	}
}

func TestNoAccountComesOfAnAddressThatNobodyVerified(t *testing.T) {
	a := newAgora(t)
	_, taken := a.signUp("taken@example.com")
	for name, c := range map[string]struct {
		email string
		want  core.Code
	}{
		"of nobody":   {"free@example.com", core.CodeEmailUnverified},
		"of somebody": {"taken@example.com", core.CodeEmailUnverified},
		"none":        {"", core.CodeNoEmail},
		"no address":  {"x y@example.com", core.CodeNoEmail},
	} {
		for _, provider := range []core.IdentityProvider{core.IdentityGitHub, core.IdentityGoogle} {
			_, err := a.visit(provider, oauth.Profile{Subject: "7", Email: c.email})
			wantCode(t, name+" by "+string(provider), err, c.want)
			_, err = a.store.Tables().Identities.Find(t.Context(), provider, "7")
			wantCode(t, name+": the identity", err, core.CodeNotFound)
		}
	}
	_, err := a.store.Tables().Users.ByEmail(t.Context(), "free@example.com")
	wantCode(t, "an account", err, core.CodeNotFound)
	if _, err := a.SignIn(t.Context(), from, taken.User.Email, password); err != nil {
		t.Errorf("the owner of the address: %v, want them untouched", err)
	}
}

func TestNamesAndPicturesOfProvidersAreCutToWhatAccountsHave(t *testing.T) {
	a := newAgora(t)
	for i, c := range []struct{ name, avatar, wantName, wantAvatar string }{
		{"  Ada\x00\r\n Lovelace ", "http://img.example.com/plain", "Ada Lovelace", ""},
		{strings.Repeat("é", 120), "javascript:alert(1)", strings.Repeat("é", 100), ""},
		{" \t ", "https://user:pass@img.example.com/x", "", ""},
		{"\xff", "https://img.example.com/" + strings.Repeat("x", 2100), "", ""},
		{"Åsa", "https://img.example.com/å b", "Åsa", "https://img.example.com/%C3%A5%20b"},
		{"", "::", "", ""},
	} {
		subject := string(rune('a' + i))
		user := a.mustVisit(core.IdentityGitHub, oauth.Profile{Subject: subject, Email: subject + "@example.com", EmailVerified: true, Name: c.name, AvatarURL: c.avatar})
		if got := textOf(user.DisplayName); got != c.wantName {
			t.Errorf("the name %q: got %q, want %q", c.name, got, c.wantName)
		}
		if got := textOf(user.AvatarURL); got != c.wantAvatar {
			t.Errorf("the picture %q: got %q, want %q", c.avatar, got, c.wantAvatar)
		}
	}
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func TestParallelFirstSignInsOfOnePersonMakeOneAccount(t *testing.T) {
	a := newAgora(t)
	a.github.AddPerson(ada())
	returns := make([]accounts.OAuthCallback, 12)
	for i := range returns {
		returns[i] = a.leave(core.IdentityGitHub, "1815")
	}
	users := make([]core.ID, len(returns))
	var group sync.WaitGroup
	for i, back := range returns {
		group.Go(func() {
			session, _, err := a.FinishOAuth(t.Context(), from, core.IdentityGitHub, back)
			if users[i] = session.User.ID; err != nil {
				t.Errorf("got %v, want everybody signed in", err)
			}
		})
	}
	group.Wait()
	for _, id := range users {
		if id != users[0] {
			t.Fatalf("got the accounts %v, want one", users)
		}
	}
}

// racedStore makes other sign-ins come first a number of times.
type racedStore struct {
	storage.Store
	races int
}

func (s *racedStore) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	if s.races--; s.races >= 0 {
		return core.Errorf([]core.Code{core.CodeConflict, core.CodeEmailTaken}[s.races%2], "another came first")
	}
	return s.Store.InTx(ctx, do)
}

func TestASignInThatOthersOvertakeIsTriedAgainButNotForEver(t *testing.T) {
	for races, want := range map[int]core.Code{0: "", 3: "", 4: core.CodeConflict} {
		a := newAgora(t)
		a.github.AddPerson(ada())
		back := a.leave(core.IdentityGitHub, "1815")
		_, _, err := a.over(&racedStore{a.store, races}).FinishOAuth(t.Context(), from, core.IdentityGitHub, back)
		wantCode(t, "overtaken", err, want)
	}
}

func TestProvidersThatAreNotThere(t *testing.T) {
	a := newAgora(t)
	a.github.AddPerson(ada())
	back := a.leave(core.IdentityGitHub, "1815")
	a.github.SetDown(true)
	_, err := a.BeginOAuth(t.Context(), core.IdentityGitHub, "/")
	wantCode(t, "leave for one that is down", err, core.CodeUnavailable)
	_, _, err = a.FinishOAuth(t.Context(), from, core.IdentityGitHub, back)
	wantCode(t, "come back from one that is down", err, core.CodeUnavailable)
	bare := newWorld(t)
	for _, provider := range []core.IdentityProvider{core.IdentityGitHub, core.IdentityGoogle, "gitlab"} {
		_, err = bare.BeginOAuth(t.Context(), provider, "/")
		wantCode(t, "leave for "+string(provider), err, core.CodeProviderNotConfigured)
		_, _, err = bare.FinishOAuth(t.Context(), from, provider, accounts.OAuthCallback{})
		wantCode(t, "come back from "+string(provider), err, core.CodeProviderNotConfigured)
	}
}
