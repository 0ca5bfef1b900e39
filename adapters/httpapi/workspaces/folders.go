package workspaces

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

// ListFolders answers GET /workspaces/:wid/folders.
func ListFolders(folders *workspaces.Folders) rest.Handler {
	return rest.ItemsByID("wid", folders.List)
}

// CreateFolder answers POST /workspaces/:wid/folders.
func CreateFolder(folders *workspaces.Folders) rest.Handler {
	type request struct {
		Name     string                 `json:"name"`
		ParentID rest.Optional[core.ID] `json:"parentId,omitempty"`
	}
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body request) error {
		input := workspaces.FolderInput{Name: &body.Name, Parent: body.ParentID.OrAbsent()}
		folder, err := folders.Create(r.Context(), r.Actor, workspace, input)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, folder)
	})
}

// UpdateFolder answers PATCH /folders/:folderId. A parentId of null is the root.
func UpdateFolder(folders *workspaces.Folders) rest.Handler {
	type request struct {
		Name     rest.Optional[string]  `json:"name,omitempty"`
		ParentID rest.Optional[core.ID] `json:"parentId,omitempty"`
	}
	return rest.WithBody("folderId", func(w http.ResponseWriter, r *rest.Request, id core.ID, body request) error {
		name, err := body.Name.NotNull("name")
		if err != nil {
			return err
		}
		input := workspaces.FolderInput{Name: name, Parent: body.ParentID.OrAbsent()}
		folder, err := folders.Update(r.Context(), r.Actor, id, input)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, folder)
	})
}

// DeleteFolder answers DELETE /folders/:folderId.
func DeleteFolder(folders *workspaces.Folders) rest.Handler {
	return rest.NothingByID("folderId", folders.Delete)
}
