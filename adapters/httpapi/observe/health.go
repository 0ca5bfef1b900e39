package observe

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// CheckTime bounds all checks of GET /readyz together.
const CheckTime = 2 * time.Second

// Check is a check of something that the service needs. Do must end with its context.
type Check struct {
	Name string
	Do   func(ctx context.Context) error
	// Every is how long a good result is cached; zero runs the check each time. A bad
	// result is never cached.
	Every time.Duration
}

// Health answers GET /healthz and GET /readyz.
type Health struct {
	Status string `json:"status"`
}

// Alive answers as long as the process does.
func Alive() rest.Handler {
	return func(w http.ResponseWriter, _ *rest.Request) error {
		return rest.WriteJSON(w, http.StatusOK, Health{"ok"})
	}
}

// Ready runs all checks concurrently. The answer names those that failed; the log says
// why.
func Ready(checks []Check, log *slog.Logger) rest.Handler {
	watched := make([]*watchedCheck, len(checks))
	for i, check := range checks {
		watched[i] = &watchedCheck{Check: check}
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), CheckTime)
		defer cancel()
		results := make([]*result, len(watched))
		for i, check := range watched {
			results[i] = check.begin()
		}
		var down []string
		for i, check := range watched {
			if err := results[i].wait(ctx); err != nil {
				log.WarnContext(ctx, "not ready", "check", check.Name, "error", err)
				down = append(down, check.Name)
			}
		}
		if len(down) > 0 {
			return core.Errorf(core.CodeUnavailable, "not ready: %s", strings.Join(down, ", "))
		}
		return rest.WriteJSON(w, http.StatusOK, Health{"ok"})
	}
}

// watchedCheck runs a check once at a time, however many callers there are (single
// flight). A check that is stuck, as on a disk that does not answer, blocks a thread of
// the system.
type watchedCheck struct {
	Check
	mu      sync.Mutex
	running *result
	// good is when the last successful check began.
	good time.Time
}

// result is the result of a check. It is valid once done is closed.
type result struct {
	done chan struct{}
	err  error
}

// begin starts the check, or joins the running one. It returns a cached good result if
// there is one.
func (c *watchedCheck) begin() *result {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		running := &result{done: make(chan struct{})}
		if !c.good.IsZero() && time.Since(c.good) < c.Every {
			close(running.done)
			return running
		}
		c.running = running
		go c.make(running)
	}
	return c.running
}

func (c *watchedCheck) make(found *result) {
	ctx, cancel := context.WithTimeout(context.Background(), CheckTime)
	defer cancel()
	begun := time.Now()
	found.err = guarded(func() error { return c.Do(ctx) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running, c.good = nil, time.Time{}
	if found.err == nil {
		c.good = begun
	}
	close(found.done)
}

// wait waits for a check, but not longer than ctx: a check that is stuck must not block
// the answer.
func (r *result) wait(ctx context.Context) error {
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
