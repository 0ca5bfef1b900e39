package operation_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestMetricsFollowTheMainJob talks to the agent and publishes, and reads the metrics of
// it.
func TestMetricsFollowTheMainJob(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			w := s.SignUp().Create("static-html")
			w.Send(`Change the heading of the page to "Counted".`)
			w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, nil)
			shown := scrape(s)
			for _, want := range []string{
				`atelier_runs_total{outcome="done"} 1`, "\natelier_model_calls_total ", `atelier_model_tokens_total{direction="output"} `,
				`atelier_builds_total{outcome="ok"} `, "\natelier_rooms ", "\natelier_runs_active ", "\natelier_build_info{",
				"\natelier_published_sites 1\n", `atelier_streams{kind="person"} 0`, `atelier_streams{kind="page"} 0`,
				`atelier_sandboxes{kind="command"} 0`, `atelier_sandboxes{kind="install"} 0`, `atelier_sandboxes{kind="build"} 0`,
				"\natelier_backend_environments 0\n", "\natelier_backend_bytes 0\n", "\natelier_backend_worker_failures 0\n", "\natelier_backend_log_dropped_total 0\n",
				`atelier_sandboxes{kind="server"} 0`, `atelier_sandboxes{kind="typecheck"} 0`,
			} {
				if !strings.Contains(shown, want) {
					t.Errorf("got no %q in\n%.3000s", want, shown)
				}
			}
			w.Must(http.StatusNoContent, http.MethodDelete, w.Path("/publish"), nil, nil)
			if shown := scrape(s); !strings.Contains(shown, "\natelier_published_sites 0\n") {
				t.Error("got a site that is off the network counted, want none")
			}
			if pool := strings.Contains(shown, "\natelier_database_connections "); pool != (name != "inmemory") {
				t.Errorf("got the pool of connections: %v", pool)
			}
			for _, secret := range []string{string(w.ID), string(w.Workspace), w.User.Email} {
				if strings.Contains(shown, secret) {
					t.Errorf("got %s in the metrics, want no ids", secret)
				}
			}
		})
	}
}

// scrape returns what an operator on this machine reads.
func scrape(s *storytest.Site) string {
	s.T.Helper()
	answer, err := s.Client.Get(s.URL + "/metrics")
	if err != nil {
		s.T.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.T.Fatalf("got %d, %v, want the metrics", answer.StatusCode, err)
	}
	return string(text)
}

// TestMetricsCountOpenData looks at the data of a project, which opens them.
func TestMetricsCountOpenData(t *testing.T) {
	service := process.Start(t, process.Build(t))
	s := &storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}
	wantGauges(s, 0)
	w := s.SignUp().Create(storytest.Template)
	w.Put(core.BackendSchemaPath, `{"collections": [{"name": "notes", "listRule": ""}]}`)
	if got := w.Do(http.MethodGet, w.Path("/backend/test/collections/notes/records"), nil); got.Status != http.StatusOK {
		t.Fatalf("got %d %s, want the records", got.Status, got.Body)
	}
	wantGauges(s, 1)
}

// wantGauges compares how many environments are open with how many should be. Their bytes are what
// a database has on the disk, and no worker has failed.
func wantGauges(s *storytest.Site, open int) {
	s.T.Helper()
	shown := scrape(s)
	isEmpty := strings.Contains(shown, "\natelier_backend_bytes 0\n")
	if !strings.Contains(shown, fmt.Sprintf("\natelier_backend_environments %d\n", open)) || isEmpty != (open == 0) || !strings.Contains(shown, "\natelier_backend_worker_failures 0\n") {
		s.T.Errorf("got %s, want %d environments with their bytes and no failure", regexp.MustCompile(`(?m)^atelier_backend.*`).FindAllString(shown, -1), open)
	}
}
