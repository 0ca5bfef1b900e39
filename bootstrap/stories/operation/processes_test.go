package operation_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// winners lets every process change a file from the same state concurrently, and counts
// those that were told that they succeeded.
func winners(seen []*storytest.Work, path, round string) (won int) {
	tag := seen[0].Do(http.MethodGet, seen[0].Path("/files/"+path), nil).Header.Get("ETag")
	var counted atomic.Int64
	var all sync.WaitGroup
	for i, w := range seen {
		all.Go(func() {
			content := strings.NewReader(round + " of process " + strconv.Itoa(i))
			got := w.Do(http.MethodPut, w.Path("/files/"+path), content, "If-Match", tag)
			switch got.Status {
			case http.StatusOK:
				counted.Add(1)
			case http.StatusPreconditionFailed:
			default:
				w.T.Errorf("got %d %.200s, want 200 or 412", got.Status, got.Body)
			}
		})
	}
	all.Wait()
	return int(counted.Load())
}

func TestOfTwoProcessesThatChangeOneStateOneDoes(t *testing.T) {
	seen, _ := storytest.Processes(t, 2)
	if got := seen[0].Do(http.MethodPut, seen[0].Path("/files/state"), strings.NewReader("0")); got.Status != http.StatusCreated {
		t.Fatalf("got %d %s, want 201", got.Status, got.Body)
	}
	for round := range 40 {
		if won := winners(seen, "state", strconv.Itoa(round)); won != 1 {
			t.Fatalf("round %d: got %d writers that replaced the same state, want 1", round, won)
		}
	}
}

func TestTwoProcessesOnOneDatabaseLoseNoWrite(t *testing.T) {
	seen, dir := storytest.Processes(t, 2)
	const writers, rounds = 8, 10
	var all sync.WaitGroup
	for writer := range writers {
		w := seen[writer%len(seen)]
		all.Go(func() {
			for round := range rounds {
				path := w.Path(fmt.Sprintf("/files/own/%d-%d", writer, round))
				if got := w.Do(http.MethodPut, path, strings.NewReader("own")); got.Status != http.StatusCreated {
					t.Errorf("got %d %.200s, want 201", got.Status, got.Body)
				}
			}
		})
	}
	all.Wait()
	seen[1].Must(http.StatusCreated, http.MethodPost, seen[1].Path("/versions"), map[string]string{"message": "All"}, nil)
	output, err := exec.Command("git", "-c", "safe.directory=*", "-C", dir, "ls-tree", "-r", "--name-only", "HEAD", "own").Output()
	if got := strings.Count(string(output), "\n"); err != nil || got != writers*rounds {
		t.Errorf("got %d files in the repository, %v, want %d", got, err, writers*rounds)
	}
	for _, w := range seen {
		var entries []core.FileEntry
		w.Must(http.StatusOK, http.MethodGet, w.Path("/files"), nil, &entries)
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
