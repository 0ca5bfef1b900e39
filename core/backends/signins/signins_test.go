package signins_test

import (
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends/signins"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/storage"
)

// house is a workspace with one project.
type house struct {
	*signins.Service
	t             *testing.T
	store         storage.Store
	registry      *signins.Registry
	audit         *audit.Log
	now           time.Time
	space         core.ID
	test, live    backend.Place
	admin, member core.Actor
	nobody        core.Actor
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, store: memory.NewStore(), now: time.Unix(1_000_000, 0), space: core.NewID()}
	gate, sealer := access.NewGate(h.store), memory.NewSealer()
	clock := func() time.Time { return h.now }
	h.audit = audit.New(audit.Deps{Store: h.store, Gate: gate, Now: clock, Log: slog.New(slog.DiscardHandler)})
	h.registry = signins.NewRegistry(h.store, sealer, clock)
	h.Service = signins.New(signins.Deps{
		Store: h.store, Gate: gate, Sealer: sealer, Guard: memory.NewGuard(), Audit: h.audit,
		Returns: signins.NewReturns(sealer, &url.URL{Scheme: "https", Host: "studio.test"}, clock),
		Address: func(slug string) string { return "https://" + slug + ".sites.test" }, Now: clock,
	})
	ctx, tables, project := t.Context(), h.store.Tables(), core.NewID()
	h.must(tables.Workspaces.Create(ctx, core.Workspace{ID: h.space, Name: "Space", Slug: "space"}))
	person := func(name string, role core.Role) core.Actor {
		user := core.User{ID: core.NewID(), Email: name + "@example.com"}
		h.must(tables.Users.Create(ctx, user))
		if role != core.RoleNone {
			h.must(tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: h.space, UserID: user.ID, Role: role}))
		}
		return core.Actor{UserID: user.ID}
	}
	h.admin, h.member, h.nobody = person("admin", core.RoleAdmin), person("member", core.RoleMember), person("nobody", core.RoleNone)
	h.must(tables.Projects.Create(ctx, core.Project{
		ID: project, WorkspaceID: h.space, Slug: "shop", Name: "Shop", Visibility: core.VisibilityWorkspace, CreatedBy: h.admin.UserID,
	}))
	h.test, h.live = backend.Place{Project: project, Env: core.DataTest}, backend.Place{Project: project, Env: core.DataLive}
	return h
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) wantCode(err error, code core.Code) {
	h.t.Helper()
	if !core.IsCode(err, code) {
		h.t.Errorf("got %v, want code %s", err, code)
	}
}

// google is what a member enters of it.
func google(secret string) signins.Input {
	return signins.Input{ClientID: "client", ClientSecret: &secret}
}

// private is what a member enters of a provider with addresses of its own.
func private(tokenURL string) signins.Input {
	secret := "hidden"
	return signins.Input{ClientID: "client", ClientSecret: &secret, AuthURL: "https://id.example.com/auth", TokenURL: tokenURL, UserInfoURL: "https://id.example.com/user"}
}

// secrets returns what an engine gets of a place: names and secrets.
func (h *house) secrets(at backend.Place) []string {
	h.t.Helper()
	found, err := h.registry.SignIns(h.t.Context(), at)
	h.must(err)
	var pairs []string
	for _, one := range found {
		pairs = append(pairs, one.Name+"="+one.ClientSecret)
	}
	return pairs
}

// entries returns the workspace's security log, the newest first.
func (h *house) entries() []core.AuditEntry {
	h.t.Helper()
	found, err := h.audit.List(h.t.Context(), h.admin, h.space, core.Page{Limit: 10})
	h.must(err)
	return found
}

func TestAnEngineGetsTheProvidersOfItsPlace(t *testing.T) {
	h := newHouse(t)
	stored, err := h.Put(t.Context(), h.member, h.test, "google", google("of test"))
	h.must(err)
	if stored.Name != "google" || stored.ClientID != "client" || stored.CreatedAt != core.At(h.now) || strings.Contains(string(stored.SealedSecret), "of test") {
		t.Errorf("got %+v, want the provider with a sealed secret", stored)
	}
	_, err = h.Put(t.Context(), h.admin, h.live, "google", google("of live"))
	h.must(err)
	_, err = h.Put(t.Context(), h.member, h.test, "github", google("of GitHub"))
	h.must(err)
	if got := h.secrets(h.test); !slices.Equal(got, []string{"github=of GitHub", "google=of test"}) {
		t.Errorf("got %v of test data", got)
	}
	if got := h.secrets(h.live); !slices.Equal(got, []string{"google=of live"}) {
		t.Errorf("got %v of live data", got)
	}
	if got := h.secrets(backend.Place{Project: core.NewID(), Env: core.DataLive}); got != nil {
		t.Errorf("got %v of another project, want none", got)
	}
	scratch := h.live
	scratch.Copy = core.NewID()
	if got := h.secrets(scratch); got != nil {
		t.Errorf("got %v of a scratch copy, want none", got)
	}
}

