// Package tracing is the port to the collector of traces: what took how long, and what it
// was part of.
//
// A context carries the span that is under way, so that code deep inside needs no tracer:
// Child begins a span below the context's, and records nothing without one. Work that
// begins by itself, or outlives its request, begins a trace with Begin.
//
// Names of spans are the program's own words, of which there are few. Neither names nor facts
// hold queries, paths, bodies, addresses of people, or anything secret.
package tracing

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
)

// Kind says on which side of a call a span is.
type Kind int

// The kinds.
const (
	// Internal is work inside the service.
	Internal Kind = iota
	// Server answers a request from outside, Client waits for another program.
	Server
	Client
)

// Fact is a detail of a span. Value is a string, an int64 or a bool; other types are left out.
type Fact struct {
	Key   string
	Value any
}

// Text is a fact of text, which is cut to MaxTextBytes.
func Text(key, value string) Fact { return Fact{key, core.Shorten(value, MaxTextBytes)} }

// Number is a fact that is a number.
func Number(key string, value int64) Fact { return Fact{key, value} }

// MaxTextBytes bounds the text of a fact.
const MaxTextBytes = 200

// Start describes a span that begins.
type Start struct {
	Name  string
	Kind  Kind
	Facts []Fact
	// Remote is the header traceparent of W3C Trace Context that a request brought; a text that is
	// not one has no effect. It is the parent of a new trace if Trusted, which also decides
	// whether the trace is sampled, and otherwise only a link from it.
	Remote  string
	Trusted bool
	// Cause is a span of another trace that led to this one, and is linked; it may be nil.
	Cause Span
}

// Tracer begins traces. Many goroutines may use it. It never waits for the collector: spans
// that it cannot pass on in time are dropped.
type Tracer interface {
	// Begin begins a new trace with its first span.
	Begin(start Start) Span
	// Close passes on what has ended, and returns once that is done or ctx ends. Spans that end
	// later are dropped.
	Close(ctx context.Context) error
}

// Span is a piece of work under way. Many goroutines may use it. After End its methods have no
// effect, but Begin, which then also works.
type Span interface {
	// Begin begins a span below this one.
	Begin(start Start) Span
	// Name replaces the name, for work that is known only once it has begun.
	Name(name string)
	// Add adds facts; the last of a key counts.
	Add(facts ...Fact)
	// Fail marks the work as failed, with the code of the error and without its text.
	Fail(code core.Code)
	// End ends the span, once.
	End()
	// TraceID is the trace's id in hexadecimal, for logs; "" if the trace is not recorded.
	TraceID() string
}

// Off is a tracer that records nothing.
type Off struct{}

// Begin implements Tracer.
func (Off) Begin(Start) Span { return silent{} }

// Close implements Tracer.
func (Off) Close(context.Context) error { return nil }

// silent is a span that records nothing.
type silent struct{}

func (silent) Begin(Start) Span { return silent{} }
func (silent) Name(string)      {}
func (silent) Add(...Fact)      {}
func (silent) Fail(core.Code)   {}
func (silent) End()             {}
func (silent) TraceID() string  { return "" }

type spanKey struct{}

// With returns a context that carries a span. One that records nothing is not carried.
func With(ctx context.Context, span Span) context.Context {
	if span.TraceID() == "" {
		return ctx
	}
	return context.WithValue(ctx, spanKey{}, span)
}

// Of returns the span that a context carries; without one it records nothing.
func Of(ctx context.Context) Span {
	if span, ok := ctx.Value(spanKey{}).(Span); ok {
		return span
	}
	return silent{}
}

// Child begins a span below that of ctx, and returns a context with it. If ctx carries none,
// nothing is recorded.
func Child(ctx context.Context, name string, kind Kind, facts ...Fact) (context.Context, Span) {
	above, ok := ctx.Value(spanKey{}).(Span)
	if !ok {
		return ctx, silent{}
	}
	span := above.Begin(Start{Name: name, Kind: kind, Facts: facts})
	return With(ctx, span), span
}

// Begin begins a span below that of ctx, or a new trace if ctx carries none. A nil tracer records
// nothing of its own.
func Begin(ctx context.Context, tracer Tracer, name string, kind Kind, facts ...Fact) (context.Context, Span) {
	if _, below := ctx.Value(spanKey{}).(Span); below || tracer == nil {
		return Child(ctx, name, kind, facts...)
	}
	span := tracer.Begin(Start{Name: name, Kind: kind, Facts: facts})
	return With(ctx, span), span
}

// End ends a span, as failed if err is a fault: internal, or that something is unavailable. An error of
// another code is an answer, such as that something is not there, and is a fact of a span that did not
// fail; so is that the caller gave up.
func End(span Span, err error) {
	switch code := core.CodeOf(err); {
	case err == nil:
	case errors.Is(err, context.Canceled):
		span.Add(Fact{"atelier.cancelled", true})
	case isFault(code):
		span.Fail(code)
	default:
		span.Add(Text("atelier.refused", string(code)))
	}
	span.End()
}

func isFault(code core.Code) bool {
	switch code {
	case core.CodeInternal, core.CodeUnavailable, core.CodeModelUnavailable, core.CodeSandboxUnavailable:
		return true
	}
	return false
}
