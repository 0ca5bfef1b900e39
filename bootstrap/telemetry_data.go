package bootstrap

import (
	"cmp"
	"net/http"

	"github.com/atelierhq/atelier/adapters/sitehost"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/ports/backend"
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

// countedData counts the requests of visitors to the backends of projects.
type countedData struct {
	sitehost.Data
	metric telemetry.Metric
	tally  *telemetry.Tally
}

// Serve implements sitehost.Data.
func (c countedData) Serve(w http.ResponseWriter, r *http.Request, at backend.Place) {
	answer := &countedAnswer{ResponseWriter: w}
	c.Data.Serve(answer, r, at)
	c.tally.Add(c.metric, outcomeOf(cmp.Or(answer.status, http.StatusOK)), 1)
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
