package bwrap

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/toolchain"
)

const (
	// cacheDir is the cache of a package manager.
	cacheDir = "/tmp/cache"
	// serveEvery is how often a tool's processes are counted.
	serveEvery = 100 * time.Millisecond
	// measureEvery is how often a server's disk use is added up.
	measureEvery = 30 * time.Second
)

// tooLong is the cause that ends a tool with a time limit.
var tooLong = limitError{sandbox.LimitTime}

// job is where the tools of one project run: a directory with its files, or a copy of
// them, and its workplace.
type job struct {
	tools *Tools
	node  node
	dir   string
	place workplace
	// identity are the files that tell tools who the user is and what the host is called.
	identity []bind
}

// run runs a line of shell to its end. ctx bounds its time. If the cause of ctx is a
// limit, that is an outcome and no error.
func (j job) run(ctx context.Context, line string, env map[string]string, say func(string)) (toolchain.Outcome, error) {
	if err := sandbox.CheckLine(line); err != nil {
		return toolchain.Outcome{}, err
	}
	inner, end := context.WithCancelCause(ctx)
	defer end(nil)
	said := newLineWriter(inner, say, j.tools.config.Limits.OutputBytes, end)
	result, err := j.supervisor().run(inner, end, j.launch(line, env), said)
	said.close()
	if err != nil {
		return toolchain.Outcome{}, core.Wrap(core.CodeSandboxUnavailable, err, "the project's tools could not be started")
	}
	var limit limitError
	switch {
	case result.unopened == nil && result.exited:
		return toolchain.Outcome{ExitCode: result.code}, nil
	case errors.As(context.Cause(inner), &limit):
		return toolchain.Outcome{Ended: string(limit.limit)}, nil
	case ctx.Err() != nil:
		return toolchain.Outcome{}, ctx.Err()
	}
	return toolchain.Outcome{}, core.Wrap(core.CodeSandboxUnavailable, result.unopened, "the project's tools could not be isolated")
}

// supervisor returns the supervisor of the job.
func (j job) supervisor() supervisor {
	config := j.tools.config
	return supervisor{
		limits: config.Limits, disk: newDiskUse(config.Limits.DiskBytes, j.dir, j.place.dir), every: serveEvery,
		log: j.tools.runner.config.Log, about: []any{"what", "project's tools"},
		connect: func(door *net.UnixConn, inner *bubblewrap.Process, end context.CancelCauseFunc) network {
			return openToolNetwork(door, inner, config.Registry, config.Limits.NetworkBytes, end)
		},
	}
}

// launch returns the launch of a line of shell.
func (j job) launch(line string, env map[string]string) launch {
	limits := j.tools.config.Limits
	in := cell{
		limits: limits, mounts: j.node.mounts,
		binds: []bind{{j.tools.runner.config.Helper, entry, false}, {j.dir, appDir, true}},
		variables: append(environment(appDir, home), [][2]string{
			{"PATH", appDir + "/node_modules/.bin:" + j.node.dir + ":/usr/local/bin:/usr/bin:/bin"},
			// The usual file watchers permanently lose a file that is replaced twice
			// within milliseconds, unless they poll.
			{"CHOKIDAR_USEPOLLING", "1"}, {"CHOKIDAR_INTERVAL", "100"},
			{"CI", "true"}, {"NO_COLOR", "1"}, {"BROWSER", "none"}, {"DO_NOT_TRACK", "1"},
			{"NEXT_TELEMETRY_DISABLED", "1"}, {"ASTRO_TELEMETRY_DISABLED", "1"}, {"NUXT_TELEMETRY_DISABLED", "1"},
			{"npm_config_registry", toolchain.Registry}, {"npm_config_cache", cacheDir}, {"npm_config_audit", "false"},
			{"npm_config_fund", "false"}, {"npm_config_update_notifier", "false"}, {"npm_config_progress", "false"},
		}...),
		program: []string{entry, EnterCommand, stayFlag, "/bin/sh", "-c", limits.inner(), "sh", line},
	}
	if j.place.dir != j.dir {
		in.binds = append(in.binds, bind{j.place.packages(), appDir + "/node_modules", true}, bind{j.place.cache(), cacheDir, true})
	}
	in.binds = append(in.binds, j.identity...)
	for name, value := range env {
		in.variables = append(in.variables, [2]string{name, value})
	}
	return j.tools.runner.probe().cage.enclose(in)
}

