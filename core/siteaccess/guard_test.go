package siteaccess_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/siteaccess"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
)

// fixture is a workspace with two projects, a member and a stranger.
type fixture struct {
	*testing.T
	store     storage.Store
	passwords identity.Passwords
	guard     *siteaccess.Guard
	now       time.Time
	// over are the sessions and API tokens that have ended.
	over             map[core.ID]bool
	space            core.ID
	project, other   core.ID
	member, stranger core.Actor
}

// Ended implements siteaccess.Callers.
func (f *fixture) Ended(_ context.Context, by core.Actor) bool {
	return by.Token && f.over[by.TokenID] || !by.Token && f.over[by.SessionID]
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{T: t, store: memory.NewStore(), passwords: memory.NewPasswords(), now: time.UnixMilli(1_700_000_000_000), space: core.NewID(), over: map[core.ID]bool{}}
	f.guard = siteaccess.NewGuard(siteaccess.Deps{
		Store: f.store, Gate: access.NewGate(f.store), Passwords: f.passwords, Sealer: memory.NewSealer(), Now: func() time.Time { return f.now }, Callers: f,
		Address: func(slug string) string { return "http://" + slug + ".sites.test" },
	})
	f.must(f.store.Tables().Workspaces.Create(t.Context(), core.Workspace{ID: f.space, Name: "Space", Slug: "space"}))
	f.member, f.stranger = f.person("member@example.com"), f.person("stranger@example.com")
	f.must(f.store.Tables().Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: f.space, UserID: f.member.UserID, Role: core.RoleMember}))
	f.project, f.other = f.newProject("shop"), f.newProject("blog")
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) person(email string) core.Actor {
	id := core.NewID()
	f.must(f.store.Tables().Users.Create(f.Context(), core.User{ID: id, Email: email}))
	return core.Actor{UserID: id}
}

func (f *fixture) newProject(slug string) core.ID {
	id := core.NewID()
	f.must(f.store.Tables().Projects.Create(f.Context(), core.Project{
		ID: id, WorkspaceID: f.space, Name: slug, Slug: slug, PublishedSlug: &slug, Visibility: core.VisibilityPublic, CreatedBy: f.member.UserID,
	}))
	return id
}

// withPassword returns settings that ask for a password.
func (f *fixture) withPassword(project core.ID, password string) core.SiteSettings {
	f.Helper()
	hash, err := f.passwords.Hash(f.Context(), password)
	f.must(err)
	settings := core.NewSiteSettings(project)
	settings.Access, settings.PasswordHash = core.SitePassword, hash
	return settings
}

func forMembers(project core.ID) core.SiteSettings {
	settings := core.NewSiteSettings(project)
	settings.Access = core.SiteWorkspace
	return settings
}

