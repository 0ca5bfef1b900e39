package httpapi

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/manual"
	"github.com/atelierhq/atelier/adapters/httpapi/observe"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// wholeTable is every route that the API serves.
func wholeTable(t testing.TB) []rest.Route {
	t.Helper()
	deps, _, _ := testDeps(t)
	return append(Routes(deps), operations(deps, observe.NewMetrics(nil, nil, ""))...)
}

func described(t testing.TB, text []byte) manual.Part {
	t.Helper()
	document, err := manual.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// eachOperation visits the operations of a document, by method and the pattern
// that a route with the same parameters would have.
func eachOperation(document manual.Part, visit func(method, pattern string, item, operation manual.Part)) {
	for path, item := range document.At("paths").Members() {
		for method, operation := range item.Members() {
			if method != "parameters" {
				visit(strings.ToUpper(method), patternOf(path, item), item, operation)
			}
		}
	}
}

// patternOf writes a path as routes do.
func patternOf(path string, item manual.Part) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		name, isParameter := strings.CutPrefix(segment, "{")
		if !isParameter {
			continue
		}
		segments[i] = ":" + strings.TrimSuffix(name, "}")
		for parameter := range item.At("parameters").Elements() {
			if ":"+parameter.At("name").Text() == segments[i] && parameter.At("x-spans-segments").Exists() {
				segments[i] = "*" + segments[i][1:]
			}
		}
	}
	return strings.Join(segments, "/")
}

// disagreements returns a sentence for everything that the routes and the document
// say differently.
func disagreements(document manual.Part, table []rest.Route) []string {
	var all []string
	routes := map[string]rest.Route{}
	for _, route := range table {
		routes[route.Method()+" "+route.Pattern()] = route
	}
	missing := maps.Clone(routes)
	eachOperation(document, func(method, pattern string, item, operation manual.Part) {
		key := method + " " + pattern
		if method == http.MethodHead {
			key = http.MethodGet + " " + pattern
		}
		route, served := routes[key]
		delete(missing, key)
		if !served {
			all = append(all, key+" is described, but there is no such route")
			return
		}
		all = append(all, disagreementsOn(route, item, operation)...)
	})
	for key := range missing {
		all = append(all, key+" is a route that is not described")
	}
	slices.Sort(all)
	return all
}

// disagreementsOn compares an operation's callers and parameters with its route's.
func disagreementsOn(route rest.Route, item, operation manual.Part) []string {
	var all []string
	differ := func(what, got, want string) {
		if got != want {
			all = append(all, fmt.Sprintf("%s %s: got %s %s, want %s", route.Method(), route.Pattern(), what, got, want))
		}
	}
	differ("the parameters", fmt.Sprint(declaredParameters(item, operation)), fmt.Sprint(parametersOf(route)))
	action, public := route.Action()
	if public {
		differ("callers", fmt.Sprint(isOpen(operation)), "true")
		return all
	}
	rule := core.RuleOf(action)
	differ("the security", securityOf(operation), wantedSecurity(route.Pattern(), rule))
	differ("the role", operation.At("x-role").Text(), string(rule.Role))
	differ("the role in the installation", operation.At("x-instance-role").Text(), string(rule.Instance))
	differ("readers of public projects", fmt.Sprint(operation.At("x-public").Exists()), fmt.Sprint(rule.Public))
	return all
}

func parametersOf(route rest.Route) []string {
	var names []string
	for segment := range strings.SplitSeq(route.Pattern(), "/") {
		if strings.HasPrefix(segment, ":") || strings.HasPrefix(segment, "*") {
			names = append(names, segment[1:])
		}
	}
	slices.Sort(names)
	return names
}

func declaredParameters(item, operation manual.Part) []string {
	var names []string
	for _, parameters := range []manual.Part{item.At("parameters"), operation.At("parameters")} {
		for parameter := range parameters.Elements() {
			if parameter.At("in").Text() == "path" {
				names = append(names, parameter.At("name").Text())
			}
		}
	}
	slices.Sort(names)
	return names
}

// isOpen reports whether an operation needs no credentials: it has no
// requirement, or an empty one among others.
func isOpen(operation manual.Part) bool {
	security := securityOf(operation)
	return security == "" || strings.HasPrefix(security, "{}")
}

func securityOf(operation manual.Part) string {
	var all []string
	for requirement := range operation.At("security").Elements() {
		text := "{"
		for name, scopes := range requirement.Members() {
			text += name + fmt.Sprint(scopes.Texts())
		}
		all = append(all, text+"}")
	}
	return strings.Join(all, " ")
}

// wantedSecurity returns the security of a route with a rule: git clients use Basic, and
// neither they nor programs with tools use the cookie.
func wantedSecurity(pattern string, rule core.Rule) string {
	scope := rule.Scope
	if rest.IsMCP(pattern) && rule.AnyScope {
		return "{accessToken[]} {apiToken[]}"
	}
	if rest.IsGit(pattern) {
		return fmt.Sprintf("{gitToken[%s]} {accessToken[]} {apiToken[%[1]s]}", scope)
	}
	if scope == core.ScopeNone {
		return "{accessToken[]} {cookie[]}"
	}
	return fmt.Sprintf("{accessToken[]} {apiToken[%s]} {cookie[]}", scope)
}

