package functionworker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/functions"
)

// Config configures a Pool.
type Config struct {
	// Command starts a worker: the path of a program that calls Run, and its arguments.
	Command []string
	// Env are additional environment variables.
	Env []string
	// Idle is how long an idle worker stays; 0 is five minutes.
	Idle time.Duration
	Log  *slog.Logger
}

// Pool implements functions.Runner in a worker process, which it starts on demand. While a
// retired worker finishes its calls, there is a second one.
type Pool struct {
	workers *workerprocess.Supervisor[*process]
	alone   *quarantine
	places  *fair.Semaphore
}

var _ functions.Runner = (*Pool)(nil)

// NewPool returns a pool without a worker.
func NewPool(config Config) *Pool {
	if config.Idle == 0 {
		config.Idle = 5 * time.Minute
	}
	// A quarter of the places are reserved for projects that run nothing yet, so that
	// functions that wait for others do not block everybody.
	bounds := fair.Bounds{Capacity: callsAtATime - callsAtATime/4, Reserve: callsAtATime / 4, PerTenant: callsAtATime / 2}
	open := func() (*process, error) { return start(config) }
	return &Pool{workers: workerprocess.NewSupervisor(config.Idle, open), alone: newQuarantine(open), places: fair.New(bounds)}
}

// Close ends the workers. Running and later calls fail with core.CodeUnavailable.
func (p *Pool) Close() {
	p.alone.close()
	p.workers.Close()
}

// Run implements functions.Runner.
func (p *Pool) Run(ctx context.Context, call functions.Call, host functions.Host) (functions.Result, error) {
	if len(call.Code) > functions.MaxCodeBytes || len(call.Request.Body) > functions.MaxBodyBytes {
		return functions.Result{Failure: &functions.Failure{Kind: functions.TooLarge, Message: "the request's body has more than 1 MiB, or the function's code more than 8 MiB"}}, nil
	}
	if err := p.enter(ctx, call); err != nil {
		return functions.Result{}, err
	}
	defer p.places.Release(call.Tenant, 1)
	if p.alone.isSuspect(call.Code) {
		return p.alone.run(ctx, call, host)
	}
	found, err := p.runBesideOthers(ctx, call, host)
	var lost *lostError
	if !errors.As(err, &lost) {
		return found, err
	}
	p.alone.suspect(call.Code)
	if lost.acted {
		return functions.Result{}, err
	}
	return p.alone.run(ctx, call, host)
}

// enter waits for a place of the call's tenant.
func (p *Pool) enter(ctx context.Context, call functions.Call) error {
	bounded := ctx
	if call.Wait > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, call.Wait)
		defer cancel()
	}
	err := p.places.Acquire(bounded, call.Tenant, 1)
	if err == nil || ctx.Err() != nil {
		return err
	}
	busy := core.Wrap(core.CodeUnavailable, err, "too many functions run at the moment, and none has ended in %s: try again in some seconds", call.Wait)
	busy.RetryAfter = call.Wait
	return busy
}

// runBesideOthers runs a call in the shared worker.
func (p *Pool) runBesideOthers(ctx context.Context, call functions.Call, host functions.Host) (functions.Result, error) {
	worker, release, err := p.workers.Use()
	if err != nil {
		return functions.Result{}, err
	}
	defer release()
	return worker.run(ctx, call, host)
}
