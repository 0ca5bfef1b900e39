package sites_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/ports/conformance"
)

// TestASiteHasAnAccessLog publishes a page, and reads what the log says of who asked for it.
func TestASiteHasAnAccessLog(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "sites.log")
			env := map[string]string{"SITE_ACCESS_LOG": file}
			for key, value := range program.Env(t) {
				env[key] = value
			}
			s := storytest.Serve(t, t.TempDir(), program.Make, env)
			work := s.SignUp().Create("static-html")
			var site struct{ URL string }
			work.Must(http.StatusOK, http.MethodPost, work.Path("/publish"), nil, &site)
			address := strings.TrimSuffix(site.URL, "/")
			s.Fetch(address + "/style.css?token=secret")
			s.Fetch(address + "/style.css")
			s.Fetch(address + "/missing.css")
			var lines []string
			logged := conformance.Becomes(func() bool {
				text, err := os.ReadFile(file)
				lines = strings.SplitAfter(string(text), "\n")
				return err == nil && len(lines) > 3
			})
			host := strings.TrimPrefix(address, "http://")
			if !logged || len(lines) != 4 || strings.Contains(strings.Join(lines, ""), "secret") {
				t.Fatalf("got %q, want three lines without a query", lines)
			}
			for i, want := range []string{`"GET /style.css HTTP/1.1" 200 `, `"GET /style.css HTTP/1.1" 200 `, `"GET /missing.css HTTP/1.1" 404 `} {
				if !strings.HasPrefix(lines[i], host+" 127.0.0.1 - - [") || !strings.Contains(lines[i], want) {
					t.Errorf("got %q, want %q of %s", lines[i], want, host)
				}
			}
		})
	}
}
