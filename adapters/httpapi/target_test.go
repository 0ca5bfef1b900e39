package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// fileRoutes have the shapes that make routing hard: a wildcard beside static
// paths of other methods.
func fileRoutes() []rest.Route {
	echo := func(name string) rest.Handler {
		return func(w http.ResponseWriter, r *rest.Request) error {
			return rest.WriteJSON(w, http.StatusOK, map[string]string{"route": name, "id": r.Param("boxId"), "path": r.Param("path")})
		}
	}
	file := func(w http.ResponseWriter, r *rest.Request) error {
		if _, err := core.ParsePath(r.Param("path")); err != nil {
			return err
		}
		return echo("file")(w, r)
	}
	return []rest.Route{
		rest.Open("GET", "/boxes/:boxId", echo("project")), rest.Open("DELETE", "/boxes/:boxId", echo("project")),
		rest.Open("POST", "/boxes", echo("projects")),
		rest.Open("GET", "/boxes/:boxId/files", echo("list")),
		rest.Open("GET", "/boxes/:boxId/files/search", echo("search")),
		rest.Open("POST", "/boxes/:boxId/files/bulk", echo("bulk")),
		rest.Open("GET", "/boxes/:boxId/files/*path", file), rest.Open("PUT", "/boxes/:boxId/files/*path", file),
		rest.Open("DELETE", "/boxes/:boxId/files/*path", file),
		rest.Open("GET", "/bare/*path", echo("bare")),
	}
}

// raw sends a request line unchanged, which no client library would.
func (a *api) raw(line string, headers ...string) answer {
	a.t.Helper()
	return a.rawTo("localhost:8080", line, headers...)
}

// rawTo is raw with a Host of one's own.
func (a *api) rawTo(host, line string, headers ...string) answer {
	a.t.Helper()
	conn, err := net.Dial("tcp", a.server.Listener.Addr().String())
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n", line, host, strings.Join(append(headers, ""), "\r\n"))
	method, _, _ := strings.Cut(line, " ")
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		a.t.Fatalf("%s: %v", line, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		a.t.Fatalf("%s: %v", line, err)
	}
	return answer{response, string(body)}
}

func TestPathsReachTheirRouteDecodedOnce(t *testing.T) {
	api := newTable(t, fileRoutes())
	for target, want := range map[string][2]string{
		"/boxes/p":                      {"project", ""},
		"/%62oxes/p":                    {"project", ""},
		"/boxes/p/files":                {"list", ""},
		"/boxes/p/files/search":         {"search", ""},
		"/boxes/p/files/%73earch?q=x":   {"search", ""},
		"/boxes/p/files/bulk":           {"file", "bulk"},
		"/boxes/p/files/search/x":       {"file", "search/x"},
		"/boxes/p/files/searchX":        {"file", "searchX"},
		"/boxes/p/files/a%25b":          {"file", "a%b"},
		"/boxes/p/files/a%2Fb":          {"file", "a/b"},
		"/boxes/p/files/a%252Fb":        {"file", "a%2Fb"},
		"/boxes/p/files/%252e%252e%2fx": {"file", "%2e%2e/x"},
		"/boxes/p/files/[id].tsx":       {"file", "[id].tsx"},
		"/boxes/p/files/a%20b+c":        {"file", "a b+c"},
		"/boxes/p/files/a b":            {"", ""},
		"/boxes/p/files/%C3%A9;x=1":     {"file", "é;x=1"},
		"/boxes/p/f%69les/a":            {"file", "a"},
		"/bare/a":                       {"bare", "a"},
	} {
		if want[0] == "" {
			api.raw("GET "+target).want(t, target, http.StatusBadRequest, "")
			continue
		}
		got := api.raw("GET " + target)
		if got.text("route") != want[0] || got.text("path") != want[1] {
			t.Errorf("%s: got %d %s, want route %s, path %q", target, got.StatusCode, got.body, want[0], want[1])
		}
	}
}

func TestPathsThatNameNothingAreNotFound(t *testing.T) {
	api := newTable(t, fileRoutes())
	for _, target := range []string{
		"//", "/boxes/", "/boxes/p/", "//boxes/p", "/boxes//evil/victim", "/boxes//files", "/boxes/../boxes/p",
		"/boxes/./p", "/boxes/%2e%2e/files/a", "/boxes/p/../q", "/boxes/p/%2E%2E/q", "/boxes/p/files/", "/boxes//files/a",
		"/auth/me/", "/auth//me", "/auth/./me", "/auth/../auth/me", "/AUTH/me", "/bare", "/bare/", "/nothing", "/", "/?x", "*",
		"/boxes/" + strings.Repeat("a", 20000), "/boxes/p/files/" + strings.Repeat("a", 70000),
	} {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			api.raw(method+" "+target).want(t, method+" "+fmt.Sprintf("%.60s", target), http.StatusNotFound, "not_found")
		}
	}
}

