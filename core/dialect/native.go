package dialect

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

var _ ai.Provider = (*nativeProvider)(nil)

// nativeProvider is the decorator that Native returns.
type nativeProvider struct {
	ai.Provider
	tagged ai.Provider
	// learnt is set once the server has refused tools, worked once the model has called one.
	learnt, worked atomic.Bool
	memory         Memory
}

// Memory remembers how a model does with native tools, beyond one run.
type Memory interface {
	// Worked is told that the model called a tool.
	Worked()
	// Refused is told that the server refused tools, and reports whether to believe it: not from a
	// server that has taken them before.
	Refused() bool
}

// Native returns a decorator of provider for a model that may be able to call
// tools. If its server refuses a request because of the tools, Native sends this request and all
// later ones as tagged text, unless memory knows better: then the refusal is temporary.
func Native(provider ai.Provider, nonce func() string, memory Memory) ai.Provider {
	return &nativeProvider{Provider: provider, tagged: Tagged(provider, nonce), memory: memory}
}

// Generate implements ai.Provider.
func (n *nativeProvider) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	if n.learnt.Load() {
		return n.tagged.Generate(ctx, req, emit)
	}
	emitted := false
	usage, err := n.Provider.Generate(ctx, req, func(chunk ai.Chunk) error {
		emitted = true
		if chunk.Call != nil && n.worked.CompareAndSwap(false, true) {
			n.memory.Worked()
		}
		return emit(chunk)
	})
	var failure *ai.Failure
	if emitted || !errors.As(err, &failure) || !failure.NoTools || len(req.Tools) == 0 {
		return usage, err
	}
	if n.worked.Load() || !n.memory.Refused() {
		again := *failure
		again.NoTools, again.Temporary = false, true
		return usage, &again
	}
	n.learnt.Store(true)
	return n.tagged.Generate(ctx, req, emit)
}
