package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/tracing"
	"github.com/atelierhq/atelier/ports/tracing/tracingtest"
)

// collector is a server that decodes what it is sent.
type collector struct {
	t      *testing.T
	server *httptest.Server
	// answer may answer instead of the collector, if it returns true.
	answer func(w http.ResponseWriter, attempt int) bool

	mu       sync.Mutex
	attempts int
	records  []tracingtest.Record
	headers  []http.Header
}

func newCollector(t *testing.T) *collector {
	c := &collector{t: t}
	c.server = httptest.NewServer(c)
	t.Cleanup(c.server.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts++
	if c.answer != nil && c.answer(w, c.attempts) {
		return
	}
	c.headers = append(c.headers, r.Header)
	unpacked, err := gzip.NewReader(r.Body)
	if err != nil {
		c.t.Errorf("got %v, want a body in gzip", err)
		return
	}
	body, err := io.ReadAll(unpacked)
	var sent tracepb.TracesData
	if err == nil {
		err = proto.Unmarshal(body, &sent)
	}
	if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.t.Errorf("got %v at %s as %q, want protobuf at /v1/traces", err, r.URL.Path, r.Header.Get("Content-Type"))
	}
	for _, resource := range sent.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				c.records = append(c.records, recordOf(span))
			}
		}
	}
}

func recordOf(span *tracepb.Span) tracingtest.Record {
	record := tracingtest.Record{
		Trace: hex.EncodeToString(span.GetTraceId()), ID: hex.EncodeToString(span.GetSpanId()), Parent: hex.EncodeToString(span.GetParentSpanId()),
		Name: span.GetName(), Facts: map[string]any{},
	}
	switch span.GetKind() {
	case tracepb.Span_SPAN_KIND_SERVER:
		record.Kind = tracing.Server
	case tracepb.Span_SPAN_KIND_CLIENT:
		record.Kind = tracing.Client
	}
	for _, link := range span.GetLinks() {
		record.Links = append(record.Links, hex.EncodeToString(link.GetSpanId()))
	}
	for _, fact := range span.GetAttributes() {
		value := fact.GetValue()
		record.Facts[fact.GetKey()] = value.GetStringValue()
		if value.GetStringValue() == "" {
			record.Facts[fact.GetKey()] = value.GetIntValue()
		}
		if value.GetBoolValue() {
			record.Facts[fact.GetKey()] = true
		}
	}
	if code, _ := record.Facts[errorKey].(string); span.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
		record.Failed = core.Code(code)
	}
	return record
}

func (c *collector) tracer(ratio float64, log io.Writer) *Tracer {
	c.t.Helper()
	endpoint, err := url.Parse(c.server.URL + "/v1/traces")
	if err != nil {
		c.t.Fatal(err)
	}
	return New(Config{Endpoint: endpoint, Headers: map[string]string{"api-key": "s3cret"}, Service: "atelier", Version: "v1", Ratio: ratio, Log: slog.New(slog.NewTextHandler(log, nil))})
}

type harness struct {
	*collector
	made *Tracer
}

func (h *harness) Tracer(*testing.T) tracing.Tracer { return h.made }

func (h *harness) Collected(t *testing.T) []tracingtest.Record {
	if err := h.made.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.records
}

func TestTracer(t *testing.T) {
	tracingtest.Run(t, func(t *testing.T) tracingtest.Harness {
		c := newCollector(t)
		return &harness{c, c.tracer(1, io.Discard)}
	})
}

func TestTheHeadersAreSent(t *testing.T) {
	c := newCollector(t)
	tracer := c.tracer(1, io.Discard)
	tracer.Begin(tracing.Start{Name: "one"}).End()
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(c.headers) != 1 || c.headers[0].Get("Api-Key") != "s3cret" {
		t.Errorf("got the headers %v, want the key in one request", c.headers)
	}
}

func TestARatioOfZeroRecordsNothing(t *testing.T) {
	c := newCollector(t)
	tracer := c.tracer(0, io.Discard)
	span := tracer.Begin(tracing.Start{Name: "one"})
	span.End()
	if err := tracer.Close(t.Context()); err != nil || span.TraceID() != "" || c.attempts != 0 {
		t.Errorf("got %v, the trace %q and %d requests, want nothing", err, span.TraceID(), c.attempts)
	}
}

func TestABusyCollectorIsAskedAgain(t *testing.T) {
	c := newCollector(t)
	c.answer = func(w http.ResponseWriter, attempt int) bool {
		if attempt == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return attempt == 1
	}
	tracer := c.tracer(1, io.Discard)
	tracer.Begin(tracing.Start{Name: "one"}).End()
	if err := tracer.Close(t.Context()); err != nil || len(c.records) != 1 {
		t.Errorf("got %v and %d spans, want one", err, len(c.records))
	}
}

func TestARedirectGetsNoKey(t *testing.T) {
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer thief.Close()
	c := newCollector(t)
	c.answer = func(w http.ResponseWriter, _ int) bool {
		w.Header().Set("Location", thief.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
		return true
	}
	var said bytes.Buffer
	tracer := c.tracer(1, &said)
	tracer.Begin(tracing.Start{Name: "one"}).End()
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "307") || strings.Contains(said.String(), "s3cret") {
		t.Errorf("got the log %q, want the status and no key", said.String())
	}
}

// TestACollectorThatHangsSlowsNobody fills the queue several times over while no request is answered.
func TestACollectorThatHangsSlowsNobody(t *testing.T) {
	asked, hang := make(chan struct{}), make(chan struct{})
	tell := sync.OnceFunc(func() { close(asked) })
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		tell()
		<-hang
	}))
	defer server.Close()
	defer close(hang)
	endpoint, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	tracer := New(Config{Endpoint: endpoint, Ratio: 1, Log: slog.New(slog.DiscardHandler)})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range 3 * maxQueued {
			tracer.Begin(tracing.Start{Name: "one"}).End()
		}
	}()
	conformance.Await(t, "spans that do not wait for the collector", ended)
	bounded, end := context.WithCancelCause(t.Context())
	closed := make(chan error, 1)
	go func() { closed <- tracer.Close(bounded) }()
	conformance.Await(t, "a request of the tracer", asked)
	end(errHurry)
	if err := conformance.Await(t, "the end of the close", closed); !errors.Is(err, errHurry) {
		t.Errorf("got %v of a close while the collector hangs, want the context's end", err)
	}
}

var errHurry = errors.New("in a hurry")
