package bootstrap_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/core"
)

// processes starts services that share a PostgreSQL database and the projects' disk,
// and returns one caller's work as each of them sees it, with the folder of the
// project.
func processes(t *testing.T, count int) (seen []*work, dir string) {
	t.Helper()
	env, shared := postgres(t), t.TempDir()
	env["PROJECTS_ROOT"], env["SITES_DIR"] = filepath.Join(shared, "projects"), filepath.Join(shared, "sites")
	env["JWT_SECRET"] = strings.Repeat("s", 48)
	env["ENCRYPTION_KEY"] = base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
	var first *work
	for i := range count {
		at := serve(t, t.TempDir(), local.New, env)
		if i == 0 {
			first = at.signUp().create("blank")
		}
		other := *first.caller
		other.site = at
		seen = append(seen, &work{caller: &other, Project: first.Project, chat: first.chat})
	}
	return seen, filepath.Join(shared, "projects", string(first.ID))
}

// winners has every process change a file from the same state at once, and counts
// those that were told that they did.
func winners(seen []*work, path, round string) (won int) {
	tag := seen[0].do(http.MethodGet, seen[0].path("/files/"+path), nil).header.Get("ETag")
	var counted atomic.Int64
	var all sync.WaitGroup
	for i, w := range seen {
		all.Go(func() {
			content := strings.NewReader(round + " of process " + strconv.Itoa(i))
			got := w.do(http.MethodPut, w.path("/files/"+path), content, "If-Match", tag)
			switch got.status {
			case http.StatusOK:
				counted.Add(1)
			case http.StatusPreconditionFailed:
			default:
				w.t.Errorf("got %d %.200s, want 200 or 412", got.status, got.body)
			}
		})
	}
	all.Wait()
	return int(counted.Load())
}

func TestOfTwoProcessesThatChangeOneStateOneDoes(t *testing.T) {
	seen, _ := processes(t, 2)
	if got := seen[0].do(http.MethodPut, seen[0].path("/files/state"), strings.NewReader("0")); got.status != http.StatusCreated {
		t.Fatalf("got %d %s, want 201", got.status, got.body)
	}
	for round := range 40 {
		if won := winners(seen, "state", strconv.Itoa(round)); won != 1 {
			t.Fatalf("round %d: got %d writers that replaced the same state, want 1", round, won)
		}
	}
}

func TestTwoProcessesOnOneDatabaseLoseNoWrite(t *testing.T) {
	seen, dir := processes(t, 2)
	const writers, rounds = 8, 10
	var all sync.WaitGroup
	for writer := range writers {
		w := seen[writer%len(seen)]
		all.Go(func() {
			for round := range rounds {
				path := w.path(fmt.Sprintf("/files/own/%d-%d", writer, round))
				if got := w.do(http.MethodPut, path, strings.NewReader("own")); got.status != http.StatusCreated {
					t.Errorf("got %d %.200s, want 201", got.status, got.body)
				}
			}
		})
	}
	all.Wait()
	seen[1].must(http.StatusCreated, http.MethodPost, seen[1].path("/versions"), map[string]string{"message": "All"}, nil)
	output, err := exec.Command("git", "-c", "safe.directory=*", "-C", dir, "ls-tree", "-r", "--name-only", "HEAD", "own").Output()
	if got := strings.Count(string(output), "\n"); err != nil || got != writers*rounds {
		t.Errorf("got %d files in the repository, %v, want %d", got, err, writers*rounds)
	}
	for _, w := range seen {
		var entries []core.FileEntry
		w.must(http.StatusOK, http.MethodGet, w.path("/files"), nil, &entries)
		own := 0
		for _, entry := range entries {
			if strings.HasPrefix(entry.Path.String(), "own/") {
				own++
			}
		}
		if own != writers*rounds {
			t.Errorf("got %d files listed, want %d", own, writers*rounds)
		}
	}
}
