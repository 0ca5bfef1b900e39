package quickjs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/ports/functions"
)

var _ functions.Runner = (*Runner)(nil)

// Limits are the limits of one call.
type Limits struct {
	Memory          uintptr
	Processor, Time time.Duration
}

// DefaultLimits returns those of the port.
func DefaultLimits() Limits {
	return Limits{Memory: functions.MaxMemoryBytes, Processor: functions.MaxProcessor, Time: functions.MaxTime}
}

// maxCompiled bounds the cached bytecode, in bytes.
const maxCompiled = 64 << 20

// Runner implements functions.Runner in this process.
type Runner struct {
	limits  Limits
	prelude []byte
	// before is the number of lines in the scripts of web: line numbers in stacks start after them.
	before   int
	compiled *lru.Cache[[sha256.Size]byte, []byte]

	stuckOnce sync.Once
	stuck     chan struct{}
}

// New returns a runner.
func New(limits Limits) (*Runner, error) {
	source, err := preludeSource()
	if err != nil {
		return nil, err
	}
	prelude, err := compile(source, limits.Memory)
	if err != nil {
		return nil, fmt.Errorf("compile the web's interface: %w", err)
	}
	return &Runner{
		limits: limits, prelude: prelude, before: strings.Count(source, "\n") + 1, stuck: make(chan struct{}),
		compiled: lru.New[[sha256.Size]byte](maxCompiled, func(code []byte) int64 { return int64(len(code)) }),
	}, nil
}

// Stuck is closed when a function has made this process lose a thread or memory. The
// process should end when its other calls have.
func (r *Runner) Stuck() <-chan struct{} { return r.stuck }

func (r *Runner) spoiled() { r.stuckOnce.Do(func() { close(r.stuck) }) }

// grace is how long a call may take to react to an interrupt.
const grace = time.Second

// Run implements functions.Runner.
func (r *Runner) Run(ctx context.Context, call functions.Call, host functions.Host) (functions.Result, error) {
	if err := ctx.Err(); err != nil {
		return functions.Result{}, err
	}
	if failure := tooLarge(call); failure != nil {
		return functions.Result{Failure: failure}, nil
	}
	within, cancel := context.WithTimeout(ctx, r.limits.Time)
	defer cancel()
	one := newIsolate(within, r.limits, call, host)
	one.before, one.console.before = r.before, r.before
	done := make(chan error, 1)
	go func() {
		// The thread's clock measures only this call.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		done <- r.play(one)
	}()
	select {
	case err := <-done:
		return r.finish(ctx, one, err)
	case <-one.meter.lost:
		r.spoiled()
		if ctx.Err() != nil {
			return functions.Result{}, ctx.Err()
		}
		return one.abandoned(within), nil
	}
}

func tooLarge(call functions.Call) *functions.Failure {
	switch {
	case len(call.Code) > functions.MaxCodeBytes:
		return &functions.Failure{Kind: functions.TooLarge, Message: fmt.Sprintf("the function's code has more than %d MiB", functions.MaxCodeBytes>>20)}
	case len(call.Request.Body) > functions.MaxBodyBytes:
		return &functions.Failure{Kind: functions.TooLarge, Message: fmt.Sprintf("the request's body has more than %d MiB", functions.MaxBodyBytes>>20)}
	}
	return nil
}

// finish returns the result of a call that has ended on its thread.
func (r *Runner) finish(ctx context.Context, one *isolate, err error) (functions.Result, error) {
	var broken *errEngine
	switch {
	case ctx.Err() != nil:
		return functions.Result{}, ctx.Err()
	case errors.As(err, &broken):
		r.spoiled()
		return functions.Result{}, core.Wrap(core.CodeUnavailable, err, "the function could not be run")
	case err != nil:
		one.refuse(err)
	}
	return one.result(), nil
}

// play runs a call on this thread.
func (r *Runner) play(one *isolate) (err error) {
	stop, err := one.meter.start(one.interrupt)
	if err != nil {
		return &errEngine{err}
	}
	defer stop()
	defer contain(&err)
	script, err := r.scriptOf(one)
	if err != nil {
		return err
	}
	defer one.close()
	if err := one.open(r.prelude, script); err != nil {
		return err
	}
	return one.loop()
}

// scriptOf returns the bytecode of a call's code.
func (r *Runner) scriptOf(one *isolate) ([]byte, error) {
	key := sha256.Sum256(one.call.Code)
	if script, found := r.compiled.Get(key); found {
		return script, nil
	}
	script, err := compile(wrap(one.call.Code, r.before), r.limits.Memory)
	if err != nil {
		return nil, err
	}
	r.compiled.Put(key, script)
	return script, nil
}
