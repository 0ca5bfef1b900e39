package workerprocess

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/landlock"
	"github.com/atelierhq/atelier/adapters/internal/seccomp"
)

// roleVariable tells this test's program, started as a worker, what to do.
const roleVariable = "ATELIER_TEST_ROLE"

// testLimits are those of the workers of the tests.
var testLimits = Limits{MemoryBytes: 4 << 30, HeapBytes: 64 << 20, StackBytes: 32 << 20, WritesNoFiles: true, Niceness: 3}

// nicer is a niceness with which the service might have been started.
const nicer = 17

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := work(role); err != nil {
			_, _ = os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		return
	}
	// What a program that starts the service may leave open: no worker inherits it.
	if _, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// work is a worker: it answers on its last connection what it can do, and acts as its role says.
func work(role string) error {
	first, err := Connection(0)
	if err != nil {
		return err
	}
	second, err := Connection(1)
	if err != nil {
		return err
	}
	if role == "is nicer" {
		if err := unix.Setpriority(unix.PRIO_PGRP, 0, nicer); err != nil {
			return err
		}
	}
	if err := testLimits.Apply(); err != nil {
		return err
	}
	line, err := json.Marshal(look(os.Args[1:]))
	if err != nil {
		return err
	}
	if _, err := second.Write(append(line, '\n')); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, first) // until the service closes it
	switch role {
	case "stays":
		for {
			_ = unix.Pause()
		}
	case "fails":
		return fmt.Errorf("out of ink\n\ngoroutine 1")
	case "recurses":
		return fmt.Errorf("recursed %d times", recurse(0))
	}
	return nil
}

// recurse overflows the stack.
func recurse(depth int) int {
	if depth < 0 {
		return depth
	}
	return recurse(depth+1) + 1
}

// view is what a worker sees and may do.
type view struct {
	Env         []string
	Descriptors []int
	// Read are those of the files that it was asked to read that it could.
	Read            []string
	Memory          uint64
	Niceness        int
	Socket, Program bool
}

func look(files []string) view {
	found := view{Env: os.Environ()}
	for fd := range 64 {
		var stat unix.Stat_t
		if unix.Fstat(fd, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFREG {
			found.Descriptors = append(found.Descriptors, fd)
		}
	}
	for _, name := range files {
		if _, err := os.ReadFile(name); err == nil {
			found.Read = append(found.Read, filepath.Base(name))
		}
	}
	var limit unix.Rlimit
	_ = unix.Getrlimit(unix.RLIMIT_DATA, &limit)
	found.Memory = limit.Cur
	priority, _ := unix.Getpriority(unix.PRIO_PROCESS, 0)
	found.Niceness = 20 - priority // as the system call itself counts
	_, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	found.Socket = err == nil
	found.Program = unix.Exec("/", []string{"/"}, nil) != unix.EPERM
	return found
}

// started starts a worker of a role and returns what it sees.
func started(t *testing.T, config Config, role string) (*Process, view) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config.Name, config.Connections = "test worker", 2
	config.Command = append([]string{program}, config.Command...)
	config.Env = append(config.Env, roleVariable+"="+role)
	if config.Log == nil {
		config.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	p, err := Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(0) })
	var seen view
	if err := json.NewDecoder(p.Connections[1]).Decode(&seen); err != nil {
		t.Fatal(err)
	}
	return p, seen
}

