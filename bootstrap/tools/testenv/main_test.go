package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// actVariable makes the test binary act as testenv.
const actVariable = "TESTENV_ACT"

func TestMain(m *testing.M) {
	if os.Getenv(actVariable) != "" {
		os.Exit(run(os.Args[1:], os.Stderr))
	}
	os.Exit(m.Run())
}

// testenv is a run of this program, with a temporary directory of its own.
type testenv struct {
	*exec.Cmd
	folder string
	errors bytes.Buffer
}

func newTestenv(t *testing.T, arguments ...string) *testenv {
	t.Helper()
	env := &testenv{Cmd: exec.CommandContext(t.Context(), os.Args[0], arguments...), folder: t.TempDir()}
	// The server's account must get through to it.
	if err := os.Chmod(filepath.Dir(env.folder), 0o755); err != nil {
		t.Fatal(err)
	}
	env.Env = []string{actVariable + "=1", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + env.folder}
	env.Stderr = &env.errors
	return env
}

// wantClean checks the run's exit code, and that it left neither server nor directory.
func (e *testenv) wantClean(t *testing.T, address string, code int) {
	t.Helper()
	if got := e.ProcessState.ExitCode(); got != code {
		t.Errorf("got exit code %d, want %d\n%s", got, code, &e.errors)
	}
	left, err := os.ReadDir(e.folder)
	if err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want an empty directory", left, err)
	}
	if address == "" {
		return
	}
	parsed, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	if conn, err := net.Dial("tcp", parsed.Host); err == nil {
		_ = conn.Close()
		t.Errorf("got an answer on %s, want no server", parsed.Host)
	}
}

func TestTheCommandHasAServerAndItsExitCodeCounts(t *testing.T) {
	psql := filepath.Join(serverPrograms(), "psql")
	env := newTestenv(t, "--", "sh", "-c", `echo $`+addressVariable+`; "$0" "$`+addressVariable+`" -tAc "select 6 * 7"; exit 7`, psql)
	output, _ := env.Output()
	address, answer, _ := strings.Cut(string(output), "\n")
	if strings.TrimSpace(answer) != "42" {
		t.Errorf("got %q, want the server's answer 42\n%s", output, &env.errors)
	}
	env.wantClean(t, address, 7)
}

func TestTheCommandHasANATSServer(t *testing.T) {
	env := newTestenv(t, "--", "bash", "-c", `echo $`+natsVariable+`; at=${`+natsVariable+`#nats://}; read -r greeting <"/dev/tcp/${at%:*}/${at#*:}"; echo "$greeting"`)
	env.Env = append(env.Env, addressVariable+"=postgres://elsewhere/name")
	output, err := env.Output()
	address, greeting, _ := strings.Cut(string(output), "\n")
	if err != nil || !strings.HasPrefix(greeting, "INFO {") {
		t.Errorf("got %q, %v, want the server's greeting\n%s", output, err, &env.errors)
	}
	env.wantClean(t, address, 0)
}

func TestASignalGoesToTheCommandAndItsChildren(t *testing.T) {
	for _, number := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		env := newTestenv(t, "--", "sh", "-c", `echo $`+addressVariable+`; sleep 600 & wait $!`)
		output, err := env.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := env.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(output)
		address, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("got %v, want the address\n%s", err, &env.errors)
		}
		if err := env.Process.Signal(number); err != nil {
			t.Fatal(err)
		}
		// The pipe ends only when no process of the group holds it any more.
		if _, err := io.Copy(io.Discard, lines); err != nil {
			t.Error(err)
		}
		_ = env.Wait()
		env.wantClean(t, address, 128+int(number))
	}
}

func TestAServerThatIsGivenIsUsed(t *testing.T) {
	env := newTestenv(t, "--", "sh", "-c", "echo $"+addressVariable+" $"+natsVariable)
	env.Env = append(env.Env, addressVariable+"=postgres://elsewhere/name", natsVariable+"=nats://elsewhere")
	if output, err := env.Output(); err != nil || string(output) != "postgres://elsewhere/name nats://elsewhere\n" {
		t.Errorf("got %q, %v, want the address that was given\n%s", output, err, &env.errors)
	}
	env.wantClean(t, "", 0)
}

func TestACommandThatCannotRunLeavesNothing(t *testing.T) {
	for _, arguments := range [][]string{{}, {"--"}, {"go", "test"}, {"--", "/no/such/program"}} {
		env := newTestenv(t, arguments...)
		_ = env.Run()
		env.wantClean(t, "", exitSetup)
		if env.errors.Len() == 0 {
			t.Errorf("%q: got no message, want one", arguments)
		}
	}
}

// TestWhatIsTestedDecidesWhatIsNeeded names packages as the Makefile does, and as people do.
func TestWhatIsTestedDecidesWhatIsNeeded(t *testing.T) {
	for command, want := range map[string]bool{
		"go test " + module + "core/files":                                 false,
		"go test " + module + "core/files " + module + "adapters/bunstore": true,
		"go test " + module + "bootstrap/stories/files":                    true,
		"go test ./core/files":                                             true,
		"sh -c true":                                                       true,
	} {
		if got := databaseUsers.in(strings.Fields(command)); got != want {
			t.Errorf("%s: got %v, want a database: %v", command, got, want)
		}
	}
	env := newTestenv(t, "--", "sh", "-c", "echo $"+addressVariable+" $"+natsVariable, module+"core/files")
	if output, err := env.Output(); err != nil || string(output) != "\n" {
		t.Errorf("got %q, %v, want no server\n%s", output, err, &env.errors)
	}
}

func TestMissingProgramsAreNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	missing := missingPackages(needs())
	if !slices.Contains(missing, "git") || !slices.Contains(missing, "ripgrep") {
		t.Errorf("got %v, want git and ripgrep among them", missing)
	}
	var log bytes.Buffer
	err := install(context.Background(), needs(), &log)
	if err == nil || !strings.Contains(err.Error(), "ripgrep") || !strings.Contains(err.Error(), "by hand") {
		t.Errorf("got %v, want what to install by hand", err)
	}
}

func TestInstallTellsWhatItInstallsAndWhyItFailed(t *testing.T) {
	folder := t.TempDir()
	for program, script := range map[string]string{
		"apt-get": `echo "E: no network" >&2; exit 100`,
		"env":     `while [ "${1#*=}" != "$1" ]; do shift; done; exec "$@"`,
		"sudo":    `exec "$@"`,
	} {
		if err := os.WriteFile(filepath.Join(folder, program), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder)
	var log bytes.Buffer
	err := install(context.Background(), needs(), &log)
	if err == nil || !strings.Contains(err.Error(), "no network") {
		t.Errorf("got %v, want apt-get's own words", err)
	}
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "installing") || !strings.Contains(got, "git, ripgrep") {
		t.Errorf("got %q, want one line that names the packages", got)
	}
}
