package projects

import (
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/addresses"
	"github.com/atelierhq/atelier/ports/storage"
)

// purgeTimeout bounds a hard delete, which continues after its caller has left.
const purgeTimeout = 5 * time.Minute

// trashBatch is how many deleted projects are read at a time.
const trashBatch = 100

// Purge removes a project, deleted or not, with its files, its site, the data of its backend and
// all its records.
// It requires an owner of the workspace. If the project was in the trash at the call and
// somebody has restored it since, it stays, and Purge returns CodeConflict.
func (t *Trash) Purge(ctx context.Context, by core.Actor, id core.ID) error {
	seen, err := t.deps.Gate.DeletedProject(ctx, by, core.ActionProjectPurge, id)
	if err != nil {
		return err
	}
	return t.purge(ctx, by, id, func(ctx context.Context, tables storage.Tables) (core.Project, error) {
		project, err := access.DeletedProjectIn(ctx, tables, by, core.ActionProjectPurge, id)
		if err == nil && seen.DeletedAt != nil && project.DeletedAt == nil {
			err = core.Errorf(core.CodeConflict, "the project has been restored: delete it again to remove it permanently")
		}
		return project, err
	})
}

// decision returns a project that may be removed permanently, inside the transaction
// that begins the removal. Earlier checks only choose the candidates.
type decision func(ctx context.Context, tables storage.Tables) (core.Project, error)

// purge removes a project if decide lets it.
//
// It first marks the record of the project, and of its copies, as being removed, after which it cannot
// be restored. Then, for the copies first, it removes the tree, then the site's files and the backend's data, and the
// records last. So after a crash the record is still there, PurgeExpired or another Purge
// finishes the removal, and no file of a project outlives its record.
func (t *Trash) purge(ctx context.Context, by core.Actor, id core.ID, decide decision) error {
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), purgeTimeout)
	defer cancel()
	if err := t.condemn(work, by, id, decide); err != nil {
		return err
	}
	return t.deps.withCopies(work, id, func(ctx context.Context, id core.ID) error { return t.raze(ctx, by, id) })
}

// raze removes everything of a project that is marked as being removed.
func (t *Trash) raze(work context.Context, by core.Actor, id core.ID) error {
	if err := t.stopRuns(work, id); err != nil {
		return err
	}
	if err := t.deps.Files.Remove(work, id); err != nil {
		return err
	}
	if err := t.removeSites(work, id); err != nil {
		return err
	}
	if err := t.deps.Backends.RemoveData(work, id); err != nil {
		return err
	}
	if err := t.erase(work, by, id); err != nil {
		return err
	}
	t.deps.announce(work, id)
	return nil
}

// condemn soft-deletes a project, if necessary, and marks it as being removed
// permanently.
func (t *Trash) condemn(ctx context.Context, by core.Actor, id core.ID, decide decision) error {
	buried := false
	now := core.At(t.deps.Now())
	err := t.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		project, err := decide(ctx, tables)
		if err != nil || project.Purging {
			return err
		}
		buried = project.DeletedAt == nil
		_, err = updateWithCopies(ctx, tables, id, func(project *core.Project) error {
			if project.Purging, project.UpdatedAt = true, now; buried {
				project.DeletedAt = &now
			}
			return nil
		})
		if err != nil || !buried || project.CopyOf != nil {
			return err
		}
		return t.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, core.AuditProjectDeleted, project.Name)
	})
	if err == nil && buried {
		t.deps.announce(ctx, id)
	}
	return err
}

// erase removes the records of a project whose files were removed. It is idempotent:
// missing records were removed by another process that finished the same purge. A workspace that
// nobody belongs to any more goes with its last project.
func (t *Trash) erase(ctx context.Context, by core.Actor, id core.ID) error {
	return t.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		project, err := tables.Projects.ByID(ctx, id)
		if core.IsCode(err, core.CodeNotFound) {
			return nil
		}
		if err == nil {
			err = tables.Projects.Delete(ctx, id)
		}
		if err != nil {
			return err
		}
		if slug := project.PublishedSlug; slug != nil {
			if err := addresses.HoldSlug(ctx, tables, *slug, project.WorkspaceID, core.At(t.deps.Now())); err != nil {
				return err
			}
		}
		if project.CopyOf != nil {
			return nil
		}
		if err := t.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, core.AuditProjectPurged, project.Name); err != nil {
			return err
		}
		return dropForsaken(ctx, tables, project.WorkspaceID)
	})
}

// dropForsaken deletes a workspace without members and projects: its last member deleted their
// account.
func dropForsaken(ctx context.Context, tables storage.Tables, workspace core.ID) error {
	members, err := tables.Members.List(ctx, workspace)
	if err != nil || len(members) > 0 {
		return err
	}
	left, err := tables.Projects.Count(ctx, workspace)
	if err != nil || left > 0 {
		return err
	}
	return withoutGone(tables.Workspaces.Delete(ctx, workspace))
}

func (t *Trash) removeSites(ctx context.Context, id core.ID) error {
	deployments, err := t.deps.Store.Tables().Deployments.List(ctx, id)
	if err != nil {
		return err
	}
	for _, deployment := range deployments {
		if err := t.deps.Sites.Remove(ctx, deployment.ID); err != nil {
			return err
		}
	}
	return nil
}

// PurgeExpired removes the projects that were deleted longer ago than Retention, and
// those whose removal was interrupted. A failure of one does not stop the others.
func (t *Trash) PurgeExpired(ctx context.Context) error {
	var before core.Time
	if t.deps.Retention > 0 {
		before = core.At(t.deps.Now()).Add(-time.Duration(t.deps.Retention))
	}
	due := func(ctx context.Context, id core.ID) error {
		return t.purge(ctx, core.Actor{}, id, func(ctx context.Context, tables storage.Tables) (core.Project, error) {
			project, err := tables.Projects.ByID(ctx, id)
			if err == nil && !project.Purging && (project.DeletedAt == nil || *project.DeletedAt >= before) {
				err = core.NotFound("project")
			}
			return project, err
		})
	}
	err := t.purgeAll(ctx, storage.ProjectFilter{Purging: true}, due)
	if before != 0 {
		err = errors.Join(err, t.purgeAll(ctx, storage.ProjectFilter{DeletedBefore: before}, due))
	}
	return err
}

// EmptyTrash permanently removes all deleted projects of a workspace, except those that
// somebody restores meanwhile. It requires an owner.
func (t *Trash) EmptyTrash(ctx context.Context, by core.Actor, workspace core.ID) error {
	if _, _, err := t.deps.Gate.Workspace(ctx, by, core.ActionProjectPurge, workspace); err != nil {
		return err
	}
	filter := storage.ProjectFilter{Member: by.UserID, Workspace: workspace, Deleted: true, AnyFactor: true}
	return t.purgeAll(ctx, filter, func(ctx context.Context, id core.ID) error {
		return t.purge(ctx, by, id, func(ctx context.Context, tables storage.Tables) (core.Project, error) {
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
func (t *Trash) purgeAll(ctx context.Context, filter storage.ProjectFilter, purge func(context.Context, core.ID) error) error {
	var failed error
	page := core.Page{Limit: trashBatch}
	for {
		found, err := t.deps.Store.Tables().Projects.List(ctx, filter, page)
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
