package buildworker

import (
	"context"
	"errors"
	"github.com/atelierhq/atelier/adapters/internal/landlock"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/seccomp"
)

// Report says what keeps workers apart from the rest of the machine, by letting one of them
// try. It returns core.CodeUnavailable if no worker can be started.
func (p *Pool) Report(ctx context.Context) (string, error) {
	out, err := p.do(ctx, p.task(call{Kind: callTry, CPU: p.config.CheckCPU}, nil, nil))
	if err != nil {
		return "", err
	}
	if len(out.Open) == 0 {
		return "workers have no network, run no programs, see no other processes, and read no files but packages and the build cache", nil
	}
	return "workers can reach " + strings.Join(out.Open, ", ") + ": " + strings.Join(missing(), ", "), nil
}

// missing returns the mechanisms that keep workers apart and that this machine lacks.
func missing() []string {
	var found []string
	if !seccomp.Supported() {
		found = append(found, "the kernel cannot filter system calls (CONFIG_SECCOMP_FILTER)")
	}
	if landlock.Version() == 0 {
		found = append(found, "the kernel has no Landlock (since 5.13; enable it with lsm=landlock)")
	}
	return found
}

// warnOfGaps logs what keeps workers from being isolated fully.
func (p *Pool) warnOfGaps() {
	if lacks := missing(); len(lacks) > 0 {
		p.config.Log.Warn("build workers are not fully isolated", "reason", strings.Join(lacks, ", "))
	}
}

// attempts tries what is forbidden to a worker, and returns what succeeded.
func attempts() []string {
	var open []string
	if fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err == nil {
		open = append(open, "the network")
		_ = unix.Close(fd)
	}
	if err := unix.Exec("/", []string{"/"}, nil); !errors.Is(err, syscall.EPERM) {
		open = append(open, "programs")
	}
	if unix.Kill(os.Getppid(), 0) == nil {
		open = append(open, "other processes")
	}
	if _, err := os.ReadDir("/"); err == nil {
		open = append(open, "all files that the service can read")
	}
	return open
}
