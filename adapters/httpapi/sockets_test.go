package httpapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestWhatASocketPresents(t *testing.T) {
	const own = "https://atelier.example"
	query := func(text string) with { return func(r *http.Request) { r.URL.RawQuery = text } }
	protocols := func(lines ...string) with { return header("Sec-WebSocket-Protocol", lines...) }
	session, studio := cookie(accessCookie, "session"), header("Origin", own)
	for name, c := range map[string]struct {
		sends []with
		want  string
		code  core.Code
	}{
		"a token in the query":                         {[]with{query("token=a.b-c")}, "a.b-c", ""},
		"a token as the only subprotocol":              {[]with{protocols("bearer.a.b-c")}, "a.b-c", ""},
		"a token beside a subprotocol":                 {[]with{protocols("atelier.v1, bearer.a")}, "a", ""},
		"a token on a line of its own":                 {[]with{protocols("atelier.v1", "bearer.a")}, "a", ""},
		"a token in the header":                        {[]with{bearer("a")}, "a", ""},
		"the cookie from the studio":                   {[]with{session, studio}, "session", ""},
		"a token and the cookie from anywhere":         {[]with{session, query("token=a"), header("Origin", "https://evil.example")}, "a", ""},
		"a subprotocol and the cookie":                 {[]with{session, protocols("bearer.a")}, "a", ""},
		"a header and the cookie":                      {[]with{session, bearer("a")}, "a", ""},
		"nothing":                                      {nil, "", core.CodeUnauthenticated},
		"nothing from the studio":                      {[]with{studio}, "", core.CodeUnauthenticated},
		"a subprotocol alone":                          {[]with{protocols("atelier.v1")}, "", core.CodeUnauthenticated},
		"an empty token":                               {[]with{session, studio, query("token=")}, "", core.CodeUnauthenticated},
		"an empty subprotocol":                         {[]with{session, studio, protocols("bearer.")}, "", core.CodeUnauthenticated},
		"two in the query":                             {[]with{query("token=a&token=a")}, "", core.CodeUnauthenticated},
		"two subprotocols":                             {[]with{protocols("bearer.a, bearer.a")}, "", core.CodeUnauthenticated},
		"one in the query and one as a subprotocol":    {[]with{query("token=a"), protocols("bearer.a")}, "", core.CodeUnauthenticated},
		"one in the query and one in the header":       {[]with{query("token=a"), bearer("a")}, "", core.CodeUnauthenticated},
		"one as a subprotocol and one in the header":   {[]with{protocols("bearer.a"), bearer("a")}, "", core.CodeUnauthenticated},
		"another scheme":                               {[]with{session, studio, header("Authorization", "Basic a")}, "", core.CodeUnauthenticated},
		"two cookies":                                  {[]with{session, session, studio}, "", core.CodeUnauthenticated},
		"an API token in the cookie":                   {[]with{cookie(accessCookie, "atl_x"), studio}, "", core.CodeUnauthenticated},
		"the cookie from nowhere":                      {[]with{session}, "", core.CodeCrossOrigin},
		"the cookie from a foreign page":               {[]with{session, header("Origin", "https://evil.example")}, "", core.CodeCrossOrigin},
		"the cookie from a page without an origin":     {[]with{session, header("Origin", "null")}, "", core.CodeCrossOrigin},
		"the cookie from the studio's name over HTTP":  {[]with{session, header("Origin", "http://atelier.example")}, "", core.CodeCrossOrigin},
		"the cookie from a site of ours":               {[]with{session, header("Origin", "https://site.atelier.example")}, "", core.CodeCrossOrigin},
		"the cookie from two origins":                  {[]with{session, header("Origin", own, own)}, "", core.CodeCrossOrigin},
		"the cookie and an origin in another spelling": {[]with{session, header("Origin", "https://ATELIER.example")}, "", core.CodeCrossOrigin},
	} {
		r := httptest.NewRequest(http.MethodGet, "/ws/project/x", nil)
		for _, send := range c.sends {
			send(r)
		}
		got, err := presentedBySocket(r, own)
		if got != c.want || (err == nil) != (c.code == "") || err != nil && !core.IsCode(err, c.code) {
			t.Errorf("%s: got %q, %v, want %q, %s", name, got, err, c.want, c.code)
		}
	}
}

// doorman switches protocols and says who came.
type doorman struct{ t *testing.T }

func (d doorman) Serve(w http.ResponseWriter, r *http.Request, by core.Actor, project core.ID) error {
	if r.Header.Get("Upgrade") == "" {
		return core.Errorf(core.CodeInvalidRequest, "this takes a WebSocket")
	}
	w.Header().Set("Upgrade", "x")
	w.Header().Set("Connection", "Upgrade")
	w.WriteHeader(http.StatusSwitchingProtocols)
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return err
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s in %s", by.UserID, project)
	return nil
}

func TestSocketsKnowWhoComes(t *testing.T) {
	api := newAPI(t, func(d *Deps) { d.Sockets = doorman{t} })
	session := api.signUp("ada@example.com")
	access, project := session.text("accessToken"), string(core.NewID())
	upgrade := []with{header("Connection", "Upgrade"), header("Upgrade", "x")}
	query := func(r *http.Request) { r.URL.RawQuery = url.Values{"token": {access}}.Encode() }
	want := session.text("user.id") + " in " + project
	for name, sends := range map[string][]with{
		"by the query":       {query},
		"by a subprotocol":   {header("Sec-WebSocket-Protocol", "atelier.v1, bearer."+access)},
		"by the header":      {bearer(access)},
		"by the cookie":      {cookie(accessCookie, access), header("Origin", api.deps.Settings.AppURL.String())},
		"by a token, abroad": {query, cookie(accessCookie, "x"), header("Origin", "https://evil.example")},
	} {
		got := api.do(http.MethodGet, "/ws/project/"+project, "", append(sends, upgrade...)...)
		if got.StatusCode != http.StatusSwitchingProtocols || string(got.body) != want || got.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: got %d %q, want 101 with an id, and %q", name, got.StatusCode, got.body, want)
		}
	}
	api.do(http.MethodGet, "/ws/project/"+project, "", query).want(t, "no upgrade", http.StatusBadRequest, "invalid_request")
	api.do(http.MethodGet, "/ws/project/x", "", query).want(t, "no project", http.StatusNotFound, "not_found")
	api.do(http.MethodGet, "/ws/project/"+project, "", cookie(accessCookie, access)).want(t, "no origin", http.StatusForbidden, "cross_origin")
	api.do(http.MethodPost, "/ws/project/"+project, "", query).want(t, "another method", http.StatusMethodNotAllowed, "method_not_allowed")
	log := api.log.String()
	if strings.Contains(log, access) {
		t.Errorf("got the token in the log\n%s", log)
	}
	if !strings.Contains(log, "route=/ws/project/:projectId status=101") {
		t.Errorf("got the log\n%s, want a line for the socket", log)
	}
}

func TestWithoutSocketsThereIsNoSuchAddress(t *testing.T) {
	api := newAPI(t)
	access := api.signUp("ada@example.com").text("accessToken")
	api.do(http.MethodGet, "/ws/project/"+string(core.NewID()), "", bearer(access)).want(t, "no sockets", http.StatusNotFound, "not_found")
}
