package memory

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/storage"
)

// storeFileList is the rows of one project's files by path. It is replaced, never
// changed.
type storeFileList struct {
	rows  map[core.ProjectPath]core.FileEntry
	state storage.FileState
	// edit is nil for none.
	edit *storage.Edit
}

type storeFiles struct{ session storeSession }

func (f storeFiles) List(ctx context.Context, project core.ID) ([]core.FileEntry, error) {
	state, err := f.session.view(ctx)
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(state.files.rows[project].rows), func(a, b core.FileEntry) int {
		return strings.Compare(a.Path.String(), b.Path.String())
	}), nil
}

func (f storeFiles) ByPath(ctx context.Context, at core.FileAt) (core.FileEntry, error) {
	state, err := f.session.view(ctx)
	if err != nil {
		return core.FileEntry{}, err
	}
	entry, found := state.files.rows[at.Project].rows[at.Path]
	if !found {
		return core.FileEntry{}, core.NotFound("file")
	}
	return entry, nil
}

func (f storeFiles) Apply(ctx context.Context, project core.ID, delta storage.FileDelta) error {
	for _, entry := range delta.Put {
		if err := storage.CheckText(entry); err != nil {
			return err
		}
	}
	if delta.Edit != nil {
		if err := storage.CheckText(*delta.Edit); err != nil {
			return err
		}
	}
	return f.session.change(ctx, func(state *storeState) error {
		if !state.projects.has(project) {
			return core.NotFound("project")
		}
		if err := locks.Check(ctx); err != nil {
			return err
		}
		list := state.files.rows[project]
		rows := make(map[core.ProjectPath]core.FileEntry, len(list.rows)+len(delta.Put))
		deleted := make(map[core.ProjectPath]bool, len(delta.Delete))
		for _, path := range delta.Delete {
			deleted[path] = true
		}
		for path, entry := range list.rows {
			if !isBelowAny(path, deleted) {
				rows[path] = entry
			}
		}
		for _, entry := range delta.Put {
			rows[entry.Path] = entry
		}
		after := storage.FileState{Revision: list.state.Revision + 1, Unsettled: list.state.Unsettled && delta.Unsettled}
		edit := list.edit
		if delta.Edit != nil {
			edit = &storage.Edit{Project: project, At: delta.Edit.At, By: delta.Edit.By}
		}
		state.files.edit(state)[project] = storeFileList{rows, after, edit}
		return nil
	})
}

// isBelowAny reports whether path is one of the set or lies below one.
func isBelowAny(path core.ProjectPath, set map[core.ProjectPath]bool) bool {
	for ; !path.IsRoot(); path = path.Dir() {
		if set[path] {
			return true
		}
	}
	return set[path]
}

func (f storeFiles) State(ctx context.Context, project core.ID) (storage.FileState, error) {
	state, err := f.session.view(ctx)
	if err != nil {
		return storage.FileState{}, err
	}
	return state.files.rows[project].state, nil
}

func (f storeFiles) SeenBy(ctx context.Context, project, user core.ID) (storage.SeenFiles, error) {
	state, err := f.session.view(ctx)
	if err != nil {
		return storage.SeenFiles{}, err
	}
	found, role, err := seenProject(projectsOf(f.session), state, project, user)
	return storage.SeenFiles{Access: found.Access(), Role: role, State: state.files.rows[project].state}, err
}

func (f storeFiles) Mark(ctx context.Context, project core.ID) error {
	return f.setUnsettled(ctx, project, true)
}

func (f storeFiles) Unmark(ctx context.Context, project core.ID) error {
	return f.setUnsettled(ctx, project, false)
}

func (f storeFiles) setUnsettled(ctx context.Context, project core.ID, unsettled bool) error {
	return f.session.change(ctx, func(state *storeState) error {
		if !state.projects.has(project) {
			return core.NotFound("project")
		}
		list := state.files.rows[project]
		list.state.Unsettled = unsettled
		state.files.edit(state)[project] = list
		return nil
	})
}
