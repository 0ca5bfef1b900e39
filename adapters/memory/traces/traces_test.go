package traces

import (
	"testing"

	"github.com/atelierhq/atelier/ports/tracing"
	"github.com/atelierhq/atelier/ports/tracing/tracingtest"
)

type tracerHarness struct{ tracer *Tracer }

func (h tracerHarness) Tracer(*testing.T) tracing.Tracer { return h.tracer }

func (h tracerHarness) Collected(*testing.T) []tracingtest.Record {
	var all []tracingtest.Record
	for _, ended := range h.tracer.Ended() {
		all = append(all, tracingtest.Record(ended))
	}
	return all
}

func TestTracer(t *testing.T) {
	tracingtest.Run(t, func(*testing.T) tracingtest.Harness { return tracerHarness{New()} })
}
