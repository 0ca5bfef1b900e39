package workspaces

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/commands"
)

// ListCommands answers GET /workspaces/:wid/commands.
func ListCommands(service *commands.Service) rest.Handler {
	return rest.ItemsByID("wid", service.List)
}

// CreateCommand answers POST /workspaces/:wid/commands.
func CreateCommand(service *commands.Service) rest.Handler {
	type request struct {
		Name        string  `json:"name"`
		Description *string `json:"description,omitempty"`
		Text        string  `json:"text"`
	}
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body request) error {
		command, err := service.Create(r.Context(), r.Actor, workspace, commands.Input{Name: &body.Name, Description: body.Description, Text: &body.Text})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, command)
	})
}

// UpdateCommand answers PATCH /workspaces/:wid/commands/:name.
func UpdateCommand(service *commands.Service) rest.Handler {
	type request struct {
		Name        *string `json:"name,omitempty"`
		Description *string `json:"description,omitempty"`
		Text        *string `json:"text,omitempty"`
	}
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body request) error {
		command, err := service.Update(r.Context(), r.Actor, workspace, r.Param("name"), commands.Input{Name: body.Name, Description: body.Description, Text: body.Text})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, command)
	})
}

// DeleteCommand answers DELETE /workspaces/:wid/commands/:name.
func DeleteCommand(service *commands.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		if err := service.Delete(r.Context(), r.Actor, workspace, r.Param("name")); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}
