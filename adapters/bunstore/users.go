package bunstore

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	bunschema "github.com/uptrace/bun/schema"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type userRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`
	core.User
}

type users struct{ session }

// Create implements storage.Users.
func (u users) Create(ctx context.Context, user core.User) error {
	if err := storage.CheckText(user); err != nil {
		return err
	}
	return insert(ctx, u.session, "user", &userRow{User: user})
}

// ByID implements storage.Users.
func (u users) ByID(ctx context.Context, id core.ID) (core.User, error) {
	row, err := find[userRow](ctx, u.session, "user", "id", string(id))
	return row.User, err
}

// ByEmail implements storage.Users.
func (u users) ByEmail(ctx context.Context, email string) (core.User, error) {
	row, err := find[userRow](ctx, u.session, "user", "email", email)
	return row.User, err
}

// Any implements storage.Users.
func (u users) Any(ctx context.Context) (is bool, err error) {
	err = u.read(ctx, "user", func(ctx context.Context, db bun.IDB) (err error) {
		is, err = db.NewSelect().Table("users").Exists(ctx)
		return err
	})
	return is, err
}

// accountRow is a user with one of their workspaces.
type accountRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`
	User          core.User      `bun:"embed:user_"`
	Workspace     core.Workspace `bun:"embed:workspace_"`
	Role          core.Role
	JoinedAt      core.Time
}

// WithWorkspaces implements storage.Users.
func (u users) WithWorkspaces(ctx context.Context, id core.ID) (core.User, []core.JoinedWorkspace, error) {
	var rows []accountRow
	err := u.look(ctx, "user", lookup{"user with workspaces", func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		return db.NewSelect().Model((*accountRow)(nil)).
			ColumnExpr("?", prefixed[userRow](db, "u", "user_")).ColumnExpr("?", prefixed[workspaceRow](db, "w", "workspace_")).
			ColumnExpr("m.role, m.joined_at").
			Join("JOIN memberships AS m ON m.user_id = u.id").
			Join("JOIN workspaces AS w ON w.id = m.workspace_id").
			Where("u.id = ?", value(0))
	}}, &rows, string(id))
	if err == nil && len(rows) == 0 {
		user, err := u.ByID(ctx, id)
		return user, nil, err
	}
	if err != nil {
		return core.User{}, nil, err
	}
	joined := each(rows, func(row accountRow) core.JoinedWorkspace {
		return core.JoinedWorkspace{Workspace: row.Workspace, Role: row.Role, JoinedAt: row.JoinedAt}
	})
	// Sort here, because sorting the few rows would cost PostgreSQL as much as finding them.
	slices.SortFunc(joined, compareJoined)
	return rows[0].User, joined, nil
}

// compareJoined puts personal workspaces first, then sorts by age.
func compareJoined(a, b core.JoinedWorkspace) int {
	if a.Personal != b.Personal {
		if a.Personal {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// prefixed lists the columns of a row's table under prefixed names.
func prefixed[R any](db bun.IDB, alias, prefix string) bun.Safe {
	fields := db.Dialect().Tables().Get(reflect.TypeFor[*R]()).Fields
	columns := each(fields, func(field *bunschema.Field) string { return alias + "." + field.Name + " AS " + prefix + field.Name })
	return bun.Safe(strings.Join(columns, ", "))
}

// projectUserRow is a user with a project and the standing in its workspace.
type projectUserRow struct {
	bun.BaseModel `bun:"table:projects,alias:p"`
	User          core.User `bun:"embed:user_"`
	WorkspaceID   core.ID
	core.ProjectAccess
	standingColumns
}

// OnProject implements storage.Users.
func (u users) OnProject(ctx context.Context, id, project core.ID) (storage.ProjectUser, error) {
	var row projectUserRow
	err := u.look(ctx, "project", lookup{"user on a project", func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		return db.NewSelect().Model((*projectUserRow)(nil)).
			ColumnExpr("p.workspace_id, ?, ?", accessColumns, standing).
			ColumnExpr("?", prefixed[userRow](db, "u", "user_")).
			Join("JOIN users AS u ON u.id = ?", value(0)).
			Join("JOIN workspaces AS w ON w.id = p.workspace_id").
			Join("LEFT JOIN memberships AS m ON m.workspace_id = p.workspace_id AND m.user_id = u.id").
			Where("p.id = ?", value(1))
	}}, &row, string(id), string(project))
	return storage.ProjectUser{User: row.User, WorkspaceID: row.WorkspaceID, Access: row.ProjectAccess, Standing: row.standing()}, err
}

// Update implements storage.Users.
func (u users) Update(ctx context.Context, id core.ID, change func(*core.User) error) (core.User, error) {
	row, err := update(ctx, u.session, "user", id, func(row *userRow) error {
		before := row.User
		if err := change(&row.User); err != nil {
			return err
		}
		row.ID, row.CreatedAt = before.ID, before.CreatedAt
		return storage.CheckText(row.User)
	})
	return row.User, err
}

// Delete implements storage.Users. Foreign keys remove what is the user's.
func (u users) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, u.session, "user", "users", id)
}
