package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/observe"
)

// hostileHeaders are header lines that nobody should send. A server may refuse them, but
// must neither fail nor redirect the client elsewhere.
var hostileHeaders = map[string]string{
	"an authorization of commas":   "Authorization: ,,,,Bearer,,,",
	"an authorization of bytes":    "Authorization: Bearer \xff\xfe",
	"a long authorization":         "Authorization: Bearer " + strings.Repeat("a", 60_000),
	"a token of dots":              "Authorization: Bearer ....................",
	"a format string":              "Authorization: Bearer %s%n%d{{.}}",
	"a cookie without a name":      "Cookie: =x; ;;; =",
	"a cookie of quotes":           `Cookie: app_access_token="a b"; app_access_token=""`,
	"many cookies":                 "Cookie: " + strings.Repeat("app_access_token=x; ", 2000),
	"a negative length":            "Content-Length: -1",
	"two lengths":                  "Content-Length: 1\r\nContent-Length: 2",
	"a length and chunks":          "Content-Length: 5\r\nTransfer-Encoding: chunked",
	"an unknown coding":            "Transfer-Encoding: chunked, identity",
	"a content type of semicolons": "Content-Type: ;;;;charset=;;",
	"a long content type":          "Content-Type: application/json; a=" + strings.Repeat("b", 30_000),
	"an unknown expectation":       "Expect: 200-ok",
	"an upgrade":                   "Connection: upgrade\r\nUpgrade: websocket",
	"another method by header":     "X-HTTP-Method-Override: DELETE",
	"another path by header":       "X-Original-URL: /metrics\r\nX-Rewrite-URL: /metrics",
	"another host by header":       "X-Forwarded-Host: evil.example\r\nForwarded: host=evil.example",
	"another scheme by header":     "X-Forwarded-Proto: https",
	"an address of garbage":        "X-Forwarded-For: ,,,;drop table users;::::%00",
	"many addresses":               "X-Forwarded-For: " + strings.Repeat("1.2.3.4,", 5000),
	"a request id of newlines":     "X-Request-Id: a\tb",
	"an origin of garbage":         "Origin: http://[::1",
	"ranges":                       "Range: bytes=0-0," + strings.Repeat("0-0,", 3000),
	"conditions":                   "If-None-Match: *\r\nIf-Match: W/\r\nIf-Modified-Since: yesterday\r\nIf-Range: \"",
	"accept nothing":               "Accept: ;q=\r\nAccept-Encoding: *;q=0\r\nAccept-Language: " + strings.Repeat("a,", 5000),
	"a preflight":                  "Origin: https://evil.example\r\nAccess-Control-Request-Method: PATCH",
	"a bad name":                   "Bad Header: x",
	"no colon":                     "NoColon",
}

func TestHostileHeadersAreNeitherFailuresNorRedirects(t *testing.T) {
	api := newAPI(t)
	for _, route := range append(Routes(api.deps), operations(api.deps, observe.NewMetrics(nil, nil, ""))...) {
		pattern := route.Pattern()
		if pattern == "/metrics" || pattern == "/readyz" || pattern == "/healthz" || strings.HasPrefix(pattern, "/.well-known/") {
			continue
		}
		for name, lines := range hostileHeaders {
			for _, method := range []string{"GET", "POST", "OPTIONS"} {
				got := api.raw(method+" "+target(pattern), strings.Split(lines, "\r\n")...)
				if isRefusedVisit(pattern, got) || isDocument(pattern, got) {
					continue
				}
				// 501 is net/http's own answer to a transfer coding that it does not know.
				if got.StatusCode/100 == 2 && pattern != "/auth/logout" || got.StatusCode/100 == 3 || got.StatusCode >= 500 && got.StatusCode != http.StatusNotImplemented {
					t.Errorf("%s %s with %s: got %d %.100s, want it refused", method, pattern, name, got.StatusCode, got.body)
				}
				if got.Header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s %s with %s: got Access-Control-Allow-Origin, want none", method, pattern, name)
				}
			}
		}
	}
	if log := api.log.String(); strings.Contains(log, "level=ERROR") {
		t.Errorf("got errors in the log\n%.2000s", log)
	}
}

// isDocument reports whether the answer is the description of the API or its client, which
// everybody may read, or a 304 for it.
func isDocument(pattern string, got answer) bool {
	return slices.Contains([]string{"/openapi.json", "/docs", "/sdk.ts"}, pattern) && (got.StatusCode == http.StatusOK || got.StatusCode == http.StatusNotModified)
}

// isRefusedVisit reports whether a browser that came back from no provider was redirected
// to the error page: the only redirect for callers without a session.
func isRefusedVisit(pattern string, got answer) bool {
	page := got.Header.Get("Location")
	return strings.HasSuffix(pattern, "/callback") && got.StatusCode == http.StatusFound && page == "http://localhost:8080/login?error=provider_not_configured"
}

func TestACrossOriginPreflightIsRefused(t *testing.T) {
	api := newAPI(t)
	got := api.do("OPTIONS", "/auth/me", "", header("Origin", "https://evil.example"), header("Access-Control-Request-Method", "PATCH"))
	got.want(t, "preflight", http.StatusMethodNotAllowed, "method_not_allowed")
}

// TestAHostWithAPortThatIsNoneIsRefused, whatever is asked for.
func TestAHostWithAPortThatIsNoneIsRefused(t *testing.T) {
	api := newAPI(t)
	for host, status := range map[string]int{
		"localhost:8080": 401, "localhost": 401, "localhost:": 401, "[::1]:8080": 401, "[::1]": 401, "127.0.0.1:65535": 401,
		"localhost:garbage": 400, "localhost:80x": 400, "localhost:65536": 400, "localhost:-1": 400, "localhost:80:80": 400, "[::1]:x": 400, "localhost:0x50": 400,
		"[::1": 400, "[::1]x": 400,
	} {
		got := api.rawTo(host, "GET /auth/me")
		if got.StatusCode != status || status == 400 && !strings.Contains(got.body, `"invalid_request"`) {
			t.Errorf("%s: got %d %s, want %d", host, got.StatusCode, got.body, status)
		}
		if got.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: got no X-Request-Id", host)
		}
	}
}
