package bunstore

import (
	"testing"

	"github.com/atelierhq/atelier/core"
)

// TestAProcessThatStandsStillInATransactionLosesItsRooms lets a process stop between two
// statements of storing a room's edits, for which PostgreSQL has locked the room's row.
func TestAProcessThatStandsStillInATransactionLosesItsRooms(t *testing.T) {
	address := newPostgres(t)
	stopped, other := migrated(t, address), opened(t, address)
	project, owner := fill(t, stopped), core.NewID()
	if _, err := stopped.Tables().Rooms.Claim(t.Context(), project, owner, 0, lapsed); err != nil {
		t.Fatal(err)
	}
	tx, err := stopped.writer.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(t.Context(), "UPDATE rooms SET last_seq = last_seq + 1 WHERE project_id = ? AND owner = ?", project, owner); err != nil {
		t.Fatal(err)
	}
	// The claim waits for the row as long as any call of the store may take.
	if _, err := other.Tables().Rooms.Claim(t.Context(), project, core.NewID(), lapsed+1, lapsed+2); err != nil {
		t.Errorf("got %v, want the room whose claim has lapsed", err)
	}
}

// lapsed is until when a process has claimed a room.
const lapsed core.Time = 1000
