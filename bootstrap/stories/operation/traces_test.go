package operation_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/ports/conformance"
)

// receiver is a collector of traces.
type receiver struct {
	t *testing.T

	mu    sync.Mutex
	spans []*tracepb.Span
	raw   bytes.Buffer
}

func (c *receiver) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
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
	if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Api-Key") != "collector secret" {
		c.t.Errorf("got %v at %s, want traces with the key", err, r.URL.Path)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(body)
	for _, resource := range sent.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			c.spans = append(c.spans, scope.GetSpans()...)
		}
	}
}

// named returns the spans of a name that have arrived.
func (c *receiver) named(name string) []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.spans), func(span *tracepb.Span) bool { return span.GetName() != name })
}

// await returns a span of each name, once all have arrived.
func (c *receiver) await(names ...string) map[string]*tracepb.Span {
	c.t.Helper()
	found := map[string]*tracepb.Span{}
	if !conformance.Becomes(func() bool {
		for _, name := range names {
			if arrived := c.named(name); len(arrived) > 0 {
				found[name] = arrived[0]
			}
		}
		return len(found) == len(names)
	}) {
		c.t.Fatalf("got the spans %v, want %v", found, names)
	}
	return found
}

// below reports whether a span is below another, however deep.
func (c *receiver) below(span, above *tracepb.Span) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range len(c.spans) {
		if bytes.Equal(span.GetParentSpanId(), above.GetSpanId()) {
			return bytes.Equal(span.GetTraceId(), above.GetTraceId())
		}
		at := slices.IndexFunc(c.spans, func(other *tracepb.Span) bool { return bytes.Equal(other.GetSpanId(), span.GetParentSpanId()) })
		if at < 0 {
			return false
		}
		span = c.spans[at]
	}
	return false
}

// TestTracesFollowTheMainJob talks to the agent and publishes, and reads what the collector got.
func TestTracesFollowTheMainJob(t *testing.T) {
	collector := &receiver{t: t}
	server := httptest.NewServer(collector)
	t.Cleanup(server.Close)
	s := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL, "OTEL_EXPORTER_OTLP_HEADERS": "api-key=collector%20secret"})
	w := s.SignUp().Create("static-html")
	w.Send(`Change the heading of the page to "Traced heading".`)
	w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, nil)
	const foreign = "4bf92f3577b34da6a3ce929d0e0e4736"
	for _, path := range []string{"/auth/me?secret=hunter2", "/no/such/hunter2"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Traceparent", "00-"+foreign+"-00f067aa0ba902b7-01")
		answer, err := s.Client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}

	published, run := "POST /projects/:projectId/publish", "agent run"
	got := collector.await(published, run, "publish", "build", "model call", "database write", "GET /auth/me", "POST /auth/signup")
	for _, nested := range [][2]string{{"publish", published}, {"model call", run}} {
		if !collector.below(got[nested[0]], got[nested[1]]) {
			t.Errorf("got %v, want it below %v", got[nested[0]], got[nested[1]])
		}
	}
	if me := got["GET /auth/me"]; hex.EncodeToString(me.GetTraceId()) == foreign || len(me.GetParentSpanId()) != 0 || len(me.GetLinks()) != 1 || hex.EncodeToString(me.GetLinks()[0].GetTraceId()) != foreign {
		t.Errorf("got %v, want a trace of its own with a link to the stranger's", me)
	}
	collector.refuse(w.User.Email, "long enough", "hunter2", w.Token, "Traced heading", "collector secret", string(w.ID))
}

// refuse fails if anything that arrived has one of these texts.
func (c *receiver) refuse(texts ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range texts {
		if strings.Contains(c.raw.String(), text) {
			c.t.Errorf("got %q in the traces", text)
		}
	}
	for _, span := range c.spans {
		if span.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
			c.t.Errorf("got a failure where nothing failed: %v", span)
		}
	}
}

// TestACollectorThatHangsStopsNobody works and stops while the collector answers nothing.
func TestACollectorThatHangsStopsNobody(t *testing.T) {
	hang := make(chan struct{})
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-hang
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(hang) }) // after the service has stopped
	s := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL})
	person := s.SignUp()
	conformance.Await(t, "a request to the collector", asked)
	for range 100 {
		person.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, nil)
	}
}
