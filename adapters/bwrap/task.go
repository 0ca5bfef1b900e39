package bwrap

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// task is one command to run.
type task struct {
	limits  Limits
	dir     string
	command sandbox.Command
	// projectBytes is how much the project may take; 0 is no limit.
	projectBytes int64
	// packages is the directory of the project's packages, "" if it has none.
	packages string
	// project, guard and log are set for a command with a network.
	project core.ID
	guard   netguard.Guard
	log     *slog.Logger
}

// networked reports whether the command has a network.
func (t task) networked() bool { return len(t.command.Hosts) > 0 }

// supervisor returns the supervisor of the task.
func (t task) supervisor(grown *growth) supervisor {
	c := supervisor{limits: t.limits, disk: newDiskUse(t.limits.DiskBytes, t.dir), overgrown: grown.reached, every: watchEvery, log: t.log, about: []any{"what", "command", "project", t.project}}
	if t.networked() {
		c.connect = func(door *net.UnixConn, _ *bubblewrap.Process, end context.CancelCauseFunc) network {
			return t.openNetwork(door, end)
		}
	}
	return c
}

// jail turns a task into a process to start.
type jail interface{ start(t task) launch }

// launch is a process to start.
type launch struct {
	program string
	args    []string
	env     []string
	dir     string
	// filter goes to descriptor 3. If reports is set, the process writes the command's
	// status to descriptor 4. options, bubblewrap's arguments, go to descriptor 5.
	filter  []byte
	options []byte
	reports bool
	// input is what the process reads, nil for nothing. If quiet is set, nobody hears of what it
	// writes to its standard error.
	input *os.File
	quiet bool
}

// watchEvery is how often a command's processes are counted.
const watchEvery = 50 * time.Millisecond

// limitError is the cause with which a command is ended: a limit.
type limitError struct{ limit sandbox.Limit }

// Error implements error.
func (r limitError) Error() string { return "the command exceeded its limit of " + string(r.limit) }

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
	timed, cancelTimed := context.WithTimeoutCause(caller, t.command.Bound(), limitError{sandbox.LimitTime})
	defer cancelTimed()
	ctx, end := context.WithCancelCause(timed)
	defer end(nil)
	said := &output{most: t.limits.OutputBytes, end: end}
	grown := watchGrowth(ctx, t)
	if grown.isFull() {
		t.limits.FileBytes = 0
	}
	how, err := t.supervisor(grown).run(ctx, end, in.start(t), said)
	if err != nil {
		if caller.Err() != nil {
			return sandbox.Outcome{}, caller.Err()
		}
		return sandbox.Outcome{}, core.Wrap(core.CodeSandboxUnavailable, err, "the command could not be started")
	}
	outcome := sandbox.Outcome{Output: said.text.Text() + grown.note(), Refused: how.refused}
	var limit limitError
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

// output keeps what the command prints and ends the command if that is too much.
type output struct {
	text sandbox.Transcript
	most int64
	end  context.CancelCauseFunc
}

// Write implements io.Writer.
func (o *output) Write(said []byte) (int, error) {
	n, err := o.text.Write(said)
	if o.text.Total() > o.most {
		o.end(limitError{sandbox.LimitOutput})
	}
	return n, err
}

// syncDisk waits until the whole disk of a directory is synced: the service does not know
// the individual files that a command has written.
func syncDisk(dir string) error {
	open, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer open.Close()
	return unix.Syncfs(int(open.Fd()))
}
