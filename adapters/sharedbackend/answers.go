package sharedbackend

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
)

// claimGuard is the response to a request that this process serves itself. Once the claim has
// ended, nothing is acknowledged: the response is a 503, or is cut off.
type claimGuard struct {
	http.ResponseWriter
	holding *ownedData
	// begun is true once there is a status, refused if that is a 503 of this process.
	begun, refused bool
}

// Unwrap is for http.ResponseController.
func (g *claimGuard) Unwrap() http.ResponseWriter { return g.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (g *claimGuard) WriteHeader(status int) {
	if !g.begun && g.holding.check() != nil {
		clear(g.Header())
		g.begun, g.refused = true, true
		datawire.Unavailable(g.ResponseWriter)
		return
	}
	g.begun = g.begun || status >= http.StatusOK
	g.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (g *claimGuard) Write(content []byte) (int, error) {
	if !g.begun {
		g.WriteHeader(http.StatusOK)
	}
	if g.refused {
		return len(content), nil
	}
	if err := g.holding.check(); err != nil {
		return 0, err
	}
	return g.ResponseWriter.Write(content)
}

// statusRecorder remembers the status of an answer.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

// Unwrap is for http.ResponseController.
func (w *statusRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *statusRecorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}
