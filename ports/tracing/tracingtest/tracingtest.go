// Package tracingtest tests a tracing.Tracer against its port.
package tracingtest

import (
	"context"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/tracing"
)

// Record is a span as its collector has it. Parent and Links are ids of spans, "" and none without
// one.
type Record struct {
	Trace, ID, Parent, Name string
	Kind                    tracing.Kind
	Facts                   map[string]any
	Links                   []string
	// Failed is the code of the failure, "" for success.
	Failed core.Code
}

// Harness is a tracer with access to its collector.
type Harness interface {
	Tracer(t *testing.T) tracing.Tracer
	// Collected closes the tracer and returns what arrived.
	Collected(t *testing.T) []Record
}

// Run tests an adapter against the port. newHarness returns a fresh one for every clause.
func Run(t *testing.T, newHarness func(*testing.T) Harness) {
	for name, clause := range map[string]func(*testing.T, Harness){
		"spans nest":                                  nest,
		"a new trace links what caused it":            linkCause,
		"a trusted parent from outside is continued":  trustedParent,
		"any other parent is only linked":             foreignParent,
		"a trusted parent decides about sampling":     unsampledParent,
		"what is no parent has no effect":             brokenParents,
		"names, facts and failures arrive":            details,
		"a refusal is no failure":                     refusals,
		"a long text is cut":                          longText,
		"a span ends once and then stays as it is":    endsOnce,
		"a context without a span records nothing":    noSpan,
		"what ends after the close has no effect":     afterClose,
		"a span that another goroutine ends is whole": goroutines,
	} {
		t.Run(name, func(t *testing.T) { clause(t, newHarness(t)) })
	}
}

// one returns the collected span of a name.
func one(t *testing.T, all []Record, name string) Record {
	t.Helper()
	var found []Record
	for _, record := range all {
		if record.Name == name {
			found = append(found, record)
		}
	}
	if len(found) != 1 {
		t.Fatalf("got %d spans %q in %+v, want one", len(found), name, all)
	}
	return found[0]
}

func nest(t *testing.T, h Harness) {
	ctx, root := tracing.Begin(t.Context(), h.Tracer(t), "root", tracing.Server)
	below, child := tracing.Begin(ctx, h.Tracer(t), "child", tracing.Internal)
	_, grandchild := tracing.Child(below, "grandchild", tracing.Client)
	if root.TraceID() == "" || child.TraceID() != root.TraceID() || grandchild.TraceID() != root.TraceID() {
		t.Errorf("got the traces %q, %q and %q, want one", root.TraceID(), child.TraceID(), grandchild.TraceID())
	}
	trace := root.TraceID()
	grandchild.End()
	child.End()
	root.End()
	all := h.Collected(t)
	first, second, third := one(t, all, "root"), one(t, all, "child"), one(t, all, "grandchild")
	if first.Parent != "" || second.Parent != first.ID || third.Parent != second.ID {
		t.Errorf("got %+v, want each below the one before", all)
	}
	if first.Trace != trace || second.Trace != trace || third.Trace != trace {
		t.Errorf("got %+v, want all in %s", all, trace)
	}
	if first.Kind != tracing.Server || second.Kind != tracing.Internal || third.Kind != tracing.Client {
		t.Errorf("got the kinds %v, %v and %v", first.Kind, second.Kind, third.Kind)
	}
}

func linkCause(t *testing.T, h Harness) {
	cause := h.Tracer(t).Begin(tracing.Start{Name: "cause"})
	effect := h.Tracer(t).Begin(tracing.Start{Name: "effect", Cause: cause})
	cause.End()
	effect.End()
	all := h.Collected(t)
	before, after := one(t, all, "cause"), one(t, all, "effect")
	if after.Parent != "" || after.Trace == before.Trace || len(after.Links) != 1 || after.Links[0] != before.ID {
		t.Errorf("got %+v, want a trace of its own with a link to %s", after, before.ID)
	}
}

const (
	remoteTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	remoteSpan  = "00f067aa0ba902b7"
)

func trustedParent(t *testing.T, h Harness) {
	h.Tracer(t).Begin(tracing.Start{Name: "continued", Remote: "00-" + remoteTrace + "-" + remoteSpan + "-01", Trusted: true}).End()
	if got := one(t, h.Collected(t), "continued"); got.Trace != remoteTrace || got.Parent != remoteSpan {
		t.Errorf("got %+v, want it below the remote span", got)
	}
}

func foreignParent(t *testing.T, h Harness) {
	h.Tracer(t).Begin(tracing.Start{Name: "linked", Remote: "00-" + remoteTrace + "-" + remoteSpan + "-00"}).End()
	got := one(t, h.Collected(t), "linked")
	if got.Trace == remoteTrace || got.Parent != "" || len(got.Links) != 1 || got.Links[0] != remoteSpan {
		t.Errorf("got %+v, want a trace of its own with a link to the remote span", got)
	}
}

func unsampledParent(t *testing.T, h Harness) {
	span := h.Tracer(t).Begin(tracing.Start{Name: "unsampled", Remote: "00-" + remoteTrace + "-" + remoteSpan + "-00", Trusted: true})
	if got := span.TraceID(); got != "" {
		t.Errorf("got the trace %q of a span that is not sampled, want none", got)
	}
	span.Begin(tracing.Start{Name: "below"}).End()
	span.End()
	if got := h.Collected(t); len(got) != 0 {
		t.Errorf("got %+v, want nothing", got)
	}
}

