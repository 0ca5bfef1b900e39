package functionworker

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
)

// Command is the argument with which a program calls Run.
const Command = "function-worker"

// Runner runs the functions of a worker.
type Runner interface {
	functions.Runner
	// Stuck is closed when the process should end as soon as its calls have ended.
	Stuck() <-chan struct{}
}

// Run is the main function of a worker. It confines the process, opens the runner, and runs
// calls until the service closes the connection.
func Run(open func() (Runner, error)) error {
	conn, err := workerprocess.Connection(0)
	if err != nil {
		return err
	}
	if err := limits.Apply(); err != nil {
		return err
	}
	runner, err := open()
	if err != nil {
		return err
	}
	return Serve(conn, runner)
}

// Serve runs the service's calls until the connection is closed.
func Serve(conn net.Conn, runner Runner) error {
	w := &worker{link: newLink(conn), runner: runner, calls: map[uint64]*hostedCall{}}
	go func() {
		<-runner.Stuck()
		_ = w.link.send(message{Retire: true})
	}()
	for {
		m, err := w.link.receive()
		if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		w.take(m)
	}
}

// worker is the state of a worker process.
type worker struct {
	link   *link
	runner Runner

	mu    sync.Mutex
	calls map[uint64]*hostedCall
}

// hostedCall is a running call, and the functions.Host of its function.
type hostedCall struct {
	worker *worker
	id     uint64
	cancel context.CancelFunc

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan answer
}

var _ functions.Host = (*hostedCall)(nil)

func (w *worker) take(m message) {
	w.mu.Lock()
	call := w.calls[m.Call]
	w.mu.Unlock()
	switch {
	case m.Run != nil && call == nil:
		w.begin(m.Call, *m.Run)
	case call == nil: // it has ended
	case m.Cancel:
		call.cancel()
	case m.Answer != nil:
		call.take(m.Number, *m.Answer)
	}
}

func (w *worker) begin(id uint64, in functions.Call) {
	ctx, cancel := context.WithCancel(context.Background())
	call := &hostedCall{worker: w, id: id, cancel: cancel, waiting: map[uint64]chan answer{}}
	w.mu.Lock()
	w.calls[id] = call
	w.mu.Unlock()
	go func() {
		defer cancel()
		found, err := w.runner.Run(ctx, in, call)
		w.mu.Lock()
		delete(w.calls, id)
		w.mu.Unlock()
		_ = w.link.send(message{Call: id, Result: &result{found, faultOf(err)}})
	}()
}

// take delivers an answer.
func (s *hostedCall) take(number uint64, given answer) {
	s.mu.Lock()
	waiting := s.waiting[number]
	delete(s.waiting, number)
	s.mu.Unlock()
	if waiting != nil {
		waiting <- given // it has room for one
	}
}

// ask sends a question and waits for its answer.
func (s *hostedCall) ask(ctx context.Context, asked question) (answer, error) {
	came := make(chan answer, 1)
	s.mu.Lock()
	s.last++
	number := s.last
	s.waiting[number] = came
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waiting, number)
		s.mu.Unlock()
	}()
	if err := s.worker.link.send(message{Call: s.id, Number: number, Question: &asked}); err != nil {
		return answer{}, core.Wrap(core.CodeUnavailable, err, "the service cannot be reached")
	}
	select {
	case given := <-came:
		return given, given.Fault.error()
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

// Fetch implements functions.Host.
func (s *hostedCall) Fetch(ctx context.Context, request functions.Request) (functions.Response, error) {
	given, err := s.ask(ctx, question{Method: "fetch", Request: request})
	return given.Response, err
}

// Data implements functions.Host.
func (s *hostedCall) Data(ctx context.Context, request functions.Request, admin bool) (functions.Response, error) {
	given, err := s.ask(ctx, question{Method: "data", Request: request, Admin: admin})
	return given.Response, err
}

// Mail implements functions.Host.
func (s *hostedCall) Mail(ctx context.Context, to, subject, text string) error {
	_, err := s.ask(ctx, question{Method: "mail", To: to, Subject: subject, Text: text})
	return err
}

// AI implements functions.Host.
func (s *hostedCall) AI(ctx context.Context, prompt string, options functions.AIOptions) (string, error) {
	given, err := s.ask(ctx, question{Method: "ai", Text: prompt, Options: options})
	return given.Text, err
}
