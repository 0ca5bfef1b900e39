package bwrap

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// endTime bounds the wait for processes that were killed, which a disk that hangs
// can hold up.
const endTime = 5 * time.Second

// charge is a process to look after, with all that it starts.
type charge struct {
	limits Limits
	// disk bounds what it adds to the disk. overgrown, where there is one, reports whether
	// what it works on has become too large.
	disk      *diskUse
	overgrown func() bool
	// every is how often the processes are counted.
	every time.Duration
	// connect opens what the process reaches, by a door into its sandbox; nil is
	// nothing. The process may not be known yet.
	connect func(door *net.UnixConn, inner *bubblewrap.Process, end context.CancelCauseFunc) network
}

// network is what a process reaches. close ends it when the process is gone.
type network interface {
	// close returns the hosts that the process was refused, and why it had no network
	// at all when it was to have one.
	close() (refused []string, err error)
}

// ending is how a command ended. exited is false when it was killed from outside,
// or never came to life.
type ending struct {
	exited bool
	code   int
	// refused are the hosts that it was refused. unopened is why it never had the
	// network that it was to have, and so never began.
	refused  []string
	unopened error
}

// perform starts the process, looks after it, and waits until nothing of it is
// left. The error means that it did not start.
func (c charge) perform(ctx context.Context, end context.CancelCauseFunc, how launch, said io.Writer) (ending, error) {
	inner := bubblewrap.NewProcess()
	cmd := how.command(ctx, inner, said)
	wires, err := wire(cmd, how, c.connect != nil)
	if err != nil {
		return ending{}, err
	}
	defer wires.close()
	// bubblewrap ends when the thread that started it does, so that no other
	// goroutine may have and end this one.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return ending{}, err
	}
	wires.closeTheirs()
	report := make(chan ending, 1)
	if how.reports {
		go bubblewrap.AnswerAtGate(wires.gate)
		go func() {
			code, exited := bubblewrap.ReadStatus(wires.status, inner)
			report <- ending{exited: exited, code: code}
		}()
	} else {
		inner.Set(cmd.Process.Pid)
	}
	var reach network
	if c.connect != nil {
		reach = c.connect(wires.door, inner, end)
	}
	var watched sync.WaitGroup
	watched.Go(func() { c.watchProcesses(ctx, end, inner) })
	watched.Go(func() { c.watchDisk(ctx, end, inner) })
	// The error repeats what the state says, or that ctx ended.
	_ = cmd.Wait()
	result := endOfShell(cmd.ProcessState, ctx.Err() != nil)
	// What the command left in the background goes with it.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if how.reports {
		// Whoever waits at the gate, or writes, is gone or about to be.
		_ = wires.gate.Close()
		_ = wires.status.SetReadDeadline(time.Now().Add(endTime))
		result = <-report
	}
	if inner.AwaitEnd(endTime); inner.WasKilled() {
		result = ending{}
	}
	if reach != nil {
		if result.refused, result.unopened = reach.close(); result.unopened != nil {
			result.exited = false
		}
	}
	end(nil)
	watched.Wait()
	return result, nil
}

// command is the process to start, which ends with ctx. bubblewrap itself is killed
// last, as its end is what the kernel would end the sandbox for, and only once that is
// all there (see bubblewrap.OpenGate): inner is killed, and it ends by itself.
func (how launch) command(ctx context.Context, inner *bubblewrap.Process, said io.Writer) *exec.Cmd {
	cmd := exec.CommandContext(ctx, how.program, how.args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = how.env, how.dir, said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if how.reports && inner.Kill() == nil {
			return nil
		}
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	cmd.WaitDelay = endTime
	return cmd
}

// endOfShell tells how a shell ended that ran without isolation.
func endOfShell(state *os.ProcessState, killed bool) ending {
	status, known := state.Sys().(syscall.WaitStatus)
	switch {
	case killed || !known:
		return ending{}
	case status.Signaled():
		return ending{exited: true, code: 128 + int(status.Signal())}
	}
	return ending{exited: true, code: status.ExitStatus()}
}

// watchProcesses ends a command whose processes are too many, or take too much memory.
func (c charge) watchProcesses(ctx context.Context, end context.CancelCauseFunc, inner *bubblewrap.Process) {
	c.tick(ctx, inner, func(pid int) {
		used := survey(pid, c.limits.Processes)
		if used.processes > c.limits.Processes {
			end(reached{sandbox.LimitProcesses})
		}
		if used.memory > c.limits.MemoryBytes {
			end(reached{sandbox.LimitMemory})
		}
	})
}

// watchDisk ends a command that fills the disk. It is apart from watchProcesses, because
// adding up files takes time, in which memory could run out.
func (c charge) watchDisk(ctx context.Context, end context.CancelCauseFunc, inner *bubblewrap.Process) {
	c.tick(ctx, inner, func(pid int) {
		if c.disk.exceeded(ctx, pid) || c.overgrown != nil && c.overgrown() {
			end(reached{sandbox.LimitDisk})
		}
	})
}

// tick calls look again and again while the command runs.
func (c charge) tick(ctx context.Context, inner *bubblewrap.Process, look func(pid int)) {
	ticker := time.NewTicker(c.every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if pid := inner.ID(); pid != 0 {
			look(pid)
		}
	}
}
