package migrations

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun/migrate"
)

func TestBothDialectsHaveTheSameMigrations(t *testing.T) {
	got, want := listed(t, Postgres), listed(t, SQLite)
	if !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("got %v for PostgreSQL, want %v as for SQLite", got, want)
	}
}

func listed(t *testing.T, dialect func() (*migrate.Migrations, error)) []string {
	t.Helper()
	found, err := dialect()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, migration := range found.Sorted() {
		if migration.Up == nil {
			t.Errorf("%s: got no way up, want one", migration)
		}
		names = append(names, migration.String())
	}
	return names
}

// TestNoMigrationEndsItsTransaction: a migration that ended its own transaction
// would not be rolled back if it failed later.
func TestNoMigrationEndsItsTransaction(t *testing.T) {
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, path)
		for line := range strings.Lines(string(content)) {
			first, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " ")
			if slices.Contains([]string{"BEGIN;", "BEGIN", "COMMIT;", "COMMIT", "END;", "ROLLBACK;"}, first) {
				t.Errorf("%s: got %q, want no statement that ends the transaction", path, line)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
