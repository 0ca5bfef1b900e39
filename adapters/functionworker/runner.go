package functionworker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/functions"
)

// Config configures a Pool.
type Config struct {
	// Command starts a worker: the path of a program that calls Run, and its arguments.
	Command []string
	// Env are further variables of its environment.
	Env []string
	// Idle is how long a worker without calls stays; 0 is five minutes.
	Idle time.Duration
	Log  *slog.Logger
}

// Pool implements functions.Runner in a worker process, which it starts on demand. While one that
// retires finishes its calls there is another.
type Pool struct {
	config Config
	places *fair.Semaphore

	mu      sync.Mutex
	current *seat
	closed  bool
}

// seat is a worker, with the number of its calls, and the timer that ends it when it is idle.
type seat struct {
	*process
	calls int
	rest  *time.Timer
}

var _ functions.Runner = (*Pool)(nil)

// NewPool returns a pool without a worker.
func NewPool(config Config) *Pool {
	if config.Idle == 0 {
		config.Idle = 5 * time.Minute
	}
	// A quarter of the places are kept for projects that run nothing yet, so that functions that
	// wait for others do not make everybody wait.
	bounds := fair.Bounds{Places: callsAtATime - callsAtATime/4, Kept: callsAtATime / 4, Most: callsAtATime / 2}
	return &Pool{config: config, places: fair.New(bounds)}
}

// Close ends the workers. Running and later calls fail with core.CodeUnavailable.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	worker := p.current
	p.current = nil
	p.mu.Unlock()
	if worker != nil {
		worker.dismiss()
	}
}

// Run implements functions.Runner.
func (p *Pool) Run(ctx context.Context, call functions.Call, host functions.Host) (functions.Result, error) {
	if len(call.Code) > functions.MaxCodeBytes || len(call.Request.Body) > functions.MaxBodyBytes {
		return functions.Result{Failure: &functions.Failure{Kind: functions.TooLarge, Message: "the request's body has more than 1 MiB, or the function's code more than 8 MiB"}}, nil
	}
	if err := p.places.Acquire(ctx, call.Tenant, 1); err != nil {
		return functions.Result{}, err
	}
	defer p.places.Release(call.Tenant, 1)
	worker, err := p.sit()
	if err != nil {
		return functions.Result{}, err
	}
	defer p.leave(worker)
	return worker.run(ctx, call, host)
}

// sit returns a worker that takes calls.
func (p *Pool) sit() (*seat, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, core.Errorf(core.CodeUnavailable, "the service is shutting down")
	}
	if p.current == nil || !p.current.usable() {
		if p.current != nil && p.current.calls == 0 {
			go p.current.dismiss()
		}
		started, err := start(p.config)
		if err != nil {
			return nil, core.Wrap(core.CodeUnavailable, err, "the function could not be run")
		}
		p.current = &seat{process: started}
	}
	p.current.calls++
	if p.current.rest != nil {
		p.current.rest.Stop()
	}
	return p.current, nil
}

// leave gives a worker back. One that retired ends with its last call.
func (p *Pool) leave(worker *seat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	worker.calls--
	if worker.calls > 0 {
		return
	}
	if worker != p.current || !worker.usable() {
		if worker == p.current {
			p.current = nil
		}
		go worker.dismiss()
		return
	}
	worker.rest = time.AfterFunc(p.config.Idle, func() { p.dismissIdle(worker) })
}

func (p *Pool) dismissIdle(worker *seat) {
	p.mu.Lock()
	idle := worker == p.current && worker.calls == 0
	if idle {
		p.current = nil
	}
	p.mu.Unlock()
	if idle {
		worker.dismiss()
	}
}
