package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/adapters/internal/requestid"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/tracing"
)

// recorder is an http.ResponseWriter that records the status and the size of the answer.
type recorder struct {
	http.ResponseWriter
	begun  time.Time
	status int
	bytes  int64
}

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && (status >= http.StatusOK || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *recorder) Write(data []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(data)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Deps are the dependencies of the middleware around all routes.
type Deps struct {
	// AppURL is the public address of the API. Requests outside its path are not found.
	AppURL *url.URL
	// Hosts are the host names of the API, in lower case and without ports; nil allows
	// every name.
	Hosts []string
	// TrustedProxies are the networks whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix
	// Studio answers requests for the web page before the API does; it may be nil.
	Studio  Studio
	Metrics *Metrics
	// Tracer gets a span for each request; nil gets none.
	Tracer tracing.Tracer
	Log    *slog.Logger
	Now    func() time.Time
}

// Studio is the web page that uses the API from the same host.
type Studio interface {
	// Serves reports whether a request is for the page and not for the API.
	Serves(r *http.Request) bool
	// ServeLost answers a browser that navigates to an unknown address, and reports
	// whether it did. Programs get the API's error.
	ServeLost(w http.ResponseWriter, r *http.Request) bool
	http.Handler
}

// Handler is the outermost middleware. It gives every request an id and every answer its
// headers, renders errors and panics, and writes the log and the metrics.
func Handler(deps Deps, router *rest.Router) http.Handler {
	observer := &observer{log: deps.Log, now: deps.Now, proxies: deps.TrustedProxies, headers: newHeaders(deps.AppURL), metrics: deps.Metrics, tracer: deps.Tracer}
	base := rest.BaseOf(deps.AppURL)
	return http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		in, outside := base.Inside(in)
		in, span := observer.trace(in)
		out, r := observer.begin(w, in)
		defer func() { endSpan(span, out, r) }()
		defer observer.end(out, r)
		if err := cmp.Or(outside, checkPort(in.Host)); err != nil {
			conclude(out, r, deps.Log, err)
			return
		}
		if misdirected(in, deps.Hosts) {
			refuseHost(out)
			return
		}
		if deps.Studio != nil && deps.Studio.Serves(in) {
			r.SetRoute("studio")
			deps.Studio.ServeHTTP(out, in)
			return
		}
		if err := guarded(func() error { return router.Serve(out, r) }); err != nil {
			if deps.Studio != nil && r.Route() == rest.NoRoute && core.CodeOf(err) == core.CodeNotFound && deps.Studio.ServeLost(out, in) {
				return
			}
			conclude(out, r, deps.Log, err)
		}
	})
}

// checkPort refuses a Host with an invalid port. Other parsers might extract another name
// from it than the client meant. Without a port any name passes.
func checkPort(host string) error {
	_, port, _ := strings.Cut(host, ":")
	if strings.HasPrefix(host, "[") {
		var rest string
		var closed bool
		_, rest, closed = strings.Cut(host, "]")
		if port = strings.TrimPrefix(rest, ":"); !closed || rest != "" && port == rest {
			return core.Errorf(core.CodeInvalidRequest, "the Host header is not an address: %.100q", host)
		}
	}
	if port == "" {
		return nil
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return core.Errorf(core.CodeInvalidRequest, "the Host header has no valid port: %.100q", host)
	}
	return nil
}

// observer holds what observed needs for each request.
type observer struct {
	log     *slog.Logger
	now     func() time.Time
	proxies []netip.Prefix
	headers headers
	metrics *Metrics
	tracer  tracing.Tracer
}

func (o *observer) begin(w http.ResponseWriter, in *http.Request) (*recorder, *rest.Request) {
	out := &recorder{ResponseWriter: w, begun: o.now()}
	r := rest.NewRequest(in, requestID(in), rest.ClientIP(in, o.proxies), http.NewResponseController(out))
	o.headers.set(out.Header())
	out.Header().Set("X-Request-Id", r.RequestID())
	o.metrics.inFlight.Inc()
	return out, r
}

func (o *observer) end(out *recorder, r *rest.Request) {
	o.metrics.inFlight.Dec()
	took := o.now().Sub(out.begun)
	o.metrics.observe(r, out.status, took)
	logAccess(o.log, r, out, took)
}

// guarded turns a panic into an error that carries the stack for the log. It passes
// http.ErrAbortHandler on to net/http.
func guarded(serve func() error) (err error) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if abort, ok := cause.(error); ok && errors.Is(abort, http.ErrAbortHandler) {
			panic(http.ErrAbortHandler)
		}
		err = core.Wrap(core.CodeInternal, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()), "internal error")
	}()
	return serve()
}

// conclude renders an error. If the answer has begun it is too late for that, so it cuts
// the connection: the client must not mistake a truncated answer for a complete one.
// Requests end when their client is gone, and when the service stops. In the latter case
// the client is still there, and would mistake an empty answer for success.
func conclude(w *recorder, r *rest.Request, log *slog.Logger, err error) {
	switch {
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		begun := w.status != 0
		w.status = statusClientGone
		if begun {
			panic(http.ErrAbortHandler)
		}
		rest.RenderFailure(w, r, core.Errorf(core.CodeUnavailable, "the service is stopping: try again in a moment"))
	case w.status != 0:
		log.ErrorContext(r.Context(), "could not finish an answer", "request_id", r.RequestID(), "error", err)
		panic(http.ErrAbortHandler)
	default:
		rest.WriteFailure(w, r, log, err)
	}
}

// statusClientGone marks, in log and metrics, requests whose client left before the
// answer.
const statusClientGone = 499

// requestID returns the client's X-Request-Id if a log can hold it, else a new one.
func requestID(r *http.Request) string {
	if id := r.Header.Get(requestid.Header); requestid.IsValid(id) {
		return id
	}
	return string(core.NewID())
}

// maxLoggedPathBytes bounds how much one request can write to the log.
const maxLoggedPathBytes = 256

// logAccess writes one line for each request. It omits queries, which may hold tokens,
// and paths whose route has a token in it.
func logAccess(log *slog.Logger, r *rest.Request, w *recorder, took time.Duration) {
	path := r.URL.Path
	if strings.Contains(r.Route(), ":token") {
		path = r.Route()
	} else if strings.HasPrefix(path, "/invites/") {
		// The page that an invite's link opens is not one of the API's routes.
		path = "/invites/:token"
	}
	attrs := []slog.Attr{
		slog.String("request_id", r.RequestID()), slog.String("ip", r.ClientIP().String()), slog.String("method", r.Method),
		slog.String("path", path[:min(len(path), maxLoggedPathBytes)]), slog.String("route", r.Route()),
		slog.Int("status", w.status), slog.Int64("bytes", w.bytes), slog.Duration("took", took),
	}
	if r.Caller() != "" {
		attrs = append(attrs, slog.String("user", string(r.Caller())))
	}
	if trace := tracing.Of(r.Context()).TraceID(); trace != "" {
		attrs = append(attrs, slog.String("trace", trace))
	}
	log.LogAttrs(r.Context(), accessLevel(r.Route(), w.status), "request", attrs...)
}

// accessLevel is Debug for successful requests that machines make every second, so that
// the log is about people.
func accessLevel(route string, status int) slog.Level {
	switch route {
	case "/healthz", "/readyz", "/metrics":
		if status == http.StatusOK {
			return slog.LevelDebug
		}
	}
	return slog.LevelInfo
}
