package chats

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
)

// GetPlan answers GET /plan/:projectId.
func GetPlan(chats *chat.Chats) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, _, id, err := chatQuery(r)
		if err != nil {
			return err
		}
		plan, err := chats.Plan(r.Context(), r.Actor, project, id)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, plan)
	}
}

// RunPlan answers POST /plan/:projectId/run with the run's events.
func RunPlan(runs *chat.Runs) rest.Handler {
	type request struct {
		ChatID string `json:"chatId"`
		Detach bool   `json:"detach,omitempty"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		id, err := core.ParseID(body.ChatID)
		if err != nil {
			return err
		}
		return streamEvents(w, r, func(emit func(core.Event) error) error {
			return runs.RunPlan(r.Context(), r.Actor, project, chat.PlanRun{ChatID: id, Detach: body.Detach}, emit)
		})
	})
}
