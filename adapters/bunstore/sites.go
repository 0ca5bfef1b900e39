package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type siteSettingsRow struct {
	bun.BaseModel `bun:"table:site_settings,alias:ss"`
	core.SiteSettings
}

type siteSettings struct{ session }

// Of implements storage.SiteSettings.
func (s siteSettings) Of(ctx context.Context, project core.ID) (core.SiteSettings, error) {
	var row siteSettingsRow
	err := s.read(ctx, "site settings", func(ctx context.Context, db bun.IDB) error {
		row = siteSettingsRow{}
		return db.NewSelect().Model(&row).Where("ss.project_id = ?", project).Scan(ctx)
	})
	if core.IsCode(err, core.CodeNotFound) {
		return core.NewSiteSettings(project), nil
	}
	return row.SiteSettings, err
}

// Put implements storage.SiteSettings.
func (s siteSettings) Put(ctx context.Context, settings core.SiteSettings) error {
	if err := storage.CheckText(settings); err != nil {
		return err
	}
	return s.write(ctx, "project", func(ctx context.Context, db bun.IDB) error {
		query := db.NewInsert().Model(&siteSettingsRow{SiteSettings: settings}).On("CONFLICT (project_id) DO UPDATE")
		for _, column := range []string{"title", "description", "image", "favicon", "language", "robots", "access", "not_found", "updated_at", "password_hash", "revision"} {
			query = query.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
		}
		_, err := query.Exec(ctx)
		return err
	})
}

type takedownRow struct {
	bun.BaseModel `bun:"table:takedowns,alias:td"`
	core.Takedown
}

func (r takedownRow) value() core.Takedown { return r.Takedown }

type takedowns struct{ session }

// Create implements storage.Takedowns.
func (t takedowns) Create(ctx context.Context, takedown core.Takedown) error {
	if err := storage.CheckText(takedown); err != nil {
		return err
	}
	return insert(ctx, t.session, "takedown", &takedownRow{Takedown: takedown})
}

// Of implements storage.Takedowns.
func (t takedowns) Of(ctx context.Context, project core.ID) (core.Takedown, error) {
	row, err := find[takedownRow](ctx, t.session, "takedown", "project_id", string(project))
	return row.Takedown, err
}

// List implements storage.Takedowns.
func (t takedowns) List(ctx context.Context) ([]core.Takedown, error) {
	var rows []takedownRow
	err := t.read(ctx, "takedown", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&rows).OrderExpr("td.created_at DESC, td.project_id DESC").Scan(ctx)
	})
	return each(rows, takedownRow.value), err
}

// Delete implements storage.Takedowns.
func (t takedowns) Delete(ctx context.Context, project core.ID) error {
	return t.exec(ctx, "takedown", func(ctx context.Context, db bun.IDB) error {
		result, err := db.NewDelete().Table("takedowns").Where("project_id = ?", project).Exec(ctx)
		if err != nil {
			return err
		}
		return oneRow(result, "takedown")
	})
}

type siteCountRow struct {
	bun.BaseModel `bun:"table:site_counts,alias:sc"`
	core.SiteCount
}

func (r siteCountRow) value() core.SiteCount { return r.SiteCount }

type siteCounts struct{ session }

// Add implements storage.SiteCounts.
func (s siteCounts) Add(ctx context.Context, counts []core.SiteCount) error {
	if len(counts) == 0 {
		return nil
	}
	rows := make([]siteCountRow, len(counts))
	for i, count := range counts {
		if err := storage.CheckText(count); err != nil {
			return err
		}
		rows[i] = siteCountRow{SiteCount: count}
	}
	return s.write(ctx, "project", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewInsert().Model(&rows).On("CONFLICT (project_id, day, kind, name) DO UPDATE").
			Set("count = sc.count + EXCLUDED.count").Exec(ctx)
		return err
	})
}

// List implements storage.SiteCounts.
func (s siteCounts) List(ctx context.Context, project core.ID, since int64) ([]core.SiteCount, error) {
	var rows []siteCountRow
	err := s.read(ctx, "site counts", func(ctx context.Context, db bun.IDB) error {
		rows = nil
		return db.NewSelect().Model(&rows).Where("sc.project_id = ? AND sc.day >= ?", project, since).Order("sc.day", "sc.kind", "sc.name").Scan(ctx)
	})
	return each(rows, siteCountRow.value), err
}

// Prune implements storage.SiteCounts.
func (s siteCounts) Prune(ctx context.Context, before int64) error {
	return s.write(ctx, "site counts", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewDelete().Table("site_counts").Where("day < ?", before).Exec(ctx)
		return err
	})
}
