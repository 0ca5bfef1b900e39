package storage

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/storage"
)

// fileList holds the rows of one project's files by path. It is replaced, never changed.
type fileList struct {
	rows  map[core.ProjectPath]core.FileEntry
	state storage.FileState
	// edit is nil if there are no edits by hand.
	edit *storage.Edit
}

type files struct{ session conn }

// List implements storage.Files.
func (f files) List(ctx context.Context, project core.ID) ([]core.FileEntry, error) {
	state, err := f.session.view(ctx)
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(state.files.rows[project].rows), func(a, b core.FileEntry) int {
		return strings.Compare(a.Path.String(), b.Path.String())
	}), nil
}

// ByPath implements storage.Files.
func (f files) ByPath(ctx context.Context, at core.FileAt) (core.FileEntry, error) {
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

// Apply implements storage.Files.
func (f files) Apply(ctx context.Context, project core.ID, delta storage.FileDelta) (revision int64, err error) {
	for _, entry := range delta.Put {
		if err := storage.CheckText(entry); err != nil {
			return 0, err
		}
	}
	if delta.Edit != nil {
		if err := storage.CheckText(*delta.Edit); err != nil {
			return 0, err
		}
	}
	err = f.session.change(ctx, func(state *database) error {
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
		revision = list.state.Revision + 1
		after := storage.FileState{Revision: revision, Unsettled: list.state.Unsettled && delta.Unsettled}
		edit := list.edit
		if delta.Edit != nil {
			edit = &storage.Edit{Project: project, At: delta.Edit.At, By: delta.Edit.By}
		}
		state.files.edit(state)[project] = fileList{rows, after, edit}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return revision, nil
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

// State implements storage.Files.
func (f files) State(ctx context.Context, project core.ID) (storage.FileState, error) {
	state, err := f.session.view(ctx)
	if err != nil {
		return storage.FileState{}, err
	}
	return state.files.rows[project].state, nil
}

// SeenBy implements storage.Files.
func (f files) SeenBy(ctx context.Context, project, user core.ID) (storage.SeenFiles, error) {
	state, err := f.session.view(ctx)
	if err != nil {
		return storage.SeenFiles{}, err
	}
	found, standing, err := seenProject(projectsOf(f.session), state, project, user)
	return storage.SeenFiles{Access: found.Access(), Standing: standing, State: state.files.rows[project].state}, err
}

// Mark implements storage.Files.
func (f files) Mark(ctx context.Context, project core.ID) error {
	return f.setUnsettled(ctx, project, true)
}

// Unmark implements storage.Files.
func (f files) Unmark(ctx context.Context, project core.ID) error {
	return f.setUnsettled(ctx, project, false)
}

func (f files) setUnsettled(ctx context.Context, project core.ID, unsettled bool) error {
	return f.session.change(ctx, func(state *database) error {
		if !state.projects.has(project) {
			return core.NotFound("project")
		}
		list := state.files.rows[project]
		list.state.Unsettled = unsettled
		state.files.edit(state)[project] = list
		return nil
	})
}

type edits struct{ session conn }

// Of implements storage.Edits.
func (e edits) Of(ctx context.Context, project core.ID) (storage.Edit, error) {
	state, err := e.session.view(ctx)
	if err != nil {
		return storage.Edit{}, err
	}
	edit := state.files.rows[project].edit
	if edit == nil {
		return storage.Edit{}, core.NotFound("edit")
	}
	return *edit, nil
}

// Due implements storage.Edits.
func (e edits) Due(ctx context.Context, until core.Time, limit int) ([]storage.Edit, error) {
	state, err := e.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var due []storage.Edit
	for _, list := range state.files.rows {
		if list.edit != nil && list.edit.At <= until {
			due = append(due, *list.edit)
		}
	}
	slices.SortFunc(due, func(a, b storage.Edit) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Project, b.Project))
	})
	return due[:min(limit, len(due))], nil
}

// Settle implements storage.Edits.
func (e edits) Settle(ctx context.Context, edit storage.Edit) error {
	return e.session.change(ctx, func(state *database) error {
		list := state.files.rows[edit.Project]
		if list.edit == nil || list.edit.At != edit.At {
			return nil
		}
		list.edit = nil
		state.files.edit(state)[edit.Project] = list
		return nil
	})
}
