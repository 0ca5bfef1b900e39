package bootstrap_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi"
	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/core"
)

// cast is a workspace with one of each kind of caller, and a project in it that
// the creator made.
type cast struct {
	*site
	creator *work
	callers map[string]*caller
	roles   map[string]core.Role
	// params fill the parameters of a route's pattern.
	params map[string]string
}

func newCast(t *testing.T, s *site, visibility core.Visibility) *cast {
	t.Helper()
	owner, creator := s.signUp(), s.signUp()
	c := &cast{site: s, callers: map[string]*caller{
		"owner": owner, "admin": s.signUp(), "member": s.signUp(), "creator": creator, "stranger": s.signUp(), "signed out": {site: s},
	}, roles: map[string]core.Role{"owner": core.RoleOwner, "admin": core.RoleAdmin, "member": core.RoleMember, "creator": core.RoleMember}}
	var space core.Workspace
	owner.must(http.StatusCreated, http.MethodPost, "/workspaces", map[string]string{"name": "Team"}, &space)
	for name, role := range c.roles {
		member := core.Membership{WorkspaceID: space.ID, UserID: c.callers[name].user.ID, Role: role, JoinedAt: core.At(time.Now())}
		if err := s.app.Store.Tables().Workspaces.PutMember(t.Context(), member); err != nil {
			t.Fatal(err)
		}
	}
	creator.workspace = space.ID
	c.creator = creator.create("blank")
	creator.must(http.StatusOK, http.MethodPatch, c.creator.path(""), map[string]any{"visibility": visibility}, nil)
	var provider core.Provider
	owner.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(space.ID)+"/ai-providers", map[string]any{"kind": "demo", "name": "d"}, &provider)
	var second core.Chat
	creator.must(http.StatusCreated, http.MethodPost, c.creator.path("/chats"), map[string]any{"mode": "chat"}, &second)
	c.params = map[string]string{
		":wid": string(space.ID), ":id": string(c.creator.ID), ":projectId": string(c.creator.ID), ":chatId": string(second.ID),
		":pid": string(provider.ID), "*path": "index.html",
	}
	if deployment := c.deploy(); deployment != "" {
		c.params[":deploymentId"] = deployment
	}
	return c
}

// deploy publishes the project and returns its deployment.
func (c *cast) deploy() string {
	var published struct{ Project core.Project }
	c.creator.must(http.StatusOK, http.MethodPost, c.creator.path("/publish"), map[string]any{"slug": "s" + strings.ReplaceAll(string(c.creator.ID), "-", "")}, &published)
	var deployments struct{ Items []core.Deployment }
	c.creator.must(http.StatusOK, http.MethodGet, c.creator.path("/deployments"), nil, &deployments)
	return string(deployments.Items[0].ID)
}

// target fills a pattern with the cast's own records.
func (c *cast) target(t *testing.T, pattern string) string {
	t.Helper()
	parts := strings.Split(pattern, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, ":") || strings.HasPrefix(part, "*") {
			value, known := c.params[part]
			if !known {
				t.Fatalf("%s: no value for %s", pattern, part)
			}
			parts[i] = value
		}
	}
	return strings.Join(parts, "/")
}

// samples are the bodies and queries that routes take; the others take none.
func (c *cast) samples() map[string]any {
	chat := map[string]any{"chatId": string(c.creator.chat)}
	return map[string]any{
		"PATCH /auth/me":                           map[string]any{"displayName": "x"},
		"POST /workspaces":                         map[string]any{"name": "x"},
		"PATCH /workspaces/:wid":                   map[string]any{"name": "x"},
		"POST /workspaces/:wid/ai-providers":       map[string]any{"kind": "demo", "name": "x"},
		"PATCH /workspaces/:wid/ai-providers/:pid": map[string]any{"name": "x"},
		"POST /workspaces/:wid/projects":           map[string]any{"name": "x"},
		"PATCH /projects/:projectId":               map[string]any{"name": "x"},
		"POST /projects/:projectId/files/bulk":     map[string]any{"operations": []any{}},
		"PUT /projects/:projectId/files/*path":     strings.NewReader("x"),
		"POST /projects/:projectId/chats":          map[string]any{"mode": "chat"},
		"PATCH /projects/:projectId/chats/:chatId": map[string]any{"title": "x"},
		"POST /chat/:projectId/messages":           map[string]any{"chatId": string(c.creator.chat), "text": "hi"},
		"POST /chat/:projectId/stop":               chat,
		"POST /projects/:projectId/publish":        map[string]any{},
	}
}

