package rules

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFailedTestsRunAgain holds .ci/gotest to what runs again, and to what is red although it
// might pass then.
func TestFailedTestsRunAgain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body    string
		green   bool
		printed string
		limit   string
	}{
		"passes at once": {body: "", green: true, printed: "DONE 1 tests"},
		"fails once":     {body: `once(func() { t.Error("no") })`, green: true, printed: "Unstable (they passed when they ran again):\nexample.test/m.Test: 2 runs, 1 failures"},
		"always fails":   {body: `t.Error("no")`, printed: "example.test/m.Test: 3 runs, 3 failures"},
		"panics once":    {body: `once(func() { panic("no") })`, printed: "Ended before all of their tests had a verdict:\nexample.test/m"},
		"is killed once": {body: `once(func() { syscall.Kill(os.Getpid(), syscall.SIGKILL) })`, printed: "Ended before all of their tests had a verdict:\nexample.test/m"},
		"ends as failed": {body: `once(func() { t.Cleanup(func() { os.Exit(1) }) })`, printed: "Ended before all of their tests had a verdict:\nexample.test/m"},
		"stands once":    {body: `once(func() { select {} })`, printed: "Ended before all of their tests had a verdict:\nexample.test/m", limit: "2s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			printed, err := goTestInCI(t, tc.body, cmp.Or(tc.limit, "2m"))
			if green := err == nil; green != tc.green {
				t.Errorf("got %v, want green: %v\n%s", err, tc.green, printed)
			}
			if !strings.Contains(printed, tc.printed) {
				t.Errorf("got the lines below, want %q in them\n%s", tc.printed, printed)
			}
		})
	}
}

// goTestInCI runs .ci/gotest on a package whose only test has a body, with a time limit.
func goTestInCI(t *testing.T, body, limit string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.test/m\n\ngo 1.26\n")
	write("m_test.go", fmt.Sprintf(`package m

import (
	"os"
	"syscall"
	"testing"
)

var _ = syscall.Kill

func once(act func()) {
	if os.Mkdir("done", 0o700) == nil {
		act()
	}
}

func Test(t *testing.T) {
	%s
}
`, body))
	script, err := filepath.Abs("../../.ci/gotest")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(script, "-count=1", "-timeout="+limit, "./...")
	command.Dir = dir
	printed, err := command.CombinedOutput()
	return string(printed), err
}
