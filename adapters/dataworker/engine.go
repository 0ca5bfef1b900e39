package dataworker

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Config configures an Engine.
type Config struct {
	// Command starts a worker: the path of a program that calls Run, and its arguments.
	Command []string
	// Env are further variables of its environment.
	Env []string
	// Dir is the directory with the data. A worker sees nothing else.
	Dir string
	// Idle is how long a worker without requests stays; 0 is 15 minutes, which is longer than
	// the engine keeps an unused place open.
	Idle time.Duration
	// Post takes the mails to end users, Client fetches from providers of OAuth.
	Post   backend.Post
	Client *http.Client
	Log    *slog.Logger
}

func (c Config) tempDir() string { return filepath.Join(c.Dir, "tmp") }

// Engine implements backend.Engine, backend.Queries and backend.Snapshots in a worker process,
// which it starts on demand.
type Engine struct {
	config Config

	mu      sync.Mutex
	process *process
	// users counts the requests and calls under way; rest ends an idle worker.
	users  int
	rest   *time.Timer
	closed bool
}

var (
	_ backend.Engine    = (*Engine)(nil)
	_ backend.Queries   = (*Engine)(nil)
	_ backend.Snapshots = (*Engine)(nil)
	_ backend.Switches  = (*Engine)(nil)
	_ backend.Transfers = (*Engine)(nil)
)

// New returns an engine without a worker.
func New(config Config) *Engine {
	if config.Idle == 0 {
		config.Idle = 15 * time.Minute
	}
	return &Engine{config: config}
}

// Close ends the worker. Running and later requests fail with core.CodeUnavailable.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	worker := e.process
	e.process = nil
	e.mu.Unlock()
	if worker != nil {
		worker.dismiss()
	}
}

// use returns a living worker, and a function for when it is no longer needed.
func (e *Engine) use() (*process, func(), error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, nil, core.Errorf(core.CodeUnavailable, "the service is shutting down")
	}
	if e.process == nil || !e.process.alive() {
		if err := os.MkdirAll(e.config.tempDir(), 0o700); err != nil {
			return nil, nil, core.Wrap(core.CodeUnavailable, err, "the backend could not be started")
		}
		started, err := start(e.config)
		if err != nil {
			return nil, nil, core.Wrap(core.CodeUnavailable, err, "the backend could not be started")
		}
		e.process = started
	}
	e.users++
	if e.rest != nil {
		e.rest.Stop()
	}
	return e.process, e.release, nil
}

func (e *Engine) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.users--
	if e.users == 0 && !e.closed {
		e.rest = time.AfterFunc(e.config.Idle, e.dismissIdle)
	}
}

func (e *Engine) dismissIdle() {
	e.mu.Lock()
	worker := e.process
	if e.users > 0 || worker == nil {
		e.mu.Unlock()
		return
	}
	e.process = nil
	e.mu.Unlock()
	worker.dismiss()
}
