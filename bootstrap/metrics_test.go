package bootstrap_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestMetricsFollowTheMainJob lets somebody talk to the agent and publish, and reads what
// operators see of it.
func TestMetricsFollowTheMainJob(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			w := s.signUp().create("static-html")
			w.send(`Change the heading of the page to "Counted".`)
			w.must(http.StatusOK, http.MethodPost, w.path("/publish"), fields{}, nil)
			shown := s.metrics()
			for _, want := range []string{
				`atelier_runs_total{outcome="done"} 1`, "\natelier_model_calls_total ", `atelier_model_tokens_total{direction="output"} `,
				`atelier_builds_total{outcome="ok"} `, "\natelier_rooms ", "\natelier_runs_active ", "\natelier_build_info{",
				"\natelier_published_sites 1\n", `atelier_streams{kind="person"} 0`, `atelier_streams{kind="page"} 0`,
				`atelier_sandboxes{kind="command"} 0`, `atelier_sandboxes{kind="install"} 0`, `atelier_sandboxes{kind="build"} 0`,
				`atelier_sandboxes{kind="server"} 0`, `atelier_sandboxes{kind="typecheck"} 0`,
			} {
				if !strings.Contains(shown, want) {
					t.Errorf("got no %q in\n%.3000s", want, shown)
				}
			}
			w.must(http.StatusNoContent, http.MethodDelete, w.path("/publish"), nil, nil)
			if shown := s.metrics(); !strings.Contains(shown, "\natelier_published_sites 0\n") {
				t.Error("got a site that is off the network counted, want none")
			}
			if pool := strings.Contains(shown, "\natelier_database_connections "); pool != (name != "inmemory") {
				t.Errorf("got the pool of connections: %v", pool)
			}
			for _, secret := range []string{string(w.ID), string(w.workspace), w.user.Email} {
				if strings.Contains(shown, secret) {
					t.Errorf("got %s in the metrics, want no ids", secret)
				}
			}
		})
	}
}

// metrics are what an operator on this machine reads.
func (s *site) metrics() string {
	s.t.Helper()
	answer, err := s.http.Get(s.url + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.t.Fatalf("got %d, %v, want the metrics", answer.StatusCode, err)
	}
	return string(text)
}
