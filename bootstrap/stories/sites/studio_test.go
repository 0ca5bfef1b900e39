package sites_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// TestTheStudioStandsBesideTheAPI asks as browsers and as programs do.
func TestTheStudioStandsBesideTheAPI(t *testing.T) {
	for name, p := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := p.Serve(t)
			w := s.SignUp().Create("blank")
			for _, test := range []struct {
				path, accept string
				page         bool
				status       int
			}{
				{"/", "", true, 200}, {"/login", "", true, 200}, {"/dashboard", "*/*", true, 200}, {"/settings/ai", "", true, 200},
				{"/reset-password?token=x", "", true, 200}, {"/invites/unknown", "text/html", true, 200}, {"/invites/unknown", "", false, 404},
				{w.Path(""), "text/html,*/*;q=0.8", true, 200}, {w.Path(""), "", false, 401}, {w.Path(""), "application/json", false, 401},
				{"/workspaces/" + string(w.WorkspaceID) + "/members", "text/html", true, 200}, {"/workspaces/" + string(w.WorkspaceID) + "/members", "", false, 401},
				{w.Path("/export"), "text/html", false, 401}, {w.Path("/files/index.html"), "text/html", false, 401},
				{"/login/", "text/html", true, 404}, {"/login/", "", false, 404}, {"/index.html", "text/html", true, 404}, {"/index.html", "", false, 404}, {"/assets/none.js", "", false, 404},
			} {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+test.path, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Accept", test.accept)
				answer, err := s.Client.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				if err != nil {
					t.Fatal(err)
				}
				what := test.path + " for " + test.accept
				if answer.StatusCode != test.status {
					t.Errorf("%s: got %d, want %d", what, answer.StatusCode, test.status)
				}
				if isPage := strings.Contains(string(body), `<div id="app">`); isPage != test.page {
					t.Errorf("%s: got the page %t, want %t: %.200s", what, isPage, test.page, body)
				}
				for _, header := range []string{"X-Request-Id", "X-Content-Type-Options", "Content-Security-Policy", "X-Frame-Options"} {
					if len(answer.Header.Values(header)) != 1 {
						t.Errorf("%s: got %s %q, want one", what, header, answer.Header.Values(header))
					}
				}
			}
		})
	}
}
