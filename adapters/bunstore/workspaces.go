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

type membershipRow struct {
	bun.BaseModel `bun:"table:memberships,alias:m"`
	core.Membership
}

type workspaces struct{ session }

func (w workspaces) Create(ctx context.Context, workspace core.Workspace) error {
	if err := storage.CheckText(workspace); err != nil {
		return err
	}
	return insert(ctx, w.session, "workspace", &workspaceRow{Workspace: workspace})
}

func (w workspaces) ByID(ctx context.Context, id core.ID) (core.Workspace, error) {
	row, err := find[workspaceRow](ctx, w.session, "workspace", "id", string(id))
	return row.Workspace, err
}

func (w workspaces) OfUser(ctx context.Context, user core.ID) ([]core.Workspace, error) {
	if !storage.Storable(string(user)) {
		return nil, nil
	}
	var rows []workspaceRow
	err := w.look(ctx, "workspace", lookup{"workspaces of a user", func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		return db.NewSelect().Model((*workspaceRow)(nil)).
			Join("JOIN memberships AS m ON m.workspace_id = w.id").
			Where("m.user_id = ?", value(0)).
			OrderExpr("w.personal DESC, w.created_at, w.id")
	}}, &rows, string(user))
	return each(rows, func(row workspaceRow) core.Workspace { return row.Workspace }), err
}

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

func (w workspaces) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, w.session, "workspace", "workspaces", id)
}

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

func (w workspaces) Role(ctx context.Context, workspace, user core.ID) (role core.Role, err error) {
	if !storage.Storable(string(workspace)) || !storage.Storable(string(user)) {
		return core.RoleNone, nil
	}
	err = w.look(ctx, "membership", lookup{"role", func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		return db.NewSelect().Table("memberships").Column("role").Where("workspace_id = ? AND user_id = ?", value(0), value(1))
	}}, &role, string(workspace), string(user))
	if core.IsCode(err, core.CodeNotFound) {
		return core.RoleNone, nil
	}
	return role, err
}
