package functionworker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
)

// process is a running worker. Any goroutine may use it.
type process struct {
	*workerprocess.Process
	link *link
	// broken is closed when the connection is; retired is true if the worker takes no more calls.
	broken  chan struct{}
	retired atomic.Bool

	mu    sync.Mutex
	last  uint64
	calls map[uint64]*pendingCall
}

// pendingCall is a call in progress.
type pendingCall struct {
	ctx  context.Context
	host functions.Host
	done chan result
	// asked counts the worker's questions, asking those in progress. The worker cannot
	// influence the counts.
	asked, asking int
}

var _ workerprocess.Worker = (*process)(nil)

// start starts a worker.
func start(config Config) (*process, error) {
	started, err := workerprocess.Start(workerprocess.Config{Name: "function worker", Command: config.Command, Env: config.Env, Log: config.Log})
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the function could not be run")
	}
	p := &process{Process: started, link: newLink(started.Connections[0]), broken: make(chan struct{}), calls: map[uint64]*pendingCall{}}
	go p.listen()
	return p, nil
}

// listen handles the worker's messages until the connection is closed or the worker
// violates the protocol.
func (p *process) listen() {
	for {
		m, err := p.link.receive()
		if err != nil {
			break
		}
		if m.Retire {
			p.retired.Store(true)
			continue
		}
		p.mu.Lock()
		call := p.calls[m.Call]
		if m.Result != nil {
			delete(p.calls, m.Call)
		}
		p.mu.Unlock()
		switch {
		case call == nil: // it was given up
		case m.Result != nil:
			call.done <- *m.Result // it has room for one
		case m.Question != nil:
			p.question(call, m)
		}
	}
	p.Kill()
	close(p.broken)
}

// question lets the host answer. It ignores questions beyond the limits that a runner enforces.
func (p *process) question(call *pendingCall, m message) {
	p.mu.Lock()
	call.asked++
	call.asking++
	excess := call.asked > functions.MaxHostCalls || call.asking > functions.MaxHostCallsAtATime
	p.mu.Unlock()
	if excess {
		p.KillFor("questions to the host")
		return
	}
	go func() {
		given, err := ask(call.ctx, call.host, *m.Question)
		given.Fault = faultOf(err)
		p.mu.Lock()
		call.asking--
		p.mu.Unlock()
		_ = p.link.send(message{Call: m.Call, Number: m.Number, Answer: &given})
	}()
}

func ask(ctx context.Context, host functions.Host, asked question) (given answer, err error) {
	switch asked.Method {
	case "fetch":
		given.Response, err = host.Fetch(ctx, asked.Request)
	case "data":
		given.Response, err = host.Data(ctx, asked.Request, asked.Admin)
	case "mail":
		err = host.Mail(ctx, asked.To, asked.Subject, asked.Text)
	case "ai":
		given.Text, err = host.AI(ctx, asked.Text, asked.Options)
	default:
		err = core.Errorf(core.CodeInternal, "a host has no method %q", asked.Method)
	}
	if len(given.Response.Body) > functions.MaxAnswerBytes {
		return answer{}, core.Errorf(core.CodePayloadTooLarge, "the answer has more than %d MiB", functions.MaxAnswerBytes>>20)
	}
	return given, err
}

// run runs a call in the worker.
func (p *process) run(ctx context.Context, in functions.Call, host functions.Host) (functions.Result, error) {
	within, cancel := context.WithCancel(ctx)
	defer cancel() // the host's part in the call ends with it
	call := &pendingCall{ctx: within, host: host, done: make(chan result, 1)}
	p.mu.Lock()
	p.last++
	id := p.last
	p.calls[id] = call
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.calls, id)
		p.mu.Unlock()
	}()
	if err := p.link.send(message{Call: id, Run: &in}); err != nil {
		return functions.Result{}, p.lost(call)
	}
	overdue := time.NewTimer(functions.MaxTime + overtime)
	defer overdue.Stop()
	select {
	case found := <-call.done:
		return found.Result, found.Fault.error()
	case <-p.broken:
		return functions.Result{}, p.lost(call)
	case <-overdue.C:
		p.KillFor("time of a call")
		return functions.Result{}, &lostError{acted: true}
	case <-ctx.Done():
		_ = p.link.send(message{Call: id, Cancel: true})
		return functions.Result{}, ctx.Err()
	}
}

// lostError means that the worker died during a call. acted is false if the call had asked
// its host for nothing, and so had no effects.
type lostError struct{ acted bool }

// Error implements error.
func (e *lostError) Error() string { return "the function was interrupted" }

// Unwrap gives the error its code.
func (e *lostError) Unwrap() error {
	return core.Errorf(core.CodeUnavailable, "the function was interrupted")
}

func (p *process) lost(call *pendingCall) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &lostError{acted: call.asked > 0}
}

// overtime is how much longer than functions.MaxTime a call may take before its worker is killed.
const overtime = 5 * time.Second

// Dismiss implements workerprocess.Worker.
func (p *process) Dismiss() {
	p.End(0)
	<-p.broken
}

// Usable implements workerprocess.Worker.
func (p *process) Usable() bool {
	select {
	case <-p.broken:
		return false
	default:
		return !p.retired.Load()
	}
}
