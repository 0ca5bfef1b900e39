package metrics

import (
	"cmp"
	"net/http"

	"github.com/atelierhq/atelier/adapters/sitehost"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/tracing"
)

// The outcomes of telemetry.DataRequests and telemetry.FunctionRuns.
const (
	outcomeOK = "ok"
	// outcomeRefused are requests that the application refuses, outcomeLimited those that meet a
	// limit (BACKEND_*), outcomeFailed functions that failed, outcomeUnavailable what the service
	// could not answer.
	outcomeRefused     = "refused"
	outcomeLimited     = "limited"
	outcomeFailed      = "failed"
	outcomeUnavailable = "unavailable"
)

// Data returns a decorator of data that counts the requests of visitors by their outcome, and traces
// each under name.
func Data(data sitehost.Data, metric telemetry.Metric, tally *telemetry.Tally, name string, tracer tracing.Tracer) sitehost.Data {
	return countedData{data, metric, tally, name, tracer}
}

// countedData counts the requests of visitors to the backends of projects.
type countedData struct {
	sitehost.Data
	metric telemetry.Metric
	tally  *telemetry.Tally
	name   string
	tracer tracing.Tracer
}

// Serve implements sitehost.Data.
func (c countedData) Serve(w http.ResponseWriter, r *http.Request, at backend.Place) {
	answer := &countedAnswer{ResponseWriter: w}
	ctx, span := tracing.Begin(r.Context(), c.tracer, c.name, tracing.Server)
	if span.TraceID() != "" {
		r = r.WithContext(ctx)
	}
	c.Data.Serve(answer, r, at)
	status := cmp.Or(answer.status, http.StatusOK)
	c.tally.Add(c.metric, outcomeOf(status), 1)
	span.Add(tracing.Number("http.response.status_code", int64(status)))
	if status >= http.StatusInternalServerError {
		span.Fail(core.CodeUnavailable)
	}
	span.End()
}

func outcomeOf(status int) string {
	switch {
	case status < http.StatusBadRequest:
		return outcomeOK
	case status == http.StatusTooManyRequests || status == http.StatusRequestEntityTooLarge:
		return outcomeLimited
	case status < http.StatusInternalServerError:
		return outcomeRefused
	case status == http.StatusServiceUnavailable:
		return outcomeUnavailable
	}
	return outcomeFailed
}

// countedAnswer remembers the status of an answer.
type countedAnswer struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (a *countedAnswer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection, for streams.
func (a *countedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Flush implements http.Flusher.
func (a *countedAnswer) Flush() { _ = http.NewResponseController(a.ResponseWriter).Flush() }