func brokenParents(t *testing.T, h Harness) {
	for _, broken := range []string{
		"nonsense", "00-" + remoteTrace + "-" + remoteSpan, "ff-" + remoteTrace + "-" + remoteSpan + "-01",
		"00-" + strings.Repeat("0", 32) + "-" + remoteSpan + "-01", "00-" + remoteTrace + "-" + strings.Repeat("0", 16) + "-01",
		"00-" + strings.ToUpper(remoteTrace) + "-" + remoteSpan + "-01", strings.Repeat("0", 100_000),
	} {
		h.Tracer(t).Begin(tracing.Start{Name: "own", Remote: broken, Trusted: true}).End()
	}
	all := h.Collected(t)
	if len(all) != 7 {
		t.Errorf("got %d spans, want 7", len(all))
	}
	for _, got := range all {
		if got.Trace == remoteTrace || got.Parent != "" || len(got.Links) != 0 {
			t.Errorf("got %+v, want a trace of its own without a link", got)
		}
	}
}

func details(t *testing.T, h Harness) {
	span := h.Tracer(t).Begin(tracing.Start{Name: "before", Facts: []tracing.Fact{tracing.Text("word", "first"), tracing.Number("n", 7)}})
	span.Name("after")
	span.Add(tracing.Text("word", "last"), tracing.Fact{Key: "yes", Value: true}, tracing.Fact{Key: "odd", Value: struct{}{}})
	tracing.End(span, core.Errorf(core.CodeUnavailable, "no disk"))
	got := one(t, h.Collected(t), "after")
	if got.Facts["word"] != "last" || got.Facts["n"] != int64(7) || got.Facts["yes"] != true || got.Facts["odd"] != nil {
		t.Errorf("got %v, want the last word, the number and the truth", got.Facts)
	}
	if got.Failed != core.CodeUnavailable {
		t.Errorf("got the failure %q, want %s", got.Failed, core.CodeUnavailable)
	}
}

func refusals(t *testing.T, h Harness) {
	tracing.End(h.Tracer(t).Begin(tracing.Start{Name: "refused"}), core.NotFound("project"))
	got := one(t, h.Collected(t), "refused")
	if got.Failed != "" || got.Facts["atelier.refused"] != string(core.CodeNotFound) {
		t.Errorf("got the failure %q and %v, want only a refusal", got.Failed, got.Facts)
	}
}

func longText(t *testing.T, h Harness) {
	h.Tracer(t).Begin(tracing.Start{Name: "long", Facts: []tracing.Fact{tracing.Text("text", strings.Repeat("x", 10_000))}}).End()
	if text, _ := one(t, h.Collected(t), "long").Facts["text"].(string); text == "" || len(text) > tracing.MaxTextBytes {
		t.Errorf("got %d bytes, want at most %d", len(text), tracing.MaxTextBytes)
	}
}

func endsOnce(t *testing.T, h Harness) {
	span := h.Tracer(t).Begin(tracing.Start{Name: "once"})
	span.End()
	span.Name("renamed")
	span.Add(tracing.Text("late", "yes"))
	span.Fail(core.CodeInternal)
	span.End()
	span.Begin(tracing.Start{Name: "later"}).End()
	all := h.Collected(t)
	got := one(t, all, "once")
	if len(all) != 2 || got.Failed != "" || got.Facts["late"] != nil {
		t.Errorf("got %+v, want the span as it ended, and one below", all)
	}
	if later := one(t, all, "later"); later.Parent != got.ID {
		t.Errorf("got %+v below, want the parent %s", later, got.ID)
	}
}

func noSpan(t *testing.T, h Harness) {
	ctx, span := tracing.Child(t.Context(), "nothing", tracing.Internal)
	if ctx != t.Context() || span.TraceID() != "" || tracing.Of(ctx).TraceID() != "" {
		t.Errorf("got the trace %q, want none", span.TraceID())
	}
	span.End()
	if got := h.Collected(t); len(got) != 0 {
		t.Errorf("got %+v, want nothing", got)
	}
}

func afterClose(t *testing.T, h Harness) {
	tracer := h.Tracer(t)
	early := tracer.Begin(tracing.Start{Name: "early"})
	tracer.Begin(tracing.Start{Name: "in time"}).End()
	if err := tracer.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Fatalf("got %v, want it closed", err)
	}
	early.End()
	tracer.Begin(tracing.Start{Name: "late"}).End()
	if err := tracer.Close(t.Context()); err != nil {
		t.Errorf("got %v of a second close, want nothing", err)
	}
	if all := h.Collected(t); len(all) != 1 || all[0].Name != "in time" {
		t.Errorf("got %+v, want only what ended in time", all)
	}
}

func goroutines(t *testing.T, h Harness) {
	span := h.Tracer(t).Begin(tracing.Start{Name: "root"})
	done := make(chan struct{})
	go func() {
		defer close(done)
		span.Begin(tracing.Start{Name: "aside"}).End()
		span.Add(tracing.Number("aside", 1))
	}()
	span.Add(tracing.Number("here", 1))
	<-done
	span.End()
	got := one(t, h.Collected(t), "root")
	if got.Facts["here"] != int64(1) || got.Facts["aside"] != int64(1) {
		t.Errorf("got %v, want both facts", got.Facts)
	}
}
