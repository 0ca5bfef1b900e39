package attacks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// line is a route, as far as who may use it goes.
type line interface {
	Method() string
	Pattern() string
	Action() (action core.Action, public bool)
}

func nameOf(route line) string { return route.Method() + " " + route.Pattern() }

// TestEveryRouteAnswersEveryCallerAsTheTableSays plays every (route, caller, visibility)
// against the running service, on every kind of storage. The expectations come only from
// the table of authorisation in core.
func TestEveryRouteAnswersEveryCallerAsTheTableSays(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCast(program.Serve(t))
			var table []line
			for _, route := range c.App.Routes() {
				if name == "inmemory" && strings.HasPrefix(route.Pattern(), "/git/") {
					// It has no repositories, and says so to everybody who may ask.
					continue
				}
				if lacks := missing(route); lacks == nil {
					table = append(table, route)
				} else {
					t.Error(strings.Join(lacks, "\n"))
				}
			}
			slices.SortStableFunc(table, sessionsEndLast)
			for _, visibility := range []core.Visibility{core.VisibilityPrivate, core.VisibilityWorkspace, core.VisibilityPublic} {
				home := c.home(visibility)
				for _, route := range table {
					if isOfProject(route) || visibility == core.VisibilityPublic {
						home.play(t, route)
					}
				}
			}
		})
	}
}

// sessionsEndLast puts the routes behind all others that end the sessions with which
// the others are called.
func sessionsEndLast(a, b line) int {
	last := func(route line) int {
		// Without a session the second still answers, and the first does not.
		return slices.Index([]string{"POST /auth/logout-all", "POST /auth/logout"}, nameOf(route))
	}
	return last(a) - last(b)
}

func isOfProject(route line) bool { return strings.Contains(route.Pattern(), ":projectId") }

// missing says what is needed before a route can be tested.
func missing(route line) []string {
	var lacks []string
	name := nameOf(route)
	for _, beginning := range beginnings(route.Pattern()) {
		if records()[keyOf(beginning)] == nil {
			lacks = append(lacks, fmt.Sprintf("%s names a record that the test cannot make: add %q to records() in authorization_records_test.go", name, beginning))
		}
	}
	takesBody := slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch}, route.Method())
	if takesBody && bodies()[name] == nil {
		lacks = append(lacks, name+" takes a body that the test does not know: add it to bodies() in authorization_records_test.go, nothing if it takes none")
	}
	action, public := route.Action()
	if _, ruled := core.Rules()[action]; !ruled && !public {
		lacks = append(lacks, fmt.Sprintf("%s has the action %q without a rule: add it to the table in core/access.go", name, action))
	}
	return lacks
}

// row is a line of a table that no program has.
type row struct {
	method, pattern string
	action          core.Action
}

func (r row) Method() string              { return r.method }
func (r row) Pattern() string             { return r.pattern }
func (r row) Action() (core.Action, bool) { return r.action, r.action == "" }

// TestARouteThatTheTestDoesNotKnowIsFound proves that missing and judge bite.
func TestARouteThatTheTestDoesNotKnowIsFound(t *testing.T) {
	for want, route := range map[string]row{
		"":                                 {"PATCH", "/projects/:projectId", core.ActionProjectUpdate},
		"cannot make":                      {"GET", "/projects/:projectId/wonders/:wonderId", core.ActionProjectRead},
		"takes a body":                     {"POST", "/wonders", core.ActionProjectCreate},
		`the action "wonder" without a ru`: {"GET", "/wonders", "wonder"},
	} {
		if lacks := missing(route); len(lacks) == 1 != (want != "") || !strings.Contains(strings.Join(lacks, ""), want) {
			t.Errorf("%s: got %q, want %q", nameOf(route), lacks, want)
		}
	}
	route := row{"GET", "/projects/:projectId", core.ActionProjectRead}
	for _, c := range []struct {
		want core.Code
		got  outcome
		bad  bool
	}{
		{"", outcome{200, ""}, false},
		{"", outcome{409, core.CodeConflict}, false},
		{"", outcome{404, core.CodeProviderNotConfigured}, false},
		{"", outcome{404, core.CodeNotFound}, true},
		{"", outcome{403, core.CodeForbidden}, true},
		{"", outcome{403, core.CodeInsufficientScope}, true},
		{"", outcome{400, core.CodeInvalidRequest}, true},
		{"", outcome{500, core.CodeInternal}, true},
		{core.CodeNotFound, outcome{404, core.CodeNotFound}, false},
		{core.CodeNotFound, outcome{403, core.CodeForbidden}, true},
		{core.CodeNotFound, outcome{200, ""}, true},
		{core.CodeUnauthenticated, outcome{400, core.CodeInvalidRequest}, true},
		{core.CodeForbidden, outcome{403, core.CodeInsufficientScope}, true},
	} {
		if problem := judge(route, c.want, c.got); problem != "" != c.bad {
			t.Errorf("want %q, got %+v: the judge says %q", c.want, c.got, problem)
		}
	}
}

