package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// commentRow keeps Anchor as JSON.
type commentRow struct {
	bun.BaseModel `bun:"table:comments,alias:cm"`
	core.Comment
}

func (r commentRow) comment() core.Comment { return r.Comment }

type comments struct{ session }

// Create implements storage.Comments.
func (c comments) Create(ctx context.Context, comment core.Comment) error {
	if err := storage.CheckText(comment); err != nil {
		return err
	}
	return insert(ctx, c.session, "comment", &commentRow{Comment: comment})
}

// ByID implements storage.Comments.
func (c comments) ByID(ctx context.Context, id core.ID) (core.Comment, error) {
	row, err := find[commentRow](ctx, c.session, "comment", "id", string(id))
	return row.comment(), err
}

// Threads implements storage.Comments.
func (c comments) Threads(ctx context.Context, filter storage.ThreadFilter, page core.Page) ([]core.Comment, error) {
	return c.page(ctx, page, func(query *bun.SelectQuery) *bun.SelectQuery {
		query = query.Where("cm.project_id = ? AND cm.thread_id IS NULL", filter.Project)
		switch {
		case filter.Resolved == nil:
			return query
		case *filter.Resolved:
			return query.Where("cm.resolved_at > 0")
		}
		return query.Where("cm.resolved_at = 0")
	})
}

// OfAuthor implements storage.Comments.
func (c comments) OfAuthor(ctx context.Context, project, author core.ID, page core.Page) ([]core.Comment, error) {
	return c.page(ctx, page, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("cm.project_id = ? AND cm.created_by = ?", project, author)
	})
}

// page returns a page of the selected comments, newest first.
func (c comments) page(ctx context.Context, page core.Page, selected func(*bun.SelectQuery) *bun.SelectQuery) ([]core.Comment, error) {
	if page.Limit < 1 || page.Before != nil && storage.CheckText(*page.Before) != nil {
		return nil, nil
	}
	var rows []commentRow
	err := c.read(ctx, "comment", func(ctx context.Context, db bun.IDB) error {
		query := selected(db.NewSelect().Model(&rows))
		if page.Before != nil {
			query = query.Where("(cm.created_at, cm.id) < (?, ?)", page.Before.CreatedAt, page.Before.ID)
		}
		return query.OrderExpr("cm.created_at DESC, cm.id DESC").Limit(int64(page.Limit)).Scan(ctx)
	})
	return each(rows, commentRow.comment), err
}

// Replies implements storage.Comments.
func (c comments) Replies(ctx context.Context, threads []core.ID) ([]core.Comment, error) {
	// The id "" matches nothing, so the list is never empty.
	wanted := append([]core.ID{""}, threads...)
	var rows []commentRow
	err := c.read(ctx, "comment", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&rows).Where("cm.thread_id IN (?)", bun.List(wanted)).OrderExpr("cm.created_at, cm.id").Scan(ctx)
	})
	return each(rows, commentRow.comment), err
}

// CountThreads implements storage.Comments.
func (c comments) CountThreads(ctx context.Context, project core.ID) (int, error) {
	return c.count(ctx, "cm.project_id = ? AND cm.thread_id IS NULL", project)
}

// CountReplies implements storage.Comments.
func (c comments) CountReplies(ctx context.Context, thread core.ID) (int, error) {
	return c.count(ctx, "cm.thread_id = ?", thread)
}

func (c comments) count(ctx context.Context, where string, id core.ID) (count int, err error) {
	err = c.read(ctx, "comment", func(ctx context.Context, db bun.IDB) error {
		found, err := db.NewSelect().Model((*commentRow)(nil)).Where(where, id).Count(ctx)
		count = int(found)
		return err
	})
	return count, err
}

// Update implements storage.Comments.
func (c comments) Update(ctx context.Context, id core.ID, change func(*core.Comment) error) (core.Comment, error) {
	row, err := update(ctx, c.session, "comment", id, func(row *commentRow) error {
		before := row.Comment
		if err := change(&row.Comment); err != nil {
			return err
		}
		row.ID, row.ProjectID, row.ThreadID, row.CreatedBy, row.CreatedAt = before.ID, before.ProjectID, before.ThreadID, before.CreatedBy, before.CreatedAt
		return storage.CheckText(row.Comment)
	})
	return row.comment(), err
}

// Delete implements storage.Comments.
func (c comments) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, c.session, "comment", "comments", id)
}