// TestASecretOfAnotherRowIsNotOpened moves a sealed secret, as who can write to the database can.
func TestASecretOfAnotherRowIsNotOpened(t *testing.T) {
	h := newHouse(t)
	stored, err := h.Put(t.Context(), h.admin, h.live, "google", google("of live"))
	h.must(err)
	stored.Env, stored.TokenURL = core.DataTest, "https://evil.example.com/token"
	_, err = h.store.Tables().SignInProviders.Put(t.Context(), stored)
	h.must(err)
	if found, err := h.registry.SignIns(t.Context(), h.test); err == nil {
		t.Errorf("got %+v, want an error", found)
	}
}

func TestTheSecurityLogHasChangesOfLiveProviders(t *testing.T) {
	h := newHouse(t)
	_, err := h.Put(t.Context(), h.member, h.test, "google", google("hidden"))
	h.must(err)
	h.must(h.Delete(t.Context(), h.member, h.test, "google"))
	if got := h.entries(); len(got) > 0 {
		t.Errorf("got %+v for test data, want nothing", got)
	}
	_, err = h.Put(t.Context(), h.admin, h.live, "google", google("hidden"))
	h.must(err)
	h.now = h.now.Add(time.Second)
	h.must(h.Delete(t.Context(), h.admin, h.live, "google"))
	got := h.entries()
	if len(got) != 2 {
		t.Fatalf("got %+v, want two entries", got)
	}
	for i, want := range []core.AuditAction{core.AuditSignInDeleted, core.AuditSignInUpdated} {
		entry := got[i]
		if entry.Action != want || entry.Actor == nil || entry.Actor.UserID != h.admin.UserID || entry.Target != "google of Shop" {
			t.Errorf("got %+v by %+v, want %s of google of Shop", entry, entry.Actor, want)
		}
	}
	// What fails is not in it.
	h.wantCode(h.Delete(t.Context(), h.admin, h.live, "google"), core.CodeNotFound)
	_, err = h.Put(t.Context(), h.admin, h.live, "google", signins.Input{ClientID: "client"})
	h.wantCode(err, core.CodeValidationFailed)
	if got := h.entries(); len(got) != 2 {
		t.Errorf("got %d entries after failures, want 2", len(got))
	}
}

func TestASecretIsKeptForTheSameReceiver(t *testing.T) {
	h := newHouse(t)
	put := func(input signins.Input) error {
		_, err := h.Put(t.Context(), h.admin, h.live, "oidc", input)
		return err
	}
	h.must(put(private("https://id.example.com/token")))
	kept := private("https://id.example.com/token")
	kept.ClientSecret, kept.DisplayName = nil, "Sign in"
	h.must(put(kept))
	if got := h.secrets(h.live); !slices.Equal(got, []string{"oidc=hidden"}) {
		t.Errorf("got %v, want the secret kept", got)
	}
	elsewhere, another := kept, kept
	elsewhere.TokenURL, another.ClientID = "https://evil.example.com/token", "another"
	h.wantCode(put(elsewhere), core.CodeValidationFailed)
	h.wantCode(put(another), core.CodeValidationFailed)
	settings, err := h.List(t.Context(), h.admin, h.live)
	h.must(err)
	if len(settings.Items) != 1 || settings.Items[0].TokenURL != kept.TokenURL || settings.Items[0].ClientID != "client" || settings.Items[0].DisplayName != "Sign in" {
		t.Errorf("got %+v, want what was accepted", settings.Items)
	}
}

