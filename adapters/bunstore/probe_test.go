package bunstore

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// TestADatabaseThatTakesNoChangesIsNotReady makes it refuse writes like a standby, a
// server that its administrator made read-only, and a remounted disk.
func TestADatabaseThatTakesNoChangesIsNotReady(t *testing.T) {
	for name, c := range map[string]struct{ address, readOnly, again string }{
		"SQLite":     {newSQLite(t), "PRAGMA query_only = 1", "PRAGMA query_only = 0"},
		"PostgreSQL": {newPostgres(t), "SET default_transaction_read_only = on", "SET default_transaction_read_only = off"},
	} {
		t.Run(name, func(t *testing.T) {
			store := migrated(t, c.address)
			store.writer.SetMaxOpenConns(1) // one connection, so that session settings apply to all calls
			if err := store.CheckWrite(t.Context()); err != nil {
				t.Fatalf("got %v, want nil", err)
			}
			if _, err := store.writer.ExecContext(t.Context(), c.readOnly); err != nil {
				t.Fatal(err)
			}
			if err := store.Ping(t.Context()); err != nil {
				t.Errorf("ping: got %v, want nil: it reads", err)
			}
			if err := store.CheckWrite(t.Context()); !core.IsCode(err, core.CodeUnavailable) || !strings.Contains(strings.ToLower(err.Error()), "read") {
				t.Errorf("read-only: got %v, want code %s and the cause", err, core.CodeUnavailable)
			}
			if _, err := store.writer.ExecContext(t.Context(), c.again); err != nil {
				t.Fatal(err)
			}
			if err := store.CheckWrite(t.Context()); err != nil {
				t.Errorf("mended: got %v, want nil", err)
			}
		})
	}
}
