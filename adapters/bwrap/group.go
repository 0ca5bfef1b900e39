package bwrap

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// processGroup is the group of a command that was started as its leader. A group is signalled by its
// number, and once the leader is reaped and nobody is left the kernel gives that to others: so the last
// signal comes before the leader is reaped, and there is none after it. Any goroutine may use it.
type processGroup struct {
	command *exec.Cmd

	mu   sync.Mutex
	over bool
}

// kill ends all processes of the group. It returns os.ErrProcessDone once the group is over.
func (g *processGroup) kill() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return os.ErrProcessDone
	}
	return syscall.Kill(-g.command.Process.Pid, syscall.SIGKILL)
}

// end waits until the leader has ended, and kills what it left behind. The leader must be reaped
// afterwards, and not before.
func (g *processGroup) end() {
	err := awaitUnreaped(g.command.Process.Pid)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil {
		_ = syscall.Kill(-g.command.Process.Pid, syscall.SIGKILL)
	}
	g.over = true
}

// awaitUnreaped waits until a child has ended, and leaves it to be reaped.
func awaitUnreaped(child int) error {
	for {
		err := unix.Waitid(unix.P_PID, child, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
