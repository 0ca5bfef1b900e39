package bwrap

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// task is one command to run.
type task struct {
	limits  Limits
	dir     string
	command sandbox.Command
	// project, guard and log are for a command with a network.
	project core.ID
	guard   netguard.Guard
	log     *slog.Logger
}

// networked reports whether the command has a network.
func (t task) networked() bool { return len(t.command.Hosts) > 0 }

// jail says how to start a task.
type jail interface{ start(t task) launch }

// launch is a process to start.
type launch struct {
	program string
	args    []string
	env     []string
	dir     string
	// filter goes to descriptor 3. reports says that the process writes to
	// descriptor 4 how the command does. options, bubblewrap's, go to descriptor 5.
	filter  []byte
	options []byte
	reports bool
}

// Times of looking after a command.
const (
	// watchEvery is how often its processes are counted.
	watchEvery = 50 * time.Millisecond
	// endTime bounds the wait for processes that were killed, which a disk that
	// hangs can hold up.
	endTime = 5 * time.Second
)

// reached is why a command is ended.
type reached struct{ limit sandbox.Limit }

func (r reached) Error() string { return "the command has too much " + string(r.limit) }

// carry runs the task and stores what it wrote.
func (t task) carry(ctx context.Context, in jail) (sandbox.Outcome, error) {
	outcome, err := t.run(ctx, in)
	if stored := syncDisk(t.dir); stored != nil && err == nil {
		return sandbox.Outcome{}, core.Wrap(core.CodeUnavailable, stored, "what the command wrote could not be stored")
	}
	return outcome, err
}

// run runs the task to its end.
func (t task) run(caller context.Context, in jail) (sandbox.Outcome, error) {
	timed, cancelTimed := context.WithTimeoutCause(caller, t.command.Bound(), reached{sandbox.LimitTime})
	defer cancelTimed()
	ctx, end := context.WithCancelCause(timed)
	defer end(nil)
	said := &output{most: t.limits.OutputBytes, end: end}
	how, err := t.perform(ctx, end, in.start(t), said)
	if err != nil {
		if caller.Err() != nil {
			return sandbox.Outcome{}, caller.Err()
		}
		return sandbox.Outcome{}, core.Wrap(core.CodeSandboxUnavailable, err, "the command could not be started")
	}
	outcome := sandbox.Outcome{Output: said.text.Text(), Refused: how.refused}
	var limit reached
	switch {
	case how.exited:
		outcome.ExitCode = how.code
		return outcome, nil
	case caller.Err() != nil:
		return sandbox.Outcome{}, caller.Err()
	case errors.As(context.Cause(ctx), &limit):
		outcome.Ended = limit.limit
		return outcome, nil
	}
	return sandbox.Outcome{}, core.Wrap(core.CodeSandboxUnavailable, errors.Join(how.unopened, errors.New(outcome.Output)), "the command could not be isolated")
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
func (t task) perform(ctx context.Context, end context.CancelCauseFunc, how launch, said io.Writer) (ending, error) {
	cmd := exec.CommandContext(ctx, how.program, how.args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = how.env, how.dir, said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = endTime
	wires, err := wire(cmd, how, t.networked())
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
	var network *outlet
	if t.networked() {
		network = t.openOutlet(wires.door, end)
	}
	inner := newProcess(cmd.Process.Pid)
	report := make(chan ending, 1)
	if how.reports {
		inner = newProcess(0)
		go func() { report <- readStatus(wires.status, inner) }()
	}
	watched := make(chan struct{})
	go func() { defer close(watched); t.watch(ctx, end, inner) }()
	// The error repeats what the state says, or that ctx ended.
	_ = cmd.Wait()
	result := endOfShell(cmd.ProcessState, ctx.Err() != nil)
	if how.reports {
		// Whoever writes there is gone, or about to be.
		_ = wires.status.SetReadDeadline(time.Now().Add(endTime))
		result = <-report
		inner.awaitEnd()
	} else {
		// What the command left in the background goes with it.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if network != nil {
		if result.refused, result.unopened = network.close(); result.unopened != nil {
			result.exited = false
		}
	}
	end(nil)
	<-watched
	return result, nil
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

// watch ends the command when it uses more than it may.
func (t task) watch(ctx context.Context, end context.CancelCauseFunc, inner *process) {
	before, err := freeBytes(t.dir)
	measured := err == nil
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if pid := inner.id(); pid != 0 {
			used := survey(pid, t.limits.Processes)
			if used.processes > t.limits.Processes {
				end(reached{sandbox.LimitProcesses})
			}
			if used.memory > t.limits.MemoryBytes {
				end(reached{sandbox.LimitMemory})
			}
		}
		if free, err := freeBytes(t.dir); err == nil && measured && before-free > t.limits.DiskBytes {
			end(reached{sandbox.LimitDisk})
		}
	}
}

// output keeps what the command says and ends it when that is too much.
type output struct {
	text sandbox.Transcript
	most int64
	end  context.CancelCauseFunc
}

// Write implements io.Writer.
func (o *output) Write(said []byte) (int, error) {
	n, err := o.text.Write(said)
	if o.text.Total() > o.most {
		o.end(reached{sandbox.LimitOutput})
	}
	return n, err
}

// syncDisk waits until all of the disk that holds a directory is stored: what a
// command has written is not known one by one.
func syncDisk(dir string) error {
	open, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer open.Close()
	return unix.Syncfs(int(open.Fd()))
}
