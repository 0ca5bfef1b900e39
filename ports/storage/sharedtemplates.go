package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// SharedTemplates are deleted with their workspace. When their project is deleted they stay, and
// their ProjectID becomes nil.
type SharedTemplates interface {
	// Create stores a template without contents. A project that does not exist has code
	// core.CodeNotFound.
	Create(ctx context.Context, template core.SharedTemplate) error
	ByID(ctx context.Context, id core.ID) (core.SharedTemplate, error)
	// List returns a workspace's templates, the newest first.
	List(ctx context.Context, workspace core.ID) ([]core.SharedTemplate, error)
	// Update works like Users.Update. ID, WorkspaceID, ProjectID, CreatedBy and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.SharedTemplate) error) (core.SharedTemplate, error)
	// Delete removes the template with its contents.
	Delete(ctx context.Context, id core.ID) error
	// PutContent stores what a template holds, in place of what it held.
	PutContent(ctx context.Context, id core.ID, content core.SharedContent) error
	// Content returns core.CodeNotFound for a template without contents.
	Content(ctx context.Context, id core.ID) (core.SharedContent, error)
}
