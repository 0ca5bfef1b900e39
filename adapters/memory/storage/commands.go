package storage

import (
	"cmp"
	"context"

	"github.com/atelierhq/atelier/core"
)

type commands struct{ records records[core.Command] }

func commandsOf(session conn) records[core.Command] {
	return records[core.Command]{
		session: session,
		noun:    "command",
		table:   func(s *database) *table[core.ID, core.Command] { return &s.commands },
		id:      func(c core.Command) core.ID { return c.ID },
		copy:    func(c core.Command) core.Command { return c },
		pin: func(c *core.Command, before core.Command) {
			c.ID, c.WorkspaceID, c.CreatedAt = before.ID, before.WorkspaceID, before.CreatedAt
		},
		check: checkCommand,
	}
}

func checkCommand(s *database, command core.Command) error {
	for id, other := range s.commands.rows {
		if other.WorkspaceID == command.WorkspaceID && other.Name == command.Name && id != command.ID {
			return core.Errorf(core.CodeConflict, "another command of the workspace has this name")
		}
	}
	if !s.workspaces.has(command.WorkspaceID) {
		return core.NotFound("workspace")
	}
	return nil
}

// Create implements storage.Commands.
func (c commands) Create(ctx context.Context, command core.Command) error {
	return c.records.create(ctx, command)
}

// ByName implements storage.Commands.
func (c commands) ByName(ctx context.Context, workspace core.ID, name string) (core.Command, error) {
	return c.records.first(ctx, func(command core.Command) bool { return command.WorkspaceID == workspace && command.Name == name })
}

// List implements storage.Commands.
func (c commands) List(ctx context.Context, workspace core.ID) ([]core.Command, error) {
	ofWorkspace := func(command core.Command) bool { return command.WorkspaceID == workspace }
	return c.records.list(ctx, ofWorkspace, func(a, b core.Command) int { return cmp.Compare(a.Name, b.Name) })
}

// Update implements storage.Commands.
func (c commands) Update(ctx context.Context, id core.ID, change func(*core.Command) error) (core.Command, error) {
	return c.records.update(ctx, id, change)
}

// Delete implements storage.Commands.
func (c commands) Delete(ctx context.Context, id core.ID) error {
	return c.records.delete(ctx, id, func(state *database, id core.ID) { delete(state.commands.edit(state), id) })
}
