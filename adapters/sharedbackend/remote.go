package sharedbackend

import (
	"log/slog"
	"net/http"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
	"github.com/atelierhq/atelier/ports/backend"
)

// remoteEngine is the engine of another process.
type remoteEngine struct {
	*datawire.Client
	peers   *peers
	address string
	log     *slog.Logger
}

// Serve implements backend.Engine.
func (m *remoteEngine) Serve(w http.ResponseWriter, r *http.Request, place backend.Place, as backend.Identity) {
	over := m.peers.to(m.address)
	datawire.Forward{
		Place: place, As: as,
		Over: roundTrip(func(r *http.Request) (*http.Response, error) { return datawire.Ask(over, r) }),
		Failed: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				m.log.WarnContext(r.Context(), "the process with the data of a backend did not answer", "address", m.address, "error", err)
			}
			datawire.Unavailable(w)
		},
	}.Serve(w, r)
}
