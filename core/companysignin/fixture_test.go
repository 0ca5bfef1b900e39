package companysignin_test

import (
	"context"
	"log/slog"
	"net/url"
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
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	password = "correct horse"
	issuer   = "https://id.acme.example"
)

var from = core.Actor{IP: "192.0.2.1"}

// house is an installation on memory adapters, with an admin.
type house struct {
	*companysignin.Service
	t       *testing.T
	store   storage.Store
	issuers *memory.Issuers
	admin   core.Actor
	now     time.Time
}

type idle struct{}

func (idle) StopOf(context.Context, core.ID, core.ID) error { return nil }
func (idle) WakePurge()                                     {}

func newHouse(t *testing.T, policy core.SignupPolicy) *house {
	t.Helper()
	h := &house{t: t, store: memory.NewStore(), issuers: memory.NewIssuers(), now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	clock, quiet := func() time.Time { return h.now }, slog.New(slog.DiscardHandler)
	gate, sealer := access.NewGate(h.store), memory.NewSealer()
	log := audit.New(audit.Deps{Store: h.store, Gate: gate, Now: clock, Log: quiet})
	members := workspaces.NewMembers(workspaces.MemberDeps{Store: h.store, Audit: log, Runs: idle{}, Trash: idle{}, Bus: memory.NewBus(), Log: quiet, Quotas: core.Quotas{Members: 3}})
	people := accounts.New(accounts.Deps{
		Companies: companysignin.NewRules(gate), Doors: instance.NewDoors(h.store, gate, instance.Environment{Signup: policy}, clock),
		Store: h.store, Tokens: memory.NewTokens(clock), Passwords: memory.NewPasswords(), Sealer: sealer, Codes: memory.NewTimeCodes(), Audit: log,
		Mails: mailer.New(sealer, clock), Estate: members, Now: clock, Log: quiet, OAuth: oauth.Providers{},
		Settings: accounts.Settings{AccessTTL: 15 * time.Minute, RefreshTTL: time.Hour},
	})
	h.Service = companysignin.New(companysignin.Deps{
		Store: h.store, Gate: gate, Audit: log, Sealer: sealer, Guard: memory.NewGuard(), Issuers: h.issuers, Accounts: people,
		Members: members, App: "https://atelier.example", Now: clock, Log: quiet,
	})
	made, _, err := people.SignUp(t.Context(), from, accounts.NewAccount{Email: "admin@acme.example", Password: password})
	h.must(err)
	h.admin = core.Actor{UserID: made.User.ID, IP: from.IP}
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

// provider configures one.
func (h *house) provider(alter ...func(*companysignin.Input)) companysignin.View {
	h.t.Helper()
	input := companysignin.Input{Slug: new("acme"), Name: new("Acme"), Issuer: new(issuer), ClientID: new("atelier"), ClientSecret: new("secret")}
	for _, alter := range alter {
		alter(&input)
	}
	view, err := h.Create(h.t.Context(), h.admin, input)
	h.must(err)
	return view
}

func at(domains ...string) func(*companysignin.Input) {
	return func(i *companysignin.Input) { i.Domains = &domains }
}

// person is what the issuer says of somebody.
func person(email string, groups ...string) oauth.Statement {
	return oauth.Statement{Profile: oauth.Profile{Subject: "id of " + email, Email: email, EmailVerified: true, Name: "Somebody"}, Groups: groups}
}

// arrive lets a person sign in at the issuer of a provider.
func (h *house) arrive(slug string, who oauth.Statement) (companysignin.Outcome, error) {
	h.t.Helper()
	provider, err := h.store.Tables().CompanyProviders.BySlug(h.t.Context(), slug)
	h.must(err)
	h.issuers.AddPerson(provider.Issuer, who)
	begun, err := h.Begin(h.t.Context(), slug, "/next")
	h.must(err)
	back, err := h.issuers.Approve(begun.Address, who.Subject)
	h.must(err)
	return h.Finish(h.t.Context(), from, slug, h.callback(begun, back))
}

func (h *house) callback(begun accounts.OAuthRedirect, address string) accounts.OAuthCallback {
	h.t.Helper()
	page, err := url.Parse(address)
	h.must(err)
	query := page.Query()
	return accounts.OAuthCallback{Sealed: begun.Sealed, State: query.Get("state"), Code: query.Get("code"), Issuer: query.Get("iss")}
}

func (h *house) signUp(email string) core.User {
	h.t.Helper()
	made, _, err := h.Accounts.SignUp(h.t.Context(), from, accounts.NewAccount{Email: email, Password: password})
	h.must(err)
	return made.User
}

func (h *house) verify(user core.User) {
	h.t.Helper()
	_, err := h.store.Tables().Users.Update(h.t.Context(), user.ID, func(user *core.User) error { user.EmailVerified = true; return nil })
	h.must(err)
}

// team makes a workspace that the admin owns.
func (h *house) team(name string) core.Workspace {
	h.t.Helper()
	space := core.NewWorkspace(name, false, nil, core.At(h.now))
	h.must(h.store.Tables().Workspaces.Create(h.t.Context(), space))
	h.put(space, h.admin.UserID, core.RoleOwner)
	return space
}

func (h *house) put(space core.Workspace, user core.ID, role core.Role) {
	h.t.Helper()
	h.must(h.store.Tables().Workspaces.PutMember(h.t.Context(), core.Membership{WorkspaceID: space.ID, UserID: user, Role: role, JoinedAt: core.At(h.now)}))
}

func (h *house) wantRole(what string, space core.Workspace, user core.ID, want core.Role) {
	h.t.Helper()
	got, err := h.store.Tables().Workspaces.Role(h.t.Context(), space.ID, user)
	if err != nil || got != want {
		h.t.Errorf("%s: got the role %q, %v, want %q", what, got, err, want)
	}
}

func newAccount(email string) accounts.NewAccount {
	return accounts.NewAccount{Email: email, Password: password}
}
