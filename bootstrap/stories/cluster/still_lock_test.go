package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/conformance"
)

// TestAProcessThatStandsStillUnderALockLosesIt suspends a process in the middle of a write.
// Others write to the project meanwhile, and the process must not undo that when it resumes.
func TestAProcessThatStandsStillUnderALockLosesIt(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	name := newName()
	still := c.serve("DATABASE_URL=" + c.named(name))
	database := watch(t, c.setting("DATABASE_URL"), name)
	t.Run("before the file is in its place", func(t *testing.T) {
		s := &stillWrite{c: c, who: c.signUp(), at: still}
		s.play(t, syncs, time.Minute, database.hasLock)
	})
	t.Run("on the last step of the file into its place", func(t *testing.T) {
		s := &stillWrite{c: c, who: c.signUp(), at: still}
		s.play(t, "renameat", time.Minute, func() bool { return isIn(still, syscall.SYS_RENAMEAT) })
	})
	t.Run("before the repository knows of it", func(t *testing.T) {
		s := &stillWrite{c: c, who: c.signUp(), at: still}
		s.play(t, syncs, 500*time.Millisecond, func() bool {
			_, err := os.Lstat(filepath.Join(s.dir(), ".git", "index.lock"))
			return err == nil
		})
	})
}

// TestAProcessThatStandsStillInTheMiddleOfAVersionLosesIt is the same for a step before which
// disk and rows are in step, so that no mark tells of it.
func TestAProcessThatStandsStillInTheMiddleOfAVersionLosesIt(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	s := &stillWrite{c: c, who: c.signUp(), at: c.serve(), bulk: true}
	s.play(t, syncs, 500*time.Millisecond, func() bool {
		_, err := os.Lstat(filepath.Join(s.dir(), ".git", "refs", "heads", "main.lock"))
		return err == nil
	})
}

// stillWrite is a write whose process is suspended.
type stillWrite struct {
	c   *cluster
	who *caller
	at  *process.Service
	// bulk says that the write makes a version.
	bulk bool
}

var page = core.MustPath("page.html")

func (s *stillWrite) dir() string {
	return filepath.Join(s.c.root, s.c.projects, string(s.who.project))
}

// isIn reports whether a thread of a process is in a call of the system.
func isIn(at *process.Service, call int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", at.PID()))
	for _, thread := range threads {
		if text, err := os.ReadFile(thread); err == nil && strings.HasPrefix(string(text), fmt.Sprint(call)+" ") {
			return true
		}
	}
	return false
}

// play suspends the process in the middle of the write, which is possible because calls to its
// disk are slowed down.
func (s *stillWrite) play(t *testing.T, calls string, delay time.Duration, isAmid func() bool) {
	s.who.create(s.c.first, page, "old")
	fast := delayDisk(t, s.at, calls, delay)
	late := s.stopAmid(t, isAmid)
	func() {
		defer fast()
		defer signal(t, s.at, syscall.SIGCONT)
		s.who.writeAtLast(t, s.c.first, "newer")
	}()
	if status := <-late; status != http.StatusServiceUnavailable {
		t.Errorf("got %d for a write whose lock was lost, want %d", status, http.StatusServiceUnavailable)
	}
	s.wantEverywhere(t, "newer")
	for i, at := range []*process.Service{s.at, s.c.first} {
		content := []string{"through the one that stood still", "through the other"}[i]
		s.who.writeAtLast(t, at, content)
		s.wantEverywhere(t, content)
	}
	checkLog(t, s.at)
}

// stopAmid begins a write and suspends the process in the middle of it. The channel receives
// the status of its answer. A write that finished too early is repeated.
func (s *stillWrite) stopAmid(t *testing.T, isAmid func() bool) <-chan int {
	t.Helper()
	for {
		late := make(chan int, 1)
		go func() { late <- s.write() }()
		wait(t, "the process in the middle of a write", func() bool { return isAmid() || len(late) > 0 })
		signal(t, s.at, syscall.SIGSTOP)
		if isAmid() {
			return late
		}
		signal(t, s.at, syscall.SIGCONT)
		<-late
	}
}

// write is the write that the process is stopped in. Each is another, for which there is a
// version to make.
func (s *stillWrite) write() int {
	content := "late " + string(core.NewID())
	if !s.bulk {
		return s.who.put(context.Background(), s.at, content)
	}
	body := `{"operations":[{"op":"write","path":"` + page.String() + `","content":"` + content + `"}]}`
	return s.who.status(context.Background(), s.at, http.MethodPost, "/projects/"+string(s.who.project)+"/files/bulk", body)
}

// put writes the page and returns the status of the answer; 0 without one.
func (who *caller) put(ctx context.Context, at *process.Service, content string) int {
	return who.status(ctx, at, http.MethodPut, who.file(page), content)
}

func (who *caller) status(ctx context.Context, at *process.Service, method, path, body string) int {
	response, err := who.open(ctx, at, method, path, body)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

func (who *caller) writeAtLast(t *testing.T, at *process.Service, content string) {
	t.Helper()
	ctx := conformance.Bounded(t)
	wait(t, "a write", func() bool { return who.put(ctx, at, content) == http.StatusOK })
}

// wantEverywhere checks that disk, repository and the list of files have a content.
func (s *stillWrite) wantEverywhere(t *testing.T, want string) {
	t.Helper()
	if got := s.c.onDisk(s.who, page); got != want {
		t.Errorf("got %q on the disk, want %q", got, want)
	}
	if out, err := exec.Command("git", "-C", s.dir(), "diff", "--exit-code").CombinedOutput(); err != nil {
		t.Errorf("got %v, %s between repository and disk, want no difference", err, out)
	}
	if out, err := exec.Command("git", "-C", s.dir(), "fsck", "--strict", "--no-dangling").CombinedOutput(); err != nil {
		t.Errorf("got %v, %s, want a sound repository", err, out)
	}
	var entries []core.FileEntry
	s.who.call(s.c.first, http.StatusOK, http.MethodGet, "/projects/"+string(s.who.project)+"/files", "", &entries)
	for _, entry := range entries {
		if entry.Path == page && entry.ETag != files.ETag([]byte(want)) {
			t.Errorf("got another content listed than %q", want)
		}
	}
}
