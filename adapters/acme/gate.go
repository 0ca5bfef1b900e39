package acme

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	// judgedAge is how long a verdict is cached. It is short, because a name may be
	// claimed or released at any moment.
	judgedAge = 2 * time.Second
	// maxRemembered bounds the remembered names of each kind.
	maxRemembered = 4096
	// maxJudged bounds the new verdicts a second, for all callers together.
	maxJudged = 200
	// maxSparing bounds the new certificates an hour for sparingly admitted names.
	maxSparing    = 20
	sparingWindow = time.Hour
	// firstWait is the back-off after the authority refused a certificate for a name. It
	// doubles with every failure up to maxWait, because authorities count failures.
	firstWait = time.Minute
	maxWait   = time.Hour
)

var (
	errRefused = errors.New("this service does not serve the name")
	errBusy    = errors.New("too many names are being checked")
	errSparing = errors.New("too many new certificates of this kind were requested within an hour")
)

// gate admits names to certificates. It is safe for concurrent use.
type gate struct {
	decide func(ctx context.Context, name string) (Verdict, error)
	// has reports whether a certificate exists already.
	has func(ctx context.Context, name string) bool

	mu     sync.Mutex
	judged map[string]cachedVerdict
	// judging counts the names judged since second.
	judging int
	second  time.Time
	// failures holds names for which the authority refused a certificate.
	failures map[string]failure
	// sparing holds the sparingly admitted names, with their times.
	sparing map[string]time.Time
}

// cachedVerdict is a cached verdict and its expiry.
type cachedVerdict struct {
	verdict Verdict
	until   time.Time
}

// failure is the back-off until the next attempt.
type failure struct {
	wait  time.Duration
	until time.Time
}

func newGate(decide func(context.Context, string) (Verdict, error), has func(context.Context, string) bool) *gate {
	return &gate{decide: decide, has: has, judged: map[string]cachedVerdict{}, failures: map[string]failure{}, sparing: map[string]time.Time{}}
}

// admit returns nil for a name whose certificate may be read, or requested if there is
// none.
func (g *gate) admit(ctx context.Context, name string) error {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	verdict, err := g.judge(ctx, name)
	switch {
	case err != nil:
		return err
	case verdict == Refuse:
		return errRefused
	case g.has(ctx, name):
		return nil
	}
	return g.mayAsk(name, verdict)
}

// judge returns a cached verdict, or asks for one, unless there are too many questions.
func (g *gate) judge(ctx context.Context, name string) (Verdict, error) {
	if kept, known, err := g.recall(name); known || err != nil {
		return kept, err
	}
	verdict, err := g.decide(ctx, name)
	if err != nil {
		return Refuse, fmt.Errorf("could not check the name: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.judged) >= maxRemembered {
		clear(g.judged)
	}
	g.judged[name] = cachedVerdict{verdict, time.Now().Add(judgedAge)}
	return verdict, nil
}

func (g *gate) recall(name string) (verdict Verdict, known bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if kept, known := g.judged[name]; known && now.Before(kept.until) {
		return kept.verdict, true, nil
	}
	if now.Sub(g.second) >= time.Second {
		g.second, g.judging = now, 0
	}
	g.judging++
	if g.judging > maxJudged {
		return Refuse, false, errBusy
	}
	return Refuse, false, nil
}

// mayAsk reports whether a certificate may be requested now.
func (g *gate) mayAsk(name string, verdict Verdict) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if failed := g.failures[name]; now.Before(failed.until) {
		return fmt.Errorf("the last request for a certificate failed: the next one is possible in %s", failed.until.Sub(now).Round(time.Second))
	}
	if verdict != AdmitSparingly {
		return nil
	}
	for other, at := range g.sparing {
		if now.Sub(at) >= sparingWindow {
			delete(g.sparing, other)
		}
	}
	if _, known := g.sparing[name]; !known && len(g.sparing) >= maxSparing {
		return errSparing
	}
	g.sparing[name] = now
	return nil
}

// failed returns the back-off for the name.
func (g *gate) failed(name string) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.failures) >= maxRemembered {
		clear(g.failures)
	}
	next := failure{wait: firstWait}
	if before, known := g.failures[name]; known {
		next.wait = min(2*before.wait, maxWait)
	}
	next.until = time.Now().Add(next.wait)
	g.failures[name] = next
	return next.wait
}

func (g *gate) succeeded(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.failures, name)
}
