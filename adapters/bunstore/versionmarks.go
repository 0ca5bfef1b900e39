package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type versionMarkRow struct {
	bun.BaseModel `bun:"table:version_marks,alias:vm"`
	core.VersionMark
}

func (r versionMarkRow) mark() core.VersionMark { return r.VersionMark }

type versionMarks struct{ session }

// Put implements storage.VersionMarks.
func (v versionMarks) Put(ctx context.Context, mark core.VersionMark) error {
	if err := storage.CheckText(mark); err != nil {
		return err
	}
	return v.exec(ctx, "project", func(ctx context.Context, db bun.IDB) error {
		if mark.IsEmpty() {
			_, err := db.NewDelete().Table("version_marks").Where("project_id = ? AND version = ?", mark.ProjectID, mark.Version).Exec(ctx)
			return err
		}
		query := db.NewInsert().Model(&versionMarkRow{VersionMark: mark}).On("CONFLICT (project_id, version) DO UPDATE")
		for _, column := range []string{"name", "starred", "marked_at"} {
			query = query.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
		}
		_, err := query.Exec(ctx)
		return err
	})
}

// List implements storage.VersionMarks.
func (v versionMarks) List(ctx context.Context, project core.ID) ([]core.VersionMark, error) {
	rows, err := list[versionMarkRow](ctx, v.session, "project_id", string(project), "vm.marked_at DESC, vm.version")
	return each(rows, versionMarkRow.mark), err
}
