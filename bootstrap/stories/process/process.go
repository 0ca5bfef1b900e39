package process

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/conformance"
)

// readyTime is how long a start may take, and stopTime a stop.
const (
	readyTime = 2 * time.Minute
	stopTime  = time.Minute
)

// Service is a running binary. Its data outlives it.
type Service struct {
	t testing.TB
	// line is the command that starts it.
	line []string
	// URL is its address, Dir its DATA_DIR.
	URL, Dir string
	env      []string

	current atomic.Pointer[life]
}

// life is the time between one start of the binary and its end.
type life struct {
	process *os.Process
	log     conformance.Log
	// ended is closed when the process has ended with err.
	ended chan struct{}
	err   error
}

// binariesVariable names the folder in which tests share compiled binaries.
const binariesVariable = "ATELIER_TEST_BINARIES"

// Build builds the binary and returns its path. If testenv gave the tests a folder for
// it, the first test builds it there for all.
func Build(t testing.TB) string {
	t.Helper()
	folder := os.Getenv(binariesVariable)
	if folder == "" {
		binary := filepath.Join(t.TempDir(), "atelier")
		BuildAt(t, binary)
		return binary
	}
	binary := filepath.Join(folder, "atelier"+variant)
	lock, err := os.OpenFile(binary+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err == nil {
		return binary
	}
	BuildAt(t, binary+".part")
	if err := os.Rename(binary+".part", binary); err != nil {
		t.Fatal(err)
	}
	return binary
}

// BuildAt builds the binary in the test's own folder, with optional flags of `go build`.
func BuildAt(t testing.TB, binary string, flags ...string) {
	t.Helper()
	Go(t, "", "build", append(append([]string{"-o", binary}, flags...), "github.com/atelierhq/atelier/bootstrap/atelier")...)
}

// Go runs a command of the go tool in dir, with the same build settings as the tests, so
// that both share the build cache. "" is the test's own folder.
func Go(t testing.TB, dir, verb string, args ...string) {
	t.Helper()
	command := exec.Command("go", slices.Concat([]string{verb}, buildFlags(), args)...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go %s %s: %v\n%s", verb, strings.Join(args, " "), err, out)
	}
}

// Start runs the binary on fresh data with the demo as its AI provider, and waits
// until it is ready. env adds NAME=value settings.
func Start(t testing.TB, binary string, env ...string) *Service {
	t.Helper()
	return StartBehind(t, nil, binary, env...)
}

// StartBehind is Start through another command, which then becomes the binary (exec).
func StartBehind(t testing.TB, wrapper []string, binary string, env ...string) *Service {
	t.Helper()
	return start(t, append(append([]string{}, wrapper...), binary, "serve"), env)
}

// StartRooms is Start for a process that only has the rooms.
func StartRooms(t testing.TB, binary string, env ...string) *Service {
	t.Helper()
	return start(t, []string{binary, "collab"}, env)
}

func start(t testing.TB, line, env []string) *Service {
	t.Helper()
	port := conformance.FreePort(t)
	s := &Service{t: t, line: line, URL: fmt.Sprintf("http://localhost:%d", port), Dir: t.TempDir()}
	s.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.Dir, "DATA_DIR=" + s.Dir, fmt.Sprintf("LISTEN_ADDR=127.0.0.1:%d", port),
		"APP_URL=" + s.URL, fmt.Sprintf("APP_DOMAIN=localhost:%d", port), "AI_PROVIDER=demo", "THUMBNAILS=off", "BROWSING=off", "PREPARE=off",
		"RATE_LIMIT_PER_MINUTE=0", "AUTH_RATE_LIMIT_PER_MINUTE=0", "LOG_LEVEL=warn",
		"JWT_ACCESS_TOKEN_EXPIRES_IN=24h", "PACE=3", // as in storytest.Serve
	}, env...)
	for _, name := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "GORACE"} {
		given := slices.ContainsFunc(env, func(setting string) bool { return strings.HasPrefix(setting, name+"=") })
		if value := os.Getenv(name); value != "" && !given {
			s.env = append(s.env, name+"="+value)
		}
	}
	s.Restart()
	t.Cleanup(s.Kill)
	return s
}

// Set changes settings for the next start and the commands after it.
func (s *Service) Set(env ...string) { s.env = append(s.env, env...) }

// Restart starts the binary on the existing data and waits until it is ready.
func (s *Service) Restart() {
	s.t.Helper()
	begun, command := &life{ended: make(chan struct{})}, exec.Command(s.line[0], s.line[1:]...)
	command.Env, command.Stdout, command.Stderr = s.env, &begun.log, &begun.log
	if err := command.Start(); err != nil {
		s.t.Fatal(err)
	}
	begun.process = command.Process
	go func() {
		defer close(begun.ended)
		begun.err = command.Wait()
	}()
	s.current.Store(begun)
	deadline := time.Now().Add(readyTime)
	for time.Now().Before(deadline) {
		if s.answers() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.t.Fatalf("the service was not ready within %s:\n%s", readyTime, s.Log())
}

func (s *Service) answers() bool {
	response, err := http.Get(s.URL + "/readyz")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// PID is the process's id.
func (s *Service) PID() int { return s.current.Load().process.Pid }

// Kill ends the process without warning, as a power cut would. Any goroutine may call it,
// even after the process has ended.
func (s *Service) Kill() {
	killed := s.current.Load()
	_ = killed.process.Kill()
	<-killed.ended
	if text := killed.log.String(); strings.Contains(text, "WARNING: DATA RACE") {
		s.t.Errorf("the service had a data race:\n%s", text)
	}
}

// Stop ends the process gracefully and fails the test if it does not end well.
func (s *Service) Stop() {
	s.t.Helper()
	if err := s.Terminate(); err != nil {
		s.t.Fatal(err)
	}
}

// Terminate asks the process to end and waits until it has. Any goroutine may call it,
// also concurrently with Kill.
func (s *Service) Terminate() error {
	asked := s.current.Load()
	if err := asked.process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-asked.ended:
		if asked.err != nil {
			return fmt.Errorf("the service ended with %w:\n%s", asked.err, &asked.log)
		}
		return nil
	case <-time.After(stopTime):
		return fmt.Errorf("the service did not stop within %s:\n%s", stopTime, &asked.log)
	}
}

// Log returns the output of the process since its last start.
func (s *Service) Log() string { return s.current.Load().log.String() }

// Command runs another command of the binary with the service's settings and returns its
// output.
func (s *Service) Command(args ...string) string {
	s.t.Helper()
	command := exec.Command(s.line[0], append(append([]string{}, s.line[1:len(s.line)-1]...), args...)...)
	command.Env = s.env
	out, err := command.CombinedOutput()
	if err != nil {
		s.t.Fatalf("atelier %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
