package attacks_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// isOfWorkspace reports whether a route needs a role in a workspace, or membership of it.
func isOfWorkspace(route line) bool {
	action, public := route.Action()
	rule := core.Rules()[action]
	return !public && rule.Role != core.RoleNone && (isOfProject(route) || strings.HasPrefix(route.Pattern(), "/workspaces/:wid") ||
		strings.HasPrefix(route.Pattern(), "/folders/") || strings.HasPrefix(route.Pattern(), "/domains/"))
}

// TestNoRouteOfAWorkspaceAnswersAMemberWithoutTheRequiredFactor has two people in a workspace that
// requires a second factor and have none: an admin, who may do all but what owners do, and a member.
func TestNoRouteOfAWorkspaceAnswersAMemberWithoutTheRequiredFactor(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCast(program.Serve(t))
			home := c.home(core.VisibilityPublic)
			admin := c.player("admin")
			robot := admin.withToken(core.ScopeProjectsRead)
			var table []line
			for _, route := range c.App.Routes() {
				if missing(route) != nil || !isOfWorkspace(route) || name == "inmemory" && strings.HasPrefix(route.Pattern(), "/git/") {
					continue
				}
				table = append(table, route)
			}
			if len(table) < 100 {
				t.Fatalf("got %d routes, want those of workspaces and projects", len(table))
			}
			owner := c.player("owner")
			// These two make the records.
			for _, p := range []*player{owner, c.player("creator")} {
				if err := c.App.Store.Tables().Factors.Put(t.Context(), core.Factor{UserID: p.User.ID, Passkeys: 1}); err != nil {
					t.Fatal(err)
				}
			}
			owner.Must(http.StatusOK, http.MethodPatch, "/workspaces/"+home.record("/workspaces/:wid"), storytest.Fields{"requireMfa": true}, nil)
			for _, route := range table {
				for _, p := range []*player{admin, c.player("member")} {
					path := fill(route.Pattern(), home.record)
					if got := home.call(t, p, route, path); got.status != http.StatusForbidden || got.code != core.CodeMFASetupRequired {
						t.Errorf("%s by the %s: got %d %s, want 403 %s", nameOf(route), p.name, got.status, got.code, core.CodeMFASetupRequired)
					}
				}
			}
			owner.Must(http.StatusOK, http.MethodGet, home.project(), nil, nil)
			robot.Must(http.StatusOK, http.MethodGet, home.project(), nil, nil)
			c.player("stranger").Must(http.StatusOK, http.MethodGet, home.project(), nil, nil)
		})
	}
}
