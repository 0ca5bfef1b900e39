package backends

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
)

// Check answers POST /projects/:projectId/backend/check with what strangers reach.
func Check(service *backends.Service) rest.Handler {
	type response struct {
		Findings []core.Finding `json:"findings"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		findings, err := service.Check(r.Context(), r.Actor, project)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, response{findings})
	}
}
