package bwrap

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// endTime bounds the wait for killed processes, which a disk that hangs can delay.
const endTime = 5 * time.Second

// supervisor supervises one process and everything that it starts.
type supervisor struct {
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
	// log is told which limit ended the process, about what the process is. nil is told nothing.
	log   *slog.Logger
	about []any
}

// network is the access of a process to the network. close is called once the process is
// gone.
type network interface {
	// close returns the hosts that the process was refused. The error says why a process
	// that was promised a network had none.
	close() (refused []string, err error)
}

// exitStatus is how a command ended. exited is false if it was killed from outside or never
// started.
type exitStatus struct {
	exited bool
	code   int
	// refused are the hosts that it was refused. unopened is set if the promised network
	// never opened; the command then never began.
	refused  []string
	unopened error
}

// run starts the process, supervises it and waits until no descendant is left. An
// error means that the process did not start.
func (s supervisor) run(ctx context.Context, end context.CancelCauseFunc, how launch, said io.Writer) (exitStatus, error) {
	inner := bubblewrap.NewProcess()
	group := how.command(ctx, inner, said)
	cmd := group.command
	pipes, err := connectPipes(cmd, how, s.connect != nil)
	if err != nil {
		return exitStatus{}, err
	}
	defer pipes.close()
	// bubblewrap ends with the thread that started it, so no other goroutine may use this
	// thread and end it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return exitStatus{}, err
	}
	pipes.closeChildFiles()
	report := make(chan exitStatus, 1)
	if how.reports {
		go bubblewrap.AnswerAtGate(pipes.gate)
		go func() {
			code, exited := bubblewrap.ReadStatus(pipes.status, inner)
			report <- exitStatus{exited: exited, code: code}
		}()
	} else {
		inner.Set(cmd.Process.Pid)
	}
	var reach network
	if s.connect != nil {
		reach = s.connect(pipes.door, inner, end)
	}
	var watched sync.WaitGroup
	watched.Go(func() { s.watchProcesses(ctx, end, inner) })
	watched.Go(func() { s.watchDisk(ctx, end, inner) })
	// This also kills what the command left in the background.
	group.end()
	// The error only repeats the process state, or says that ctx ended.
	_ = cmd.Wait()
	result := endOfShell(cmd.ProcessState, ctx.Err() != nil)
	if how.reports {
		// The other ends of the gate and the status pipe are closed, or close soon.
		_ = pipes.gate.Close()
		_ = pipes.status.SetReadDeadline(time.Now().Add(endTime))
		result = <-report
	}
	if inner.AwaitEnd(endTime); inner.WasKilled() {
		result = exitStatus{}
	}
	s.tell(ctx, cmd.ProcessState)
	if reach != nil {
		if result.refused, result.unopened = reach.close(); result.unopened != nil {
			result.exited = false
		}
	}
	end(nil)
	watched.Wait()
	return result, nil
}

// tell logs which limit ended the process, if one did.
func (s supervisor) tell(ctx context.Context, state *os.ProcessState) {
	limit, limited := errors.AsType[limitError](context.Cause(ctx))
	if s.log == nil || !limited {
		return
	}
	s.log.Info("a limit ended a process in the sandbox", append(slices.Clone(s.about), "limit", limit.limit, "cpu", state.UserTime()+state.SystemTime())...)
}

// command returns the process to start, which leads a group. The end of ctx kills inner, the sandbox's init,
// and bubblewrap then ends by itself. Killing bubblewrap first would not do: the kernel
// ends the sandbox with it only once the sandbox is complete (see bubblewrap.OpenGate).
func (how launch) command(ctx context.Context, inner *bubblewrap.Process, said io.Writer) *processGroup {
	cmd := exec.CommandContext(ctx, how.program, how.args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = how.env, how.dir, said, said
	if how.input != nil {
		cmd.Stdin = how.input
	}
	if how.quiet {
		cmd.Stderr = nil
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	group := &processGroup{command: cmd}
	cmd.Cancel = func() error {
		if how.reports && inner.Kill() == nil {
			return nil
		}
		return group.kill()
	}
	cmd.WaitDelay = endTime
	return group
}

// endOfShell returns how a shell without isolation ended.
func endOfShell(state *os.ProcessState, killed bool) exitStatus {
	status, known := state.Sys().(syscall.WaitStatus)
	switch {
	case killed || !known:
		return exitStatus{}
	case status.Signaled():
		return exitStatus{exited: true, code: 128 + int(status.Signal())}
	}
	return exitStatus{exited: true, code: status.ExitStatus()}
}

// watchProcesses ends a command that has too many processes or uses too much memory.
func (s supervisor) watchProcesses(ctx context.Context, end context.CancelCauseFunc, inner *bubblewrap.Process) {
	s.tick(ctx, inner, func(pid int) {
		used := survey(pid, s.limits.Processes)
		if used.processes > s.limits.Processes {
			end(limitError{sandbox.LimitProcesses})
		}
		if used.memory > s.limits.MemoryBytes {
			end(limitError{sandbox.LimitMemory})
		}
	})
}

// watchDisk ends a command that fills the disk. It runs beside watchProcesses because
// adding up files takes time, in which memory could run out.
func (s supervisor) watchDisk(ctx context.Context, end context.CancelCauseFunc, inner *bubblewrap.Process) {
	s.tick(ctx, inner, func(pid int) {
		if s.disk.exceeded(ctx, pid) || s.overgrown != nil && s.overgrown() {
			end(limitError{sandbox.LimitDisk})
		}
	})
}

// tick calls look at every interval while the command runs.
func (s supervisor) tick(ctx context.Context, inner *bubblewrap.Process, look func(pid int)) {
	ticker := time.NewTicker(s.every)
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
