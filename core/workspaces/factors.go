package workspaces

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// isStricter reports whether the change requires a second factor that the workspace did not.
func (c Change) isStricter(space core.Workspace) bool {
	return c.RequireMFA != nil && *c.RequireMFA && !space.RequireMFA
}

// shutOut returns the members of a workspace who lack a second factor. It returns core.CodeConflict
// if the caller is one of them.
func shutOut(ctx context.Context, tables storage.Tables, by core.Actor, id core.ID) ([]core.ID, error) {
	if err := access.CheckOwnFactor(ctx, tables, by); err != nil {
		return nil, err
	}
	members, err := tables.Members.List(ctx, id)
	if err != nil {
		return nil, err
	}
	var out []core.ID
	for _, member := range members {
		if !*member.SecondFactor {
			out = append(out, member.UserID)
		}
	}
	return out, nil
}
