package backends

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/worker"
	"github.com/atelierhq/atelier/ports/backend"
)

const (
	// snapshotPoll is how often the service looks for due snapshots; snapshotLease is how long
	// no other process deals with the same one, which is longer than snapshotTime.
	snapshotPoll  = time.Minute
	snapshotLease = 30 * time.Minute
)

// Start starts a worker that makes the daily snapshots of live data, and removes those that have
// expired and what a crash left. Several processes may do so over the same database.
func (s *Snapshots) Start() {
	loop := worker.Loop{Claim: s.claimDue, Poll: snapshotPoll, Concurrency: 1}
	s.tasks.Go(func() { loop.Run(s.stopped) })
}

// Close stops the worker, and waits until what it began is over, or until ctx ends.
func (s *Snapshots) Close(ctx context.Context) error {
	s.stop()
	return ctxsync.Wait(ctx, &s.tasks)
}

// claimDue claims a snapshot that is due and returns the work on it, or nil.
func (s *Snapshots) claimDue(ctx context.Context) func() {
	now := core.At(s.deps.Now())
	due, err := s.notes.table().Claim(ctx, now, now.Add(snapshotLease))
	if err != nil {
		if !core.IsCode(err, core.CodeNotFound) && ctx.Err() == nil {
			s.deps.Log.Warn("could not read the snapshots that are due", "error", err)
		}
		return nil
	}
	return func() {
		at := backend.Place{Project: due.ProjectID, Env: due.Env}
		err := s.alone(s.stopped, at, func() error { return s.attend(s.stopped, at, due) })
		if err != nil && s.stopped.Err() == nil {
			s.deps.Log.Warn("could not make or remove a snapshot; it is tried again", "project", due.ProjectID, "error", err)
		}
	}
}

// attend makes a planned snapshot, and removes any other that is due.
func (s *Snapshots) attend(ctx context.Context, at backend.Place, due core.DataSnapshot) error {
	if due.State == core.SnapshotPlanned {
		return s.makeDaily(ctx, at, due)
	}
	present, err := s.notes.table().ByID(ctx, due.ID)
	if err != nil || present.DueAt != due.DueAt {
		// It is gone, or it was the snapshot of a publish that has been settled since.
		return unlessGone(err)
	}
	return s.notes.discard(ctx, at, due.ID)
}

// makeDaily makes the snapshot of a day, and plans that of the next. It ends the daily snapshots
// of a place that has no data any more.
func (s *Snapshots) makeDaily(ctx context.Context, at backend.Place, planned core.DataSnapshot) error {
	made, err := s.madeToday(ctx, at)
	if err != nil {
		return err
	}
	if !made {
		_, err := s.notes.make(ctx, at, core.SnapshotScheduled, "")
		if core.IsCode(err, core.CodeNotFound) {
			return unlessGone(s.notes.table().Delete(ctx, planned.ID))
		}
		if err != nil {
			return err
		}
	}
	next := core.At(s.deps.Now()).Add(dayOfSnapshots)
	_, err = s.notes.table().Update(ctx, planned.ID, func(note *core.DataSnapshot) error {
		note.DueAt = next
		return nil
	})
	return unlessGone(err)
}

// madeToday reports whether a process made the daily snapshot, and died before it planned the
// next.
func (s *Snapshots) madeToday(ctx context.Context, at backend.Place) (bool, error) {
	kept, err := s.notes.table().List(ctx, at.Project, at.Env)
	if err != nil {
		return false, err
	}
	since := core.At(s.deps.Now()).Add(-dayOfSnapshots / 2)
	for _, snapshot := range kept {
		if snapshot.Reason == core.SnapshotScheduled && snapshot.CreatedAt > since {
			return true, nil
		}
	}
	return false, nil
}