// Serve implements toolchain.Toolchain.
func (t *Tools) Serve(ctx context.Context, project core.ID, task toolchain.Task) (toolchain.Server, error) {
	if err := sandbox.CheckLine(task.Line); err != nil {
		return nil, err
	}
	job, err := t.job(ctx, project)
	if err != nil {
		return nil, err
	}
	return job.serve(task), nil
}

// server is a line of shell that runs until it is stopped.
type server struct {
	stop context.CancelFunc
	done chan struct{}
	// begun is closed once line is set, or once the server has ended without one.
	begun   chan struct{}
	once    sync.Once
	network *toolNetwork
	// outcome is valid once done is closed.
	outcome toolchain.Outcome
}

var _ toolchain.Server = (*server)(nil)

// serve starts a server. A failure to start is its outcome.
func (j job) serve(task toolchain.Task) *server {
	life, stop := context.WithCancel(context.Background())
	ctx, end := context.WithCancelCause(life)
	s := &server{stop: stop, done: make(chan struct{}), begun: make(chan struct{})}
	said := newLineWriter(ctx, task.Say, 0, end)
	c := j.supervisor()
	c.overgrown = j.growth(ctx)
	open := c.connect
	c.connect = func(door *net.UnixConn, inner *bubblewrap.Process, end context.CancelCauseFunc) network {
		s.network = open(door, inner, end).(*toolNetwork)
		s.once.Do(func() { close(s.begun) })
		return s.network
	}
	go func() {
		defer close(s.done)
		defer stop()
		defer end(nil)
		result, err := c.run(ctx, end, j.launch(task.Line, task.Env), said)
		said.close()
		s.once.Do(func() { close(s.begun) })
		s.outcome = outcomeOf(result, errors.Join(err, result.unopened), context.Cause(ctx))
	}()
	return s
}

// outcomeOf returns how a server ended.
func outcomeOf(result exitStatus, failed, cause error) toolchain.Outcome {
	var limit limitError
	switch {
	case failed == nil && result.exited:
		return toolchain.Outcome{ExitCode: result.code}
	case errors.As(cause, &limit):
		return toolchain.Outcome{Ended: string(limit.limit)}
	case failed != nil && cause == nil:
		return toolchain.Outcome{Ended: "isolation"}
	}
	return toolchain.Outcome{}
}

// growth returns a function that reports whether the server's directories have become too
// large. It measures them until ctx ends.
func (j job) growth(ctx context.Context) func() bool {
	measured := time.Now()
	return func() bool {
		if time.Since(measured) < measureEvery {
			return false
		}
		j.place.touch()
		tooLarge := isTooLarge(ctx, j.dir, j.place.dir) || checkRoom(ctx, j.dir, j.tools.runner.config.ProjectBytes) != nil
		measured = time.Now()
		return tooLarge
	}
}

// Listening implements toolchain.Server.
func (s *server) Listening() []netip.AddrPort {
	select {
	case <-s.begun:
	default:
		return nil
	}
	if s.network == nil {
		return nil
	}
	return s.network.listening()
}

// Dial implements toolchain.Server.
func (s *server) Dial(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
	select {
	case <-s.begun:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.network == nil {
		return nil, os.ErrClosed
	}
	return s.network.dial(ctx, address)
}

// Done implements toolchain.Server.
func (s *server) Done() <-chan struct{} { return s.done }

// Outcome implements toolchain.Server.
func (s *server) Outcome() toolchain.Outcome { return s.outcome }

// Stop implements toolchain.Server.
func (s *server) Stop() {
	s.stop()
	<-s.done
}
