package buildworker

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/markup"
)

// Config configures a Pool.
type Config struct {
	// Command starts a worker: the path of a program that calls Run, and its arguments.
	Command []string
	// Readable are directories that workers may read; in Writable they may also write. If
	// the kernel has Landlock, they see nothing else.
	Readable, Writable []string
	// Workers bounds how many calls run at the same time; 0 is the number of processors.
	// One more may run for a tenant (core/fair) that has no running call.
	Workers int
	// BuildCPU is how much processor time a build may use, CheckCPU a check or a patch. 0
	// is 20 and 5 seconds, some ten times the need of the largest honest ones. They are
	// counted in whole seconds.
	BuildCPU, CheckCPU time.Duration
	// Patience is how long a call occupies its place; 0 is 2 seconds. After that it goes on
	// in the background, and another call may begin. Half as many calls as there are
	// Workers, at least one, may be in the background.
	Patience time.Duration
	// Rest is how long an idle worker stays, LastRest how long the last one does; 0 is 2
	// and 30 minutes.
	Rest, LastRest time.Duration
	// Log is told of workers that end unexpectedly.
	Log *slog.Logger
}

// slowest is how many times its processor time a call may last before its worker is killed.
// The machine may be busy, and the call may wait for the disk.
const slowest = 5

// Pool is a worker pool. It implements build.Builder, build.SyntaxChecker and
// markup.Patcher in worker processes, which it starts on demand. It is safe for concurrent
// use. At most Config.Workers calls run at the same time; others wait, in the order of
// fair.Semaphore. Slow calls count separately, so that a few slow projects do not block all
// others.
//
// If a worker dies during a call, the sources are most likely the cause. The result is then
// a diagnostic without a place, and for a patch core.CodeUnsupportedFile. If no worker can
// be started, the code is core.CodeUnavailable.
type Pool struct {
	config Config
	shared *contents
	// semaphore bounds the calls that run at the same time.
	semaphore *fair.Semaphore
	// slowSemaphore is that of slow calls.
	slowSemaphore *fair.Semaphore
	// warn runs before the first worker is started.
	warn func()
	// leaving are the workers that are being ended.
	leaving sync.WaitGroup

	mu sync.Mutex
	// idle are the workers without work, the most recently used last.
	idle []*process
	// busy are the others.
	busy   map[*process]bool
	closed bool
}

var (
	_ build.Builder       = (*Pool)(nil)
	_ build.SyntaxChecker = (*Pool)(nil)
	_ markup.Patcher      = (*Pool)(nil)
)

// New returns a pool without any worker.
func New(config Config) *Pool {
	orDefault(&config.Workers, runtime.NumCPU())
	orDefault(&config.BuildCPU, 20*time.Second)
	orDefault(&config.CheckCPU, 5*time.Second)
	orDefault(&config.Patience, 2*time.Second)
	orDefault(&config.Rest, 2*time.Minute)
	orDefault(&config.LastRest, 30*time.Minute)
	p := &Pool{
		config: config, shared: newContents(), busy: make(map[*process]bool),
		semaphore: newSemaphore(config.Workers), slowSemaphore: newSemaphore(max(1, config.Workers/2)),
	}
	p.warn = sync.OnceFunc(p.warnOfGaps)
	return p
}

// newSemaphore returns a semaphore of n places, and one more for a tenant that holds none.
func newSemaphore(n int) *fair.Semaphore {
	return fair.New(fair.Bounds{Capacity: int64(n), Reserve: 1})
}

func orDefault[T comparable](value *T, preset T) {
	var zero T
	if *value == zero {
		*value = preset
	}
}

// Close ends all workers and waits until they are gone. Running and later calls fail with
// core.CodeUnavailable.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	all := p.idle
	for worker := range p.busy {
		all = append(all, worker)
	}
	p.idle = nil
	p.mu.Unlock()
	for _, worker := range all {
		p.leaving.Go(func() { worker.End(0) })
	}
	p.leaving.Wait()
}

const tooMuch = "nested too deeply or too large"

// Build implements build.Builder.
func (p *Pool) Build(ctx context.Context, req build.Request) (build.Result, error) {
	files := req.Files
	req.Files = nil
	out, err := p.do(ctx, p.task(call{Kind: callBuild, Request: req, CPU: p.config.BuildCPU}, nil, files))
	if errors.Is(err, errDied) {
		message := "the build failed: a source, or a package that it imports, is " + tooMuch
		return build.Result{Diagnostics: []core.Diagnostic{{Message: message}}}, nil
	}
	return out.Result, err
}

// ViteConfig implements build.Builder.
func (p *Pool) ViteConfig(ctx context.Context, files fs.FS, env map[string]string) (build.ViteConfig, error) {
	out, err := p.do(ctx, p.task(call{Kind: callVite, Request: build.Request{Env: env}, CPU: p.config.BuildCPU}, nil, files))
	if errors.Is(err, errDied) {
		return build.ViteConfig{Unsupported: "the configuration of Vite is " + tooMuch}, nil
	}
	return out.Vite, err
}

// Syntax implements build.SyntaxChecker.
func (p *Pool) Syntax(ctx context.Context, name string, content []byte) ([]core.Diagnostic, error) {
	out, err := p.do(ctx, p.task(call{Kind: callCheck, Name: name, CPU: p.config.CheckCPU}, content, nil))
	if errors.Is(err, errDied) {
		return []core.Diagnostic{{Path: name, Message: "the file cannot be read: it is " + tooMuch}}, nil
	}
	return out.Found, err
}

