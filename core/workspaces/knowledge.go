package workspaces

import (
	"context"
	"fmt"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// Knowledge is the text for the agent in all projects of a workspace.
type Knowledge struct {
	Text string `json:"text"`
}

// Knowledge returns a workspace's knowledge to a member.
func (s *Service) Knowledge(ctx context.Context, by core.Actor, id core.ID) (Knowledge, error) {
	space, _, err := s.deps.Gate.Workspace(ctx, by, core.ActionWorkspaceRead, id)
	return Knowledge{space.Knowledge}, err
}

// SetKnowledge replaces a workspace's knowledge. The next message to the agent goes by it. A text
// out of bounds has code core.CodeValidationFailed.
func (s *Service) SetKnowledge(ctx context.Context, by core.Actor, id core.ID, knowledge Knowledge) (Knowledge, error) {
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		space, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionWorkspaceUpdate, id)
		if err != nil {
			return err
		}
		if err := core.CheckKnowledge(knowledge.Text); err != nil || knowledge.Text == space.Knowledge {
			return err
		}
		_, err = tables.Workspaces.Update(ctx, id, func(space *core.Workspace) error {
			space.Knowledge, space.UpdatedAt = knowledge.Text, core.At(s.deps.Now())
			return nil
		})
		if err != nil {
			return err
		}
		return s.deps.Audit.Record(ctx, tables, by, id, core.AuditWorkspaceUpdated, fmt.Sprintf("knowledge: %d bytes", len(knowledge.Text)))
	})
	return knowledge, err
}
