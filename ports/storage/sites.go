package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// SiteSettings are the settings of projects' published sites. They are deleted with their project.
type SiteSettings interface {
	// Of returns the settings of a project, core.NewSiteSettings if none were put.
	Of(ctx context.Context, project core.ID) (core.SiteSettings, error)
	// Put replaces the settings of a project.
	Put(ctx context.Context, settings core.SiteSettings) error
}

// Takedowns are the sites that admins of the installation took down. They are deleted with their project.
type Takedowns interface {
	// Create stores a takedown. A project that has one has code core.CodeConflict, a missing project
	// core.CodeNotFound.
	Create(ctx context.Context, takedown core.Takedown) error
	Of(ctx context.Context, project core.ID) (core.Takedown, error)
	// List returns all takedowns, the latest first.
	List(ctx context.Context) ([]core.Takedown, error)
	Delete(ctx context.Context, project core.ID) error
}

// SiteCounts are the counts of visits to projects' sites. They are deleted with their project.
type SiteCounts interface {
	// Add adds to the counts of a day: each Count to the one with the same project, day, kind and
	// name. No two of the given counts have all four in common.
	Add(ctx context.Context, counts []core.SiteCount) error
	// List returns the counts of a project's days from since on, ordered by day, kind and name.
	List(ctx context.Context, project core.ID, since int64) ([]core.SiteCount, error)
	// Prune removes the counts of all projects' days before a day.
	Prune(ctx context.Context, before int64) error
}
