package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

type modes struct{ records records[core.Mode] }

func modesOf(session conn) records[core.Mode] {
	return records[core.Mode]{
		session: session,
		noun:    "mode",
		table:   func(s *database) *table[core.ID, core.Mode] { return &s.modes },
		id:      func(m core.Mode) core.ID { return m.ID },
		copy: func(m core.Mode) core.Mode {
			m.Tools, m.Model, m.Thinking = slices.Clone(m.Tools), copyOf(m.Model), copyOf(m.Thinking)
			return m
		},
		pin: func(m *core.Mode, before core.Mode) {
			m.ID, m.WorkspaceID, m.CreatedAt = before.ID, before.WorkspaceID, before.CreatedAt
		},
		check: checkMode,
	}
}

func checkMode(s *database, mode core.Mode) error {
	for id, other := range s.modes.rows {
		if other.WorkspaceID == mode.WorkspaceID && other.Name == mode.Name && id != mode.ID {
			return core.Errorf(core.CodeConflict, "another mode of the workspace has this name")
		}
	}
	if !s.workspaces.has(mode.WorkspaceID) {
		return core.NotFound("workspace")
	}
	return nil
}

// Create implements storage.Modes.
func (m modes) Create(ctx context.Context, mode core.Mode) error {
	return m.records.create(ctx, mode)
}

// ByName implements storage.Modes.
func (m modes) ByName(ctx context.Context, workspace core.ID, name string) (core.Mode, error) {
	return m.records.first(ctx, func(mode core.Mode) bool { return mode.WorkspaceID == workspace && mode.Name == name })
}

// List implements storage.Modes.
func (m modes) List(ctx context.Context, workspace core.ID) ([]core.Mode, error) {
	ofWorkspace := func(mode core.Mode) bool { return mode.WorkspaceID == workspace }
	return m.records.list(ctx, ofWorkspace, func(a, b core.Mode) int { return cmp.Compare(a.Name, b.Name) })
}

// Update implements storage.Modes.
func (m modes) Update(ctx context.Context, id core.ID, change func(*core.Mode) error) (core.Mode, error) {
	return m.records.update(ctx, id, change)
}

// Delete implements storage.Modes.
func (m modes) Delete(ctx context.Context, id core.ID) error {
	return m.records.delete(ctx, id, func(state *database, id core.ID) { delete(state.modes.edit(state), id) })
}
