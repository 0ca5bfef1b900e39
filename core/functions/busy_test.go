package functions_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/functions"
	port "github.com/atelierhq/atelier/ports/functions"
)

// busyRunner has no place for any call.
type busyRunner struct{ waited time.Duration }

func (b *busyRunner) Run(_ context.Context, call port.Call, _ port.Host) (port.Result, error) {
	b.waited = call.Wait
	busy := core.Errorf(core.CodeUnavailable, "too many functions run at the moment")
	busy.RetryAfter = 4500 * time.Millisecond
	return port.Result{}, busy
}

func TestAVisitorOfABusyFunctionIsToldWhenToComeBack(t *testing.T) {
	h, runner := newHouse(t, map[string]string{"hello": `exports.default = async () => new Response("x")`}), &busyRunner{}
	h.deps.Runner = runner
	h.Service = functions.New(h.deps)
	w := h.ask(core.DataTest, "GET", "/_fn/hello", "", nil)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "5" || !strings.Contains(w.Body.String(), "too many functions") {
		t.Errorf("got %d with %v: %s, want 503, when to come back and why", w.Code, w.Header(), w.Body)
	}
	if runner.waited != port.MaxWait {
		t.Errorf("got a call that waits %s for a place, want %s", runner.waited, port.MaxWait)
	}
}
