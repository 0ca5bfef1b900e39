package people_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/oauth/exampleop"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/oauth/oauthtest"
)

// headquarters is a service whose people sign in with companies, and its admin.
type headquarters struct {
	*embassy
	admin *storytest.Caller
	space core.ID
}

func newHeadquarters(t *testing.T) *headquarters {
	t.Helper()
	site := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"PRIVATE_NETWORKS": "allow", "SIGNUP": "invite"})
	h := &headquarters{embassy: &embassy{Site: site}, admin: site.SignUp()}
	var space core.Workspace
	h.admin.Must(http.StatusCreated, http.MethodPost, "/workspaces", storytest.Fields{"name": "Development"}, &space)
	h.space = space.ID
	return h
}

// provider configures one, and returns its id.
func (h *headquarters) provider(slug string, fields storytest.Fields) string {
	h.T.Helper()
	body := storytest.Fields{"slug": slug, "name": slug, "clientId": oauthtest.ClientID, "clientSecret": oauthtest.ClientSecret}
	for name, value := range fields {
		body[name] = value
	}
	var made struct{ ID, RedirectURI string }
	h.admin.Must(http.StatusCreated, http.MethodPost, "/admin/identity-providers", body, &made)
	if want := h.URL + "/auth/oidc/" + slug + "/callback"; made.RedirectURI != want {
		h.T.Errorf("got the redirect URI %s, want %s", made.RedirectURI, want)
	}
	return made.ID
}

func (h *headquarters) mapped(group string, role core.Role) []storytest.Fields {
	return []storytest.Fields{{"group": group, "workspaceId": h.space, "role": role}}
}

// problems are the kinds of what a test finds.
func (h *headquarters) problems(id string) (kinds []string, ok bool) {
	h.T.Helper()
	var report struct {
		OK       bool
		Problems []struct{ Kind string }
	}
	h.admin.Must(http.StatusOK, http.MethodPost, "/admin/identity-providers/"+id+"/test", nil, &report)
	for _, problem := range report.Problems {
		kinds = append(kinds, problem.Kind)
	}
	return kinds, report.OK
}

// roles are those in the workspace by address.
func (h *headquarters) roles() map[string]core.Role {
	h.T.Helper()
	var list struct{ Items []core.Member }
	h.admin.Must(http.StatusOK, http.MethodGet, "/workspaces/"+string(h.space)+"/members", nil, &list)
	roles := map[string]core.Role{}
	for _, member := range list.Items {
		roles[member.Email] = member.Role
	}
	return roles
}

// begin opens the sign-in and returns the provider's page.
func (b *browser) begin(slug string) string {
	b.T.Helper()
	begun := b.get("/auth/oidc/" + slug + "?next=/projects")
	if begun.Status != http.StatusFound {
		b.T.Fatalf("got %d %s, want the provider", begun.Status, begun.Body)
	}
	return begun.Header.Get("Location")
}

// arrive signs a person in at a fixture, and returns where the browser ends.
func (b *browser) arrive(slug string, server *oauthtest.Server, who oauth.Profile, says map[string]any) string {
	b.T.Helper()
	server.AddPerson(who)
	server.Forge(func(claims map[string]any) string {
		for name, value := range says {
			if claims[name] = value; value == nil {
				delete(claims, name)
			}
		}
		return oauthtest.KeyNumber(0).Sign(claims)
	})
	back, err := server.Approve(b.begin(slug), who.Subject)
	if err != nil {
		b.T.Fatal(err)
	}
	return strings.TrimPrefix(b.get(b.path(back)+"&iss="+url.QueryEscape(server.URL)).Header.Get("Location"), b.URL)
}

func (b *browser) path(address string) string {
	b.T.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		b.T.Fatal(err)
	}
	return parsed.RequestURI()
}

// TestPeopleSignInWithARealProvider goes to a certified provider's server and back, and signs out
// there.
func TestPeopleSignInWithARealProvider(t *testing.T) {
	h := newHeadquarters(t)
	real := exampleop.Start(t, h.URL+"/auth/oidc/real/callback")
	id := h.provider("real", storytest.Fields{
		"issuer": real.Issuer, "clientId": exampleop.ClientID, "clientSecret": "wrong", "scopes": []string{exampleop.Scope},
		"groupsClaim": exampleop.GroupsPath, "mappings": h.mapped(exampleop.Group, core.RoleAdmin),
	})
	if found, ok := h.problems(id); ok || !slices.Contains(found, "client_refused") {
		t.Errorf("got %q, %v for a wrong secret, want it refused", found, ok)
	}
	path := "/admin/identity-providers/" + id
	h.admin.Must(http.StatusOK, http.MethodPatch, path, storytest.Fields{"clientSecret": exampleop.ClientSecret}, nil)
	if found, ok := h.problems(id); !ok || slices.Contains(found, "no_sign_out") {
		t.Errorf("got %q, %v, want a provider that works", found, ok)
	}
	b := h.browser()
	b.wantAt("on the way back", b.get(b.path(real.Approve(b.begin("real")))), "/projects")
	var me struct{ User core.User }
	b.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me)
	if me.User.Email != exampleop.Email || !me.User.EmailVerified {
		t.Errorf("got %+v, want the person of the provider", me.User)
	}
	if role := h.roles()[exampleop.Email]; role != core.RoleAdmin {
		t.Errorf("got the role %q, want that of the group", role)
	}
	h.admin.Must(http.StatusOK, http.MethodPatch, path, storytest.Fields{"mappings": []string{}}, nil)
	b.wantAt("again", b.get(b.path(real.Approve(b.begin("real")))), "/projects")
	if role := h.roles()[exampleop.Email]; role != core.RoleNone {
		t.Errorf("got the role %q, want none without a mapping", role)
	}
	out := b.Do(http.MethodPost, "/auth/logout", nil, "Origin", h.URL)
	var there struct{ SignOutURL string }
	if err := json.Unmarshal(out.Body, &there); err != nil || out.Status != http.StatusOK || !strings.HasPrefix(there.SignOutURL, real.Issuer) || !strings.Contains(there.SignOutURL, "id_token_hint=") {
		t.Fatalf("got %d %s, want the provider's page", out.Status, out.Body)
	}
	if got := b.get("/auth/me"); got.Status != http.StatusUnauthorized {
		t.Errorf("got %d after signing out, want 401", got.Status)
	}
	again := b.Do(http.MethodPost, "/auth/logout", nil, "Origin", h.URL)
	if again.Status != http.StatusNoContent {
		t.Errorf("got %d %s for the second time, want nothing to do there", again.Status, again.Body)
	}
}

