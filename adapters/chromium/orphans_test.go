package chromium_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/chromium"
)

// keepTakingCommand is the argument with which the tests' own program is a service that
// takes a picture of a page that never answers.
const keepTakingCommand = "keep-taking-pictures"

// TestMain lets the tests' own program be a service.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == keepTakingCommand {
		keepTaking()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func keepTaking() {
	in := chromium.New(chromium.Config{Pages: silent(), Patience: time.Hour, Log: slog.New(slog.DiscardHandler)})
	if err := in.Available(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ready")
	_, _ = take(context.Background(), in, origin)
}

// silent never answers.
func silent() http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// adoptOrphans makes this process the reaper of orphaned descendants.
func adoptOrphans(t *testing.T) {
	t.Helper()
	const setChildSubreaper = 36
	if _, _, failed := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0); failed != 0 {
		t.Fatal(failed)
	}
}

// below lists the processes below one that have not ended, by their numbers, with the
// programs that they run.
func below(root int) map[int]string {
	found := map[int]string{}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", root))
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(children)) {
			pid, _ := strconv.Atoi(field)
			// A zombie runs nothing.
			if program, err := os.Readlink("/proc/" + field + "/exe"); err == nil {
				found[pid] = filepath.Base(program)
			}
			for deeper, program := range below(pid) {
				found[deeper] = program
			}
		}
	}
	return found
}

// running returns the descendants of this process that run something in bubblewrap,
// without those of bubblewrap itself that wait for ended ones.
func running() map[int]string {
	found := below(os.Getpid())
	for pid, program := range found {
		if program == "bwrap" {
			delete(found, pid)
		}
	}
	return found
}

// moments are points in time from before bubblewrap runs until after the browser does.
func moments() []time.Duration {
	var all []time.Duration
	for at := time.Duration(0); at < 40*time.Millisecond; at += time.Millisecond {
		all = append(all, at)
	}
	for at := 50 * time.Millisecond; at < time.Second; at += 150 * time.Millisecond {
		all = append(all, at)
	}
	return all
}

func TestAPictureThatIsCancelledWhileTheBrowserStartsLeavesNothing(t *testing.T) {
	adoptOrphans(t)
	in := newBrowser(t, silent(), time.Hour)
	if err := in.Available(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, after := range moments() {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		if _, err := take(ctx, in, origin); err == nil {
			t.Errorf("after %s: got a picture, want it cancelled", after)
		}
		cancel()
		if left := below(os.Getpid()); len(left) > 0 {
			t.Errorf("after %s: got the processes %v, want none", after, left)
		}
	}
}

func TestAServiceThatIsKilledWhileTheBrowserStartsLeavesNothing(t *testing.T) {
	adoptOrphans(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for pid := range below(os.Getpid()) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}()
	for _, after := range moments() {
		service := exec.Command(self, keepTakingCommand)
		said, err := service.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := service.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || line != "ready\n" {
			t.Fatalf("got %q, %v, want a service that is ready", line, err)
		}
		time.Sleep(after)
		_ = service.Process.Kill()
		_ = service.Wait()
		awaitNone(t, after)
	}
}

// awaitNone waits until nothing runs any more. A browser ends by itself when its
// controlling pipes close, but one that a page has taken over does not. A stopped browser
// represents the latter.
func awaitNone(t *testing.T, after time.Duration) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Millisecond) {
		left := running()
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: got the processes %v that nobody looks after, want none", after, left)
		}
		for pid, program := range left {
			if strings.HasPrefix(program, "chrom") && program != filepath.Base(os.Args[0]) {
				_ = syscall.Kill(pid, syscall.SIGSTOP)
			}
		}
	}
}

// killTree kills a process's group.
func killTree(t *testing.T, pid string) {
	t.Helper()
	number, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(-number, syscall.SIGKILL); err != nil {
		t.Errorf("kill: %v", err)
	}
}
