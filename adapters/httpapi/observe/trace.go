package observe

import (
	"net/http"
	"net/netip"
	"slices"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/ports/tracing"
)

// trace begins the span of a request. The traceparent of a trusted proxy continues its trace; anybody
// else's is only linked, so that no stranger writes into the operator's traces or decides which are
// recorded. Probes have no span.
func (o *observer) trace(in *http.Request) (*http.Request, tracing.Span) {
	if o.tracer == nil || slices.Contains(probed, in.URL.Path) {
		return in, tracing.Of(in.Context())
	}
	start := tracing.Start{Name: methodLabel(in.Method), Kind: tracing.Server, Remote: in.Header.Get("Traceparent"), Trusted: o.isProxy(in)}
	var span tracing.Span
	if outer := tracing.Of(in.Context()); outer.TraceID() != "" {
		span = outer.Begin(start) // A tool of /mcp calls a route.
	} else {
		span = o.tracer.Begin(start)
	}
	if span.TraceID() == "" {
		return in, span
	}
	return in.WithContext(tracing.With(in.Context(), span)), span
}

// isProxy reports whether the other end of the connection is a trusted proxy.
func (o *observer) isProxy(in *http.Request) bool {
	peer, err := netip.ParseAddrPort(in.RemoteAddr)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(o.proxies, func(network netip.Prefix) bool { return network.Contains(peer.Addr().Unmap()) })
}

// endSpan ends the span of a request. It names the route and never the path, which may hold a token.
func endSpan(span tracing.Span, out *recorder, r *rest.Request) {
	if span.TraceID() == "" {
		return
	}
	method := methodLabel(r.Method)
	span.Name(method + " " + r.Route())
	span.Add(
		tracing.Text("http.request.method", method), tracing.Text("http.route", r.Route()),
		tracing.Number("http.response.status_code", int64(out.status)), tracing.Text("atelier.request_id", r.RequestID()),
	)
	if out.status >= http.StatusInternalServerError {
		span.Fail(http500)
	}
	span.End()
}

// http500 marks a request that the service could not answer; its cause is in the log.
const http500 = "http_5xx"
