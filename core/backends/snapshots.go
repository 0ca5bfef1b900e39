package backends

import (
	"context"
	"slices"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/locks"
)

// Snapshots has the use cases of the snapshots of projects' data, and the worker that makes and
// removes them by the clock. It is started once, and closed before the store and the engine.
type Snapshots struct {
	deps     Deps
	schemas  *Schemas
	releases *Releases
	notes    snapshotNotes
	upkeep   upkeep

	stopped context.Context
	stop    context.CancelFunc
	tasks   sync.WaitGroup
}

func newSnapshots(deps Deps, releases *Releases, upkeep upkeep) *Snapshots {
	s := &Snapshots{deps: deps, schemas: releases.schemas, releases: releases, notes: releases.notes, upkeep: upkeep}
	s.stopped, s.stop = context.WithCancel(context.Background())
	return s
}

// listingOf is the action of listing an environment's snapshots.
func listingOf(env core.DataEnv) core.Action {
	if env == core.DataLive {
		return core.ActionBackendLiveCopies
	}
	return core.ActionBackendRead
}

// ListSnapshots returns the snapshots of an environment, the newest first.
func (s *Snapshots) ListSnapshots(ctx context.Context, by core.Actor, at backend.Place) ([]core.DataSnapshot, error) {
	if _, err := s.deps.Gate.Project(ctx, by, listingOf(at.Env), at.Project); err != nil {
		return nil, err
	}
	return s.notes.table().List(ctx, at.Project, at.Env)
}

// CreateSnapshot makes a snapshot. Beyond core.MaxManualSnapshots it returns core.CodeConflict,
// for an environment without data core.CodeNotFound.
func (s *Snapshots) CreateSnapshot(ctx context.Context, by core.Actor, at backend.Place) (made core.DataSnapshot, err error) {
	if _, err := s.deps.Gate.Project(ctx, by, changingOf(at.Env), at.Project); err != nil {
		return made, err
	}
	s.upkeep.prepare(ctx, at)
	err = s.alone(ctx, at, func() error {
		kept, err := s.notes.table().List(ctx, at.Project, at.Env)
		if err != nil {
			return err
		}
		manual := 0
		for _, snapshot := range kept {
			if snapshot.Reason == core.SnapshotManual {
				manual++
			}
		}
		if manual >= core.MaxManualSnapshots {
			return core.Errorf(core.CodeConflict, "an environment keeps at most %d snapshots that people made: delete one first", core.MaxManualSnapshots)
		}
		made, err = s.notes.make(ctx, at, core.SnapshotManual, by.UserID)
		return err
	})
	if err == nil {
		err = s.audit(ctx, by, at, "made the snapshot "+string(made.ID))
	}
	return made, err
}

// RestoreSnapshot makes the data what it was at a snapshot, and keeps what it was until then as
// another snapshot. The schema goes back with the data, and forward again as far as no value is
// lost by it. One that has begun is completed even if its caller has left.
func (s *Snapshots) RestoreSnapshot(ctx context.Context, by core.Actor, at backend.Place, id core.ID) error {
	if _, err := s.deps.Gate.Project(ctx, by, changingOf(at.Env), at.Project); err != nil {
		return err
	}
	work := context.WithoutCancel(ctx)
	err := s.alone(ctx, at, func() error {
		if _, err := s.kept(ctx, at, id); err != nil {
			return err
		}
		before, err := s.deps.Engine.Schema(work, at)
		if err != nil {
			return err
		}
		if _, err := s.notes.add(work, at, core.SnapshotRestore, by.UserID); err != nil {
			return err
		}
		// Only now: the snapshot that is restored may be the oldest one.
		defer s.notes.trim(work, at)
		if err := s.restore(work, at, id); err != nil {
			return err
		}
		s.bringForward(work, at, before)
		return nil
	})
	if err != nil {
		return err
	}
	return s.audit(work, by, at, "restored the snapshot "+string(id))
}

// TestDataWith returns the snapshot whose test data fit a version of the project: the first one
// since the version's time that has the schema of its file, or "". by must be allowed to restore it.
//
// Only the schema decides what fits: a version's time has seconds only, and many records may have
// been written between the version and the snapshot.
func (s *Snapshots) TestDataWith(ctx context.Context, by core.Actor, project core.ID, schema []byte, since core.Time) (core.ID, error) {
	at := backend.Place{Project: project, Env: core.DataTest}
	if _, err := s.deps.Gate.Project(ctx, by, changingOf(at.Env), project); err != nil {
		return "", err
	}
	declared, wrong := ParseSchema(schema)
	if len(wrong) > 0 {
		return "", nil
	}
	resolved, wrong := declared.Resolve(backend.Schema{})
	if len(wrong) > 0 {
		return "", nil
	}
	kept, err := s.notes.table().List(ctx, project, at.Env)
	if err != nil {
		return "", err
	}
	fingerprint := printOf(resolved)
	for _, snapshot := range slices.Backward(kept) {
		if snapshot.CreatedAt >= since && snapshot.SchemaPrint == fingerprint {
			return snapshot.ID, nil
		}
	}
	return "", nil
}

