package projects

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
)

// Duplicate answers POST /projects/:projectId/duplicate.
func Duplicate(creations *projects.Creations, imports *Imports) rest.Handler {
	type request struct {
		Name        *string                `json:"name,omitempty"`
		WorkspaceID *core.ID               `json:"workspaceId,omitempty"`
		FolderID    rest.Optional[core.ID] `json:"folderId,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("projectId")
		if err != nil {
			return err
		}
		var body request
		if r.HasBody() {
			if err := r.Decode(&body); err != nil {
				return err
			}
		}
		leave, err := imports.enter(r.Context(), r.Actor.UserID)
		if err != nil {
			return err
		}
		defer leave()
		draft := projects.DuplicateDraft{Name: body.Name, WorkspaceID: body.WorkspaceID, FolderID: projects.Nullable[core.ID](body.FolderID)}
		project, err := creations.Duplicate(r.Context(), r.Actor, id, draft)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, project)
	}
}