func TestAWorkerHasWhatItWasGivenAndNothingElse(t *testing.T) {
	readable, secret := t.TempDir(), t.TempDir()
	files := []string{filepath.Join(readable, "given"), filepath.Join(secret, "secret")}
	for _, name := range files {
		if err := os.WriteFile(name, []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("ATELIER_TEST_SECRET", "hunter2")
	_, seen := started(t, Config{Command: files, Env: []string{"A=1"}, Readable: []string{readable}}, "ends")
	slices.Sort(seen.Env)
	if len(seen.Env) != 4 || seen.Env[0] != "A=1" || !strings.HasPrefix(seen.Env[2], "GOMAXPROCS=") || seen.Env[3] != "GOTRACEBACK=none" {
		t.Errorf("environment: got %q, want what it was given and two settings of Go's runtime", seen.Env)
	}
	if len(seen.Descriptors) != 0 {
		t.Errorf("it has inherited the open files %d", seen.Descriptors)
	}
	if landlock.Version() > 0 && !slices.Equal(seen.Read, []string{"given"}) {
		t.Errorf("it could read %q, want what it was given alone", seen.Read)
	}
	if seen.Memory != uint64(testLimits.MemoryBytes) || seen.Niceness < testLimits.Niceness {
		t.Errorf("got a bound of %d bytes and niceness %d, want %d and at least %d", seen.Memory, seen.Niceness, testLimits.MemoryBytes, testLimits.Niceness)
	}
	if seccomp.Supported() && (seen.Socket || seen.Program) {
		t.Errorf("it can open sockets (%v), start programs (%v)", seen.Socket, seen.Program)
	}
}

// TestAWorkerKeepsTheNicenessOfItsService covers services without the privilege to lower it.
func TestAWorkerKeepsTheNicenessOfItsService(t *testing.T) {
	if _, seen := started(t, Config{}, "is nicer"); seen.Niceness != nicer {
		t.Errorf("got niceness %d, want %d", seen.Niceness, nicer)
	}
}

func TestAnEndThatNobodyAskedForIsLogged(t *testing.T) {
	for role, want := range map[string]string{"fails": "out of ink", "recurses": "stack exceeds 33554432-byte limit", "ends": "stderr=\"\""} {
		t.Run(role, func(t *testing.T) {
			var log bytes.Buffer
			p, _ := started(t, Config{Log: slog.New(slog.NewTextHandler(&log, nil))}, role)
			if !p.Alive() {
				t.Error("it is not alive before its end")
			}
			_ = p.Connections[0].Close()
			<-p.Gone()
			if p.Alive() {
				t.Error("it is alive after its end")
			}
			if text := log.String(); !strings.Contains(text, "test worker") || !strings.Contains(text, want) || strings.Contains(text, "goroutine 1") {
				t.Errorf("got the log %q, want the name, %q, and no trace", text, want)
			}
		})
	}
}

func TestEndLetsAWorkerFinish(t *testing.T) {
	for _, c := range []struct {
		role     string
		patience time.Duration
	}{{"ends", time.Hour}, {"fails", time.Hour}, {"stays", time.Millisecond}, {"stays", 0}} {
		t.Run(fmt.Sprint(c.role, " ", c.patience), func(t *testing.T) {
			var log bytes.Buffer
			p, _ := started(t, Config{Log: slog.New(slog.NewTextHandler(&log, nil))}, c.role)
			p.End(c.patience)
			if p.Alive() || unix.Kill(p.ID(), 0) != unix.ESRCH {
				t.Error("it has not ended")
			}
			if finished := p.command.ProcessState.Exited(); finished != (c.role != "stays") {
				t.Errorf("it ended by itself: %v", finished)
			}
			if log.Len() > 0 {
				t.Errorf("got the log %q, want nothing", log.String())
			}
			p.End(0)
		})
	}
}

func TestAKilledWorkersLastWordsCanBeRead(t *testing.T) {
	p, _ := started(t, Config{}, "stays")
	p.Kill()
	<-p.Gone()
	if _, err := p.Connections[0].Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("got %v, want the end of the connection", err)
	}
}

func TestStartFailsWithoutAProgram(t *testing.T) {
	if _, err := Start(Config{Command: []string{filepath.Join(t.TempDir(), "none")}}); err == nil {
		t.Error("got no error")
	}
}

func TestConnectionIsForWorkers(t *testing.T) {
	if _, err := Connection(0); err == nil || !strings.Contains(err.Error(), "internal") {
		t.Errorf("got %v, want an error for a reader", err)
	}
}
