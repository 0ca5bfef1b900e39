package bunstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun/migrate"

	"github.com/atelierhq/atelier/core"
)

func TestPendingNamesTheMigrationsThatHaveNotRun(t *testing.T) {
	for name, address := range databases(t) {
		t.Run(name, func(t *testing.T) {
			store := opened(t, address)
			want := migrationFiles(t)
			for range 2 {
				if got, err := store.Pending(t.Context()); err != nil || !slices.Equal(got, want) {
					t.Errorf("before: got %v, %v, want %v", got, err, want)
				}
			}
			if err := store.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, err := store.Pending(t.Context()); err != nil || len(got) != 0 {
				t.Errorf("after: got %v, %v, want none", got, err)
			}
			if err := store.Migrate(t.Context()); err != nil {
				t.Errorf("a second time: got %v, want nil", err)
			}
		})
	}
}

// migrationFiles returns the names of the migrations as their files have them.
func migrationFiles(t *testing.T) []string {
	t.Helper()
	const suffix = ".tx.up.sql"
	files, err := filepath.Glob("../../migrations/sqlite/*" + suffix)
	if err != nil || len(files) < 6 {
		t.Fatalf("got %v, %v, want the files of all migrations", files, err)
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), suffix)
	}
	return files
}

func TestProcessesThatMigrateTogetherDoSoOnce(t *testing.T) {
	for name, address := range databases(t) {
		t.Run(name, func(t *testing.T) {
			var all sync.WaitGroup
			for range 4 {
				store := opened(t, address)
				all.Go(func() {
					if err := store.Migrate(t.Context()); err != nil {
						t.Errorf("got %v, want nil", err)
					}
				})
			}
			all.Wait()
			var marks int
			err := opened(t, address).reader.QueryRowContext(t.Context(), "SELECT count(*) FROM "+migrationsTable).Scan(&marks)
			if want := len(migrationFiles(t)); err != nil || marks != want {
				t.Errorf("got %d marks, %v, want %d", marks, err, want)
			}
		})
	}
}

// withMigration is a dialect that has one migration more.
type withMigration struct {
	dialect
	sql string
}

func (d withMigration) migrations() (*migrate.Migrations, error) {
	found, err := d.dialect.migrations()
	if err != nil {
		return nil, err
	}
	return found, found.Discover(fstest.MapFS{"9999_more.tx.up.sql": {Data: []byte(d.sql)}})
}

func TestAMigrationThatFailsLeavesTheSchemaAsItWas(t *testing.T) {
	for name, address := range databases(t) {
		t.Run(name, func(t *testing.T) {
			store := migrated(t, address)
			current := store.dialect
			store.dialect = withMigration{current, "CREATE TABLE half (id TEXT);\n--bun:split\nSELECT nothing FROM nowhere;\n"}
			if err := store.Migrate(t.Context()); !core.IsCode(err, core.CodeUnavailable) {
				t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
			}
			_, err := store.writer.ExecContext(t.Context(), "SELECT id FROM half")
			if current.classify(err).kind != failureNoTable {
				t.Errorf("got %v, want no table", err)
			}
			if got, err := store.Pending(t.Context()); err != nil || !slices.Equal(got, []string{"9999_more"}) {
				t.Errorf("got %v, %v, want the failed migration", got, err)
			}
			store.dialect = withMigration{current, "CREATE TABLE half (id TEXT);\n"}
			if err := store.Migrate(t.Context()); err != nil {
				t.Errorf("once repaired: got %v, want nil", err)
			}
		})
	}
}

func TestAMigrationIsRecordedInItsOwnTransaction(t *testing.T) {
	for name, address := range databases(t) {
		t.Run(name, func(t *testing.T) {
			store := migrated(t, address)
			// A migration that has run but is not recorded would run again, and fail.
			store.dialect = withMigration{store.dialect, "CREATE TABLE more (id TEXT);\n"}
			migrator, err := store.migrator()
			if err != nil {
				t.Fatal(err)
			}
			all, err := migrator.MigrationsWithStatus(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			last := all[len(all)-1]
			if err := last.Up(t.Context(), migrator, &last); err != nil {
				t.Fatal(err)
			}
			if got, err := store.Pending(t.Context()); err != nil || len(got) != 0 {
				t.Errorf("got %v, %v, want none although the migrator has not marked it", got, err)
			}
		})
	}
}

func TestBothDialectsHaveTheSameTablesAndColumns(t *testing.T) {
	const onSQLite = `SELECT m.name || '.' || c.name || CASE c."notnull" WHEN 1 THEN ' NOT NULL' ELSE '' END
		FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
		WHERE m.type = 'table' AND m.name NOT LIKE 'bun%' AND m.name NOT LIKE 'sqlite%' AND c.pk = 0`
	const onPostgres = `SELECT c.table_name || '.' || c.column_name || CASE c.is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END
		FROM information_schema.columns AS c
		WHERE c.table_schema = current_schema() AND c.table_name NOT LIKE 'bun%' AND NOT EXISTS (
			SELECT 1 FROM information_schema.key_column_usage AS k
			JOIN information_schema.table_constraints AS t USING (constraint_schema, constraint_name)
			WHERE t.constraint_type = 'PRIMARY KEY' AND t.table_schema = c.table_schema
				AND t.table_name = c.table_name AND k.column_name = c.column_name)`
	got := texts(t, migrated(t, newPostgres(t)), onPostgres)
	want := texts(t, migrated(t, newSQLite(t)), onSQLite)
	if !slices.Equal(got, want) || len(want) < 120 {
		t.Errorf("got %d columns on PostgreSQL:\n%s\nwant %d as on SQLite:\n%s",
			len(got), strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
	}
}

// texts returns the one column of a query, sorted.
func texts(t *testing.T, store *Store, query string) []string {
	t.Helper()
	rows, err := store.reader.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		found = append(found, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return found
}

func TestAnErrorOfTheDriverHasOneMeaning(t *testing.T) {
	for name, address := range databases(t) {
		t.Run(name, func(t *testing.T) {
			store := migrated(t, address)
			if got := store.dialect.classify(errors.New("anything else")); got != (failure{}) {
				t.Errorf("got %+v, want no failure of the database's own", got)
			}
			_, err := store.writer.ExecContext(t.Context(), "SELECT 1 FROM nowhere")
			if got := store.dialect.classify(fmt.Errorf("wrapped: %w", err)); got.kind != failureNoTable {
				t.Errorf("got %+v for %v, want that there is no table", got, err)
			}
		})
	}
}