func TestWhoMayChangeProviders(t *testing.T) {
	h := newHouse(t)
	_, err := h.Put(t.Context(), h.admin, h.live, "google", google("hidden"))
	h.must(err)
	for _, test := range []struct {
		by   core.Actor
		at   backend.Place
		code core.Code
	}{{h.member, h.live, core.CodeForbidden}, {h.nobody, h.live, core.CodeNotFound}, {h.nobody, h.test, core.CodeNotFound}} {
		_, err := h.Put(t.Context(), test.by, test.at, "google", google("theirs"))
		h.wantCode(err, test.code)
		h.wantCode(h.Delete(t.Context(), test.by, test.at, "google"), test.code)
	}
	_, err = h.List(t.Context(), h.nobody, h.live)
	h.wantCode(err, core.CodeNotFound)
	if got := h.secrets(h.live); !slices.Equal(got, []string{"google=hidden"}) {
		t.Errorf("got %v, want the admin's", got)
	}
}

func TestWhatIsWrongWithAProviderIsNamed(t *testing.T) {
	h := newHouse(t)
	loopback := private("http://localhost/token")
	cases := []struct {
		name, kind string
		change     func(*signins.Input)
		code       core.Code
		says       string
	}{
		{"an unknown kind", "myspace", func(*signins.Input) {}, core.CodeNotFound, "provider"},
		{"no client", "oidc", func(i *signins.Input) { i.ClientID = "" }, core.CodeValidationFailed, "clientId"},
		{"no secret", "oidc", func(i *signins.Input) { i.ClientSecret = nil }, core.CodeValidationFailed, "clientSecret"},
		{"a secret of two lines", "oidc", func(i *signins.Input) { two := "a\nb"; i.ClientSecret = &two }, core.CodeValidationFailed, "clientSecret"},
		{"an address too few", "oidc", func(i *signins.Input) { i.UserInfoURL = "" }, core.CodeValidationFailed, "userInfoURL"},
		{"no address", "google", func(i *signins.Input) { i.AuthURL = "id.example.com" }, core.CodeValidationFailed, "authURL"},
		{"HTTP", "oidc", func(i *signins.Input) { i.TokenURL = "http://id.example.com/token" }, core.CodeValidationFailed, "tokenURL"},
		{"a user", "oidc", func(i *signins.Input) { i.TokenURL = "https://a:b@id.example.com/token" }, core.CodeValidationFailed, "tokenURL"},
		{"a fragment", "oidc", func(i *signins.Input) { i.TokenURL += "#x" }, core.CodeValidationFailed, "tokenURL"},
		{"a private address", "oidc", func(i *signins.Input) { i.TokenURL = "https://10.0.0.1/token" }, core.CodeForbiddenAddress, "tokenURL"},
		{"this machine", "oidc", func(i *signins.Input) { *i = loopback }, core.CodeForbiddenAddress, "tokenURL"},
	}
	for _, test := range cases {
		input := private("https://id.example.com/token")
		test.change(&input)
		_, err := h.Put(t.Context(), h.member, h.test, test.kind, input)
		if !core.IsCode(err, test.code) || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: got %v, want code %s that names %s", test.name, err, test.code, test.says)
		}
	}
	if got := h.secrets(h.test); got != nil {
		t.Errorf("got %v, want no provider", got)
	}
}

func TestTheAddressesToRegister(t *testing.T) {
	h := newHouse(t)
	redirects := func(at backend.Place) []signins.Redirect {
		settings, err := h.List(t.Context(), h.member, at)
		h.must(err)
		if settings.Items == nil || len(settings.Kinds) == 0 {
			t.Errorf("got %+v, want lists", settings)
		}
		return settings.Redirects
	}
	preview := []signins.Redirect{{URL: "https://studio.test/sign-ins/" + string(h.test.Project) + "/oauth2-redirect"}}
	if got := redirects(h.test); !slices.Equal(got, preview) {
		t.Errorf("got %v, want the one of all previews", got)
	}
	if got := redirects(h.live); got == nil || len(got) > 0 {
		t.Errorf("got %v before the first publish, want an empty list", got)
	}
	publish := func(domain *string) {
		_, err := h.store.Tables().Projects.Update(t.Context(), h.live.Project, func(p *core.Project) error {
			slug := "shop"
			p.PublishedSlug, p.CustomDomain = &slug, domain
			return nil
		})
		h.must(err)
	}
	publish(nil)
	site := signins.Redirect{URL: "https://shop.sites.test" + signins.RedirectPath}
	if got := redirects(h.live); !slices.Equal(got, []signins.Redirect{site}) {
		t.Errorf("got %v, want the site's", got)
	}
	domain := "shop.example.com"
	publish(&domain)
	if got := redirects(h.live); !slices.Equal(got, []signins.Redirect{{URL: "https://shop.example.com" + signins.RedirectPath}, site}) {
		t.Errorf("got %v, want the domain's first", got)
	}
}
