package httpapi

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// Sockets makes connections WebSockets in the rooms of projects.
type Sockets interface {
	// Serve takes the request's connection over for a caller who may do
	// core.ActionFileRead by what they presented, and returns when that is done; the
	// socket lasts beyond the request. After an error nothing was answered yet.
	Serve(w http.ResponseWriter, r *http.Request, by core.Actor, project core.ID) error
}

// openSocket answers GET /ws/project/:projectId. Without sockets, which another process
// may have, there is no such address.
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
