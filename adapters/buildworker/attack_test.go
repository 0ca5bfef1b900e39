package buildworker_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/markup"
)

// tooMuch is the message when a worker did not survive the sources.
const tooMuch = "nested too deeply or too large"

// poisons are scripts that a parser does not survive, or takes minutes for.
func poisons() map[string]string {
	return map[string]string{
		"200,000 parentheses": "export default " + strings.Repeat("(", 200_000) + "1" + strings.Repeat(")", 200_000),
		"200,000 operators":   "export default " + strings.Repeat("!", 200_000) + "1",
		"200,000 commas":      "export default () => { " + strings.Repeat("a,", 200_000) + "a }",
		"20,000 ternaries":    "export default a => " + strings.Repeat("a ? (", 20_000) + "1" + strings.Repeat(") : 0", 20_000),
		"20,000 else ifs":     "export default a => { if (a) {}" + strings.Repeat(" else if (a) {}", 20_000) + " }",
	}
}

// gentle is a pool that gives up soon.
func gentle(t testing.TB) *buildworker.Pool {
	return open(t, func(c *buildworker.Config) { c.BuildCPU, c.CheckCPU = time.Second, time.Second })
}

// wantSound fails the test if a pool does not build the next request.
func wantSound(t *testing.T, pool *buildworker.Pool) {
	t.Helper()
	made, err := pool.Build(t.Context(), build.Request{Mode: build.ModePreview, Files: project("console.log('sound')", nil)})
	if err != nil || len(made.Diagnostics) > 0 || len(made.Files) == 0 {
		t.Errorf("got %d files, %+v, %v, want a sound project built", len(made.Files), made.Diagnostics, err)
	}
}

func TestPoisonInAPackageHarmsNobody(t *testing.T) {
	pool := gentle(t)
	for name, poison := range poisons() {
		made, err := pool.Build(t.Context(), build.Request{
			Mode: build.ModePreview, Files: project("import poison from 'poison'; console.log(poison)", nil),
			PackagesKey: name, Packages: packages(t, map[string]string{"poison": poison}),
		})
		wantHarmless(t, name, made, err)
	}
	wantSound(t, pool)
}

func TestPoisonInASourceHarmsNobody(t *testing.T) {
	pool := gentle(t)
	for name, poison := range poisons() {
		made, err := pool.Build(t.Context(), build.Request{Mode: build.ModeSite, Files: project(poison, nil)})
		wantHarmless(t, name, made, err)
		if _, err := pool.Syntax(t.Context(), "a.jsx", []byte(poison)); err != nil {
			t.Errorf("%s: got %v from the check, want no error", name, err)
		}
		_, err = pool.Patch(t.Context(), "a.jsx", []byte(poison), []markup.Patch{{Selector: "p", Property: "id", Value: "a"}})
		if err != nil && core.CodeOf(err) == core.CodeUnavailable {
			t.Errorf("%s: got %v from the patch, want it refused", name, err)
		}
	}
	wantSound(t, pool)
}

// wantHarmless fails the test unless there are files, or diagnostics in plain words.
func wantHarmless(t *testing.T, name string, made build.Result, err error) {
	t.Helper()
	if err != nil || len(made.Files) > 0 == (len(made.Diagnostics) > 0) {
		t.Errorf("%s: got %d files, %+v, %v, want files or diagnostics", name, len(made.Files), made.Diagnostics, err)
	}
	for _, found := range made.Diagnostics {
		for _, leak := range []string{"goroutine", "runtime", "worker", "signal"} {
			if strings.Contains(found.Message, leak) {
				t.Errorf("%s: got %q, want nothing of how it is built", name, found.Message)
			}
		}
	}
}

func TestWhatEndsAWorkerIsADiagnostic(t *testing.T) {
	var doubled strings.Builder
	doubled.WriteString("enum A { a0 = '" + strings.Repeat("x", 1<<16) + "',\n")
	for _, c := range "abcdefghijklmnopqrstuvwxyz" {
		last := "a0"
		if c > 'a' {
			last = string(c - 1)
		}
		doubled.WriteString(string(c) + " = " + last + " + " + last + ",\n")
	}
	poisons := map[string]string{
		"the stack":          "export default " + strings.Repeat("!", 90_000) + "1",
		"the memory":         doubled.String() + "}\nconsole.log(A.z)",
		"the processor time": "export default () => { " + strings.Repeat("a,", 200_000) + "a }",
	}
	pool := gentle(t)
	for name, poison := range poisons {
		t.Run(name, func(t *testing.T) {
			made, err := pool.Build(t.Context(), build.Request{Mode: build.ModeSite, Files: project(poison, nil)})
			if err != nil || len(made.Files) > 0 || len(made.Diagnostics) != 1 || !strings.Contains(made.Diagnostics[0].Message, tooMuch) || made.Diagnostics[0].Path != "" {
				t.Errorf("got %d files, %+v, %v, want one diagnostic without a place", len(made.Files), made.Diagnostics, err)
			}
			wantSound(t, pool)
		})
	}
	deep := []byte(poisons["the stack"])
	found, err := pool.Syntax(t.Context(), "src/a.tsx", deep)
	if err != nil || len(found) != 1 || found[0].Path != "src/a.tsx" || !strings.Contains(found[0].Message, tooMuch) {
		t.Errorf("got %+v, %v from the check, want one diagnostic of src/a.tsx", found, err)
	}
}

func TestALargeHonestSourceIsBuilt(t *testing.T) {
	rows := "export const rows = [" + strings.Repeat("{ name: 'Zug', people: 31345 },\n", 6_000) + "]\nconsole.log(rows)"
	made, err := open(t).Build(t.Context(), build.Request{Mode: build.ModeSite, Files: project(rows, nil)})
	if err != nil || len(made.Diagnostics) > 0 || len(made.Files) == 0 {
		t.Errorf("got %d files, %+v, %v, want it built", len(made.Files), made.Diagnostics, err)
	}
}

func TestWorkThatCannotBeCancelledEndsWithItsWorker(t *testing.T) {
	pool := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := pool.Syntax(ctx, "a.js", []byte(poisons()["200,000 commas"]))
		ended <- err
	}()
	busy := eventually(t, "a worker at work", func() []int { return workers(t, func(pid int) bool { return cpuTicks(t, pid) > 20 }) })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	wantGone(t, busy[0])
	wantSound(t, pool)
}

// TestSlowCallsKeepNobodyWaiting fills all places with slow calls.
func TestSlowCallsKeepNobodyWaiting(t *testing.T) {
	pool := open(t, func(c *buildworker.Config) { c.Workers, c.Patience = 1, 50*time.Millisecond })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if _, err := pool.Syntax(ctx, "a.js", []byte(poisons()["200,000 commas"])); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v from the slow call, want it to be under way until it was cancelled", err)
		}
	}()
	eventually(t, "a worker at work", func() []int { return workers(t) })
	for range 3 {
		wantSound(t, pool)
	}
	cancel()
	<-ended
	wantSound(t, pool)
}
