package functionstest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/functions"
)

// Attack runs hostile functions, which are scripts, in one runner, and after each a good one. The
// runner's bounds should be low: some hundred milliseconds of processor time, and a few
// seconds of all time.
func Attack(t *testing.T, runner functions.Runner) {
	for _, c := range hostile() {
		t.Run(c.name, func(t *testing.T) {
			attack(t, runner, c)
			stillWorks(t, runner)
		})
	}
}

// patience is how long a hostile call may take, with a machine that does other things.
const patience = 3 * conformance.Patience

func attack(t *testing.T, runner functions.Runner, c hostileCase) {
	began := time.Now()
	found, err := runner.Run(t.Context(), functions.Call{
		Tenant: core.NewID(), Code: []byte(c.script), Request: functions.Request{Method: "GET", URL: "https://shop.example.com/_fn/x"},
	}, &host{})
	if err != nil {
		t.Fatalf("the engine failed: %v", err)
	}
	got := "answer"
	if found.Failure != nil {
		got = string(found.Failure.Kind)
		if found.Failure.Message == "" || len(found.Failure.Message) > 16<<10 || len(found.Failure.Stack) > 16<<10 {
			t.Errorf("got a message of %d bytes, and a stack of %d", len(found.Failure.Message), len(found.Failure.Stack))
		}
	}
	wanted := strings.Fields(c.want)
	if slices.Contains(wanted, string(functions.OutOfProcessor)) {
		wanted = append(wanted, string(functions.OutOfTime)) // on a machine that does much else
	}
	if !slices.Contains(wanted, got) {
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
