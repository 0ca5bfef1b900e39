package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type comments struct{ records records[core.Comment] }

func commentsOf(session conn) records[core.Comment] {
	return records[core.Comment]{
		session: session,
		noun:    "comment",
		table:   func(s *database) *table[core.ID, core.Comment] { return &s.comments },
		id:      func(c core.Comment) core.ID { return c.ID },
		copy: func(c core.Comment) core.Comment {
			c.ThreadID, c.Anchor.Element = copyOf(c.ThreadID), copyOf(c.Anchor.Element)
			return c
		},
		pin: func(c *core.Comment, before core.Comment) {
			c.ID, c.ProjectID, c.ThreadID, c.CreatedBy, c.CreatedAt = before.ID, before.ProjectID, before.ThreadID, before.CreatedBy, before.CreatedAt
		},
		check: func(s *database, comment core.Comment) error {
			if !s.projects.has(comment.ProjectID) {
				return core.NotFound("project")
			}
			if comment.ThreadID != nil && !s.comments.has(*comment.ThreadID) {
				return core.NotFound("thread")
			}
			return nil
		},
	}
}

// Create implements storage.Comments.
func (c comments) Create(ctx context.Context, comment core.Comment) error {
	return c.records.create(ctx, comment)
}

// ByID implements storage.Comments.
func (c comments) ByID(ctx context.Context, id core.ID) (core.Comment, error) {
	return c.records.byID(ctx, id)
}

// Threads implements storage.Comments.
func (c comments) Threads(ctx context.Context, filter storage.ThreadFilter, page core.Page) ([]core.Comment, error) {
	return c.page(ctx, page, func(comment core.Comment) bool {
		isWanted := filter.Resolved == nil || *filter.Resolved == (comment.ResolvedAt > 0)
		return comment.ProjectID == filter.Project && comment.ThreadID == nil && isWanted
	})
}

// OfAuthor implements storage.Comments.
func (c comments) OfAuthor(ctx context.Context, project, author core.ID, page core.Page) ([]core.Comment, error) {
	return c.page(ctx, page, func(comment core.Comment) bool {
		return comment.ProjectID == project && comment.CreatedBy == author
	})
}

func (c comments) page(ctx context.Context, page core.Page, match func(core.Comment) bool) ([]core.Comment, error) {
	found, err := c.records.list(ctx, func(comment core.Comment) bool {
		return match(comment) && isBehind(comment.CreatedAt, comment.ID, page.Before)
	}, func(a, b core.Comment) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return found[:min(len(found), max(0, page.Limit))], err
}

// Replies implements storage.Comments.
func (c comments) Replies(ctx context.Context, threads []core.ID) ([]core.Comment, error) {
	return c.records.list(ctx, func(comment core.Comment) bool {
		return comment.ThreadID != nil && slices.Contains(threads, *comment.ThreadID)
	}, func(a, b core.Comment) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// CountThreads implements storage.Comments.
func (c comments) CountThreads(ctx context.Context, project core.ID) (int, error) {
	return c.count(ctx, func(comment core.Comment) bool { return comment.ProjectID == project && comment.ThreadID == nil })
}

// CountReplies implements storage.Comments.
func (c comments) CountReplies(ctx context.Context, thread core.ID) (int, error) {
	return c.count(ctx, func(comment core.Comment) bool { return comment.ThreadID != nil && *comment.ThreadID == thread })
}

func (c comments) count(ctx context.Context, match func(core.Comment) bool) (int, error) {
	found, err := c.records.list(ctx, match, nil)
	return len(found), err
}

// Update implements storage.Comments.
func (c comments) Update(ctx context.Context, id core.ID, change func(*core.Comment) error) (core.Comment, error) {
	return c.records.update(ctx, id, change)
}

// Delete implements storage.Comments.
func (c comments) Delete(ctx context.Context, id core.ID) error {
	return c.records.delete(ctx, id, func(state *database, id core.ID) {
		state.comments.drop(state, func(comment core.Comment) bool {
			return comment.ID == id || comment.ThreadID != nil && *comment.ThreadID == id
		})
	})
}
