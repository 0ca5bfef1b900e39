package httpapi

import (
	"net/http"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

// listFolders answers GET /workspaces/:wid/folders.
func listFolders(folders *workspaces.Folders) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		items, err := folders.List(r.Context(), r.Actor, workspace)
		if err != nil {
			return err
		}
		return writeItems(w, items)
	}
}

// createFolder answers POST /workspaces/:wid/folders.
func createFolder(folders *workspaces.Folders) Handler {
	type request struct {
		Name     string            `json:"name"`
		ParentID Optional[core.ID] `json:"parentId,omitempty"`
	}
	return func(w http.ResponseWriter, r *Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		input := workspaces.FolderInput{Name: &body.Name, Parent: body.ParentID.orAbsent()}
		folder, err := folders.Create(r.Context(), r.Actor, workspace, input)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusCreated, folder)
	}
}

// updateFolder answers PATCH /folders/:folderId. A parentId of null is the root.
func updateFolder(folders *workspaces.Folders) Handler {
	type request struct {
		Name     Optional[string]  `json:"name,omitempty"`
		ParentID Optional[core.ID] `json:"parentId,omitempty"`
	}
	return func(w http.ResponseWriter, r *Request) error {
		id, err := r.ID("folderId")
		if err != nil {
			return err
		}
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		input := workspaces.FolderInput{Parent: body.ParentID.orAbsent()}
		if input.Name, err = body.Name.notNull("name"); err != nil {
			return err
		}
		folder, err := folders.Update(r.Context(), r.Actor, id, input)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, folder)
	}
}

// deleteFolder answers DELETE /folders/:folderId.
func deleteFolder(folders *workspaces.Folders) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		id, err := r.ID("folderId")
		if err != nil {
			return err
		}
		if err := folders.Delete(r.Context(), r.Actor, id); err != nil {
			return err
		}
		return writeNothing(w)
	}
}
