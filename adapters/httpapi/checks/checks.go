package checks

import (
	"bytes"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/checks"
)

// List answers GET /projects/:projectId/checks.
func List(service *checks.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		listing, err := service.List(r.Context(), r.Actor, project)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, listing)
	}
}

// Run answers POST /projects/:projectId/checks/run when the checks have been played.
func Run(service *checks.Service) rest.Handler {
	type request struct {
		Names []string `json:"names,omitempty"`
	}
	type response struct {
		Items []checks.Result `json:"items"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		var asked request
		if r.HasBody() {
			if err := r.Decode(&asked); err != nil {
				return err
			}
		}
		items, err := service.Run(r.Context(), r.Actor, project, asked.Names)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, response{items})
	}
}

// Picture answers GET /projects/:projectId/checks/:name/picture.
func Picture(service *checks.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		picture, err := service.Picture(r.Context(), r.Actor, project, r.Param("name"))
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("Cache-Control", "private, no-cache")
		return rest.ServeContent(w, r, time.Time{}, bytes.NewReader(picture))
	}
}
