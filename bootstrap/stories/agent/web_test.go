package agent_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// TestTheAgentReadsAPageOnlyThroughTheGuard: a page on this machine is read where the operator
// allows private networks and any page, refused by the guard where not, by the rule of named
// hosts, and there is no tool where reading is off.
func TestTheAgentReadsAPageOnlyThroughTheGuard(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/inward" {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
			return
		}
		_, _ = fmt.Fprint(w, "<title>Docs</title><h1>The manual</h1><script>no()</script>")
	}))
	t.Cleanup(page.Close)
	for name, c := range map[string]struct {
		env        map[string]string
		path, want string
	}{
		"allowed":             {map[string]string{"PRIVATE_NETWORKS": "allow", "AGENT_WEB": "any"}, "/", "# The manual"},
		"allowed, but inward": {map[string]string{"PRIVATE_NETWORKS": "allow", "AGENT_WEB": "any"}, "/inward", "forbidden_address"},
		"a private address":   {map[string]string{"AGENT_WEB": "any"}, "/", "forbidden_address"},
		"nobody named it":     {map[string]string{"PRIVATE_NETWORKS": "allow"}, "/", "nobody named the host"},
		"off":                 {map[string]string{"PRIVATE_NETWORKS": "allow", "AGENT_WEB": "off"}, "/", "fetch_page is not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.env["AI_PROVIDER"], c.env["AI_MODEL"] = "ollama", "m"
			c.env["OLLAMA_HOST"] = scriptedOllama(t, [][2]string{{"fetch_page", fmt.Sprintf(`{"url":%q}`, page.URL+c.path)}})
			w := storytest.Serve(t, t.TempDir(), local.New, c.env).SignUp().Create("static-html")
			var got string
			for _, event := range w.Send("Read the manual.") {
				if event.Kind() == "tool.result" || event.Kind() == "tool.error" {
					got = fmt.Sprint(event.Data["result"], event.Data["error"])
				}
			}
			if !strings.Contains(got, c.want) || strings.Contains(got, "no()") {
				t.Errorf("got %q, want %q in it", got, c.want)
			}
		})
	}
}
