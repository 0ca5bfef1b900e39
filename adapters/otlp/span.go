package otlp

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/tracing"
)

var _ tracing.Span = span{}

// span is a span of the SDK.
type span struct {
	tracer *Tracer
	is     trace.Span
}

// Begin implements tracing.Span.
func (s span) Begin(start tracing.Start) tracing.Span {
	return s.tracer.begin(trace.ContextWithSpan(context.Background(), s.is), start, nil)
}

// Name implements tracing.Span.
func (s span) Name(name string) { s.is.SetName(name) }

// Add implements tracing.Span.
func (s span) Add(facts ...tracing.Fact) { s.is.SetAttributes(attributesOf(facts)...) }

// Fail implements tracing.Span. The code is error.type, as OpenTelemetry's conventions say.
func (s span) Fail(code core.Code) {
	s.is.SetStatus(codes.Error, "")
	s.is.SetAttributes(attribute.String(errorKey, string(code)))
}

// errorKey is the attribute of a failure.
const errorKey = "error.type"

// End implements tracing.Span.
func (s span) End() { s.is.End() }

// TraceID implements tracing.Span.
func (s span) TraceID() string {
	if at := s.is.SpanContext(); at.IsSampled() {
		return at.TraceID().String()
	}
	return ""
}

func attributesOf(facts []tracing.Fact) []attribute.KeyValue {
	found := make([]attribute.KeyValue, 0, len(facts))
	for _, fact := range facts {
		switch value := fact.Value.(type) {
		case string:
			found = append(found, attribute.String(fact.Key, value))
		case int64:
			found = append(found, attribute.Int64(fact.Key, value))
		case bool:
			found = append(found, attribute.Bool(fact.Key, value))
		}
	}
	return found
}
