// Package turns shares the processors and the memory of an engine among workspaces, so that one
// whose queries never end takes nothing from the others but what is left over.
package turns

import (
	"context"
	"runtime"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
)

// Patience is how long a request or a statement waits for its turn.
const Patience = 10 * time.Second

// Places of requests, each of which keeps what it has read.
const (
	requestsAtATime = 48
	requestsKept    = 16
	requestsEach    = 16
)

// Turns are those of an engine.
type Turns struct{ statements, requests *fair.Semaphore }

// New returns turns that nobody has. One workspace leaves a processor to the others, if there are
// several, and whoever has none running need not wait for those who have.
func New() *Turns {
	processors := int64(runtime.GOMAXPROCS(0))
	return &Turns{
		statements: fair.New(fair.Bounds{Capacity: max(1, processors-1), Reserve: processors}),
		requests:   fair.New(fair.Bounds{Capacity: requestsAtATime, Reserve: requestsKept, PerTenant: requestsEach}),
	}
}

// Statement waits until a workspace may run one more statement. The error is ctx's.
func (t *Turns) Statement(ctx context.Context, workspace core.ID) (leave func(), err error) {
	return t.statements.Enter(fair.WithTenant(ctx, workspace))
}

// Request waits until a workspace may have one more request. It has core.CodeUnavailable if that
// takes longer than Patience, or ctx ends.
func (t *Turns) Request(ctx context.Context, workspace core.ID) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	leave, err = t.requests.Enter(fair.WithTenant(ctx, workspace))
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the workspace asks for more data at a time than it may: try again in a few seconds")
	}
	return leave, nil
}

// Running is how many statements of a workspace run.
func (t *Turns) Running(workspace core.ID) int64 { return t.statements.Held(workspace) }