func (c *cast) queryOf(pattern string) string {
	switch pattern {
	case "/chat/:projectId/messages", "/chat/:projectId/stream":
		return query("chatId", string(c.creator.chat))
	case "/projects/:projectId/files/search":
		return query("q", "x")
	}
	return ""
}

// want says what the table and the contract promise a caller: 200 stands for any
// answer of the route itself.
func (c *cast) want(name string, route httpapi.Route, visibility core.Visibility) int {
	action, public := route.Action()
	if public {
		return http.StatusOK
	}
	if name == "signed out" {
		return http.StatusUnauthorized
	}
	rule, role := core.RuleOf(action), c.roles[name]
	if !strings.Contains(route.Pattern(), ":projectId") {
		return wantOfRole(rule, role)
	}
	sees := role != core.RoleNone && (visibility != core.VisibilityPrivate || name == "creator" || role.AtLeast(core.RoleAdmin))
	switch {
	case sees:
		return wantOfRole(rule, role)
	case visibility != core.VisibilityPublic || rule.Hidden:
		return http.StatusNotFound
	case rule.Public:
		return http.StatusOK
	}
	return http.StatusForbidden
}

func wantOfRole(rule core.Rule, role core.Role) int {
	switch {
	case rule.Role == core.RoleNone, role != core.RoleNone && role.AtLeast(rule.Role):
		return http.StatusOK
	case role == core.RoleNone:
		return http.StatusNotFound
	}
	return http.StatusForbidden
}

// TestEveryRouteAnswersEveryCallerAsTheTableSays plays every (route, caller,
// visibility) against the running service.
func TestEveryRouteAnswersEveryCallerAsTheTableSays(t *testing.T) {
	s := serve(t, t.TempDir(), inmemory.New, nil)
	for _, visibility := range []core.Visibility{core.VisibilityPrivate, core.VisibilityWorkspace, core.VisibilityPublic} {
		for _, route := range s.app.Routes() {
			if !strings.Contains(route.Pattern(), ":") && visibility != core.VisibilityPublic {
				continue
			}
			t.Run(string(visibility)+" "+route.Method()+" "+route.Pattern(), func(t *testing.T) {
				for _, name := range []string{"signed out", "stranger", "member", "creator", "admin", "owner"} {
					c := newCast(t, s, visibility)
					c.check(t, name, route, visibility)
				}
			})
		}
	}
}

func (c *cast) check(t *testing.T, name string, route httpapi.Route, visibility core.Visibility) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	body := c.samples()[route.Method()+" "+route.Pattern()]
	response := c.callers[name].open(ctx, route.Method(), c.target(t, route.Pattern())+c.queryOf(route.Pattern()), body)
	response.Body.Close()
	got, want := response.StatusCode, c.want(name, route, visibility)
	refused := got == http.StatusUnauthorized || got == http.StatusForbidden || got == http.StatusNotFound
	action, _ := route.Action()
	if action == "" && got < 500 {
		return
	}
	if want == http.StatusOK && refused || want != http.StatusOK && got != want || got >= 500 {
		t.Errorf("%s: got %d, want %d", name, got, want)
	}
}

// TestOnlyAnOwnerPurges covers the one route whose rule depends on its query.
func TestOnlyAnOwnerPurges(t *testing.T) {
	s := serve(t, t.TempDir(), inmemory.New, nil)
	for name, want := range map[string]int{
		"signed out": http.StatusUnauthorized, "stranger": http.StatusNotFound, "member": http.StatusForbidden,
		"creator": http.StatusForbidden, "admin": http.StatusForbidden, "owner": http.StatusNoContent,
	} {
		c := newCast(t, s, core.VisibilityWorkspace)
		if got := c.callers[name].do(http.MethodDelete, c.creator.path("?hard=true"), nil); got.status != want {
			t.Errorf("%s: got %d %s, want %d", name, got.status, got.body, want)
		}
	}
}
