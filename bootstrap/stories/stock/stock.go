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
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/conformance"
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
	version := version(t)
	return built(t, "pocketbase-"+version, func(dir, binary string) error {
		return run(dir, []string{"GOBIN=" + filepath.Dir(binary)}, "install", "-trimpath", program+"@"+version)
	})
}

func version(t testing.TB) string {
	t.Helper()
	found, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(found))
}

// durable is the program with the pragmas of its authors but for synchronous: theirs is NORMAL, with
// which an acknowledged write does not wait for the disk.
const durable = `package main

import (
	"log"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
)

const pragmas = "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(200000000)&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)"

func main() {
	log.Fatal(pocketbase.NewWithConfig(pocketbase.Config{
		DBConnect: func(path string) (*dbx.DB, error) { return dbx.Open("sqlite", path+pragmas) },
	}).Start())
}
`

// BuildDurable builds the program so that its writes wait for the disk, as the service's do.
func BuildDurable(t testing.TB) string {
	t.Helper()
	version := version(t)
	return built(t, "pocketbase-durable-"+version, func(dir, binary string) error {
		files := map[string]string{"main.go": durable, "go.mod": "module stock\n\ngo " + strings.TrimPrefix(runtime.Version(), "go") + "\n\nrequire " + module + " " + version + "\n"}
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				return err
			}
		}
		return run(dir, nil, "build", "-mod=mod", "-trimpath", "-o", binary, ".")
	})
}

// built returns the path of a program in a directory of the user's cache, which build builds if it is
// not there. Of several processes one does.
func built(t testing.TB, name string, build func(dir, binary string) error) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "atelier-testenv", name+"-"+runtime.Version())
	binary := filepath.Join(dir, path.Base(program))
	if err := buildOnce(dir, binary, build); err != nil {
		t.Fatal(err)
	}
	return binary
}

func buildOnce(dir, binary string, build func(dir, binary string) error) (err error) {
	part := filepath.Join(dir, "part")
	if err := os.MkdirAll(part, 0o755); err != nil {
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
	if _, err := os.Stat(binary); err == nil {
		return nil
	}
	made := filepath.Join(part, filepath.Base(binary))
	if err := build(dir, made); err != nil {
		return err
	}
	return os.Rename(made, binary)
}

// run runs the go command outside of the service's module.
func run(dir string, env []string, args ...string) error {
	command := exec.Command("go", args...)
	command.Dir = dir
	command.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off"), env...)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, out)
	}
	return nil
}

// Server is a running stock program.
type Server struct {
	URL string
	PID int
}

// readyTime is how long a start may take.
const readyTime = 2 * time.Minute

// Serve runs a built program over a directory pb_data until the test ends.
func Serve(t testing.TB, binary, data string) *Server {
	t.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", conformance.FreePort(t))
	command := exec.Command(binary, "serve", "--dir", data, "--http", address)
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
