// Package stock runs the stock PocketBase, to which people may take the data of a backend, and
// with which backends are compared.
package stock

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
)

// module is the stock program's module, and program its main package.
const (
	module  = "github.com/pocketbase/pocketbase"
	program = module + "/examples/base"
)

// Build builds the program of PocketBase's authors, in the version that the service uses, and
// returns its path. It is kept in the user's cache, as other programs that tests need.
func Build(t testing.TB) string {
	t.Helper()
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "atelier-testenv", fmt.Sprintf("pocketbase-%s-%s", strings.TrimSpace(string(version)), runtime.Version()))
	if err := build(dir, program+"@"+strings.TrimSpace(string(version))); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "base")
}

// build installs a program into a directory, unless it is there. Of several processes one does.
func build(dir, program string) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "base")); err == nil {
		return nil
	}
	part := filepath.Join(dir, "part")
	command := exec.Command("go", "install", "-trimpath", program)
	command.Dir = dir // outside of the service's module
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOBIN="+part)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go install %s: %w\n%s", program, err, out)
	}
	return os.Rename(filepath.Join(part, "base"), filepath.Join(dir, "base"))
}

// Server is a running stock program.
type Server struct {
	URL string
	PID int
}

// readyTime is how long a start may take.
const readyTime = 60 * time.Second

// Serve runs the program over a directory pb_data until the test ends.
func Serve(t testing.TB, data string) *Server {
	t.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", process.FreePort(t))
	command := exec.Command(Build(t), "serve", "--dir", data, "--http", address)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = command.Wait() }()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-ended
	})
	s := &Server{URL: "http://" + address, PID: command.Process.Pid}
	for deadline := time.Now().Add(readyTime); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		answer, err := http.Get(s.URL + "/api/health")
		if err == nil {
			_ = answer.Body.Close()
			return s
		}
		select {
		case <-ended:
			t.Fatalf("the stock PocketBase ended:\n%s", output.String())
		default:
		}
	}
	t.Fatal("the stock PocketBase does not answer")
	return nil
}
