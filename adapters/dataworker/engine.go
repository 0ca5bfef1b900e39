package dataworker

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/backend"
)

// Config configures an Engine.
type Config struct {
	// Command starts a worker: the path of a program that calls Run, and its arguments.
	Command []string
	// Env are further variables of its environment.
	Env []string
	// Dir is the directory of the data. Shared is one on a disk shared by several machines, or
	// "". A worker sees no other directories.
	Dir, Shared string
	// Idle is how long an idle worker stays; 0 is 15 minutes. It is longer than the engine
	// keeps an unused place open.
	Idle time.Duration
	// Pace stretches the wait for the end of a worker whose connection has broken.
	Pace core.Pace
	// Post takes the mails to end users. SignIns has the OAuth providers, and Client is for
	// requests to them.
	Post    backend.Post
	SignIns backend.SignIns
	Client  *http.Client
	// Workspace returns the workspace of a project, "" if it is not known. The worker shares itself
	// among workspaces; nil makes each project one.
	Workspace func(ctx context.Context, project core.ID) core.ID
	Log       *slog.Logger
}

// tenant returns a context with the workspace of a project.
func (c Config) tenant(ctx context.Context, project core.ID) context.Context {
	workspace := project
	if c.Workspace != nil {
		workspace = cmp.Or(c.Workspace(ctx, project), project)
	}
	return fair.WithTenant(ctx, workspace)
}

func (c Config) tempDir() string { return filepath.Join(c.Dir, "tmp") }

// Engine implements backend.Engine and its further interfaces (Lists, Queries, Snapshots,
// Switches, Transfers) in a worker process.
type Engine struct {
	*datawire.Client
	config  Config
	log     *slog.Logger
	pace    core.Pace
	workers *workerprocess.Supervisor[*process]
	// failures counts the ends of workers that nobody has asked for.
	failures *atomic.Int64
}

var (
	_ backend.Engine    = (*Engine)(nil)
	_ backend.Lists     = (*Engine)(nil)
	_ backend.Queries   = (*Engine)(nil)
	_ backend.Snapshots = (*Engine)(nil)
	_ backend.Switches  = (*Engine)(nil)
	_ backend.Transfers = (*Engine)(nil)
	_ backend.Holder    = (*Engine)(nil)
	_ backend.LoadGauge = (*Engine)(nil)
)

// New returns an engine without a worker.
func New(config Config) *Engine {
	if config.Idle == 0 {
		config.Idle = 15 * time.Minute
	}
	failures := new(atomic.Int64)
	workers := workerprocess.NewSupervisor(config.Idle, func() (*process, error) {
		return start(config, func() { failures.Add(1) })
	})
	return &Engine{Client: &datawire.Client{Use: carrying(workers), Tenant: config.tenant}, config: config, log: config.Log, pace: config.Pace, workers: workers, failures: failures}
}

// Load implements backend.LoadGauge. It neither starts a worker nor keeps one that is idle.
func (e *Engine) Load(ctx context.Context) (backend.Load, error) {
	var load backend.Load
	var err error
	if worker, is := e.workers.Current(); is && worker.Usable() {
		present := datawire.Client{Use: func() (http.RoundTripper, func(), error) { return worker, func() {}, nil }}
		load, err = present.Load(ctx)
	}
	load.Failures = e.failures.Load()
	return load, err
}

// carrying returns what hands the calls of the port to a worker.
func carrying(workers *workerprocess.Supervisor[*process]) func() (http.RoundTripper, func(), error) {
	return func() (http.RoundTripper, func(), error) {
		worker, done, err := workers.Use()
		if err != nil {
			return nil, nil, err
		}
		return worker, done, nil
	}
}

// Close ends the worker. Running and later requests fail with core.CodeUnavailable.
func (e *Engine) Close() { e.workers.Close() }
