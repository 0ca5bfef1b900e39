package bwrap

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// ToolsConfig configures Tools, in addition to the Runner.
type ToolsConfig struct {
	// Dir holds the tools' own data, one directory for each project, named by its id. All
	// of it can be rebuilt.
	Dir string
	// Registry serves requests to toolchain.Registry; nil answers 404.
	Registry http.Handler
	// Limits bound each tool. Zeros are defaults that the usual tools stay far below.
	Limits Limits
	// Parallel bounds how many installations and builds run at the same time; others
	// wait. 0 is the number of processors. Half as many more, at least one, may run for
	// tenants that have none running.
	Parallel int
}

// Tools runs projects' tools on Node.js, in the same sandbox as the Runner's commands. In
// ModeUnsafe it isolates them as well.
type Tools struct {
	runner *Runner
	config ToolsConfig
	node   func() node
	// semaphore bounds the commands of tools that run at the same time.
	semaphore *fair.Semaphore
	// locks has the lock of each project's workplace.
	locks ctxsync.KeyedMutex[core.ID]

	mu sync.Mutex
	// swept is when unused workplaces were last removed.
	swept time.Time
}

var _ toolchain.Toolchain = (*Tools)(nil)

const (
	// unusedTime is how long packages stay that nobody uses.
	unusedTime = 30 * 24 * time.Hour
	// sweepEvery is how often unused packages are looked for.
	sweepEvery = time.Hour
)

// NewTools returns tools. They probe the machine at the first use, and again from time to
// time while the probe fails.
func NewTools(runner *Runner, config ToolsConfig) *Tools {
	limits := &config.Limits
	limits.MemoryBytes = orDefault(limits.MemoryBytes, 3<<29)
	// Node.js reserves several times the memory that it uses, more with every thread.
	limits.DataBytes = orDefault(limits.DataBytes, 4<<30)
	limits.DiskBytes = orDefault(limits.DiskBytes, 3<<30)
	limits.NetworkBytes = orDefault(limits.NetworkBytes, 2<<30)
	limits.CPUSeconds = orDefault(limits.CPUSeconds, 4*60*60)
	config.Limits = limits.orDefaults()
	if config.Registry == nil {
		config.Registry = http.NotFoundHandler()
	}
	if config.Parallel == 0 {
		config.Parallel = runtime.GOMAXPROCS(0)
	}
	t := &Tools{runner: runner, config: config, semaphore: newSemaphore(config.Parallel)}
	t.node = cachedProbe(t.lookNode, func(n node) error { return n.err })
	return t
}

// Available implements toolchain.Toolchain.
func (t *Tools) Available(context.Context) error {
	if t.runner.config.Mode == ModeOff {
		return core.Errorf(core.CodeSandboxUnavailable,
			"projects with tools of their own cannot run here, because the sandbox is disabled (SANDBOX=off): the operator can install bubblewrap and nodejs and set SANDBOX=auto")
	}
	return t.node().err
}

// Version is the reported version of Node.js and npm. It is valid once Available returns
// nil.
func (t *Tools) Version() string { return t.node().version }

// Install implements toolchain.Toolchain.
func (t *Tools) Install(ctx context.Context, project core.ID, key string, task toolchain.Task) (toolchain.Outcome, error) {
	job, err := t.job(ctx, project)
	if err != nil {
		return toolchain.Outcome{}, err
	}
	done, err := t.take(ctx, project)
	if err != nil {
		return toolchain.Outcome{}, err
	}
	defer done()
	t.sweepSometimes()
	// Packages may hold files that only the Node.js that installed them can use.
	key += " " + job.node.version
	if job.place.has(key) {
		return toolchain.Outcome{}, nil
	}
	if err := job.place.begin(); err != nil {
		return toolchain.Outcome{}, noDisk(err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, toolchain.MaxInstallTime, tooLong)
	defer cancel()
	outcome, err := job.run(ctx, task.Line, task.Env, task.Say)
	if err != nil || !outcome.Good() {
		return outcome, err
	}
	if err := job.place.complete(key); err != nil {
		return toolchain.Outcome{}, noDisk(err)
	}
	return outcome, nil
}

// Build implements toolchain.Toolchain.
func (t *Tools) Build(ctx context.Context, project core.ID, task toolchain.BuildTask) (toolchain.BuildOutput, error) {
	job, err := t.job(ctx, project)
	if err != nil {
		return toolchain.BuildOutput{}, err
	}
	done, err := t.take(ctx, project)
	if err != nil {
		return toolchain.BuildOutput{}, err
	}
	defer done()
	if err := errors.Join(job.place.open(), job.place.fill(task.Files)); err != nil {
		return toolchain.BuildOutput{}, noDisk(err)
	}
	job.dir = job.place.copy()
	defer job.place.clear()
	ctx, cancel := context.WithTimeoutCause(ctx, toolchain.MaxBuildTime, tooLong)
	defer cancel()
	outcome, err := job.run(ctx, task.Line, task.Env, task.Say)
	if err != nil || !outcome.Good() {
		return toolchain.BuildOutput{Outcome: outcome}, err
	}
	built, err := gather(job.dir, task.Outputs)
	if err != nil {
		return toolchain.BuildOutput{}, noDisk(err)
	}
	return built, nil
}

// Remove implements toolchain.Toolchain.
func (t *Tools) Remove(ctx context.Context, project core.ID) error {
	return t.removeIf(ctx, project, func() bool { return true })
}

// removeIf is Remove, provided that is still returns true once the workplace is locked.
func (t *Tools) removeIf(ctx context.Context, project core.ID, is func() bool) error {
	if _, err := core.ParseID(string(project)); err != nil {
		return nil
	}
	done, err := t.take(ctx, project)
	if err != nil {
		return err
	}
	defer done()
	if !is() {
		return nil
	}
	if err := t.workplace(project).remove(); err != nil {
		return noDisk(err)
	}
	return nil
}

func noDisk(err error) error {
	var known *core.Error
	if errors.As(err, &known) {
		return err
	}
	return core.Wrap(core.CodeUnavailable, err, "the disk of the projects' tools cannot be used")
}

func (t *Tools) workplace(project core.ID) workplace {
	return workplace{filepath.Join(t.config.Dir, string(project))}
}

// job prepares a project's tools to run.
func (t *Tools) job(ctx context.Context, project core.ID) (job, error) {
	if err := t.Available(ctx); err != nil {
		return job{}, err
	}
	dir, err := t.runner.directory(project)
	if err != nil {
		return job{}, err
	}
	// Packages are mounted in the project's directory as node_modules.
	at, err := os.Lstat(filepath.Join(dir, "node_modules"))
	if err == nil && !at.IsDir() {
		return job{}, core.Errorf(core.CodeUnavailable, "the project has a file named node_modules, where its packages are installed: delete it")
	}
	if err := checkRoom(ctx, dir, t.runner.config.ProjectBytes); err != nil {
		return job{}, err
	}
	identity, err := identityBinds(t.config.Dir)
	if err != nil {
		return job{}, noDisk(err)
	}
	place := t.workplace(project)
	if err := place.open(); err != nil {
		return job{}, noDisk(err)
	}
	return job{tools: t, node: t.node(), dir: dir, place: place, identity: identity}, nil
}

// take locks the project's workplace and takes a place in the semaphore.
func (t *Tools) take(ctx context.Context, project core.ID) (done func(), err error) {
	unlock, err := t.locks.Lock(ctx, project)
	if err != nil {
		return nil, err
	}
	leave, err := t.semaphore.Enter(ctx)
	if err != nil {
		unlock()
		return nil, err
	}
	return func() { leave(); unlock() }, nil
}
