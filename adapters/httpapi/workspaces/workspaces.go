package workspaces

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

// List answers GET /workspaces.
func List(service *workspaces.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		spaces, err := service.List(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, spaces)
	}
}

// Create answers POST /workspaces.
func Create(service *workspaces.Service) rest.Handler {
	type request struct {
		Name string `json:"name"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		space, err := service.Create(r.Context(), r.Actor, body.Name)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, space)
	}
}

// Get answers GET /workspaces/:wid.
func Get(service *workspaces.Service) rest.Handler {
	return rest.ByID("wid", http.StatusOK, service.Get)
}

// Update answers PATCH /workspaces/:wid.
func Update(service *workspaces.Service) rest.Handler {
	type request struct {
		Name         *string                `json:"name,omitempty"`
		CreditLimit  rest.Optional[float64] `json:"creditLimit,omitempty"`
		CommandHosts *[]string              `json:"commandHosts,omitempty"`
		RequireMFA   *bool                  `json:"requireMfa,omitempty"`
		LivePublish  *core.Role             `json:"livePublish,omitempty"`
	}
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, id core.ID, body request) error {
		change := workspaces.Change{Name: body.Name, CommandHosts: body.CommandHosts, RequireMFA: body.RequireMFA, LivePublish: body.LivePublish}
		if body.CreditLimit.Present {
			change.CreditLimit = &body.CreditLimit.Value
		}
		space, err := service.Update(r.Context(), r.Actor, id, change)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, space)
	})
}

// Delete answers DELETE /workspaces/:wid.
func Delete(service *workspaces.Service) rest.Handler {
	return rest.NothingByID("wid", service.Delete)
}
