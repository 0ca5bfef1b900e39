package bunstore

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest"
)

func TestStoreOnSQLite(t *testing.T) {
	template := newSQLite(t)
	store, err := Open(t.Context(), template)
	if err == nil {
		err = errors.Join(store.Migrate(t.Context()), store.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	storagetest.Run(t, func(t *testing.T) storage.Store {
		address := newSQLite(t)
		content, err := os.ReadFile(strings.TrimPrefix(template, "sqlite://"))
		if err == nil {
			err = os.WriteFile(strings.TrimPrefix(address, "sqlite://"), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return opened(t, address)
	})
}

func TestStoreOnPostgres(t *testing.T) {
	address := newPostgres(t)
	migrated(t, address)
	storagetest.Run(t, func(t *testing.T) storage.Store { return emptied(t, address) })
}

// emptied opens a database that has all tables, and deletes all rows.
func emptied(t *testing.T, address string) storage.Store {
	t.Helper()
	store := opened(t, address)
	// Few rows are taken out one by one faster than many tables are cut off.
	const empty = `DO $$
		DECLARE name text;
		BEGIN
			SET LOCAL session_replication_role = replica;
			FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT LIKE 'bun_%' LOOP
				EXECUTE format('DELETE FROM %I', name);
			END LOOP;
		END $$`
	if _, err := store.writer.ExecContext(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	return store
}

// databases are the addresses of one empty database of each kind.
func databases(t testing.TB) map[string]string {
	t.Helper()
	return map[string]string{"SQLite": newSQLite(t), "PostgreSQL": newPostgres(t)}
}

func newSQLite(t testing.TB) string {
	t.Helper()
	return "sqlite://" + filepath.Join(t.TempDir(), "atelier.db")
}

// newPostgres makes a schema of its own in the server that the tests share.
func newPostgres(t testing.TB) string {
	t.Helper()
	server := os.Getenv("ATELIER_TEST_POSTGRES")
	if server == "" {
		t.Fatal("ATELIER_TEST_POSTGRES is not set: run `make test`, which starts a PostgreSQL server for the tests")
	}
	schema := "t" + strings.ReplaceAll(string(core.NewID()), "-", "")
	admin := opened(t, server)
	if _, err := admin.writer.ExecContext(t.Context(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.writer.ExecContext(context.Background(), "DROP SCHEMA "+schema+" CASCADE"); err != nil {
			t.Error(err)
		}
	})
	return withOption(t, server, "search_path", schema)
}

func withOption(t testing.TB, address, name, value string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	options := parsed.Query()
	options.Set(name, value)
	parsed.RawQuery = options.Encode()
	return parsed.String()
}

// opened opens a database and waits for it longer than the service would: a machine that does
// much else takes its time for the largest records.
func opened(t testing.TB, address string) *Store {
	t.Helper()
	store, err := open(t.Context(), address, limits{call: 2 * time.Minute, tx: 2 * time.Minute, migration: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func migrated(t testing.TB, address string) *Store {
	t.Helper()
	store := opened(t, address)
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}