func TestRoutesAndDescriptionAgree(t *testing.T) {
	for _, sentence := range disagreements(described(t, openapiYAML), wholeTable(t)) {
		t.Error(sentence)
	}
}

// TestTheComparisonBites changes the routes, or the document, in one place each,
// and wants that to be found and nothing else.
func TestTheComparisonBites(t *testing.T) {
	const get = http.MethodGet
	table := wholeTable(t)
	without := func(method, pattern string) []rest.Route {
		return slices.DeleteFunc(slices.Clone(table), func(r rest.Route) bool { return r.Method() == method && r.Pattern() == pattern })
	}
	with := func(method, pattern string, action core.Action) []rest.Route {
		if action == "" {
			return append(without(method, pattern), rest.Open(method, pattern, nil))
		}
		return append(without(method, pattern), rest.Call(method, pattern, action, nil))
	}
	renamed := func(from, to string) []byte { return replaced(t, from, to) }
	for name, c := range map[string]struct {
		text   []byte
		routes []rest.Route
		want   []string
	}{
		"a route less":              {openapiYAML, without(get, "/templates"), []string{"GET /templates is described, but"}},
		"a route of another method": {openapiYAML, append(without(get, "/templates"), rest.Open("PUT", "/templates", nil)), []string{"GET /templates is described, but", "PUT /templates is a route"}},
		"a route more":              {openapiYAML, with(get, "/novelty", ""), []string{"GET /novelty is a route that is not described"}},
		"an open route":             {openapiYAML, with(get, "/templates", ""), []string{"GET /templates: got callers false, want true"}},
		"a guarded route":           {openapiYAML, with(get, "/healthz", core.ActionWorkspaceList), []string{"GET /healthz: got the security , want {accessToken[]}"}},
		"another scope":             {openapiYAML, with(get, "/templates", core.ActionWorkspaceList), []string{"GET /templates: got the security {accessToken[]} {apiToken[projects:read]} {cookie[]}, want {accessToken[]} {apiToken[workspaces:read]}"}},
		"no scope":                  {openapiYAML, with(get, "/templates", core.ActionAccount), []string{"GET /templates: got the security"}},
		"another role":              {openapiYAML, with(get, "/workspaces/:wid", core.ActionAuditRead), []string{"GET /workspaces/:wid: got the role member, want admin"}},
		"no readers":                {openapiYAML, with(get, "/projects/:projectId", core.ActionPreviewWatch), []string{"GET /projects/:projectId: got readers of public projects true, want false"}},
		"another name":              {renamed("/workspaces/{wid}/usage:", "/workspaces/{id}/usage:"), table, []string{"GET /workspaces/:id/usage is described", "GET /workspaces/:wid/usage is a route"}},
		"another declaration":       {renamed("- name: deploymentId\n", "- name: id\n"), table, []string{"POST /projects/:projectId/deployments/:deploymentId/rollback: got the parameters [id projectId], want [deploymentId projectId]"}},
		"one segment for many": {renamed("      x-spans-segments: true\n", ""), table, []string{
			"DELETE /projects/:projectId/files/*path is a route", "DELETE /projects/:projectId/files/:path is described",
			"GET /projects/:projectId/files/*path is a route", "GET /projects/:projectId/files/:path is described",
			"GET /projects/:projectId/versions/:sha/files/*path is a route", "GET /projects/:projectId/versions/:sha/files/:path is described",
			"PUT /projects/:projectId/files/*path is a route", "PUT /projects/:projectId/files/:path is described",
		}},
		"a described method": {renamed("  /templates:\n    get:", "  /templates:\n    put:"), table, []string{"GET /templates is a route", "PUT /templates is described"}},
		"a described guard":  {renamed("summary: Whether the process is alive\n      security: []", "security: [{cookie: []}]"), table, []string{"GET /healthz: got callers false"}},
	} {
		t.Run(name, func(t *testing.T) { wantDisagreements(t, disagreements(described(t, c.text), c.routes), c.want) })
	}
}

// wantDisagreements wants every sentence to have one of the beginnings, and a
// sentence for each.
func wantDisagreements(t *testing.T, got, want []string) {
	t.Helper()
	for _, beginning := range want {
		if !slices.ContainsFunc(got, func(sentence string) bool { return strings.HasPrefix(sentence, beginning) }) {
			t.Errorf("got %q, want %q", got, beginning)
		}
	}
	for _, sentence := range got {
		if !slices.ContainsFunc(want, func(beginning string) bool { return strings.HasPrefix(sentence, beginning) }) {
			t.Errorf("got %q as well, want only %q", sentence, want)
		}
	}
}

func replaced(t *testing.T, from, to string) []byte {
	t.Helper()
	if bytes.Count(openapiYAML, []byte(from)) != 1 {
		t.Fatalf("openapi.yaml has %q %d times, want once", from, bytes.Count(openapiYAML, []byte(from)))
	}
	return bytes.Replace(openapiYAML, []byte(from), []byte(to), 1)
}
