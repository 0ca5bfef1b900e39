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
	// learnt is set once the server has refused tools.
	learnt  atomic.Bool
	refused func()
}

// Native returns a decorator of provider for a model that may be able to call
// tools. If its server refuses a request because of the tools, Native calls refused
// and sends this request and all later ones as tagged text.
func Native(provider ai.Provider, nonce func() string, refused func()) ai.Provider {
	return &nativeProvider{Provider: provider, tagged: Tagged(provider, nonce), refused: refused}
}

// Generate implements ai.Provider.
func (n *nativeProvider) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	if n.learnt.Load() {
		return n.tagged.Generate(ctx, req, emit)
	}
	emitted := false
	usage, err := n.Provider.Generate(ctx, req, func(chunk ai.Chunk) error {
		emitted = true
		return emit(chunk)
	})
	var failure *ai.Failure
	if emitted || !errors.As(err, &failure) || !failure.NoTools || len(req.Tools) == 0 {
		return usage, err
	}
	n.learnt.Store(true)
	n.refused()
	return n.tagged.Generate(ctx, req, emit)
}
