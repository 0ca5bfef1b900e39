package core

import "time"

// DataSnapshot is a snapshot of the data of a backend. A kept one exists
// in the engine; the other states are the notes from which an interrupted change is finished.
type DataSnapshot struct {
	ID        ID   `json:"id"`
	CreatedAt Time `json:"createdAt"`
	// By is the user's id, nil if the service made the snapshot by itself.
	By     *ID            `json:"by"`
	Reason SnapshotReason `json:"reason"`
	Bytes  int64          `json:"bytes"`

	// SchemaPrint is the fingerprint of the schema that the data has, "" if it is not known.
	SchemaPrint string `json:"-"`

	ProjectID ID            `json:"-"`
	Env       DataEnv       `json:"-"`
	State     SnapshotState `json:"-"`
	// DueAt is when the service does what is due by the clock: it makes a planned snapshot, and
	// removes any other. 0 is never.
	DueAt Time `json:"-"`
}

// SnapshotReason says why a snapshot was made.
type SnapshotReason string

// The reasons of snapshots.
const (
	SnapshotManual SnapshotReason = "manual"
	// SnapshotPublish is the data before a publish.
	SnapshotPublish SnapshotReason = "publish"
	// SnapshotRestore is the data before another snapshot was restored.
	SnapshotRestore SnapshotReason = "restore"
	// SnapshotScheduled is the daily snapshot of live data, and that of test data before their schema
	// changed.
	SnapshotScheduled SnapshotReason = "scheduled"
)

// SnapshotState is how far a snapshot has come.
type SnapshotState string

// The states of snapshots.
const (
	// SnapshotPlanned is the next daily snapshot of an environment, which has at most one.
	SnapshotPlanned SnapshotState = "planned"
	// SnapshotMaking may or may not exist in the engine.
	SnapshotMaking   SnapshotState = "making"
	SnapshotKept     SnapshotState = "kept"
	SnapshotDeleting SnapshotState = "deleting"
)

// KeptFor returns how long a snapshot is kept that was made for a reason; 0 is forever.
func (r SnapshotReason) KeptFor() time.Duration {
	const day = 24 * time.Hour
	switch r {
	case SnapshotScheduled:
		return 7 * day
	case SnapshotPublish, SnapshotRestore:
		return 30 * day
	}
	return 0
}

// Limits of an environment's snapshots.
const (
	// MaxManualSnapshots is how many a project's members may keep.
	MaxManualSnapshots = 20
	// MaxAutomaticSnapshots is how many others are kept: beyond it the oldest goes before its
	// time.
	MaxAutomaticSnapshots = 100
	// MaxScheduledSnapshots is how many of these may be scheduled ones, so that many changes of a
	// schema do not push out what somebody wanted to come back to.
	MaxScheduledSnapshots = 50
)
