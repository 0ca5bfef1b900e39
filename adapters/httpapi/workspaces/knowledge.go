package workspaces

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

// GetKnowledge answers GET /workspaces/:wid/knowledge.
func GetKnowledge(service *workspaces.Service) rest.Handler {
	return rest.ByID("wid", http.StatusOK, service.Knowledge)
}

// PutKnowledge answers PUT /workspaces/:wid/knowledge.
func PutKnowledge(service *workspaces.Service) rest.Handler {
	type request struct {
		Text *string `json:"text"`
	}
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, id core.ID, body request) error {
		if body.Text == nil {
			return core.Errorf(core.CodeInvalidRequest, "text is missing: an empty one removes the knowledge")
		}
		knowledge, err := service.SetKnowledge(r.Context(), r.Actor, id, workspaces.Knowledge{Text: *body.Text})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, knowledge)
	})
}
