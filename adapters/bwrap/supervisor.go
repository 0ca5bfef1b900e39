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

// endTime bounds the wait for killed processes, which a disk that hangs can delay.
const endTime = 5 * time.Second

// charge supervises one process and everything that it starts.
type charge struct {
	limits Limits
	// disk bounds what the process adds to the disk. overgrown, if set, reports whether
	// its working directory has become too large.
	disk      *diskUse
	overgrown func() bool
	// every is the interval at which the processes are counted.
	every time.Duration
	// connect opens the network of the process through a door into its sandbox. Without
	// connect the process has no network. The process may not be known yet when connect is
	// called.
	connect func(door *net.UnixConn, inner *bubblewrap.Process, end context.CancelCauseFunc) network
}

// network is the access of a process to the network. close is called once the process is
// gone.
type network interface {
	// close returns the hosts that the process was refused. The error says why a process
	// that was promised a network had none.
	close() (refused []string, err error)
}

// ending is how a command ended. exited is false if it was killed from outside or never
// started.
type ending struct {
	exited bool
	code   int
	// refused are the hosts that it was refused. unopened is set if the promised network
	// never opened; the command then never began.
	refused  []string
	unopened error
}

// perform starts the process, supervises it and waits until no descendant is left. An
// error means that the process did not start.
func (c charge) perform(ctx context.Context, end context.CancelCauseFunc, how launch, said io.Writer) (ending, error) {
	inner := bubblewrap.NewProcess()
	cmd := how.command(ctx, inner, said)
	wires, err := wire(cmd, how, c.connect != nil)
	if err != nil {
		return ending{}, err
	}
	defer wires.close()
	// bubblewrap ends with the thread that started it, so no other goroutine may use this
	// thread and end it.
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
	// The error only repeats the process state, or says that ctx ended.
	_ = cmd.Wait()
	result := endOfShell(cmd.ProcessState, ctx.Err() != nil)
	// Kill what the command left in the background as well.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if how.reports {
		// The other ends of the gate and the status pipe are closed, or close soon.
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

// command returns the process to start. The end of ctx kills inner, the sandbox's init,
// and bubblewrap then ends by itself. Killing bubblewrap first would not do: the kernel
// ends the sandbox with it only once the sandbox is complete (see bubblewrap.OpenGate).
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

// endOfShell returns how a shell without isolation ended.
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

// watchProcesses ends a command that has too many processes or uses too much memory.
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

// watchDisk ends a command that fills the disk. It runs beside watchProcesses because
// adding up files takes time, in which memory could run out.
func (c charge) watchDisk(ctx context.Context, end context.CancelCauseFunc, inner *bubblewrap.Process) {
	c.tick(ctx, inner, func(pid int) {
		if c.disk.exceeded(ctx, pid) || c.overgrown != nil && c.overgrown() {
			end(reached{sandbox.LimitDisk})
		}
	})
}

// tick calls look at every interval while the command runs.
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
