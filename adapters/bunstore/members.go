package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
)

type members struct{ session }

// join selects members from memberships and users.
func (members) join(db bun.IDB) *bun.SelectQuery {
	return db.NewSelect().TableExpr("memberships AS m").Join("JOIN users AS u ON u.id = m.user_id").
		ColumnExpr("m.user_id, u.email, u.display_name, u.avatar_url, m.role, m.joined_at, ? AS second_factor", hasFactor("m.user_id"))
}

// List implements storage.Members.
func (m members) List(ctx context.Context, workspace core.ID) ([]core.Member, error) {
	var found []core.Member
	err := m.read(ctx, "member", func(ctx context.Context, db bun.IDB) error {
		return m.join(db).Where("m.workspace_id = ?", workspace).OrderExpr("m.joined_at, m.user_id").Scan(ctx, &found)
	})
	return found, err
}

// ByID implements storage.Members.
func (m members) ByID(ctx context.Context, workspace, user core.ID) (member core.Member, err error) {
	err = m.look(ctx, "member", lookup{"member", func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		return m.join(db).Where("m.workspace_id = ? AND m.user_id = ?", value(0), value(1))
	}}, &member, string(workspace), string(user))
	return member, err
}

// Remove implements storage.Members.
func (m members) Remove(ctx context.Context, workspace, user core.ID) error {
	return m.exec(ctx, "member", func(ctx context.Context, db bun.IDB) error {
		result, err := db.NewDelete().Table("memberships").
			Where("workspace_id = ? AND user_id = ?", workspace, user).Exec(ctx)
		if err != nil {
			return err
		}
		return oneRow(result, "member")
	})
}

// Owners implements storage.Members.
func (m members) Owners(ctx context.Context, workspace core.ID) (owners int, err error) {
	err = m.read(ctx, "member", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Table("memberships").ColumnExpr("count(*)").
			Where("workspace_id = ? AND role = ?", workspace, core.RoleOwner).Scan(ctx, &owners)
	})
	return owners, err
}
