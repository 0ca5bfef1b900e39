package workspaces

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

// ListFolders answers GET /workspaces/:wid/folders.
func ListFolders(folders *workspaces.Folders) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		items, err := folders.List(r.Context(), r.Actor, workspace)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, items)
	}
}

// CreateFolder answers POST /workspaces/:wid/folders.
func CreateFolder(folders *workspaces.Folders) rest.Handler {
	type request struct {
		Name     string                 `json:"name"`
		ParentID rest.Optional[core.ID] `json:"parentId,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		input := workspaces.FolderInput{Name: &body.Name, Parent: body.ParentID.OrAbsent()}
		folder, err := folders.Create(r.Context(), r.Actor, workspace, input)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, folder)
	}
}

// UpdateFolder answers PATCH /folders/:folderId. A parentId of null is the root.
func UpdateFolder(folders *workspaces.Folders) rest.Handler {
	type request struct {
		Name     rest.Optional[string]  `json:"name,omitempty"`
		ParentID rest.Optional[core.ID] `json:"parentId,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("folderId")
		if err != nil {
			return err
		}
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		input := workspaces.FolderInput{Parent: body.ParentID.OrAbsent()}
		if input.Name, err = body.Name.NotNull("name"); err != nil {
			return err
		}
		folder, err := folders.Update(r.Context(), r.Actor, id, input)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, folder)
	}
}

// DeleteFolder answers DELETE /folders/:folderId.
func DeleteFolder(folders *workspaces.Folders) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("folderId")
		if err != nil {
			return err
		}
		if err := folders.Delete(r.Context(), r.Actor, id); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}
