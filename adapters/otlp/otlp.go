// Package otlp sends traces to a collector, over OTLP/HTTP with protobuf.
//
// The SDK and the exporter's encoding are OpenTelemetry's own. Its HTTP client is not: that links
// gRPC, six megabytes of it, for a single POST (upload.go).
//
// Spans wait in a bounded queue and are sent in batches by a goroutine of their own. When the
// collector is slow or away, the queue is full and spans are dropped; nobody waits for it.
package otlp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/atelierhq/atelier/ports/tracing"
)

var _ tracing.Tracer = (*Tracer)(nil)

// Bounds of the queue.
const (
	maxQueued  = 4096
	maxBatch   = 512
	batchEvery = 2 * time.Second
	// maxFacts and maxLinks bound one span.
	maxFacts = 32
	maxLinks = 8
)

// Config says where traces go.
type Config struct {
	// Endpoint is the address of the traces, such as http://127.0.0.1:4318/v1/traces.
	Endpoint *url.URL
	// Headers are sent with each request; they may hold a key.
	Headers map[string]string
	// Service and Version name the program in the traces.
	Service, Version string
	// Ratio is the part of new traces that is recorded, from 0 to 1.
	Ratio float64
	// Log is told, at most once a minute, that traces cannot be sent.
	Log *slog.Logger
}

// Tracer sends traces to a collector.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	close    sync.Once
	closed   error
}

// New returns a tracer. It does not reach for the collector before there are spans. The caller
// closes it.
func New(config Config) *Tracer {
	exporter := otlptrace.NewUnstarted(newUploader(config))
	_ = exporter.Start(context.Background()) // never fails: there is no connection to open
	limits := sdk.SpanLimits{
		AttributeValueLengthLimit: tracing.MaxTextBytes, AttributeCountLimit: maxFacts, LinkCountLimit: maxLinks,
		AttributePerLinkCountLimit: maxFacts, EventCountLimit: maxFacts, AttributePerEventCountLimit: maxFacts,
	}
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(exporter, sdk.WithMaxQueueSize(maxQueued), sdk.WithMaxExportBatchSize(maxBatch), sdk.WithBatchTimeout(batchEvery), sdk.WithExportTimeout(uploadTime)),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(config.Ratio))),
		sdk.WithRawSpanLimits(limits),
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", config.Service), attribute.String("service.version", config.Version))),
	)
	return &Tracer{provider: provider, tracer: provider.Tracer("github.com/atelierhq/atelier")}
}

// Begin implements tracing.Tracer.
func (t *Tracer) Begin(start tracing.Start) tracing.Span {
	ctx, links := context.Background(), []trace.Link{}
	if remote := remoteOf(start.Remote); remote.IsValid() {
		if start.Trusted {
			ctx = trace.ContextWithRemoteSpanContext(ctx, remote)
		} else {
			links = append(links, trace.Link{SpanContext: remote})
		}
	}
	return t.begin(ctx, start, links)
}

// maxHeaderBytes exceeds every traceparent.
const maxHeaderBytes = 256

// remoteOf parses the header traceparent.
func remoteOf(header string) trace.SpanContext {
	if header == "" || len(header) > maxHeaderBytes {
		return trace.SpanContext{}
	}
	carrier := propagation.HeaderCarrier(http.Header{})
	carrier.Set("traceparent", header)
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
}

func (t *Tracer) begin(ctx context.Context, start tracing.Start, links []trace.Link) tracing.Span {
	if cause, ok := start.Cause.(span); ok {
		links = append(links, trace.Link{SpanContext: cause.is.SpanContext()})
	}
	kind := map[tracing.Kind]trace.SpanKind{tracing.Server: trace.SpanKindServer, tracing.Client: trace.SpanKindClient}[start.Kind]
	if kind == trace.SpanKindUnspecified {
		kind = trace.SpanKindInternal
	}
	_, begun := t.tracer.Start(ctx, start.Name, trace.WithSpanKind(kind), trace.WithLinks(links...), trace.WithAttributes(attributesOf(start.Facts)...))
	return span{t, begun}
}

// Close implements tracing.Tracer.
func (t *Tracer) Close(ctx context.Context) error {
	t.close.Do(func() {
		t.closed = t.provider.Shutdown(ctx)
		if errors.Is(t.closed, context.DeadlineExceeded) || errors.Is(t.closed, context.Canceled) {
			t.closed = context.Cause(ctx)
		}
	})
	return t.closed
}
