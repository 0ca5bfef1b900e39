package projects

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/environment"
)

// ListVariables answers GET /projects/:projectId/env.
func ListVariables(service *environment.Service) rest.Handler {
	return rest.ItemsByID("projectId", service.List)
}

// GetVariable answers GET /projects/:projectId/env/:key. Values are write-only.
func GetVariable(service *environment.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		variable, err := service.Get(r.Context(), r.Actor, project, r.Param("key"))
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, variable)
	}
}

// PutVariable answers PUT /projects/:projectId/env/:key.
func PutVariable(service *environment.Service) rest.Handler {
	type request struct {
		Value string `json:"value"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		if err := service.Put(r.Context(), r.Actor, project, r.Param("key"), body.Value); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	})
}

// DeleteVariable answers DELETE /projects/:projectId/env/:key.
func DeleteVariable(service *environment.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		if err := service.Delete(r.Context(), r.Actor, project, r.Param("key")); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}
