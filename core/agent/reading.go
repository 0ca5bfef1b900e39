package agent

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/ai"
)

// readsAtOnce bounds how many reading calls of one answer are carried out at a time.
const readsAtOnce = 4

// pendingRead is one call in progress.
type pendingRead struct {
	result  tools.Result
	failure error
	// problem is the value that the tool panicked with.
	problem any
	done    chan struct{}
}

// read carries out calls that only read, some at a time, and reports each once those before
// it are reported. All have ended when it returns.
func (e *executor) read(ctx context.Context, calls []ai.Call) error {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	room, readings, next := e.budget.result(), make([]*pendingRead, len(calls)), make(chan int, len(calls))
	for i := range calls {
		readings[i] = &pendingRead{done: make(chan struct{})}
		next <- i
	}
	close(next)
	for range readsAtOnce {
		group.Go(func() {
			for i := range next {
				readings[i].carryOut(func() (tools.Result, error) { return e.bench.Call(ctx, calls[i], room) })
			}
		})
	}
	for i, call := range calls {
		<-readings[i].done
		if readings[i].problem != nil {
			panic(readings[i].problem)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.report(call, readings[i].result, readings[i].failure); err != nil {
			return err
		}
	}
	return nil
}

// carryOut makes the call. A panic is kept for the goroutine of the run, which ends the run
// and not the process.
func (r *pendingRead) carryOut(call func() (tools.Result, error)) {
	defer close(r.done)
	defer func() { r.problem = recover() }()
	r.result, r.failure = call()
}
