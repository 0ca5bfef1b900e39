package workspaces

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
)

// ListModes answers GET /workspaces/:wid/modes.
func ListModes(modes *models.Modes) rest.Handler {
	return rest.ItemsByID("wid", modes.List)
}

// CreateMode answers POST /workspaces/:wid/modes.
func CreateMode(modes *models.Modes) rest.Handler {
	type request struct {
		Name     string                `json:"name"`
		Prompt   string                `json:"prompt"`
		Tools    []string              `json:"tools"`
		Model    rest.Optional[string] `json:"model,omitempty"`
		Thinking rest.Optional[string] `json:"thinking,omitempty"`
	}
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body request) error {
		input := models.ModeInput{Name: &body.Name, Prompt: &body.Prompt, Tools: &body.Tools, Model: body.Model.OrAbsent(), Thinking: body.Thinking.OrAbsent()}
		mode, err := modes.Create(r.Context(), r.Actor, workspace, input)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, mode)
	})
}

// UpdateMode answers PATCH /workspaces/:wid/modes/:name. A model of null leaves it
// to the workspace, and a thinking of null to the model.
func UpdateMode(modes *models.Modes) rest.Handler {
	type request struct {
		Name     rest.Optional[string]   `json:"name,omitempty"`
		Prompt   rest.Optional[string]   `json:"prompt,omitempty"`
		Tools    rest.Optional[[]string] `json:"tools,omitempty"`
		Model    rest.Optional[string]   `json:"model,omitempty"`
		Thinking rest.Optional[string]   `json:"thinking,omitempty"`
	}
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body request) error {
		input := models.ModeInput{Model: body.Model.OrAbsent(), Thinking: body.Thinking.OrAbsent()}
		var err error
		if input.Name, err = body.Name.NotNull("name"); err != nil {
			return err
		}
		if input.Prompt, err = body.Prompt.NotNull("prompt"); err != nil {
			return err
		}
		if input.Tools, err = body.Tools.NotNull("tools"); err != nil {
			return err
		}
		mode, err := modes.Update(r.Context(), r.Actor, workspace, r.Param("name"), input)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, mode)
	})
}

// DeleteMode answers DELETE /workspaces/:wid/modes/:name.
func DeleteMode(modes *models.Modes) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		if err := modes.Delete(r.Context(), r.Actor, workspace, r.Param("name")); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}
