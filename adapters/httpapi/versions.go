package httpapi

import (
	"net/http"

	"github.com/atelierhq/atelier/core/versions"
)

// undoVersion answers POST /projects/:projectId/versions/:sha/undo with the version
// that takes the other one back.
func undoVersion(service *versions.Service) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		made, err := service.Undo(r.Context(), r.Actor, project, r.Param("sha"))
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusCreated, made)
	}
}