// keycloak is a realm as Keycloak documents it: groups have their path, and the callback the issuer.
func keycloak(t *testing.T) *oauthtest.Server {
	server := oauthtest.Serve(t, time.Now)
	server.Amend(oauthtest.DiscoveryPath, func(document any) any {
		fields := document.(map[string]any)
		fields["end_session_endpoint"] = server.URL + "/protocol/openid-connect/logout"
		fields["authorization_response_iss_parameter_supported"] = true
		fields["scopes_supported"] = []string{"openid", "profile", "email", "groups", "offline_access", "roles"}
		fields["code_challenge_methods_supported"] = []string{"plain", "S256"}
		return fields
	})
	return server
}

// TestKeycloakAndEntra signs people in with tokens of the documented shapes.
func TestKeycloakAndEntra(t *testing.T) {
	h, realm, tenant := newHeadquarters(t), keycloak(t), oauthtest.Serve(t, time.Now)
	id := h.provider("keycloak", storytest.Fields{"issuer": realm.URL, "scopes": []string{"groups"}, "domains": []string{"Example.com"}, "mappings": h.mapped("staff/dev", core.RoleMember)})
	h.provider("entra", storytest.Fields{"issuer": tenant.URL, "domains": []string{"example.net"}, "mappings": h.mapped("3f2a1b4c-0000-4000-8000-000000000001", core.RoleOwner)})
	if found, ok := h.problems(id); !ok || len(found) > 0 {
		t.Errorf("got %q, %v, want a realm without problems", found, ok)
	}
	bob := oauth.Profile{Subject: "f:1:bob", Email: "bob@example.com", EmailVerified: true, Name: "Bob"}
	of := func(groups ...string) map[string]any {
		return map[string]any{
			"typ": "ID", "sid": "5f1c", "acr": "1", "preferred_username": "bob", "groups": groups,
			"realm_access": map[string]any{"roles": []string{"offline_access", "uma_authorization"}},
		}
	}
	b := h.browser()
	if got := b.arrive("keycloak", realm, bob, of("/staff/dev", "/staff")); got != "/projects" || h.roles()["bob@example.com"] != core.RoleMember {
		t.Errorf("Keycloak: got %s with the role %q, want a member", got, h.roles()["bob@example.com"])
	}
	if got := b.arrive("keycloak", realm, bob, of("/staff")); got != "/projects" || h.roles()["bob@example.com"] != core.RoleNone {
		t.Errorf("Keycloak without the group: got %s with the role %q, want none", got, h.roles()["bob@example.com"])
	}

	eve := oauth.Profile{Subject: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ", Email: "eve@example.net", Name: "Eve"}
	v2 := map[string]any{"email_verified": nil, "ver": "2.0", "tid": "9122040d-6c67-4c5b-b112-36a304b66dad", "oid": "0001", "preferred_username": "eve@example.net", "groups": []string{"3f2a1b4c-0000-4000-8000-000000000001"}}
	if got := b.arrive("entra", tenant, eve, v2); got != "/projects" || h.roles()["eve@example.net"] != core.RoleOwner {
		t.Errorf("Entra: got %s with the role %q, want an owner", got, h.roles()["eve@example.net"])
	}
	over := map[string]any{"email_verified": nil, "groups": nil, "_claim_names": map[string]any{"groups": "src1"}, "_claim_sources": map[string]any{"src1": map[string]any{"endpoint": "https://graph.windows.net/x/users/y/getMemberObjects"}}}
	if got := h.browser().arrive("entra", tenant, eve, over); got != "/login?error=too_many_groups" || h.roles()["eve@example.net"] != core.RoleOwner {
		t.Errorf("too many groups: got %s with the role %q, want to hear of it and keep the role", got, h.roles()["eve@example.net"])
	}
	guest := oauth.Profile{Subject: "guest", Email: h.admin.User.Email}
	if got := h.browser().arrive("entra", tenant, guest, v2); got != "/login?error=email_domain" {
		t.Errorf("a guest with the admin's address: got %s, want it refused", got)
	}

	h.admin.Must(http.StatusOK, http.MethodPatch, "/admin/identity-providers/"+id, storytest.Fields{"only": true}, nil)
	password := h.browser().Do(http.MethodPost, "/auth/login", storytest.Fields{"email": "bob@example.com", "password": "x"}, "Origin", h.URL)
	wantRefused(t, "a password", password, http.StatusForbidden, core.CodeCompanySignIn)
	h.admin.SignInAgain()
	if got := h.browser().arrive("keycloak", realm, bob, of()); got != "/projects" {
		t.Errorf("by the company: got %s, want in", got)
	}
}
