package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Comments are the comments on projects' pages. They are deleted with their project, and replies with
// the first comment of their thread.
type Comments interface {
	// Create stores a comment. The project and, for a reply, the thread must exist.
	Create(ctx context.Context, comment core.Comment) error
	ByID(ctx context.Context, id core.ID) (core.Comment, error)
	// Threads returns a page of the first comments of threads, newest first, like Projects.List.
	Threads(ctx context.Context, filter ThreadFilter, page core.Page) ([]core.Comment, error)
	// Replies returns the replies of threads, the oldest first.
	Replies(ctx context.Context, threads []core.ID) ([]core.Comment, error)
	// OfAuthor returns a page of a person's comments in a project, newest first, like Projects.List.
	OfAuthor(ctx context.Context, project, author core.ID, page core.Page) ([]core.Comment, error)
	// CountThreads returns how many threads a project has, CountReplies how many replies a thread has.
	CountThreads(ctx context.Context, project core.ID) (int, error)
	CountReplies(ctx context.Context, thread core.ID) (int, error)
	// Update works like Users.Update. ID, ProjectID, ThreadID, CreatedBy and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.Comment) error) (core.Comment, error)
	Delete(ctx context.Context, id core.ID) error
}

// ThreadFilter selects threads of a project.
type ThreadFilter struct {
	Project core.ID
	// Resolved selects those that are resolved, or that are not; nil selects both.
	Resolved *bool
}