// play has every player call the route, and judges the answers.
func (s *stage) play(t *testing.T, route line) {
	t.Helper()
	for _, p := range s.players {
		want := s.want(p, route)
		path := fill(route.Pattern(), func(beginning string) string {
			if want == "" && usedUp(nameOf(route)) == beginning {
				return s.fresh(beginning, p)
			}
			return s.record(beginning)
		})
		got := s.call(t, p, route, path)
		if problem := judge(route, want, got); problem != "" {
			t.Errorf("%s by the %s, %s project: %s", nameOf(route), p.name, s.visibility, problem)
		}
	}
}

// outcome is what an answer says about permission.
type outcome struct {
	status int
	code   core.Code
}

// call sends a route's sample and reads no more than the beginning of an endless
// answer.
func (s *stage) call(t *testing.T, p *player, route line, path string) outcome {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if search := queries()[nameOf(route)]; search != nil {
		path += search(s)
	}
	var body any
	if sample := bodies()[nameOf(route)]; sample != nil {
		body = sample(s)
	}
	response := p.Open(ctx, route.Method(), path, body, headers()[nameOf(route)]...)
	defer response.Body.Close()
	got := outcome{status: response.StatusCode}
	if got.status >= http.StatusBadRequest {
		var failure struct{ Error core.Code }
		if err := json.NewDecoder(response.Body).Decode(&failure); err != nil {
			t.Errorf("%s by the %s: got %d without an error's body: %v", nameOf(route), p.name, got.status, err)
		}
		got.code = failure.Error
	}
	return got
}

// want is the code that the table promises a player; "" is the route's own answer.
func (s *stage) want(p *player, route line) core.Code {
	action, public := route.Action()
	if judged, known := stricter()[nameOf(route)]; known {
		action = judged
	}
	rule := core.Rules()[action]
	switch {
	case public:
		return ""
	case p.signedOut():
		return core.CodeUnauthenticated
	case p.scope != "" && !rule.AnyScope && !covers(p.scope, rule.Scope):
		return core.CodeInsufficientScope
	case rule.Instance != core.InstanceNone:
		if p.instance != rule.Instance {
			return core.CodeForbidden
		}
		return ""
	case isOfProject(route), rule.Public:
		return s.wantOfProject(p, rule)
	}
	return wantOfRole(p, rule)
}

// covers reports whether a token with one scope satisfies another.
func covers(have, need core.Scope) bool {
	whole, isRead := strings.CutSuffix(string(need), ":read")
	return need != core.ScopeNone && (have == need || isRead && string(have) == whole+":write")
}

func (s *stage) wantOfProject(p *player, rule core.Rule) core.Code {
	sees := p.role != core.RoleNone && (s.visibility != core.VisibilityPrivate || p.creator || p.role.AtLeast(core.RoleAdmin))
	switch {
	case sees:
		return wantOfRole(p, rule)
	case s.visibility != core.VisibilityPublic || rule.Hidden:
		return core.CodeNotFound
	case rule.Public:
		return ""
	}
	return core.CodeForbidden
}

func wantOfRole(p *player, rule core.Rule) core.Code {
	switch {
	case rule.Role == core.RoleNone, p.role != core.RoleNone && p.role.AtLeast(rule.Role):
		return ""
	case p.role == core.RoleNone:
		return core.CodeNotFound
	}
	return core.CodeForbidden
}

// judge compares an answer with the table; "" is no problem.
func judge(route line, want core.Code, got outcome) string {
	_, public := route.Action()
	switch {
	case got.status >= 500:
		return fmt.Sprintf("got %d %s, want no failure", got.status, got.code)
	case public, got.code == want:
		return ""
	case want != "" || slices.Contains([]core.Code{core.CodeUnauthenticated, core.CodeTokenExpired, core.CodeForbidden, core.CodeInsufficientScope, core.CodeCrossOrigin}, got.code):
		return fmt.Sprintf("got %d %q, want code %q", got.status, got.code, want)
	case got.code == core.CodeNotFound:
		return "got not_found, want the route's own answer (does an earlier call take the record away? then say so in usedUp)"
	case slices.Contains([]core.Code{core.CodeInvalidRequest, core.CodeValidationFailed, core.CodeUnsupportedMediaType}, got.code):
		return fmt.Sprintf("got %d %s, which proves nothing: put what the route takes into bodies() or queries()", got.status, got.code)
	}
	return ""
}

// TestOnlyAnOwnerPurges covers the one route whose rule depends on its query.
func TestOnlyAnOwnerPurges(t *testing.T) {
	c := newCast(storytest.Serve(t, t.TempDir(), inmemory.New, nil))
	for name, want := range map[string]int{
		"signed out": http.StatusUnauthorized, "stranger": http.StatusNotFound, "member": http.StatusForbidden,
		"creator": http.StatusForbidden, "admin": http.StatusForbidden, "owner": http.StatusNoContent,
	} {
		s := c.home(core.VisibilityWorkspace)
		if got := c.player(name).Do(http.MethodDelete, s.project()+"?hard=true", nil); got.Status != want {
			t.Errorf("%s: got %d %s, want %d", name, got.Status, got.Body, want)
		}
	}
}
