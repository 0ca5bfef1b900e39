package tracing_test

import (
	"testing"

	"github.com/atelierhq/atelier/ports/tracing"
)

func TestNoTracesAllocateNothing(t *testing.T) {
	ctx := t.Context()
	if got := testing.AllocsPerRun(100, func() {
		below, span := tracing.Child(ctx, "child", tracing.Client)
		tracing.End(span, nil)
		_, span = tracing.Begin(below, tracing.Off{}, "root", tracing.Internal)
		tracing.End(span, nil)
	}); got != 0 {
		t.Errorf("got %v allocations, want none", got)
	}
}