func TestEscapingFilePathsReachTheGateOfPaths(t *testing.T) {
	api := newTable(t, fileRoutes())
	for _, path := range []string{
		"../x", "../../x", "../../../../etc/passwd", "a/../../x", "a/../b", "%2e%2e/x", "%2e%2e%2fx", "..%2fx", "..%2Fx", "%2E%2E%5Cx", "..%5cx",
		"a/..%2f..%2f..%2fx", "/etc/passwd", "//etc/passwd", "%2fetc/passwd", "%5c%5cserver/x", "C:/x", "c%3a%5cx", "..", "a/..", "../auth/me", "../../../workspaces",
	} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			api.raw(method+" /boxes/p/files/"+path).want(t, method+" "+path, http.StatusBadRequest, "path_traversal")
		}
	}
	for _, path := range []string{
		"a//b", "a/", "a/./b", ".", "a%00b", "%00", "a%5cb", "a%0ab", ".git/config", ".GIT/config", "a/.git/x", "%2egit/x", ".git%20/x", "con", "a%ffb", "a%C0%AE", "a?b%3a",
		strings.Repeat("a", 256), strings.Repeat("a/", 600) + "a",
	} {
		if strings.Contains(path, "?") {
			continue
		}
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			api.raw(method+" /boxes/p/files/"+path).want(t, method+" "+fmt.Sprintf("%.60s", path), http.StatusBadRequest, "invalid_path")
		}
	}
}

func TestBrokenPathsAreBadRequests(t *testing.T) {
	api := newTable(t, fileRoutes())
	for _, target := range []string{"/boxes/%00", "/auth/%00me", "/%00"} {
		api.raw("GET "+target).want(t, target, http.StatusBadRequest, "invalid_request")
	}
	for _, target := range []string{"/boxes/%zz", "/boxes/p/files/%", "/boxes/p/files/%2", "/boxes/%u0041"} {
		if got := api.raw("GET " + target); got.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: got %d %s, want 400", target, got.StatusCode, got.body)
		}
	}
}

func TestKnownPathsAnswerOtherMethodsWith405(t *testing.T) {
	api := newTable(t, fileRoutes())
	for _, c := range []struct{ line, allow string }{
		{"PUT /auth/me", "DELETE, GET, HEAD, PATCH"},
		{"OPTIONS /auth/me", "DELETE, GET, HEAD, PATCH"},
		{"TRACE /auth/me", "DELETE, GET, HEAD, PATCH"},
		{"PROPFIND /boxes/p", "DELETE, GET, HEAD"},
		{"get /boxes/p", "DELETE, GET, HEAD"},
		{"GET /auth/login", "POST"},
		{"HEAD /auth/login", "POST"},
		{"POST /boxes/p", "DELETE, GET, HEAD"},
		{"PUT /boxes/p/files", "GET, HEAD"},
		{"POST /boxes/p/files/x", "DELETE, GET, HEAD, PUT"},
		{"PATCH /boxes/p/files/bulk", "DELETE, GET, HEAD, POST, PUT"},
		{"POST /boxes/p/files/../../../workspaces", "DELETE, GET, HEAD, PUT"},
		{"POST /boxes/p/files/../../..", "DELETE, GET, HEAD, PUT"},
	} {
		got := api.raw(c.line)
		if strings.HasPrefix(c.line, "HEAD") {
			if got.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s: got %d, want 405", c.line, got.StatusCode)
			}
		} else {
			got.want(t, c.line, http.StatusMethodNotAllowed, "method_not_allowed")
		}
		if allow := got.Header.Get("Allow"); allow != c.allow {
			t.Errorf("%s: got Allow %q, want %q", c.line, allow, c.allow)
		}
	}
	api.raw("PROPFIND /nothing").want(t, "an unknown method on an unknown path", http.StatusNotFound, "not_found")
}

func TestHeadIsServedByGetRoutes(t *testing.T) {
	api := newTable(t, fileRoutes())
	token := bearer(api.signUp("ada@example.com").text("accessToken"))
	get, head := api.do("GET", "/auth/me", "", token), api.do("HEAD", "/auth/me", "", token)
	if head.StatusCode != http.StatusOK || head.body != "" || head.ContentLength != get.ContentLength {
		t.Errorf("got %d, %d bytes, Content-Length %d, want 200, none, %d", head.StatusCode, len(head.body), head.ContentLength, get.ContentLength)
	}
	api.do("HEAD", "/boxes/p/files/a", "").want(t, "a file", http.StatusOK, "")
	if got := api.do("HEAD", "/auth/me", ""); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a session: got %d, want 401", got.StatusCode)
	}
}

func TestNoPatternAnswersAnyMethodWithARedirectOrAFailure(t *testing.T) {
	api := newTable(t, fileRoutes())
	table := append(Routes(api.deps), fileRoutes()...)
	methods := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "FOO"}
	for _, route := range table {
		pattern := route.Pattern()
		path := target(pattern)
		for _, variant := range []string{path, path + "/", "/" + path, path + "//", path + "/..", path + "/.", path + "/../" + path, strings.Replace(path, "/", "//", 2), path + "%2f", path + "/%2e%2e"} {
			for _, method := range methods {
				if got := api.raw(method + " " + variant); got.StatusCode >= 500 || got.StatusCode/100 == 3 && !isRefusedVisit(pattern, got) {
					t.Errorf("%s %s: got %d %s, want neither a redirect nor a failure", method, variant, got.StatusCode, got.Header.Get("Location"))
				}
			}
		}
	}
}
