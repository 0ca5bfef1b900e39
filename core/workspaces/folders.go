package workspaces

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// Limits of folders.
const (
	MaxFolderNameChars = 100
	// MaxFolders bounds the folders of a workspace.
	MaxFolders = 1000
	// MaxFolderDepth bounds the nesting of folders: one in the root has depth 1.
	MaxFolderDepth = 10
)

// Folders has the use cases around the folders of workspaces. Many goroutines may
// use it. Every change reads the workspace's other folders in its own transaction,
// so that two concurrent moves make no cycle.
type Folders struct {
	store storage.Store
	now   func() time.Time
}

// NewFolders returns the use cases.
func NewFolders(store storage.Store, now func() time.Time) *Folders { return &Folders{store, now} }

// FolderInput describes a folder to create or a change of one. A nil field is left
// unchanged.
type FolderInput struct {
	// Name is required by Create.
	Name *string
	// Parent points to nil for the root, which is the default of a new folder.
	Parent **core.ID
}

// List returns a workspace's folders by name, byte by byte.
func (f *Folders) List(ctx context.Context, by core.Actor, workspace core.ID) ([]core.Folder, error) {
	tables := f.store.Tables()
	if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionFolderRead, workspace); err != nil {
		return nil, err
	}
	return tables.Folders.List(ctx, workspace)
}

// Create makes a folder. It returns core.CodeValidationFailed for a name out of
// bounds or a parent that is not a folder of the workspace, and core.CodeConflict
// beyond MaxFolders or MaxFolderDepth.
func (f *Folders) Create(ctx context.Context, by core.Actor, workspace core.ID, input FolderInput) (core.Folder, error) {
	if input.Name == nil {
		return core.Folder{}, core.Errorf(core.CodeValidationFailed, "name is missing")
	}
	now := core.At(f.now())
	folder := core.Folder{ID: core.NewID(), WorkspaceID: workspace, CreatedAt: now, UpdatedAt: now}
	if err := input.apply(&folder); err != nil {
		return core.Folder{}, err
	}
	err := f.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionFolderWrite, workspace); err != nil {
			return err
		}
		tree, err := folderTreeOf(ctx, tables, workspace)
		if err != nil {
			return err
		}
		if len(tree) >= MaxFolders {
			return core.Errorf(core.CodeConflict, "a workspace can have at most %d folders: delete one first", MaxFolders)
		}
		if err := tree.checkPlace(folder); err != nil {
			return err
		}
		return tables.Folders.Create(ctx, folder)
	})
	return folder, err
}

// Update renames or moves a folder. Errors are Create's; a move into itself has
// code core.CodeConflict.
func (f *Folders) Update(ctx context.Context, by core.Actor, id core.ID, input FolderInput) (core.Folder, error) {
	var folder core.Folder
	err := f.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		before, err := visibleFolder(ctx, tables, by, id)
		if err != nil {
			return err
		}
		tree, err := folderTreeOf(ctx, tables, before.WorkspaceID)
		if err != nil {
			return err
		}
		folder, err = tables.Folders.Update(ctx, id, func(folder *core.Folder) error {
			folder.UpdatedAt = core.At(f.now())
			if err := input.apply(folder); err != nil {
				return err
			}
			return tree.checkPlace(*folder)
		})
		return err
	})
	return folder, err
}

// Delete removes a folder. Its projects and the folders in it move to the root.
func (f *Folders) Delete(ctx context.Context, by core.Actor, id core.ID) error {
	return f.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := visibleFolder(ctx, tables, by, id); err != nil {
			return err
		}
		return tables.Folders.Delete(ctx, id)
	})
}

// visibleFolder returns a folder that the caller may change. A caller who is not a
// member of its workspace does not learn that it exists.
func visibleFolder(ctx context.Context, tables storage.Tables, by core.Actor, id core.ID) (core.Folder, error) {
	folder, err := tables.Folders.ByID(ctx, id)
	if err != nil {
		return core.Folder{}, err
	}
	_, _, err = access.WorkspaceIn(ctx, tables, by, core.ActionFolderWrite, folder.WorkspaceID)
	if core.IsCode(err, core.CodeNotFound) {
		return core.Folder{}, core.NotFound("folder")
	}
	return folder, err
}

func (i FolderInput) apply(folder *core.Folder) error {
	if i.Name != nil {
		name, err := core.CheckName("name", *i.Name, MaxFolderNameChars)
		if err != nil {
			return err
		}
		folder.Name = name
	}
	if i.Parent != nil {
		folder.ParentID = *i.Parent
	}
	return nil
}

// folderTree is the folders of a workspace by their ids.
type folderTree map[core.ID]core.Folder

func folderTreeOf(ctx context.Context, tables storage.Tables, workspace core.ID) (folderTree, error) {
	folders, err := tables.Folders.List(ctx, workspace)
	tree := make(folderTree, len(folders))
	for _, folder := range folders {
		tree[folder.ID] = folder
	}
	return tree, err
}

// checkPlace checks whether a folder, new or moved, may be below its parent.
func (t folderTree) checkPlace(folder core.Folder) error {
	if folder.ParentID == nil {
		return nil
	}
	parent := *folder.ParentID
	if _, found := t[parent]; !found {
		return core.Errorf(core.CodeValidationFailed, "parentId must be a folder of this workspace")
	}
	above := t.wayUp(parent)
	for _, id := range above {
		if id == folder.ID {
			return core.Errorf(core.CodeConflict, "a folder cannot be moved into itself")
		}
	}
	if len(above)+t.height(folder.ID) > MaxFolderDepth {
		return core.Errorf(core.CodeConflict, "folders can be nested at most %d levels deep", MaxFolderDepth)
	}
	return nil
}

// wayUp returns a folder and all its parents, up to the root.
func (t folderTree) wayUp(id core.ID) []core.ID {
	way := []core.ID{id}
	for parent := t[id].ParentID; parent != nil; parent = t[*parent].ParentID {
		way = append(way, *parent)
	}
	return way
}

// height returns the levels of folders from id down; 1 for a folder without others,
// or a new one.
func (t folderTree) height(id core.ID) int {
	highest := 1
	for other := range t {
		for i, above := range t.wayUp(other) {
			if above == id {
				highest = max(highest, i+1)
			}
		}
	}
	return highest
}
