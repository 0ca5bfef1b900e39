package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type workspaceRow struct {
	bun.BaseModel `bun:"table:workspaces,alias:w"`
	core.Workspace
}

// joinedRow is a workspace with the fields of a membership.
type joinedRow struct {
	bun.BaseModel `bun:"table:workspaces,alias:w"`
	core.Workspace
	Role     core.Role `bun:",scanonly"`
	JoinedAt core.Time `bun:",scanonly"`
}

type membershipRow struct {
	bun.BaseModel `bun:"table:memberships,alias:m"`
	core.Membership
}

type workspaces struct{ session }

// Create implements storage.Workspaces.
func (w workspaces) Create(ctx context.Context, workspace core.Workspace) error {
	if err := storage.CheckText(workspace); err != nil {
		return err
	}
	return insert(ctx, w.session, "workspace", &workspaceRow{Workspace: workspace})
}

// ByID implements storage.Workspaces.
func (w workspaces) ByID(ctx context.Context, id core.ID) (core.Workspace, error) {
	row, err := find[workspaceRow](ctx, w.session, "workspace", "id", string(id))
	return row.Workspace, err
}

// SeenBy implements storage.Workspaces.
func (w workspaces) SeenBy(ctx context.Context, id, user core.ID) (core.Workspace, core.Standing, error) {
	var row seenWorkspaceRow
	err := seenBy(ctx, w.session, memberLookup{"workspace", "workspace", "w.id", allColumns}, id, user, &row)
	return row.Workspace, row.standing(), err
}

// seenWorkspaceRow is a workspace with a user's standing in it.
type seenWorkspaceRow struct {
	bun.BaseModel `bun:"table:workspaces,alias:w"`
	core.Workspace
	standingColumns
}

// standingColumns are those of core.Standing.
type standingColumns struct {
	Role        core.Role `bun:",scanonly"`
	LacksFactor bool      `bun:",scanonly"`
}

func (s standingColumns) standing() core.Standing { return core.Standing(s) }

// standing is read from the workspace w and the membership m, which may be missing.
var standing = bun.Safe("COALESCE(m.role, '') AS role, w.require_mfa AND m.user_id IS NOT NULL AND NOT " + string(hasFactor("m.user_id")) + " AS lacks_factor")

// memberLookup describes a lookup of a record together with a user's standing in its workspace.
type memberLookup struct {
	// what identifies the lookup; noun names the missing record.
	what, noun string
	// workspace is the column of the record's workspace.
	workspace string
	// columns are read in addition to the standing.
	columns func(*bun.SelectQuery) *bun.SelectQuery
}

// seenBy reads the row with the id into a model that has standingColumns.
func seenBy[R any](ctx context.Context, in session, wanted memberLookup, id, user core.ID, row *R) error {
	return in.look(ctx, wanted.noun, lookup{wanted.what + " seen by a user", func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		query := wanted.columns(db.NewSelect().Model((*R)(nil))).ColumnExpr("?", standing)
		if wanted.workspace != "w.id" {
			query = query.Join("JOIN workspaces AS w ON w.id = " + wanted.workspace)
		}
		return query.Join("LEFT JOIN memberships AS m ON m.workspace_id = "+wanted.workspace+" AND m.user_id = ?", value(0)).
			Where("?TableAlias.id = ?", value(1))
	}}, row, string(user), string(id))
}

func allColumns(query *bun.SelectQuery) *bun.SelectQuery { return query.ColumnExpr("?TableColumns") }

// OfUser implements storage.Workspaces.
func (w workspaces) OfUser(ctx context.Context, user core.ID) ([]core.JoinedWorkspace, error) {
	var rows []joinedRow
	err := w.look(ctx, "workspace", lookup{"workspaces of a user", func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		return db.NewSelect().Model((*joinedRow)(nil)).
			ColumnExpr("?TableColumns, m.role, m.joined_at").
			Join("JOIN memberships AS m ON m.workspace_id = w.id").
			Where("m.user_id = ?", value(0)).
			OrderExpr("w.personal DESC, w.created_at, w.id")
	}}, &rows, string(user))
	return each(rows, func(row joinedRow) core.JoinedWorkspace {
		return core.JoinedWorkspace{Workspace: row.Workspace, Role: row.Role, JoinedAt: row.JoinedAt}
	}), err
}

// Update implements storage.Workspaces.
func (w workspaces) Update(ctx context.Context, id core.ID, change func(*core.Workspace) error) (core.Workspace, error) {
	row, err := update(ctx, w.session, "workspace", id, func(row *workspaceRow) error {
		before := row.Workspace
		if err := change(&row.Workspace); err != nil {
			return err
		}
		row.ID, row.CreatedAt = before.ID, before.CreatedAt
		return storage.CheckText(row.Workspace)
	})
	return row.Workspace, err
}

// Delete implements storage.Workspaces.
func (w workspaces) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, w.session, "workspace", "workspaces", id)
}

// PutMember implements storage.Workspaces.
func (w workspaces) PutMember(ctx context.Context, member core.Membership) error {
	if err := storage.CheckText(member); err != nil {
		return err
	}
	return w.exec(ctx, "membership", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewInsert().Model(&membershipRow{Membership: member}).
			On("CONFLICT (workspace_id, user_id) DO UPDATE").
			Set("role = EXCLUDED.role").
			Exec(ctx)
		return err
	})
}

// Role implements storage.Workspaces.
func (w workspaces) Role(ctx context.Context, workspace, user core.ID) (role core.Role, err error) {
	err = w.look(ctx, "membership", lookup{"role", func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		return db.NewSelect().Table("memberships").Column("role").Where("workspace_id = ? AND user_id = ?", value(0), value(1))
	}}, &role, string(workspace), string(user))
	if core.IsCode(err, core.CodeNotFound) {
		return core.RoleNone, nil
	}
	return role, err
}
