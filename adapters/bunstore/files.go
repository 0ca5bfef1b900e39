package bunstore

import (
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/storage"
)

// fileRow mirrors core.FileEntry, whose path is no column type.
type fileRow struct {
	bun.BaseModel `bun:"table:project_files,alias:f"`
	ProjectID     core.ID
	Path          string
	Size          int64
	UpdatedAt     core.Time
	ETag          string `bun:"etag"`
}

func (r fileRow) entry() (core.FileEntry, error) {
	path, err := core.ParsePath(r.Path)
	if err != nil {
		return core.FileEntry{}, core.Wrap(core.CodeInternal, err, "a stored path is invalid")
	}
	return core.FileEntry{Path: path, Size: r.Size, UpdatedAt: r.UpdatedAt, ETag: r.ETag}, nil
}

type files struct{ session }

// List implements storage.Files.
func (f files) List(ctx context.Context, project core.ID) ([]core.FileEntry, error) {
	var entries []core.FileEntry
	err := f.read(ctx, "file", func(ctx context.Context, db bun.IDB) error {
		rows, err := db.QueryContext(ctx,
			"SELECT path, size, updated_at, etag FROM project_files WHERE project_id = ? ORDER BY path", project)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var row fileRow
			if err := rows.Scan(&row.Path, &row.Size, &row.UpdatedAt, &row.ETag); err != nil {
				return err
			}
			entry, err := row.entry()
			if err != nil {
				return err
			}
			entries = append(entries, entry)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// ByPath implements storage.Files.
func (f files) ByPath(ctx context.Context, at core.FileAt) (core.FileEntry, error) {
	var row fileRow
	err := f.look(ctx, "file", lookup{"file by path", func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		return db.NewSelect().Model((*fileRow)(nil)).Where("project_id = ? AND path = ?", value(0), value(1))
	}}, &row, string(at.Project), at.Path.String())
	if err != nil {
		return core.FileEntry{}, err
	}
	return row.entry()
}

// Apply implements storage.Files.
func (f files) Apply(ctx context.Context, project core.ID, delta storage.FileDelta) (revision int64, err error) {
	rows, err := rowsOf(project, delta.Put)
	if err != nil {
		return 0, err
	}
	if delta.Edit != nil {
		if err := storage.CheckText(*delta.Edit); err != nil {
			return 0, err
		}
	}
	err = f.write(ctx, "project", func(ctx context.Context, db bun.IDB) (err error) {
		// Change the row first whose lock serializes the writers of a project.
		if revision, err = f.raise(ctx, db, project, delta); err != nil {
			return err
		}
		// While that row is locked, this call precedes those of the lock's next holder.
		if err := locks.Check(ctx); err != nil {
			return err
		}
		if err := f.delete(ctx, db, project, delta.Delete); err != nil {
			return err
		}
		return putRows(ctx, db, rows)
	})
	if err != nil {
		return 0, err
	}
	return revision, nil
}

// raise increments the revision in the row of a project's files, and returns the new one.
func (f files) raise(ctx context.Context, db bun.IDB, project core.ID, delta storage.FileDelta) (revision int64, err error) {
	if delta.Edit == nil {
		err = db.NewRaw("INSERT INTO file_revisions (project_id, revision) VALUES (?, 1)"+
			" ON CONFLICT (project_id) DO UPDATE SET revision = file_revisions.revision + 1,"+
			" unsettled = CASE WHEN ? THEN file_revisions.unsettled ELSE FALSE END RETURNING revision", project, delta.Unsettled).Scan(ctx, &revision)
		return revision, err
	}
	err = db.NewRaw("INSERT INTO file_revisions (project_id, revision, edited_at, edited_by) VALUES (?, 1, ?, ?)"+
		" ON CONFLICT (project_id) DO UPDATE SET revision = file_revisions.revision + 1,"+
		" unsettled = CASE WHEN ? THEN file_revisions.unsettled ELSE FALSE END,"+
		" edited_at = EXCLUDED.edited_at, edited_by = EXCLUDED.edited_by RETURNING revision",
		project, int64(delta.Edit.At), delta.Edit.By, delta.Unsettled).Scan(ctx, &revision)
	return revision, err
}

// rowsOf keeps the last entry of each path.
func rowsOf(project core.ID, entries []core.FileEntry) ([]fileRow, error) {
	rows := make([]fileRow, 0, len(entries))
	at := make(map[core.ProjectPath]int, len(entries))
	for _, entry := range entries {
		if err := storage.CheckText(entry); err != nil {
			return nil, err
		}
		row := fileRow{
			ProjectID: project, Path: entry.Path.String(),
			Size: entry.Size, UpdatedAt: entry.UpdatedAt, ETag: entry.ETag,
		}
		if i, known := at[entry.Path]; known {
			rows[i] = row
			continue
		}
		at[entry.Path] = len(rows)
		rows = append(rows, row)
	}
	return rows, nil
}

// manyPaths is the number of deletes from which rows are matched here. PostgreSQL's
// planner may compare each path with each row of the project, because it does not know
// yet how many rows a new project has.
const manyPaths = 32

// delete removes the paths and everything below them.
func (f files) delete(ctx context.Context, db bun.IDB, project core.ID, paths []core.ProjectPath) error {
	if len(paths) == 0 {
		return nil
	}
	if slices.ContainsFunc(paths, core.ProjectPath.IsRoot) {
		_, err := db.NewDelete().Table("project_files").Where("project_id = ?", project).Exec(ctx)
		return err
	}
	if len(paths) < manyPaths {
		return f.deleteBelow(ctx, db, project, jsonOf(each(paths, core.ProjectPath.String)))
	}
	found, err := pathsBelow(ctx, db, project, paths)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "DELETE FROM project_files WHERE project_id = ? AND path IN ("+
		"SELECT element.value FROM "+f.speaks().elements()+")", project, jsonOf(found))
	return err
}

// deleteBelow removes the paths of a JSON array and everything below them. "0" is the
// character after "/", so the range from path/ to path0 holds everything below path.
func (f files) deleteBelow(ctx context.Context, db bun.IDB, project core.ID, list string) error {
	elements := f.speaks().elements()
	_, err := db.ExecContext(ctx, "DELETE FROM project_files WHERE project_id = ? AND path IN ("+
		"SELECT element.value FROM "+elements+
		" UNION ALL "+
		"SELECT f.path FROM "+elements+" CROSS JOIN project_files AS f"+
		" WHERE f.project_id = ? AND f.path > element.value || '/' AND f.path < element.value || '0')",
		project, list, list, project)
	return err
}

// pathsBelow returns the project's paths that equal a given one or lie below it.
func pathsBelow(ctx context.Context, db bun.IDB, project core.ID, paths []core.ProjectPath) ([]string, error) {
	given := make(map[string]bool, len(paths))
	for _, path := range paths {
		given[path.String()] = true
	}
	var stored []string
	if err := db.NewSelect().Table("project_files").Column("path").Where("project_id = ?", project).Scan(ctx, &stored); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(stored, func(path string) bool { return !isBelowAny(path, given) }), nil
}

func isBelowAny(path string, given map[string]bool) bool {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		if given[path[:end]] {
			return true
		}
	}
	return false
}

