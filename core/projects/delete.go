package projects

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/addresses"
	"github.com/atelierhq/atelier/ports/storage"
)

// purgeTimeout bounds a hard delete, which continues after its caller has left.
const purgeTimeout = 5 * time.Minute

// Delete removes a project from all lists, takes its site offline, and stops its runs.
// Everything is kept, so that Restore brings it back.
func (s *Service) Delete(ctx context.Context, by core.Actor, id core.ID) error {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionProjectDelete, id); err != nil {
		return err
	}
	if err := s.bury(ctx, by, id); err != nil {
		return err
	}
	return s.stopRuns(ctx, id)
}

// Purge removes a project, deleted or not, with its files, its site and all its records.
// It requires an owner of the workspace. If the project was in the trash at the call and
// somebody has restored it since, it stays, and Purge returns CodeConflict.
func (s *Service) Purge(ctx context.Context, by core.Actor, id core.ID) error {
	seen, err := s.deps.Gate.DeletedProject(ctx, by, core.ActionProjectPurge, id)
	if err != nil {
		return err
	}
	return s.purge(ctx, by, id, func(ctx context.Context, tables storage.Tables) (core.Project, error) {
		project, err := access.DeletedProjectIn(ctx, tables, by, core.ActionProjectPurge, id)
		if err == nil && seen.DeletedAt != nil && project.DeletedAt == nil {
			err = core.Errorf(core.CodeConflict, "somebody has restored the project: delete it again if it is to go")
		}
		return project, err
	})
}

// decision returns a project that may be removed permanently, inside the transaction
// that begins the removal. Earlier checks only choose the candidates.
type decision func(ctx context.Context, tables storage.Tables) (core.Project, error)

// purge removes a project if decide lets it.
//
// It first marks the project's record as being removed, after which it cannot be
// restored. Then it removes the tree, then the site's files, and the records last. So
// after a crash the record is still there, PurgeExpired or another Purge finishes the
// removal, and no file of a project outlives its record.
func (s *Service) purge(ctx context.Context, by core.Actor, id core.ID, decide decision) error {
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), purgeTimeout)
	defer cancel()
	if err := s.condemn(work, by, id, decide); err != nil {
		return err
	}
	if err := s.stopRuns(work, id); err != nil {
		return err
	}
	if err := s.deps.Files.Remove(work, id); err != nil {
		return err
	}
	if err := s.removeSites(work, id); err != nil {
		return err
	}
	if err := s.erase(work, by, id); err != nil {
		return err
	}
	s.announce(work, id)
	return nil
}

// condemn soft-deletes a project, if necessary, and marks it as being removed
// permanently.
func (s *Service) condemn(ctx context.Context, by core.Actor, id core.ID, decide decision) error {
	buried := false
	now := core.At(s.deps.Now())
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		project, err := decide(ctx, tables)
		if err != nil || project.Purging {
			return err
		}
		buried = project.DeletedAt == nil
		_, err = tables.Projects.Update(ctx, id, func(project *core.Project) error {
			if project.Purging, project.UpdatedAt = true, now; buried {
				project.DeletedAt = &now
			}
			return nil
		})
		if err != nil || !buried {
			return err
		}
		return s.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, core.AuditProjectDeleted, project.Name)
	})
	if err == nil && buried {
		s.announce(ctx, id)
	}
	return err
}

// erase removes the records of a project whose files were removed. It is idempotent:
// missing records were removed by another process that finished the same purge.
func (s *Service) erase(ctx context.Context, by core.Actor, id core.ID) error {
	return s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
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
			if err := addresses.Free(ctx, tables, *slug, project.WorkspaceID, core.At(s.deps.Now())); err != nil {
				return err
			}
		}
		return s.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, core.AuditProjectPurged, project.Name)
	})
}

// Restore brings back a soft-deleted project. It is idempotent: a project that is not
// deleted is returned unchanged. One that is being removed permanently has code
// CodeNotFound.
func (s *Service) Restore(ctx context.Context, by core.Actor, id core.ID) (View, error) {
	project, err := s.deps.Gate.DeletedProject(ctx, by, core.ActionProjectDelete, id)
	if err != nil || project.DeletedAt == nil {
		return s.Present(project), err
	}
	if _, err := s.deps.Trees.Open(ctx, id); err != nil {
		return View{}, err
	}
	now := core.At(s.deps.Now())
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if project, err = access.DeletedProjectIn(ctx, tables, by, core.ActionProjectDelete, id); err != nil || project.DeletedAt == nil {
			return err
		}
		project, err = tables.Projects.Update(ctx, id, func(project *core.Project) error {
			project.DeletedAt, project.UpdatedAt = nil, now
			return nil
		})
		if err != nil {
			return err
		}
		return s.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, core.AuditProjectRestored, project.Name)
	})
	if err != nil {
		return View{}, err
	}
	s.announce(ctx, id)
	return s.Present(project), nil
}

// bury marks the project as deleted; the time of an earlier deletion stays.
func (s *Service) bury(ctx context.Context, by core.Actor, id core.ID) error {
	now := core.At(s.deps.Now())
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		project, err := access.DeletedProjectIn(ctx, tables, by, core.ActionProjectDelete, id)
		if err != nil || project.DeletedAt != nil {
			return err
		}
		_, err = tables.Projects.Update(ctx, id, func(project *core.Project) error {
			project.DeletedAt, project.UpdatedAt = &now, now
			return nil
		})
		if err != nil {
			return err
		}
		return s.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, core.AuditProjectDeleted, project.Name)
	})
	if err == nil {
		s.announce(ctx, id)
	}
	return err
}

// stopRuns asks every run of the project to end.
func (s *Service) stopRuns(ctx context.Context, id core.ID) error {
	tables := s.deps.Store.Tables()
	runs, err := tables.Chats.Runs(ctx, id)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if err := s.stopRun(ctx, tables, run); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) stopRun(ctx context.Context, tables storage.Tables, run core.Run) error {
	_, err := tables.Runs.Update(ctx, run.ID, func(run *core.Run) error {
		run.StopRequested = true
		return nil
	})
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	notice := core.Notice{Kind: core.NoticeRunStop, ProjectID: run.ProjectID, ChatID: run.ChatID, RunID: run.ID}
	if err := s.deps.Bus.Publish(ctx, notice); err != nil {
		s.deps.Log.WarnContext(ctx, "process of a run not told to stop it", "run", run.ID, "error", err)
	}
	return nil
}

func (s *Service) removeSites(ctx context.Context, id core.ID) error {
	deployments, err := s.deps.Store.Tables().Deployments.List(ctx, id)
	if err != nil {
		return err
	}
	for _, deployment := range deployments {
		if err := s.deps.Sites.Remove(ctx, deployment.ID); err != nil {
			return err
		}
	}
	return nil
}
