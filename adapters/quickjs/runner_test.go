package quickjs_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/quickjs"
	"github.com/atelierhq/atelier/ports/functions"
	"github.com/atelierhq/atelier/ports/functions/functionstest"
)

func TestRunner(t *testing.T) { functionstest.Run(t, harness{}) }

type harness struct{}

func (harness) Runner(t *testing.T) functions.Runner { return runner(t, quickjs.DefaultLimits()) }

func (harness) Code(p functionstest.Program) []byte { return []byte(p.Script) }

func runner(t testing.TB, limits quickjs.Limits) *quickjs.Runner {
	t.Helper()
	made, err := quickjs.New(limits)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestHostileFunctionsAreContained(t *testing.T) {
	functionstest.Attack(t, func(t testing.TB, bounds functionstest.Bounds) functions.Runner {
		return runner(t, quickjs.Limits{Memory: functions.MaxMemoryBytes, Processor: bounds.Processor, Time: bounds.Time})
	})
}
