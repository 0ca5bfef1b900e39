package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type personRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`
	core.User
	LastSeenAt   core.Time `bun:",scanonly"`
	Workspaces   int       `bun:",scanonly"`
	SecondFactor bool      `bun:",scanonly"`
}

func (r personRow) person() core.Person {
	return core.Person{User: r.User, LastSeenAt: r.LastSeenAt, Workspaces: r.Workspaces, SecondFactor: r.SecondFactor}
}

type roster struct{ session }

// List implements storage.Roster.
func (r roster) List(ctx context.Context, query string, page core.Page) ([]core.Person, error) {
	if page.Limit < 1 || !storage.Storable(query) || page.Before != nil && storage.CheckText(*page.Before) != nil {
		return nil, nil
	}
	var rows []personRow
	err := r.read(ctx, "user", func(ctx context.Context, db bun.IDB) error {
		found := db.NewSelect().Model(&rows).ColumnExpr("u.*").
			ColumnExpr("COALESCE((SELECT MAX(s.last_seen_at) FROM sessions AS s WHERE s.user_id = u.id), 0) AS last_seen_at").
			ColumnExpr("(SELECT COUNT(*) FROM memberships AS m WHERE m.user_id = u.id) AS workspaces").
			ColumnExpr("? AS second_factor", hasFactor("u.id"))
		if query != "" {
			within := func(text string) string { return r.speaks().find(text, "LOWER(?)") + " > 0" }
			found = found.Where("("+within("u.email")+" OR "+within("LOWER(COALESCE(u.display_name, ''))")+")", query, query)
		}
		if page.Before != nil {
			found = found.Where("(u.created_at, u.id) < (?, ?)", page.Before.CreatedAt, page.Before.ID)
		}
		return found.OrderExpr("u.created_at DESC, u.id DESC").Limit(int64(page.Limit)).Scan(ctx)
	})
	return each(rows, personRow.person), err
}

// Admins implements storage.Roster.
func (r roster) Admins(ctx context.Context, named core.AdminEmails) (int, error) {
	var count int64
	err := r.read(ctx, "user", func(ctx context.Context, db bun.IDB) (err error) {
		count, err = db.NewSelect().Table("users").Where("disabled_at = 0").
			Where("(admin OR email_verified AND email IN (?))", bun.List(append([]string{""}, named...))).Count(ctx)
		return err
	})
	return int(count), err
}

type workspaceUseRow struct {
	bun.BaseModel `bun:"table:workspaces,alias:w"`
	core.Workspace
	Owner    string `bun:",scanonly"`
	Projects int    `bun:",scanonly"`
	Members  int    `bun:",scanonly"`
	Bytes    int64  `bun:",scanonly"`
}

func (r workspaceUseRow) use() core.WorkspaceUse {
	return core.WorkspaceUse{Workspace: r.Workspace, Owner: r.Owner, Projects: r.Projects, Members: r.Members, Bytes: r.Bytes}
}

// ownerAddress selects the address of the owner of w who joined first.
const ownerAddress = "COALESCE((SELECT u.email FROM memberships AS m JOIN users AS u ON u.id = m.user_id " +
	"WHERE m.workspace_id = w.id AND m.role = 'owner' ORDER BY m.joined_at, m.user_id LIMIT 1), '')"

// Workspaces implements storage.Roster.
func (r roster) Workspaces(ctx context.Context, filter storage.WorkspaceFilter, page core.Page) ([]core.WorkspaceUse, error) {
	if page.Limit < 1 || storage.CheckText(filter) != nil || page.Before != nil && storage.CheckText(*page.Before) != nil {
		return nil, nil
	}
	var rows []workspaceUseRow
	err := r.read(ctx, "workspace", func(ctx context.Context, db bun.IDB) error {
		found := db.NewSelect().Model(&rows).ColumnExpr("w.*").
			ColumnExpr(ownerAddress + " AS owner").
			ColumnExpr("(SELECT COUNT(*) FROM projects AS p WHERE p.workspace_id = w.id AND p.copy_of IS NULL) AS projects").
			ColumnExpr("(SELECT COUNT(*) FROM memberships AS m WHERE m.workspace_id = w.id) AS members").
			ColumnExpr("(SELECT CAST(COALESCE(SUM(f.size), 0) AS BIGINT) FROM project_files AS f JOIN projects AS p ON p.id = f.project_id WHERE p.workspace_id = w.id) AS bytes")
		if filter.ID != "" {
			found = found.Where("w.id = ?", filter.ID)
		}
		if text := filter.Query; text != "" {
			within := func(part string) string { return r.speaks().find(part, "LOWER(?)") + " > 0" }
			found = found.Where("("+within("LOWER(w.name)")+" OR "+within("w.slug")+" OR "+within(ownerAddress)+")", text, text, text)
		}
		if page.Before != nil {
			found = found.Where("(w.created_at, w.id) < (?, ?)", page.Before.CreatedAt, page.Before.ID)
		}
		return found.OrderExpr("w.created_at DESC, w.id DESC").Limit(int64(page.Limit)).Scan(ctx)
	})
	return each(rows, workspaceUseRow.use), err
}
