package projects

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// Retention is how long deleted projects are kept; 0 keeps them until somebody purges
// them.
type Retention time.Duration

const (
	// trashPoll is how often a process looks for expired deleted projects.
	trashPoll = time.Hour
	// trashBatch is how many projects are read at a time.
	trashBatch = 100
)

// trash is the background worker of the trash.
type trash struct {
	life  context.Context
	end   context.CancelFunc
	tasks sync.WaitGroup
}

func newTrash() *trash {
	life, end := context.WithCancel(context.Background())
	return &trash{life: life, end: end}
}

// Start starts the worker that purges expired deleted projects and finishes interrupted
// purges. The database knows what is due, so a stop loses nothing, and several processes
// may purge at once.
func (s *Service) Start() {
	s.trash.tasks.Go(func() {
		ticker := time.NewTicker(trashPoll)
		defer ticker.Stop()
		for {
			if err := s.PurgeExpired(s.trash.life); err != nil && s.trash.life.Err() == nil {
				s.deps.Log.Warn("deleted projects whose time is over stay behind", "error", err)
			}
			select {
			case <-s.trash.life.Done():
				return
			case <-ticker.C:
			}
		}
	})
}

// Close stops the worker and waits for its current purge, or until ctx ends.
func (s *Service) Close(ctx context.Context) error {
	s.trash.end()
	done := make(chan struct{})
	go func() {
		s.trash.tasks.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// PurgeExpired removes the projects that were deleted longer ago than Retention, and
// those whose removal was interrupted. A failure of one does not stop the others.
func (s *Service) PurgeExpired(ctx context.Context) error {
	var before core.Time
	if s.deps.Retention > 0 {
		before = core.At(s.deps.Now()).Add(-time.Duration(s.deps.Retention))
	}
	due := func(ctx context.Context, id core.ID) error {
		return s.purge(ctx, core.Actor{}, id, func(ctx context.Context, tables storage.Tables) (core.Project, error) {
			project, err := tables.Projects.ByID(ctx, id)
			if err == nil && !project.Purging && (project.DeletedAt == nil || *project.DeletedAt >= before) {
				err = core.NotFound("project")
			}
			return project, err
		})
	}
	err := s.purgeAll(ctx, storage.ProjectFilter{Purging: true}, due)
	if before != 0 {
		err = errors.Join(err, s.purgeAll(ctx, storage.ProjectFilter{DeletedBefore: before}, due))
	}
	return err
}

// EmptyTrash permanently removes all deleted projects of a workspace, except those that
// somebody restores meanwhile. It requires an owner.
func (s *Service) EmptyTrash(ctx context.Context, by core.Actor, workspace core.ID) error {
	if _, _, err := s.deps.Gate.Workspace(ctx, by, core.ActionProjectPurge, workspace); err != nil {
		return err
	}
	filter := storage.ProjectFilter{Member: by.UserID, Workspace: workspace, Deleted: true}
	return s.purgeAll(ctx, filter, func(ctx context.Context, id core.ID) error {
		return s.purge(ctx, by, id, func(ctx context.Context, tables storage.Tables) (core.Project, error) {
			project, err := access.DeletedProjectIn(ctx, tables, by, core.ActionProjectPurge, id)
			if err == nil && (project.DeletedAt == nil || project.WorkspaceID != workspace) {
				err = core.NotFound("project")
			}
			return project, err
		})
	})
}

// purgeAll purges the projects of a filter, and returns the first failure. A project
// that was restored or purged meanwhile is not a failure.
func (s *Service) purgeAll(ctx context.Context, filter storage.ProjectFilter, purge func(context.Context, core.ID) error) error {
	var failed error
	page := core.Page{Limit: trashBatch}
	for {
		found, err := s.deps.Store.Tables().Projects.List(ctx, filter, page)
		if err != nil {
			return err
		}
		for _, project := range found {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := purge(ctx, project.ID); err != nil && !core.IsCode(err, core.CodeNotFound) && failed == nil {
				failed = err
			}
		}
		if len(found) < trashBatch {
			return failed
		}
		at := storage.PositionOf(found[len(found)-1])
		page.Before = &at
	}
}

// purgeAt is when a project is due to be purged.
func (s *Service) purgeAt(project core.Project) *core.Time {
	if project.DeletedAt == nil || s.deps.Retention <= 0 {
		return nil
	}
	at := project.DeletedAt.Add(time.Duration(s.deps.Retention))
	return &at
}
