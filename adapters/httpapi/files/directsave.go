package files

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
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
			return rest.WriteJSON(w, http.StatusOK, map[string]any{"outcomes": outcomes})
		}
		saved, err := service.Save(r.Context(), r.Actor, at, body.Patches)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, saved)
	})
}
