package bunstore

import (
	"strings"
	"testing"

	"github.com/uptrace/bun/migrate"

	"github.com/atelierhq/atelier/core"
)

// withoutLast is a dialect whose program is one migration older.
type withoutLast struct{ dialect }

func (d withoutLast) migrations() (*migrate.Migrations, error) {
	found, err := d.dialect.migrations()
	if err != nil {
		return nil, err
	}
	older := migrate.NewMigrations()
	all := found.Sorted()
	for _, migration := range all[:len(all)-1] {
		older.Add(migration)
	}
	return older, nil
}

func TestASchemaThatIsNotTheProgramsIsRefused(t *testing.T) {
	for name, address := range databases(t) {
		t.Run(name, func(t *testing.T) {
			store := opened(t, address)
			if err := store.CheckSchema(t.Context()); !core.IsCode(err, core.CodeConflict) || !strings.Contains(err.Error(), "the database is older than this program") {
				t.Errorf("an empty database: got %v, want that it is older", err)
			}
			if err := store.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := store.CheckSchema(t.Context()); err != nil {
				t.Errorf("the current schema: got %v, want nil", err)
			}
			files := migrationFiles(t)
			last, _, _ := strings.Cut(files[len(files)-1], "_")
			store.dialect = withoutLast{store.dialect}
			for what, check := range map[string]error{"before migrating": store.CheckNewer(t.Context()), "check": store.CheckSchema(t.Context()), "migrate": store.Migrate(t.Context())} {
				if !core.IsCode(check, core.CodeConflict) || !strings.Contains(check.Error(), "this program is older than the database") || !strings.Contains(check.Error(), last) {
					t.Errorf("%s by an older program: got %v, want that the program is older, and %s named", what, check, last)
				}
			}
		})
	}
}
