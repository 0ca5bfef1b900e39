package projects

import (
	"mime"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/vcs"
)

// isJSON reports whether the declared content type is JSON.
func isJSON(header http.Header) bool {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// importGit answers an import from a git repository.
func importGit(w http.ResponseWriter, r *rest.Request, creations *projects.Creations, imports *Imports, workspace core.ID) error {
	var body struct {
		GitURL   string   `json:"gitUrl"`
		Name     string   `json:"name"`
		Branch   *string  `json:"branch,omitempty"`
		FolderID *core.ID `json:"folderId,omitempty"`
	}
	if err := r.Decode(&body); err != nil {
		return err
	}
	leave, err := imports.enter(r.Context(), r.Actor.UserID)
	if err != nil {
		return err
	}
	defer leave()
	draft := projects.ImportDraft{Name: body.Name, FolderID: body.FolderID}
	project, err := creations.ImportGit(r.Context(), r.Actor, workspace, draft, vcs.Source{Address: body.GitURL, Branch: body.Branch})
	if err != nil {
		return err
	}
	return rest.WriteJSON(w, http.StatusCreated, importAnswer{project.View, rest.InWords(project.Notes, r.Actor.Language)})
}
