package buildworker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/ports/build"
)

// escapist is a builder that tries to escape, and returns what it could do. Env names its
// targets: a secret and a folder that it must not reach, and a process.
type escapist struct{ build.Builder }

// Build implements build.Builder.
func (escapist) Build(_ context.Context, req build.Request) (build.Result, error) {
	var done []build.File
	for name, try := range escapes(req.Env) {
		// Every thread is confined, including those that are created later.
		for range 4 {
			if errs := make(chan error); true {
				go func() { errs <- try() }()
				if err := <-errs; err == nil {
					done = append(done, build.File{Path: name, Content: []byte("done")})
					break
				}
			}
		}
	}
	return build.Result{Files: done}, nil
}

// escapes fail with an error where there is no way out.
func escapes(env map[string]string) map[string]func() error {
	var pid int
	_, _ = fmt.Sscan(env["pid"], &pid)
	socket := func(family, kind int) func() error {
		return func() error { _, err := unix.Socket(family, kind, 0); return err }
	}
	read := func(name string) func() error {
		return func() error { _, err := os.ReadFile(name); return err }
	}
	return map[string]func() error{
		"tcp": socket(unix.AF_INET, unix.SOCK_STREAM), "udp": socket(unix.AF_INET6, unix.SOCK_DGRAM),
		"unix": socket(unix.AF_UNIX, unix.SOCK_STREAM), "netlink": socket(unix.AF_NETLINK, unix.SOCK_RAW),
		"pair":    func() error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err },
		"program": func() error { return exec.Command("/bin/true").Run() },
		"itself":  func() error { return exec.Command("/proc/self/exe", "mischief", "garbage").Start() },
		"signal":  func() error { return unix.Kill(pid, 0) },
		"thread":  func() error { return unix.Tgkill(pid, pid, 0) },
		"handle":  func() error { _, err := unix.PidfdOpen(pid, 0); return err },
		"limits":  func() error { return unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &unix.Rlimit{}) },
		"trace":   func() error { return unix.PtraceSeize(pid) },
		"memory of the service": func() error {
			_, err := unix.ProcessVMReadv(pid, nil, nil, 0)
			return err
		},
		"environment of the service": read("/proc/" + env["pid"] + "/environ"),
		"keys":                       func() error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true); return err },
		"a namespace":                func() error { return unix.Unshare(unix.CLONE_NEWUSER) },
		"a secret":                   read(env["secret"]),
		"the root":                   func() error { _, err := os.ReadDir("/"); return err },
		"a file of others":           func() error { return os.WriteFile(filepath.Join(env["folder"], "new"), nil, 0o600) },
		"a folder of others":         func() error { return os.Mkdir(filepath.Join(env["folder"], "new.d"), 0o700) },
		"removal":                    func() error { return os.Remove(env["secret"]) },
		"emptying":                   func() error { return os.Truncate(env["secret"], 0) },
		"the packages":               func() error { return os.WriteFile(filepath.Join(env["packages"], "new"), nil, 0o600) },
	}
}

func TestAWorkerThatTriesGetsNowhere(t *testing.T) {
	packages, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := errors.Join(os.WriteFile(secret, []byte("hunter2"), 0o600), os.WriteFile(filepath.Join(packages, "index.js"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	pool := open(t, func(c *buildworker.Config) {
		c.Command = []string{c.Command[0], "escapist", buildworker.Command}
		c.Readable, c.Writable = []string{packages}, nil
	})
	made, err := pool.Build(t.Context(), build.Request{Env: map[string]string{
		"pid": fmt.Sprint(os.Getpid()), "secret": secret, "folder": outside, "packages": packages,
	}})
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	for _, file := range made.Files {
		done = append(done, file.Path)
	}
	if slices.Sort(done); len(done) > 0 {
		t.Errorf("got %s, want nothing done", strings.Join(done, ", "))
	}
}

// TestWhatAWorkerIsKeptFromIsTold compares the report with what a worker can do when it tries.
func TestWhatAWorkerIsKeptFromIsTold(t *testing.T) {
	told, err := open(t).Report(t.Context())
	if want := "no network, run no programs, see no other processes, and read no files but packages and the build cache"; err != nil || !strings.Contains(told, want) {
		t.Errorf("got %q, %v, want %q", told, err, want)
	}
}
