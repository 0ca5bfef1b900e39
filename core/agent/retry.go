package agent

import (
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/ai"
)

// retryPolicy retries model calls, with exponential back-off, that failed before
// their first chunk: an emitted chunk cannot be taken back.
type retryPolicy struct {
	attempts int
	// within bounds the time from the first attempt to the last.
	within time.Duration
	first  time.Duration
}

// defaultRetry is at most three retries within a minute.
func defaultRetry() retryPolicy {
	return retryPolicy{attempts: 4, within: time.Minute, first: time.Second}
}

// generate calls provider until an attempt succeeds, emits something or fails for
// good, or the policy is used up. It passes each failure to again before it waits,
// and ends with an error of again. The usage is the sum of all attempts.
func (p retryPolicy) generate(ctx context.Context, provider ai.Provider, req ai.Request, emit func(ai.Chunk) error, again func(core.Retry) error) (core.Usage, error) {
	return p.repeat(ctx, func() (usage core.Usage, final bool, err error) {
		usage, err = provider.Generate(ctx, req, func(chunk ai.Chunk) error {
			final = true
			return emit(chunk)
		})
		return usage, final, err
	}, again)
}

// repeat makes attempts like those of generate; final says that no other may follow.
func (p retryPolicy) repeat(ctx context.Context, attempt func() (usage core.Usage, final bool, err error), again func(core.Retry) error) (core.Usage, error) {
	deadline := time.Now().Add(p.within)
	var total core.Usage
	for made := 1; ; made++ {
		usage, final, err := attempt()
		total = total.Plus(usage)
		wait, worth := p.wait(err, made)
		if final || !worth || made >= p.attempts || time.Now().Add(wait).After(deadline) {
			return total, err
		}
		if err := again(core.Retry{Cause: causeOf(err), At: core.At(time.Now().Add(wait))}); err != nil {
			return total, err
		}
		if err := ctxsync.Sleep(ctx, wait); err != nil {
			return total, err
		}
	}
}

// wait says whether err is worth another attempt, and after how long: the delay
// that the vendor asked for, else a back-off of one second, two, four.
func (p retryPolicy) wait(err error, attempt int) (time.Duration, bool) {
	var failure *ai.Failure
	if !errors.As(err, &failure) || !failure.Temporary || failure.Empty {
		return 0, false
	}
	if failure.Err.RetryAfter > 0 {
		return failure.Err.RetryAfter, true
	}
	return p.first << (attempt - 1), true
}

// causeOf is the reason for a failed call that people are shown.
func causeOf(err error) core.ModelFailure {
	var failure *ai.Failure
	if !errors.As(err, &failure) {
		return ""
	}
	return failure.Cause
}
