package backends

import (
	"context"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// snapshotTime bounds the making of a snapshot. It is far shorter than leftoverAge, after
	// which remains are removed.
	snapshotTime = 10 * time.Minute
	leftoverAge  = time.Hour
	// dayOfSnapshots is the time from one daily snapshot to the next.
	dayOfSnapshots = 24 * time.Hour
	// changeSnapshotTime bounds the making of a snapshot before a change of the schema, which delays
	// a page; changeSnapshotBytes bounds its size.
	changeSnapshotTime  = 30 * time.Second
	changeSnapshotBytes = 256 << 20
	// changeSnapshotRest is the least time between two of them. Edits become a version after the
	// same time: while a person types, a schema file has many states that no version holds.
	changeSnapshotRest = time.Minute
)

// snapshotNotes makes and deletes snapshots in the engine and in the database. The note comes
// first and goes last, so a listed snapshot exists, and no part of another is forgotten.
//
// Callers hold the project's lock (Schemas.changing) or have a switch open, so nothing is deleted
// while it is being restored.
type snapshotNotes struct{ deps Deps }

func (n snapshotNotes) table() storage.Snapshots { return n.deps.Store.Tables().Snapshots }

// begin notes a snapshot that the engine is about to make. bytes is its size as far as it is
// known.
func (n snapshotNotes) begin(ctx context.Context, place backend.Place, reason core.SnapshotReason, by core.ID, bytes int64) (core.DataSnapshot, error) {
	now := core.At(n.deps.Now())
	note := core.DataSnapshot{
		ID: core.NewID(), CreatedAt: now, Reason: reason, Bytes: bytes,
		ProjectID: place.Project, Env: place.Env, State: core.SnapshotMaking, DueAt: now.Add(leftoverAge),
	}
	if by != "" {
		note.By = &by
	}
	return note, n.table().Create(ctx, note)
}

// keep lists a snapshot that the engine has made, with the fingerprint of its schema, "" if that is
// not known.
func (n snapshotNotes) keep(ctx context.Context, id core.ID, bytes int64, fingerprint string) (core.DataSnapshot, error) {
	return n.table().Update(ctx, id, func(note *core.DataSnapshot) error {
		if note.State != core.SnapshotMaking {
			return core.NotFound("snapshot")
		}
		note.State, note.Bytes, note.SchemaPrint, note.DueAt = core.SnapshotKept, bytes, fingerprint, 0
		if kept := note.Reason.KeptFor(); kept > 0 {
			note.DueAt = note.CreatedAt.Add(kept)
		}
		return nil
	})
}

// make makes a snapshot, and discards the oldest ones beyond the bounds.
func (n snapshotNotes) make(ctx context.Context, place backend.Place, reason core.SnapshotReason, by core.ID) (core.DataSnapshot, error) {
	made, err := n.add(ctx, place, reason, by)
	if err == nil {
		n.trim(ctx, place)
	}
	return made, err
}

