package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// ProjectFilter narrows a list of projects. Zero fields do not narrow.
type ProjectFilter struct {
	// Member lists only projects that this user sees as a member: those of workspaces in
	// which the user has a role, private ones only if the user created them or is an admin
	// there. It is always set, unless Public, DeletedBefore, Purging or CopyOf is.
	Member core.ID
	// AnyFactor lists projects also of workspaces that require a second factor which Member does
	// not have.
	AnyFactor bool
	// Public lists the public projects of all workspaces instead of those that Member sees.
	Public bool
	// DeletedBefore, if not 0, instead lists the projects that were soft-deleted before it,
	// in all workspaces.
	DeletedBefore core.Time
	// Purging instead lists the projects that are being removed permanently, in all workspaces.
	Purging   bool
	Workspace core.ID
	// Folder is a folder; RootOnly lists projects in no folder.
	Folder     core.ID
	RootOnly   bool
	Visibility core.Visibility
	// Query is a full-text search over name and description: every word of it must be the
	// beginning of a word of the project, both folded by core.Fold. Characters other than
	// letters and digits only separate words; a query without a word matches everything.
	Query string
	// Deleted lists soft-deleted projects instead of the others.
	Deleted bool
	// CopyOf lists the copies of this project instead, in every state, for any reader.
	CopyOf core.ID
	// Copies lists copies of projects among the others. DeletedBefore and Purging list them always.
	Copies bool
	// Sort is the order, "" for core.SortCreated. core.SortName compares the keys of SortName.
	Sort core.ProjectSort
}

// PositionOf is the place of a project in lists of every order.
func PositionOf(project core.Project) core.Position {
	return core.Position{CreatedAt: project.CreatedAt, UpdatedAt: project.UpdatedAt, Name: SortName(project.Name), ID: project.ID}
}

// Projects are the projects, including soft-deleted ones.
type Projects interface {
	// Create stores a project. A slug in use in the workspace has code
	// core.CodeConflict, a published slug in use core.CodeSlugTaken.
	Create(ctx context.Context, project core.Project) error
	// ByID finds soft-deleted projects too.
	ByID(ctx context.Context, id core.ID) (core.Project, error)
	// SeenBy is ByID with the user's standing in the project's workspace, in one consistent query.
	SeenBy(ctx context.Context, id, user core.ID) (core.Project, core.Standing, error)
	// ByPublishedSlug finds the project whose site lives under slug, soft-deleted ones too.
	ByPublishedSlug(ctx context.Context, slug string) (core.Project, error)
	// Update works as Users.Update does. A slug in use in the workspace has code
	// core.CodeConflict, a published slug in use core.CodeSlugTaken.
	Update(ctx context.Context, id core.ID, change func(*core.Project) error) (core.Project, error)
	// Delete removes the project with its copies, files' rows, chats, runs, deployments,
	// environment, domains, tasks, thumbnail and room.
	Delete(ctx context.Context, id core.ID) error
	// List returns at most page.Limit projects in the filter's order, starting after
	// page.Before; a limit below 1 gives none. A page stays the same when projects are
	// added before it.
	List(ctx context.Context, filter ProjectFilter, page core.Page) ([]core.Project, error)
	// SlugsLike returns the slugs of a workspace that are slug or begin with slug and a
	// hyphen, including those of soft-deleted projects, in any order.
	SlugsLike(ctx context.Context, workspace core.ID, slug string) ([]string, error)
	// Count returns how many projects a workspace has, soft-deleted ones too, but no copies.
	Count(ctx context.Context, workspace core.ID) (int, error)
}

// VersionMarks are the names and stars that people give to versions. They are deleted with their
// project.
type VersionMarks interface {
	// Put stores a mark, which replaces the version's other one. A mark without a name and a star
	// is removed.
	Put(ctx context.Context, mark core.VersionMark) error
	// List returns the marks of a project, the one that was changed last first.
	List(ctx context.Context, project core.ID) ([]core.VersionMark, error)
}

// PreviewLinks are the addresses at which people look at projects' pages. They are deleted with their
// project.
type PreviewLinks interface {
	Create(ctx context.Context, link core.PreviewLink) error
	ByID(ctx context.Context, id core.ID) (core.PreviewLink, error)
	// List returns the links of a project, expired ones included, the newest first.
	List(ctx context.Context, project core.ID) ([]core.PreviewLink, error)
	// Extend lets a link expire at another time. It does nothing for a link that is gone.
	Extend(ctx context.Context, id core.ID, until core.Time) error
	// Delete deletes a link. It is idempotent.
	Delete(ctx context.Context, id core.ID) error
	// DeleteOf deletes the links that a person made to the projects of a workspace, deleted ones
	// included, and returns how many there were.
	DeleteOf(ctx context.Context, workspace, maker core.ID) (int, error)
}
