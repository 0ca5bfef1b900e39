package dataworker

import (
	"errors"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
	"github.com/atelierhq/atelier/ports/backend"
)

// Serve implements backend.Engine.
func (e *Engine) Serve(w http.ResponseWriter, r *http.Request, place backend.Place, as backend.Identity) {
	worker, done, err := e.workers.Use()
	if err != nil {
		e.unavailable(w, r, err)
		return
	}
	defer done()
	r = r.WithContext(e.config.tenant(r.Context(), place.Project))
	datawire.Forward{Place: place, As: as, Over: failover{e.workers, worker, e.pace.Of(endKnown)}, Failed: e.unavailable}.Serve(w, r)
}

// failover is an http.RoundTripper that outlives its worker. If the worker dies, it sends
// requests that only read to the next one. Other requests may have had effects, so they get
// a 503, once the end of the worker is known, and their clients decide about a retry.
type failover struct {
	workers *workerprocess.Supervisor[*process]
	worker  *process
	// endKnown bounds the wait for the end of a worker whose connection has broken.
	endKnown time.Duration
}

// endKnown is failover.endKnown at the usual pace.
const endKnown = time.Second

// RoundTrip implements http.RoundTripper.
func (s failover) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := datawire.Ask(s.worker, r)
	if err == nil || r.Context().Err() != nil {
		return answer, err
	}
	select {
	case <-s.worker.Gone():
	case <-time.After(s.endKnown):
	case <-r.Context().Done():
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, err
	}
	next, done, failed := s.workers.Use()
	if failed != nil {
		return nil, errors.Join(err, failed)
	}
	defer done()
	return datawire.Ask(next, r)
}

// unavailable answers that there is no worker.
func (e *Engine) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil {
		e.log.WarnContext(r.Context(), "a request to a backend failed", "error", err)
	}
	datawire.Unavailable(w)
}