// add makes a snapshot, and discards none.
func (n snapshotNotes) add(ctx context.Context, place backend.Place, reason core.SnapshotReason, by core.ID) (core.DataSnapshot, error) {
	note, err := n.begin(ctx, place, reason, by, 0)
	if err != nil {
		return core.DataSnapshot{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, snapshotTime)
	defer cancel()
	size, fingerprint, err := n.snapshot(bounded, place, note.ID)
	if err == nil {
		note, err = n.keep(ctx, note.ID, size, fingerprint)
	}
	if err != nil {
		n.abandon(ctx, place, note.ID)
		return core.DataSnapshot{}, err
	}
	return note, nil
}

// snapshot lets the engine make a snapshot, and returns its size and the fingerprint of its schema.
// That is "" if another process changed the schema meanwhile.
func (n snapshotNotes) snapshot(ctx context.Context, place backend.Place, id core.ID) (size int64, fingerprint string, err error) {
	before, err := n.deps.Engine.Schema(ctx, place)
	if err != nil {
		return 0, "", err
	}
	if size, err = n.deps.Engine.Snapshot(ctx, place, id); err != nil {
		return 0, "", err
	}
	after, err := n.deps.Engine.Schema(ctx, place)
	if fingerprint = printOf(before); err == nil && fingerprint != printOf(after) {
		fingerprint = ""
	}
	return size, fingerprint, err
}

// hasRecentSnapshot reports whether beforeChange made a snapshot of test data so recently that a
// change which loses nothing needs no other.
func (n snapshotNotes) hasRecentSnapshot(ctx context.Context, place backend.Place) bool {
	kept, err := n.table().List(ctx, place.Project, place.Env)
	if err != nil {
		n.deps.Log.WarnContext(ctx, "could not list the snapshots of a backend", "project", place.Project, "error", err)
	}
	since := core.At(n.deps.Now()).Add(-changeSnapshotRest)
	return slices.ContainsFunc(kept, func(snapshot core.DataSnapshot) bool {
		return snapshot.Reason == core.SnapshotScheduled && snapshot.CreatedAt > since
	})
}

// beforeChange makes a snapshot of test data whose schema is about to change, for a person who
// restores a version with the old schema. It returns "" without one: data that are too large get
// none, and a failure does not stop the change.
func (n snapshotNotes) beforeChange(ctx context.Context, place backend.Place) core.ID {
	bounded, cancel := context.WithTimeout(ctx, changeSnapshotTime)
	defer cancel()
	stats, err := n.deps.Engine.Stats(bounded, place)
	if err == nil && stats.Bytes+stats.FileBytes > changeSnapshotBytes {
		return ""
	}
	var made core.DataSnapshot
	if err == nil {
		made, err = n.make(bounded, place, core.SnapshotScheduled, "")
	}
	if err != nil {
		n.deps.Log.WarnContext(ctx, "could not make a snapshot before a change of the schema", "project", place.Project, "error", err)
	}
	return made.ID
}

// abandon discards the remains of a failed snapshot. If that fails, it is due again by the clock.
func (n snapshotNotes) abandon(ctx context.Context, place backend.Place, id core.ID) {
	if err := n.discard(context.WithoutCancel(ctx), place, id); err != nil {
		n.deps.Log.WarnContext(ctx, "could not remove a snapshot; it is tried again", "project", place.Project, "snapshot", id, "error", err)
	}
}

// discard deletes a snapshot. It is idempotent. A snapshot to which an open switch may have to
// go back has core.CodeConflict.
func (n snapshotNotes) discard(ctx context.Context, place backend.Place, id core.ID) error {
	open, err := n.deps.Engine.Staged(ctx, place)
	if err != nil {
		return err
	}
	if open.Snapshot == id {
		return core.Errorf(core.CodeConflict, "the application is being published with this snapshot to go back to: try again")
	}
	soon := core.At(n.deps.Now()).Add(snapshotLease)
	_, err = n.table().Update(ctx, id, func(note *core.DataSnapshot) error {
		note.State, note.DueAt = core.SnapshotDeleting, soon
		return nil
	})
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	if err := n.deps.Engine.Forget(ctx, place, id); err != nil {
		return err
	}
	return unlessGone(n.table().Delete(ctx, id))
}

// trim discards the oldest automatic snapshots of a place beyond core.MaxScheduledSnapshots and
// core.MaxAutomaticSnapshots.
func (n snapshotNotes) trim(ctx context.Context, place backend.Place) {
	kept, err := n.table().List(ctx, place.Project, place.Env)
	if err != nil {
		n.deps.Log.WarnContext(ctx, "could not list the snapshots of a backend", "project", place.Project, "error", err)
		return
	}
	automatic, scheduled := 0, 0
	for _, snapshot := range kept {
		if snapshot.Reason == core.SnapshotManual {
			continue
		}
		isScheduled := snapshot.Reason == core.SnapshotScheduled
		if automatic == core.MaxAutomaticSnapshots || isScheduled && scheduled == core.MaxScheduledSnapshots {
			n.abandon(ctx, place, snapshot.ID)
			continue
		}
		automatic++
		if isScheduled {
			scheduled++
		}
	}
}

// plan makes sure that the place has daily snapshots.
func (n snapshotNotes) plan(ctx context.Context, place backend.Place) error {
	now := core.At(n.deps.Now())
	err := n.table().Create(ctx, core.DataSnapshot{
		ID: core.NewID(), CreatedAt: now, Reason: core.SnapshotScheduled,
		ProjectID: place.Project, Env: place.Env, State: core.SnapshotPlanned, DueAt: now.Add(dayOfSnapshots),
	})
	if core.IsCode(err, core.CodeConflict) {
		return nil
	}
	return err
}

// settle ends the snapshot of a switch that is about to be settled, if it has one: a publish
// that went live keeps it.
func (n snapshotNotes) settle(ctx context.Context, place backend.Place, id core.ID) error {
	note, err := n.table().ByID(ctx, id)
	if err != nil || note.State != core.SnapshotMaking {
		return unlessGone(err)
	}
	if _, err = n.keep(ctx, id, note.Bytes, note.SchemaPrint); err == nil {
		n.trim(ctx, place)
	}
	return unlessGone(err)
}

func unlessGone(err error) error {
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	return err
}
