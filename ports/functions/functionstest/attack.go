package functionstest

import (
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/functions"
)

// Bounds are the bounds of a runner under attack.
type Bounds struct{ Processor, Time time.Duration }

const (
	// shortProcessor and shortTime are met by functions that are to meet that bound, ample by
	// none on a machine that does much else.
	shortProcessor = 300 * time.Millisecond
	shortTime      = 5 * time.Second
	ample          = conformance.Patience / 2
	// patience is how long a hostile call may take.
	patience = 3 * ample / 2
)

// attacks are the hostile functions, by the bound that ends them: what a machine is slow at
// then never meets another bound first.
func attacks() map[Bounds][]hostileCase {
	found := map[Bounds][]hostileCase{}
	for _, c := range hostile() {
		bounds := Bounds{Processor: ample, Time: ample}
		switch {
		case c.mayBe(functions.OutOfProcessor):
			bounds.Processor = shortProcessor
		case c.mayBe(functions.OutOfTime):
			bounds.Time = shortTime
		}
		found[bounds] = append(found[bounds], c)
	}
	return found
}

// Attack runs hostile functions, which are scripts, in a runner for each of three bounds, and
// after each hostile function a good one.
func Attack(t *testing.T, start func(testing.TB, Bounds) functions.Runner) {
	for bounds, cases := range attacks() {
		runner := start(t, bounds)
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				attack(t, runner, c)
				stillWorks(t, runner)
			})
		}
	}
}

func attack(t *testing.T, runner functions.Runner, c hostileCase) {
	began := time.Now()
	found, err := runner.Run(t.Context(), functions.Call{
		Tenant: core.NewID(), Code: []byte(c.script), Request: functions.Request{Method: "GET", URL: "https://shop.example.com/_fn/x"},
	}, &host{})
	if err != nil {
		t.Fatalf("the engine failed: %v", err)
	}
	got := functions.FailureKind("answer")
	if found.Failure != nil {
		got = found.Failure.Kind
		if found.Failure.Message == "" || len(found.Failure.Message) > 16<<10 || len(found.Failure.Stack) > 16<<10 {
			t.Errorf("got a message of %d bytes, and a stack of %d", len(found.Failure.Message), len(found.Failure.Stack))
		}
	}
	if !c.mayBe(got) {
		t.Errorf("got %s (%+v), want %s", got, found.Failure, c.want)
	}
	if spent := time.Since(began); spent > patience {
		t.Errorf("the call took %v", spent)
	}
}

// stillWorks checks that a good function is answered.
func stillWorks(t *testing.T, runner functions.Runner) {
	t.Helper()
	good := Program{Script: `exports.default = async (req) => Response.json({ body: await req.text(), then: typeof {}.then })`}
	found, err := runner.Run(t.Context(), functions.Call{
		Tenant: core.NewID(), Code: []byte(good.Script), Request: functions.Request{Method: "POST", URL: "https://shop.example.com/_fn/x", Body: []byte("good")},
	}, &host{})
	if err != nil || string(found.Response.Body) != `{"body":"good","then":"undefined"}` {
		t.Errorf("a good function afterwards: got %q, %+v, %v", found.Response.Body, found.Failure, err)
	}
}
