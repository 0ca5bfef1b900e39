package frameworks

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/conformance"
)

// inside counts the processes that see a project's files.
func inside(project string) int {
	tables, _ := filepath.Glob("/proc/[0-9]*/mountinfo")
	found := 0
	for _, table := range tables {
		if content, err := os.ReadFile(table); err == nil && strings.Contains(string(content), project) {
			found++
		}
	}
	return found
}

// progressOf reports whether an installation has begun to write packages, and whether it
// is complete.
func progressOf(place string) (begun, complete bool) {
	entries, _ := os.ReadDir(filepath.Join(place, "node_modules"))
	_, err := os.Stat(filepath.Join(place, "installed"))
	return len(entries) > 0, err == nil
}

// killedInstalling returns a project during whose installation the service was killed,
// and where that is. If an installation finishes too early, it tries another.
func killedInstalling(t *testing.T, s *service) (*work, string) {
	t.Helper()
	for range 5 {
		w := s.createWith(t, plainServer(`import "lodash-es"; `+answering, `"lodash-es": "^4.17.21", "date-fns": "^4.1.0", "rxjs": "^7.8.1", "typescript": "^5.9.0"`))
		w.call(t, http.StatusOK, "POST", w.path("/preview"), nil, nil)
		place := filepath.Join(s.Dir, "node", w.ID)
		hasBegun := becomes(func() bool {
			begun, _ := progressOf(place)
			return begun
		})
		if !hasBegun {
			t.Fatalf("got no installation under way, but %s\n%s", s.do(t, "GET", w.path("/preview"), nil).body, s.Log())
		}
		s.Kill()
		if _, complete := progressOf(place); !complete {
			return w, place
		}
		s.Restart()
	}
	t.Fatal("got five installations that were over at once")
	return nil, ""
}

func TestAnInstallationThatAPowerCutEndedIsNotUsed(t *testing.T) {
	s := start(t)
	w, place := killedInstalling(t, s)
	conformance.Eventually(t, "the end of the processes that the service left", func() bool { return inside(w.ID) == 0 })
	mark := filepath.Join(place, "node_modules", "of-the-half")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Restart()
	w.await(t, "ready", ready)
	if _, err := os.Stat(mark); err == nil {
		t.Error("got a file of the installation that never ended, want it begun anew")
	}
	if _, complete := progressOf(place); !complete {
		t.Error("got no stamp, want the installation complete")
	}
	s.Stop()
	if left := inside(w.ID); left > 0 {
		t.Errorf("got %d processes after a stop, want none", left)
	}
}