func (f *fixture) wantAdmitted(settings core.SiteSettings, ticket string, want bool) {
	f.Helper()
	if got, err := f.guard.Admits(f.Context(), settings, ticket); err != nil || got != want {
		f.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// pass returns the member's pass for a project.
func (f *fixture) pass(project core.ID) string {
	f.Helper()
	address, err := f.guard.Pass(f.Context(), f.member, project, "/a?b=c")
	f.must(err)
	at, err := url.Parse(address)
	f.must(err)
	if at.Path != siteaccess.EnterPath || !strings.HasSuffix(at.Host, ".sites.test") || at.Query().Get(siteaccess.PathParameter) != "/a?b=c" {
		f.Errorf("got %s, want the entrance of the site", address)
	}
	return at.Query().Get(siteaccess.PassParameter)
}

// enter lets the member into a site.
func (f *fixture) enter(settings core.SiteSettings) siteaccess.Ticket {
	f.Helper()
	ticket, err := f.guard.EnterWithPass(f.Context(), settings, f.pass(settings.ProjectID))
	f.must(err)
	return ticket
}

func TestAPublicSiteAdmitsEverybody(t *testing.T) {
	f := newFixture(t)
	f.wantAdmitted(core.NewSiteSettings(f.project), "", true)
	f.wantAdmitted(core.NewSiteSettings(f.project), "anything", true)
}

func TestThePasswordOpensItsOwnSiteUntilItChanges(t *testing.T) {
	f := newFixture(t)
	settings := f.withPassword(f.project, "open sesame, please")
	for _, wrong := range []string{"", "open sesame", strings.Repeat("x", 10_000), "\xff\x00"} {
		if _, err := f.guard.EnterWithPassword(t.Context(), settings, wrong); !core.IsCode(err, core.CodeInvalidCredentials) {
			t.Errorf("%.20q: got %v, want invalid_credentials", wrong, err)
		}
	}
	ticket, err := f.guard.EnterWithPassword(t.Context(), settings, "open sesame, please")
	f.must(err)
	f.wantAdmitted(settings, ticket.Text, true)
	for name, other := range map[string]core.SiteSettings{
		"another site": f.withPassword(f.other, "open sesame, please"), "a new password": f.withPassword(f.project, "a new password"), "members only": forMembers(f.project),
	} {
		if admitted, err := f.guard.Admits(t.Context(), other, ticket.Text); admitted || err != nil {
			t.Errorf("%s: got %v, %v, want no admission", name, admitted, err)
		}
	}
	f.now = ticket.ExpiresAt.Std()
	f.wantAdmitted(settings, ticket.Text, false)
}

func TestOnlyASiteWithAPasswordTakesOne(t *testing.T) {
	f := newFixture(t)
	settings := f.withPassword(f.project, "open sesame, please")
	for _, access := range []core.SiteAccess{core.SitePublic, core.SiteWorkspace} {
		settings.Access = access
		if _, err := f.guard.EnterWithPassword(t.Context(), settings, "open sesame, please"); !core.IsCode(err, core.CodeInvalidCredentials) {
			t.Errorf("%s: got %v, want invalid_credentials", access, err)
		}
	}
}

func TestForgedTicketsOpenNothing(t *testing.T) {
	f := newFixture(t)
	settings := f.withPassword(f.project, "open sesame, please")
	ticket, err := f.guard.EnterWithPassword(t.Context(), settings, "open sesame, please")
	f.must(err)
	changed := []byte(ticket.Text)
	changed[len(changed)/2] ^= 1
	for _, forged := range []string{"", "e30", "{}", strings.Repeat("A", 200), string(changed), ticket.Text + "A", ticket.Text[1:]} {
		f.wantAdmitted(settings, forged, false)
	}
}

func TestAMemberEntersWithAPassThatWorksOnce(t *testing.T) {
	f := newFixture(t)
	settings := forMembers(f.project)
	pass := f.pass(f.project)
	refused := func(of core.SiteSettings, pass string) {
		t.Helper()
		if _, err := f.guard.EnterWithPass(t.Context(), of, pass); !core.IsCode(err, core.CodeInvalidToken) {
			t.Errorf("got %v, want invalid_token", err)
		}
	}
	refused(forMembers(f.other), pass)
	refused(settings, pass+"x")
	ticket, err := f.guard.EnterWithPass(t.Context(), settings, pass)
	f.must(err)
	refused(settings, pass)
	f.wantAdmitted(settings, ticket.Text, true)
	f.wantAdmitted(forMembers(f.other), ticket.Text, false)

	late := f.pass(f.project)
	f.now = f.now.Add(siteaccess.PassLifetime)
	refused(settings, late)
	f.now = ticket.ExpiresAt.Std()
	f.wantAdmitted(settings, ticket.Text, false)
}

func TestAMembersTicketEndsWithTheMembership(t *testing.T) {
	f := newFixture(t)
	settings := forMembers(f.project)
	ticket := f.enter(settings)
	f.must(f.store.Tables().Members.Remove(t.Context(), f.space, f.member.UserID))
	f.wantAdmitted(settings, ticket.Text, false)
}

func TestAMembersTicketEndsWhenTheySignOutEverywhere(t *testing.T) {
	f := newFixture(t)
	settings := forMembers(f.project)
	ticket := f.enter(settings)
	_, err := f.store.Tables().Users.Update(t.Context(), f.member.UserID, func(user *core.User) error {
		user.CredentialVersion++
		return nil
	})
	f.must(err)
	f.wantAdmitted(settings, ticket.Text, false)
}

func TestAMembersTicketEndsWithTheirSessionOrAPIToken(t *testing.T) {
	f := newFixture(t)
	settings, over := forMembers(f.project), core.NewID()
	for name, by := range map[string]core.Actor{
		"session":   {UserID: f.member.UserID, SessionID: over},
		"API token": {UserID: f.member.UserID, Token: true, TokenID: over, Scopes: []core.Scope{core.ScopeProjectsRead}, CredentialVersion: 7},
	} {
		f.member, f.over[over] = by, false
		ticket, late := f.enter(settings), f.pass(f.project)
		f.wantAdmitted(settings, ticket.Text, true)
		f.over[over] = true
		f.wantAdmitted(settings, ticket.Text, false)
		entered, err := f.guard.EnterWithPass(t.Context(), settings, late)
		f.must(err)
		if admitted, err := f.guard.Admits(t.Context(), settings, entered.Text); admitted || err != nil {
			t.Errorf("%s: got %v, %v for a pass from before its end, want no admission", name, admitted, err)
		}
	}
}

func TestOnlyMembersGetAPass(t *testing.T) {
	f := newFixture(t)
	if _, err := f.guard.Pass(t.Context(), f.stranger, f.project, "/"); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v for a stranger, want not_found", err)
	}
	token := core.Actor{UserID: f.member.UserID, Token: true, Scopes: []core.Scope{core.ScopePublish}}
	if _, err := f.guard.Pass(t.Context(), token, f.project, "/"); !core.IsCode(err, core.CodeInsufficientScope) {
		t.Errorf("got %v for an API token, want insufficient_scope", err)
	}
}

func TestAProjectWithoutASiteHasNoPass(t *testing.T) {
	f := newFixture(t)
	_, err := f.store.Tables().Projects.Update(t.Context(), f.project, func(project *core.Project) error {
		project.PublishedSlug = nil
		return nil
	})
	f.must(err)
	if _, err := f.guard.Pass(t.Context(), f.member, f.project, "/"); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want not_found", err)
	}
}
