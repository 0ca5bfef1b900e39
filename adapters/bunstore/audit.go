package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// auditRow keeps Actor as JSON.
type auditRow struct {
	bun.BaseModel `bun:"table:audit_entries,alias:a"`
	core.AuditEntry
}

type audit struct{ session }

// Append implements storage.Audit.
func (a audit) Append(ctx context.Context, entries []core.AuditEntry) error {
	for _, entry := range entries {
		if err := storage.CheckText(entry); err != nil {
			return err
		}
	}
	return a.write(ctx, "audit entry", func(ctx context.Context, db bun.IDB) error {
		there, err := a.workspacesOf(ctx, db, entries)
		if err != nil {
			return err
		}
		var rows []auditRow
		for _, entry := range entries {
			if entry.WorkspaceID == "" || there[entry.WorkspaceID] {
				rows = append(rows, auditRow{AuditEntry: entry})
			}
		}
		if len(rows) == 0 {
			return nil
		}
		_, err = db.NewInsert().Model(&rows).Exec(ctx)
		return err
	})
}

// workspacesOf returns the existing ones of the entries' workspaces. They cannot be
// deleted until the transaction ends.
func (a audit) workspacesOf(ctx context.Context, db bun.IDB, entries []core.AuditEntry) (map[core.ID]bool, error) {
	var found []core.ID
	err := a.speaks().keep(db.NewSelect().Table("workspaces").Column("id").
		Where("id IN (?)", bun.List(each(entries, func(entry core.AuditEntry) core.ID { return entry.WorkspaceID })))).
		Scan(ctx, &found)
	there := make(map[core.ID]bool, len(found))
	for _, id := range found {
		there[id] = true
	}
	return there, err
}

// List implements storage.Audit.
func (a audit) List(ctx context.Context, workspace core.ID, page core.Page) ([]core.AuditEntry, error) {
	return a.page(ctx, page, "a.workspace_id = ? AND a.workspace_id <> ''", workspace)
}

// OfPerson implements storage.Audit.
func (a audit) OfPerson(ctx context.Context, person core.ID, page core.Page) ([]core.AuditEntry, error) {
	return a.page(ctx, page, "a.person_id = ? AND a.person_id <> ''", person)
}

// OfInstance implements storage.Audit.
func (a audit) OfInstance(ctx context.Context, page core.Page) ([]core.AuditEntry, error) {
	return a.page(ctx, page, "a.workspace_id = '' AND a.person_id = ''")
}

// page returns a page of the entries that match.
func (a audit) page(ctx context.Context, page core.Page, where string, args ...any) ([]core.AuditEntry, error) {
	if page.Limit < 1 || page.Before != nil && storage.CheckText(*page.Before) != nil {
		return nil, nil
	}
	var rows []auditRow
	err := a.read(ctx, "audit entry", func(ctx context.Context, db bun.IDB) error {
		query := db.NewSelect().Model(&rows).Where(where, args...)
		if page.Before != nil {
			query = query.Where("(a.created_at, a.id) < (?, ?)", page.Before.CreatedAt, page.Before.ID)
		}
		return query.OrderExpr("a.created_at DESC, a.id DESC").Limit(int64(page.Limit)).Scan(ctx)
	})
	return each(rows, func(row auditRow) core.AuditEntry { return row.AuditEntry }), err
}

// Prune implements storage.Audit.
func (a audit) Prune(ctx context.Context, before core.Time) error {
	return a.exec(ctx, "audit entry", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewDelete().Table("audit_entries").Where("created_at < ?", before).Exec(ctx)
		return err
	})
}