// RestoreTestData is RestoreSnapshot of test data.
func (s *Snapshots) RestoreTestData(ctx context.Context, by core.Actor, project, id core.ID) error {
	return s.RestoreSnapshot(ctx, by, backend.Place{Project: project, Env: core.DataTest}, id)
}

// DeleteSnapshot deletes a snapshot.
func (s *Snapshots) DeleteSnapshot(ctx context.Context, by core.Actor, at backend.Place, id core.ID) error {
	if _, err := s.deps.Gate.Project(ctx, by, changingOf(at.Env), at.Project); err != nil {
		return err
	}
	err := s.alone(ctx, at, func() error {
		if _, err := s.kept(ctx, at, id); err != nil {
			return err
		}
		return s.notes.discard(ctx, at, id)
	})
	if err != nil {
		return err
	}
	return s.audit(ctx, by, at, "deleted the snapshot "+string(id))
}

// kept returns a snapshot that is listed for a place.
func (s *Snapshots) kept(ctx context.Context, at backend.Place, id core.ID) (core.DataSnapshot, error) {
	snapshot, err := s.notes.table().ByID(ctx, id)
	if err == nil && (snapshot.ProjectID != at.Project || snapshot.Env != at.Env || snapshot.State != core.SnapshotKept) {
		return core.DataSnapshot{}, core.NotFound("snapshot")
	}
	return snapshot, err
}

// alone calls work while no schema of the project changes and no snapshot of it comes or goes.
// Live data that is being published has core.CodeUnavailable.
func (s *Snapshots) alone(ctx context.Context, at backend.Place, work func() error) error {
	unlock, err := s.schemas.changing.Lock(ctx, at.Project)
	if err != nil {
		return err
	}
	defer unlock()
	if at.Env == core.DataLive {
		if err := s.releases.atRest(ctx, at.Project); err != nil {
			return err
		}
	}
	return work()
}

// restore makes the data what it was. No other process changes the schema of test data meanwhile.
func (s *Snapshots) restore(ctx context.Context, at backend.Place, id core.ID) error {
	defer s.deps.Changes.Changed(at)
	if at.Env == core.DataLive {
		return s.deps.Engine.Restore(ctx, at, id)
	}
	return s.schemas.alone(ctx, at.Project, func(ctx context.Context, _ sources) error {
		if err := locks.Check(ctx); err != nil {
			return err
		}
		return s.deps.Engine.Restore(ctx, at, id)
	})
}

// bringForward gives restored data the schema that was in force, which the project's pages know,
// if no value is lost by that. Test data follows the project's file. A failure leaves the schema
// of the snapshot, which the next change or publish brings up to date.
func (s *Snapshots) bringForward(ctx context.Context, at backend.Place, before backend.Schema) {
	var err error
	if at.Env == core.DataTest {
		s.schemas.synced.forget(at.Project)
		_, _, err = s.schemas.sync(ctx, at.Project, s.schemas.apply)
	} else {
		err = s.follow(ctx, at, before)
	}
	if err != nil {
		s.deps.Log.WarnContext(ctx, "could not bring restored data to the present schema", "project", at.Project, "env", at.Env, "error", err)
	}
}

// follow applies a schema if no value is lost by it.
func (s *Snapshots) follow(ctx context.Context, at backend.Place, to backend.Schema) error {
	from, err := s.deps.Engine.Schema(ctx, at)
	if err != nil {
		return err
	}
	plan, err := s.schemas.weigh(ctx, at, from, to)
	if err != nil || len(plan.Steps) == 0 || plan.Loses() {
		return err
	}
	return s.deps.Engine.Apply(ctx, at, to)
}

// audit writes what was done with snapshots of live data to the workspace's security log.
func (s *Snapshots) audit(ctx context.Context, by core.Actor, at backend.Place, what string) error {
	if at.Env == core.DataTest {
		return nil
	}
	return s.deps.recordAudit(ctx, by, at.Project, core.AuditLiveDataChanged, what)
}
