package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/core"
)

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
	upgrade := []requestOption{header("Connection", "Upgrade"), header("Upgrade", "x")}
	query := func(r *http.Request) { r.URL.RawQuery = url.Values{"token": {access}}.Encode() }
	want := session.text("user.id") + " in " + project
	for name, sends := range map[string][]requestOption{
		"by the query":       {query},
		"by a subprotocol":   {header("Sec-WebSocket-Protocol", "atelier.v1, bearer."+access)},
		"by the header":      {bearer(access)},
		"by the cookie":      {cookie(guard.AccessCookie, access), header("Origin", api.deps.Settings.AppURL.String())},
		"by a token, abroad": {query, cookie(guard.AccessCookie, "x"), header("Origin", "https://evil.example")},
	} {
		got := api.do(http.MethodGet, "/ws/project/"+project, "", append(sends, upgrade...)...)
		if got.StatusCode != http.StatusSwitchingProtocols || got.body != want || got.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: got %d %q, want 101 with an id, and %q", name, got.StatusCode, got.body, want)
		}
	}
	api.do(http.MethodGet, "/ws/project/"+project, "", query).want(t, "no upgrade", http.StatusBadRequest, "invalid_request")
	api.do(http.MethodGet, "/ws/project/x", "", query).want(t, "no project", http.StatusNotFound, "not_found")
	api.do(http.MethodGet, "/ws/project/"+project, "", cookie(guard.AccessCookie, access)).want(t, "no origin", http.StatusForbidden, "cross_origin")
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
