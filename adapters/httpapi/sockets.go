package httpapi

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// Sockets upgrades connections to WebSockets in the rooms of projects.
type Sockets interface {
	// Serve hijacks the request's connection. The caller must be allowed
	// core.ActionFileRead by the presented credentials. It returns when the upgrade is
	// done; the socket outlives the request. After an error nothing has been answered
	// yet.
	Serve(w http.ResponseWriter, r *http.Request, by core.Actor, project core.ID) error
}

// openSocket answers GET /ws/project/:projectId. Without sockets, which another process
// may serve, the address does not exist.
func openSocket(sockets Sockets) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		if sockets == nil {
			return core.NotFound("resource")
		}
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		return sockets.Serve(w, r.Request, r.Actor, project)
	}
}
