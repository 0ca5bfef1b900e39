package bwrap_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/core"
)

// told formats findings as lines.
func told(findings []bwrap.Finding) string {
	var out strings.Builder
	for _, f := range findings {
		fmt.Fprintln(&out, f.Name, "|", f.Text, "|", f.Err)
	}
	return out.String()
}

func TestTheReportSaysWhatKeepsCommandsApart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	got := told(p.runner(bwrap.ModeBwrap, nil).Report(t.Context()))
	wanted := []string{
		"sandbox | bubblewrap 0.", "namespaces | commands have their own: user, pid, net, mnt, ipc, uts, cgroup | <nil>",
		"system calls | a seccomp filter is on", "command limits | 64 processes by ", "128 MiB of memory", "command network | none except a proxy to the hosts",
	}
	if os.Geteuid() == 0 {
		wanted = append(wanted, "run the service as an ordinary user", "by a watcher only")
	}
	for _, want := range wanted {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q in it", got, want)
		}
	}
	if strings.Count(got, "\n") != 5 || strings.Count(got, "| <nil>\n") != 5 {
		t.Errorf("got\n%s\nwant five lines without a failure", got)
	}
}

func TestTheReportSaysWhyThereIsNoNetwork(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for want, path := range map[string]string{"has no helper": "", "I cannot": failing(t, "echo I cannot >&2; exit 3")} {
		got := told(p.runner(bwrap.ModeBwrap, func(c *bwrap.Config) { c.Helper = path }).Report(t.Context()))
		if !strings.Contains(got, "command network | none at all: ") || !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q", got, want)
		}
	}
}

func TestTheReportIsLoudAboutWhatIsNotKeptApart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if got := told(p.runner(bwrap.ModeUnsafe, nil).Report(t.Context())); strings.Count(got, "UNSAFE") != 2 || !strings.Contains(got, "WITHOUT ISOLATION") {
		t.Errorf("got\n%s\nwant it said loudly", got)
	}
	if got := p.runner(bwrap.ModeOff, nil).Report(t.Context()); len(got) != 1 || !core.IsCode(got[0].Err, core.CodeSandboxUnavailable) {
		t.Errorf("got %v, want the setting alone", got)
	}
	// One that gives commands the service's own namespaces, and no filter. All of this user's
	// processes count against the limit there.
	loose := failing(t, `while [ "$1" != -- ]; do shift; done; shift; echo '{ "child-pid": 0 }' >&4; "$@"; echo "{ \"exit-code\": $? }" >&4`)
	got := told(p.runner(bwrap.ModeBwrap, func(c *bwrap.Config) { c.Program, c.Limits.Processes = loose, 1<<20 }).Report(t.Context()))
	for _, want := range []string{"share the net namespace", "share the pid namespace", "the kernel does not enforce what was requested"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q", got, want)
		}
	}
}

func TestProcessesOfOthersCountOnlyWhereTheKernelCountsThem(t *testing.T) {
	for _, release := range []string{"5.14.0", "6.1.0-18-amd64", "6.18.44-fc", "7.0", "", "unknown"} {
		if got := bwrap.CountedBeside(release); got != 0 {
			t.Errorf("%q: got %d threads to add, want none", release, got)
		}
	}
	for _, release := range []string{"5.13.19", "5.4.0-1-generic", "4.18.0-553.el8"} {
		if got := bwrap.CountedBeside(release); got < 1 {
			t.Errorf("%q: got %d threads to add, want this process's at least", release, got)
		}
	}
}
