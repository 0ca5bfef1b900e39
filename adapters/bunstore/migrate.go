package bunstore

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"github.com/atelierhq/atelier/core"
)

// migrationsTable records which migrations have run.
const migrationsTable = "bun_migrations"

// Migrate brings the database to the current schema. Processes that call it at the same
// time take turns. A crash leaves the schema as it was before. If a newer program has
// migrated the database, Migrate changes nothing and returns core.CodeConflict.
func (s *Store) Migrate(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.limits.migration)
	defer cancel()
	migrator, err := s.migrator()
	if err != nil {
		return err
	}
	unlock, err := s.dialect.lockSchema(ctx, s.writer)
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the database cannot be locked for its migration")
	}
	defer unlock()
	if err := migrator.Init(ctx); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the database cannot be prepared for its migration")
	}
	found, err := s.schema(ctx)
	if err != nil {
		return err
	}
	if err := found.refuseNewer(); err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "a migration of the database failed")
	}
	if err := s.fillSortNames(ctx); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "a migration of the database failed")
	}
	return nil
}

// fillBatch is how many projects fillSortNames writes at a time.
const fillBatch = 500

// fillSortNames fills columns that SQL cannot compute for projects of older versions of
// the program: the sort key of the name, and the words for the search.
func (s *Store) fillSortNames(ctx context.Context) error {
	for {
		var rows []projectRow
		err := s.writer.NewSelect().Model(&rows).Where("p.sort_name = ''").Limit(fillBatch).Scan(ctx)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			filled := rowOfProject(row.project())
			_, err := s.writer.NewUpdate().Model(filled).Column("search", "sort_name").Where("p.id = ?", row.ID).Exec(ctx)
			if err != nil {
				return err
			}
		}
	}
}

func (s *Store) migrator() (*migrate.Migrator, error) {
	found, err := s.dialect.migrations()
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "the migrations cannot be read")
	}
	return migrate.NewMigrator(s.writer, found, migratorOptions()...), nil
}

func migratorOptions() []migrate.MigratorOption {
	return []migrate.MigratorOption{
		migrate.WithTableName(migrationsTable),
		migrate.WithMarkAppliedOnSuccess(true),
		migrate.WithUpsert(true),
		migrate.AfterMigration(record),
	}
}

// record marks a migration as applied in the migration's own transaction. The migrator's
// own mark, after the commit, finds the row and changes nothing. So a crash between the
// two leaves no applied migration unrecorded.
func record(ctx context.Context, db bun.IConn, migration *migrate.Migration) error {
	_, err := db.ExecContext(ctx, fmt.Sprintf(
		"INSERT INTO %s (name, group_id, migrated_at) VALUES ('%s', %d, current_timestamp)",
		migrationsTable, migration.Name, migration.GroupID))
	return err
}
