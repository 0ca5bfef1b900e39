package bunstore

import (
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun/migrate"

	"github.com/atelierhq/atelier/core"
)

// Pending returns the names of the migrations that have not run yet, none for a database
// with the current schema. It changes nothing.
func (s *Store) Pending(ctx context.Context) ([]string, error) {
	found, err := s.schema(ctx)
	return found.pending, err
}

// CheckSchema compares the database's schema with the program's. If they differ, it
// returns an error with code core.CodeConflict that says which is older and what to do.
// It changes nothing.
func (s *Store) CheckSchema(ctx context.Context) error {
	found, err := s.schema(ctx)
	if err != nil {
		return err
	}
	if err := found.refuseNewer(); err != nil {
		return err
	}
	if len(found.pending) > 0 {
		return core.Errorf(core.CodeConflict, "the database is older than this program: %d migrations have not run (%s); run atelier migrate, or start with AUTO_MIGRATE=on",
			len(found.pending), span(found.pending))
	}
	return nil
}

// CheckNewer is CheckSchema for a program that is about to migrate: it refuses only a
// database that a newer program has migrated.
func (s *Store) CheckNewer(ctx context.Context) error {
	found, err := s.schema(ctx)
	if err != nil {
		return err
	}
	return found.refuseNewer()
}

// schemaDifference holds the differences between the database's migrations and the
// program's, by number.
type schemaDifference struct {
	// pending are the names of migrations that have not run. unknown are the numbers of
	// applied ones that this program does not have.
	pending, unknown []string
}

// refuseNewer returns an error if a newer program has migrated the database: this one
// would misread its data and write data that the newer one does not expect.
func (d schemaDifference) refuseNewer() error {
	if len(d.unknown) == 0 {
		return nil
	}
	return core.Errorf(core.CodeConflict, "this program is older than the database, which has unknown migrations (%s); start the newer atelier, or restore the backup from before the update",
		span(d.unknown))
}

func (s *Store) schema(ctx context.Context) (schemaDifference, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limits.call)
	defer cancel()
	all, err := s.dialect.migrations()
	if err != nil {
		return schemaDifference{}, core.Wrap(core.CodeInternal, err, "the migrations cannot be read")
	}
	migrator, err := s.migrator()
	if err != nil {
		return schemaDifference{}, err
	}
	applied, err := migrator.AppliedMigrations(ctx)
	if err != nil && s.dialect.classify(err).kind != failureNoTable {
		return schemaDifference{}, s.translate(err, "migration")
	}
	return compare(all.Sorted(), applied), nil
}

func compare(known, applied migrate.MigrationSlice) schemaDifference {
	ran, ours := map[string]bool{}, map[string]bool{}
	for _, migration := range applied {
		ran[migration.Name] = true
	}
	var found schemaDifference
	for _, migration := range known {
		ours[migration.Name] = true
		if !ran[migration.Name] {
			found.pending = append(found.pending, migration.String())
		}
	}
	// The table records only numbers; the latest comes first.
	for _, migration := range slices.Backward(applied) {
		if !ours[migration.Name] {
			found.unknown = append(found.unknown, migration.Name)
		}
	}
	return found
}

// span returns the first and the last of names.
func span(names []string) string {
	if len(names) < 3 {
		return strings.Join(names, ", ")
	}
	return names[0] + " to " + names[len(names)-1]
}
