package quickjs

import (
	"crypto/sha256"
	"testing"

	"github.com/atelierhq/atelier/ports/functions"
)

// TestACallThatCannotBeginKeepsNothing has calls whose bytecode the engine does not load.
func TestACallThatCannotBeginKeepsNothing(t *testing.T) {
	code := []byte("exports.default = () => new Response()")
	for name, spoil := range map[string]func(*Runner){
		"its own script":   func(r *Runner) { r.compiled.Put(sha256.Sum256(code), []byte("no bytecode")) },
		"the first script": func(r *Runner) { r.prelude = []byte("no bytecode") },
	} {
		t.Run(name, func(t *testing.T) {
			runner, err := New(DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			spoil(runner)
			call := newIsolate(t.Context(), runner.limits, functions.Call{Code: code}, nil)
			if err := runner.play(call); err == nil {
				t.Fatal("got nil, want an error for broken bytecode")
			}
			if call.vm != nil {
				t.Error("got an open machine, which nobody closes any more")
			}
		})
	}
}
