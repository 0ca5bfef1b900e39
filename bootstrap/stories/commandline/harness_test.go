package commandline_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// password is that of all accounts of storytest.
const password = "long enough"

// shell is a person's machine: a home, a working directory and the binary.
type shell struct {
	t         testing.TB
	binary    string
	home, dir string
	env       []string
}

// output is what one call of the binary did.
type output struct {
	t         testing.TB
	line      string
	code      int
	out, errs string
}

// installation starts a service, and a shell on another machine.
func installation(t *testing.T) (*shell, *storytest.Caller) {
	t.Helper()
	binary := process.Build(t)
	service := process.Start(t, binary)
	ada := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp()
	ada.ProveIn(filepath.Join(service.Dir, "outbox"))
	return &shell{t: t, binary: binary, home: t.TempDir(), dir: t.TempDir()}, ada
}

// in is the shell in another directory, below its own unless it is absolute.
func (s *shell) in(dir string) *shell {
	moved := *s
	if moved.dir = dir; !filepath.IsAbs(dir) {
		moved.dir = filepath.Join(s.dir, dir)
	}
	return &moved
}

// command is a call that has not begun.
func (s *shell) command(input string, args ...string) *exec.Cmd {
	made := exec.CommandContext(s.t.Context(), s.binary, args...)
	made.Dir, made.Stdin = s.dir, strings.NewReader(input)
	made.Env = append([]string{"HOME=" + s.home, "PATH=" + filepath.Dir(s.binary) + ":" + os.Getenv("PATH"), "GORACE=" + os.Getenv("GORACE")}, s.env...)
	return made
}

// run calls the binary with an input and wants an exit code.
func (s *shell) run(code int, input string, args ...string) output {
	s.t.Helper()
	var out, errs bytes.Buffer
	command := s.command(input, args...)
	command.Stdout, command.Stderr = &out, &errs
	err := command.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	got := output{s.t, strings.Join(args, " "), command.ProcessState.ExitCode(), out.String(), errs.String()}
	if got.code != code {
		s.t.Fatalf("atelier %s: got the exit code %d, want %d\n%s%s", got.line, got.code, code, got.out, got.errs)
	}
	return got
}

// says wants words on stderr.
func (o output) says(words ...string) {
	o.t.Helper()
	for _, word := range words {
		if !strings.Contains(o.errs, word) {
			o.t.Errorf("atelier %s: got %q, want it to say %q", o.line, o.errs, word)
		}
	}
}

// reads decodes the output.
func (o output) reads(into any) {
	o.t.Helper()
	if err := json.Unmarshal([]byte(o.out), into); err != nil {
		o.t.Fatalf("atelier %s: got %q, want JSON: %v", o.line, o.out, err)
	}
}

// told decodes the failure on stderr.
func (o output) told() (failure struct {
	Error, Message, Next string
	Exit                 int
	Files                []string
	Diagnostics          []struct{ Path string }
}) {
	o.t.Helper()
	if err := json.Unmarshal([]byte(o.errs), &failure); err != nil || failure.Exit != o.code {
		o.t.Fatalf("atelier %s: got %q, want one JSON object with its exit code: %v", o.line, o.errs, err)
	}
	return failure
}

// write writes a file of the shell's directory, read reads one.
func (s *shell) write(name, content string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *shell) read(name string) string {
	s.t.Helper()
	content, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(content)
}
