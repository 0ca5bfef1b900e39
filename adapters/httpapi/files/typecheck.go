package files

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/typecheck"
)

// CheckTypes answers POST /projects/:projectId/typecheck.
func CheckTypes(types *typecheck.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		result, err := types.Check(r.Context(), r.Actor, project)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, result)
	}
}