// putRows writes rows in statements of bounded size.
func putRows(ctx context.Context, db bun.IDB, rows []fileRow) error {
	for chunk := range slices.Chunk(rows, 1000) {
		_, err := db.NewInsert().Model(&chunk).
			On("CONFLICT (project_id, path) DO UPDATE").
			Set("size = EXCLUDED.size, updated_at = EXCLUDED.updated_at, etag = EXCLUDED.etag").
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// State implements storage.Files.
func (f files) State(ctx context.Context, project core.ID) (state storage.FileState, err error) {
	err = f.look(ctx, "project", lookup{"state of files", func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		return db.NewSelect().Table("file_revisions").Column("revision", "unsettled").Where("project_id = ?", value(0))
	}}, &state, string(project))
	if core.IsCode(err, core.CodeNotFound) {
		return storage.FileState{}, nil
	}
	return state, err
}

// seenFilesRow holds a project's visibility, a user's standing and the state of the project's
// files. It has no other column, because it is read with every list and every file.
type seenFilesRow struct {
	bun.BaseModel `bun:"table:projects,alias:p"`
	core.ProjectAccess
	standingColumns
	storage.FileState
}

// SeenBy implements storage.Files.
func (f files) SeenBy(ctx context.Context, project, user core.ID) (storage.SeenFiles, error) {
	var row seenFilesRow
	err := seenBy(ctx, f.session, memberLookup{"files", "project", "p.workspace_id", func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.
			ColumnExpr("?", accessColumns).
			ColumnExpr("COALESCE(fr.revision, 0) AS revision, COALESCE(fr.unsettled, FALSE) AS unsettled").
			Join("LEFT JOIN file_revisions AS fr ON fr.project_id = p.id")
	}}, project, user, &row)
	return storage.SeenFiles{Access: row.ProjectAccess, Standing: row.standing(), State: row.FileState}, err
}

// Mark implements storage.Files.
func (f files) Mark(ctx context.Context, project core.ID) error {
	return f.setUnsettled(ctx, project, true)
}

// Unmark implements storage.Files.
func (f files) Unmark(ctx context.Context, project core.ID) error {
	return f.setUnsettled(ctx, project, false)
}

// setUnsettled also creates the row of a project that never had files, so that a missing
// project is noticed.
func (f files) setUnsettled(ctx context.Context, project core.ID, unsettled bool) error {
	return f.exec(ctx, "project", func(ctx context.Context, db bun.IDB) error {
		_, err := db.ExecContext(ctx, "INSERT INTO file_revisions (project_id, revision, unsettled) VALUES (?, 0, ?)"+
			" ON CONFLICT (project_id) DO UPDATE SET unsettled = EXCLUDED.unsettled", project, unsettled)
		return err
	})
}
