package models

import (
	"context"
	"errors"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// limits remembers the bounds of models that servers named in refusals, so that not
// every run has to find them out again.
type limits struct {
	mu    sync.Mutex
	known map[string]limit
}

// limit is a model's longest answer and its window, in tokens; 0 is unknown.
type limit struct{ answer, window int }

func (l *limits) of(name string) limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[name]
}

func (l *limits) learn(name string, change func(*limit)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil || len(l.known) >= maxLists {
		l.known = map[string]limit{}
	}
	known := l.known[name]
	change(&known)
	l.known[name] = known
}

// least is the smaller of two bounds; 0 is no bound.
func least(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

var _ ai.Provider = (*answerLimiter)(nil)

// answerLimiter is a decorator of a provider: it asks for no longer answers than the server
// accepts, and learns both bounds from its refusals.
type answerLimiter struct {
	ai.Provider
	limits *limits
	name   string
}

// Generate implements ai.Provider. It repeats a call that the server refuses for the
// length of the answer once, with the longest that the server names.
func (l *answerLimiter) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	req.MaxTokens = least(req.MaxTokens, l.limits.of(l.name).answer)
	emitted := false
	usage, err := l.Provider.Generate(ctx, req, func(chunk ai.Chunk) error {
		emitted = true
		return emit(chunk)
	})
	var failure *ai.Failure
	if !errors.As(err, &failure) {
		return usage, err
	}
	if failure.TooLong && failure.Window > 0 {
		l.limits.learn(l.name, func(known *limit) { known.window = least(known.window, failure.Window) })
	}
	if emitted || failure.MaxAnswer <= 0 || failure.MaxAnswer >= req.MaxTokens {
		return usage, err
	}
	l.limits.learn(l.name, func(known *limit) { known.answer = failure.MaxAnswer })
	req.MaxTokens = failure.MaxAnswer
	return l.Provider.Generate(ctx, req, emit)
}
