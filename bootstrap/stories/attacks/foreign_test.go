package attacks_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// smuggled are bodies and queries that name a record of the stage where the
// caller's own belongs.
func smuggled() map[string]func(*stage) any {
	folder := func(s *stage) string { return s.record("/folders/:folderId") }
	return map[string]func(*stage) any{
		"POST /workspaces/:wid/projects": func(s *stage) any {
			return storytest.Fields{"name": "x", "template": storytest.Template, "folderId": folder(s)}
		},
		"PATCH /projects/:projectId":     func(s *stage) any { return storytest.Fields{"folderId": folder(s)} },
		"POST /workspaces/:wid/folders":  func(s *stage) any { return storytest.Fields{"name": "x", "parentId": folder(s)} },
		"PATCH /folders/:folderId":       func(s *stage) any { return storytest.Fields{"parentId": folder(s)} },
		"POST /workspaces/:wid/transfer": bodies()["POST /workspaces/:wid/transfer"],
		"POST /projects/:projectId/duplicate": func(s *stage) any {
			return storytest.Fields{"workspaceId": s.record("/workspaces/:wid"), "folderId": folder(s)}
		},
		"POST /projects/:projectId/transfer": func(s *stage) any { return storytest.Fields{"workspaceId": s.record("/workspaces/:wid")} },
		"POST /workspaces/:wid/projects/import": func(s *stage) any {
			return storytest.Fields{"name": "x", "gitUrl": "https://example.com/x.git", "folderId": folder(s)}
		},
		"POST /chat/:projectId/messages": bodies()["POST /chat/:projectId/messages"],
		"POST /chat/:projectId/stop":     bodies()["POST /chat/:projectId/stop"],
		"GET /chat/:projectId/messages":  nothing,
		"GET /chat/:projectId/stream":    nothing,
		"POST /plan/:projectId":          bodies()["POST /plan/:projectId"],
		"POST /chat/:projectId/approve":  bodies()["POST /chat/:projectId/approve"],
		"POST /plan/:projectId/run":      bodies()["POST /plan/:projectId/run"],
		"GET /plan/:projectId":           nothing,
	}
}

// TestNobodyReachesAnotherWorkspacesRecordsThroughTheirOwn covers the check that
// every route with two records needs: that the second belongs to the first. The
// owner of a workspace names their own record first and somebody else's after it.
func TestNobodyReachesAnotherWorkspacesRecordsThroughTheirOwn(t *testing.T) {
	c := newCast(storytest.Serve(t, t.TempDir(), inmemory.New, nil))
	home, abroad := c.home(core.VisibilityPublic), c.abroad()
	tried := map[string]bool{}
	for _, route := range c.App.Routes() {
		name := nameOf(route)
		all := slices.DeleteFunc(beginnings(route.Pattern()), func(beginning string) bool {
			// These have names of their own in every project.
			return slices.ContainsFunc([]string{
				"*path", "/env/:key", "/backend/:env", "/collections/:name", "/functions/:name", "/providers/:name",
			}, func(end string) bool { return strings.HasSuffix(beginning, end) })
		})
		smuggle := smuggled()[name]
		if missing(route) != nil || len(all) < 2 && smuggle == nil {
			continue
		}
		tried[name] = true
		path := fill(route.Pattern(), func(beginning string) string {
			if beginning == all[0] {
				return abroad.record(beginning)
			}
			return home.record(beginning)
		})
		if search := queries()[name]; search != nil {
			path += search(home)
		}
		if smuggle == nil {
			smuggle = bodies()[name]
		}
		var body any
		if smuggle != nil {
			body = smuggle(home)
		}
		got := abroad.owner.Do(route.Method(), path, body)
		if code := got.Code(); code != core.CodeNotFound && (code != core.CodeValidationFailed || smuggled()[name] == nil) {
			t.Errorf("%s with another workspace's record: got %d %.200s, want not_found", name, got.Status, got.Body)
		}
	}
	for name := range smuggled() {
		if !tried[name] {
			t.Errorf("%s is not a route any more", name)
		}
	}
	if !tried["PATCH /workspaces/:wid/ai-providers/:pid"] || tried[http.MethodGet+" /projects/:projectId"] {
		t.Errorf("got %v tried, want the routes that name two records", tried)
	}
}
