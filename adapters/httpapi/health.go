package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

// checkTime is how long all checks of GET /readyz together may take.
const checkTime = 2 * time.Second

type health struct {
	Status string `json:"status"`
}

// alive answers as long as the process does.
func alive() Handler {
	return func(w http.ResponseWriter, _ *Request) error {
		return writeJSON(w, http.StatusOK, health{"ok"})
	}
}

// ready runs all checks at a time. The answer names those that failed; why they
// did stands in the log.
func ready(checks []Check, log *slog.Logger) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), checkTime)
		defer cancel()
		results := make([]chan error, len(checks))
		for i, check := range checks {
			results[i] = make(chan error, 1)
			go func() { results[i] <- guarded(func() error { return check.Do(ctx) }) }()
		}
		var down []string
		for i, check := range checks {
			if err := outcome(ctx, results[i]); err != nil {
				log.WarnContext(ctx, "not ready", "check", check.Name, "err", err)
				down = append(down, check.Name)
			}
		}
		if len(down) > 0 {
			return core.Errorf(core.CodeUnavailable, "not ready: %s", strings.Join(down, ", "))
		}
		return writeJSON(w, http.StatusOK, health{"ok"})
	}
}

// outcome waits for a check, but no longer than for ctx: a check that is stuck
// must not make the answer stuck.
func outcome(ctx context.Context, result <-chan error) error {
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
