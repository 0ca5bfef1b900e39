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

// TestMigrationsHaveNumbersOfTheirOwn: of two migrations with one number only one is
// applied, because bun knows a migration by its number alone.
func TestMigrationsHaveNumbersOfTheirOwn(t *testing.T) {
	numbers := map[string]string{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		number, _, _ := strings.Cut(name, "_")
		if other := numbers[number]; other != "" {
			t.Errorf("got %s and %s, want a number of its own for each", other, name)
		}
		numbers[number] = name
		return nil
	})
	if err != nil || len(numbers) == 0 {
		t.Errorf("got %v and %d migrations, want no error and some", err, len(numbers))
	}
}