// Patch implements markup.Patcher.
func (p *Pool) Patch(ctx context.Context, name string, content []byte, patches []markup.Patch) ([]markup.Edit, error) {
	dialects := make([]markup.Dialect, len(patches))
	for i, patch := range patches {
		dialects[i] = patch.Dialect
	}
	out, err := p.do(ctx, p.task(call{Kind: callPatch, Name: name, Patches: patches, Dialects: dialects, CPU: p.config.CheckCPU}, content, nil))
	if errors.Is(err, errDied) {
		return nil, core.Wrap(core.CodeUnsupportedFile, err, "%s is %s", name, tooMuch)
	}
	return out.Edits, err
}

func (p *Pool) task(c call, content []byte, files fs.FS) task {
	return task{call: c, content: content, files: files, longest: slowest * c.CPU}
}

var errClosed = errors.New("the builder is closed")

// do runs a task in a worker. It retries once if the task cannot have ended the worker.
func (p *Pool) do(ctx context.Context, t task) (outcome, error) {
	if err := ctx.Err(); err != nil {
		return outcome{}, err
	}
	leave, err := p.enter(ctx)
	if err != nil {
		return outcome{}, err
	}
	defer leave()
	out, innocent, err := p.try(ctx, t, p.idlest(t.call.Request.PackagesKey))
	if innocent && ctx.Err() == nil {
		out, _, err = p.try(ctx, t, nil)
	}
	switch {
	case ctx.Err() != nil:
		return outcome{}, ctx.Err()
	case err != nil && p.isClosed():
		err = errClosed
	case errors.Is(err, errDied):
		return outcome{}, err
	case err == nil && out.Failure != nil && out.Failure.Ended:
		err = errors.New("the build worker aborted the call")
	}
	if err != nil {
		return outcome{}, core.Wrap(core.CodeUnavailable, err, "the builder failed")
	}
	return out, out.Failure.err()
}

// enter waits for a place in the semaphore. The returned function releases it.
func (p *Pool) enter(ctx context.Context) (leave func(), err error) {
	tenant := fair.Tenant(ctx)
	if err := p.semaphore.Acquire(ctx, tenant, 1); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	held, left := p.semaphore, false
	patience := time.AfterFunc(p.config.Patience, func() {
		mu.Lock()
		defer mu.Unlock()
		if !left && p.slowSemaphore.TryAcquire(tenant, 1) {
			p.semaphore.Release(tenant, 1)
			held = p.slowSemaphore
		}
	})
	return func() {
		patience.Stop()
		mu.Lock()
		defer mu.Unlock()
		left = true
		held.Release(tenant, 1)
	}, nil
}

// try runs a task in a worker, a new one if worker is nil. A task did not cause the end of
// a worker that had not begun with it, or that may still have been busy with an earlier
// one.
func (p *Pool) try(ctx context.Context, t task, worker *process) (out outcome, innocent bool, err error) {
	if worker == nil {
		if worker, err = p.start(); err != nil {
			return outcome{}, false, err
		}
	}
	wasLoose := worker.loose
	if key := t.call.Request.PackagesKey; key != "" {
		worker.packages = key
	}
	e := &exchange{process: worker, serving: newServing(t.files, p.shared), shared: p.shared}
	out, err = e.carry(ctx, t)
	p.give(worker, err == nil && !out.Heavy)
	return out, errors.Is(err, errIdle) || errors.Is(err, errDied) && wasLoose, err
}

// idlest takes an idle worker for exclusive use: one that has built with the packages, or
// else the most recently used. It returns nil if there is none.
func (p *Pool) idlest(packages string) *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = slices.DeleteFunc(p.idle, func(worker *process) bool { return !worker.Alive() })
	if len(p.idle) == 0 {
		return nil
	}
	at := len(p.idle) - 1
	for i, worker := range p.idle {
		if packages != "" && worker.packages == packages {
			at = i
		}
	}
	worker := p.idle[at]
	p.idle = slices.Delete(p.idle, at, at+1)
	worker.rest.Stop()
	p.busy[worker] = true
	return worker
}

// start starts a worker, which counts as busy.
func (p *Pool) start() (*process, error) {
	if p.isClosed() {
		return nil, errClosed
	}
	p.warn()
	worker, err := start(p.config)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.busy[worker] = true
	}
	p.mu.Unlock()
	if closed {
		worker.End(0)
		return nil, errClosed
	}
	return worker, nil
}

// give returns a worker to the pool, for the next call if it is fit for one.
func (p *Pool) give(worker *process, fit bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.busy, worker)
	if p.closed {
		return // Close ends it
	}
	if !fit || !worker.Alive() {
		p.leaving.Go(worker.discard)
		return
	}
	worker.rest = time.AfterFunc(p.config.Rest, func() { p.retire(worker, p.config.Rest) })
	p.idle = append(p.idle, worker)
}

// retire ends a worker that has been idle for its time. The last worker stays longer.
func (p *Pool) retire(worker *process, rested time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.Index(p.idle, worker)
	if at < 0 {
		return
	}
	if last := len(p.idle)+len(p.busy) == 1; last && rested < p.config.LastRest {
		worker.rest = time.AfterFunc(p.config.LastRest-rested, func() { p.retire(worker, p.config.LastRest) })
		return
	}
	p.idle = slices.Delete(p.idle, at, at+1)
	p.leaving.Go(func() { worker.End(0) })
}

func (p *Pool) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}
