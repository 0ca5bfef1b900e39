package files

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/adapters/internal/messages"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/directsave"
)

// DirectSave answers POST /direct-save/:projectId.
func DirectSave(service *directsave.Service) rest.Handler {
	type request struct {
		FilePath string             `json:"filePath"`
		Patches  []directsave.Patch `json:"patches"`
		DryRun   bool               `json:"dryRun,omitempty"`
	}
	type outcome struct {
		Error   core.Code   `json:"error"`
		Reason  core.Reason `json:"reason"`
		Message string      `json:"message"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		path, err := core.ParsePath(body.FilePath)
		if err != nil {
			return err
		}
		at := core.FileAt{Project: project, Path: path}
		if body.DryRun {
			outcomes, err := service.Try(r.Context(), r.Actor, at, body.Patches)
			if err != nil {
				return err
			}
			shown := make([]outcome, len(outcomes))
			for i, one := range outcomes {
				message, _ := messages.Say(one.Message, r.Actor.Language)
				shown[i] = outcome{one.Error, one.Reason, message}
			}
			return rest.WriteJSON(w, http.StatusOK, map[string]any{"outcomes": shown})
		}
		saved, err := service.Save(r.Context(), r.Actor, at, body.Patches)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, saved)
	})
}
