package bunstore

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// projectRow is a project with the words that full text search sees, each behind
// a space: " " and the beginning of a word is a substring of it.
type projectRow struct {
	bun.BaseModel `bun:"table:projects,alias:p"`
	core.Project
	Search string
}

func rowOfProject(project core.Project) projectRow {
	words := storage.Words(project.Name)
	if project.Description != nil {
		words = append(words, storage.Words(*project.Description)...)
	}
	return projectRow{Project: project, Search: " " + strings.Join(words, " ")}
}

type projects struct{ session }

func (p projects) Create(ctx context.Context, project core.Project) error {
	if err := storage.CheckText(project); err != nil {
		return err
	}
	row := rowOfProject(project)
	return insert(ctx, p.session, "project", &row)
}

func (p projects) ByID(ctx context.Context, id core.ID) (core.Project, error) {
	row, err := find[projectRow](ctx, p.session, "project", "id", string(id))
	return row.Project, err
}

func (p projects) ByPublishedSlug(ctx context.Context, slug string) (core.Project, error) {
	row, err := find[projectRow](ctx, p.session, "project", "published_slug", slug)
	return row.Project, err
}

func (p projects) Update(ctx context.Context, id core.ID, change func(*core.Project) error) (core.Project, error) {
	row, err := update(ctx, p.session, "project", id, func(row *projectRow) error {
		project := row.Project
		if err := change(&project); err != nil {
			return err
		}
		project.ID, project.CreatedAt = row.ID, row.CreatedAt
		*row = rowOfProject(project)
		return storage.CheckText(project)
	})
	return row.Project, err
}

func (p projects) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, p.session, "project", "projects", id)
}

func (p projects) List(ctx context.Context, filter storage.ProjectFilter, page core.Page) ([]core.Project, error) {
	if page.Limit < 1 || !isStorable(filter, page) {
		return nil, nil
	}
	var rows []projectRow
	err := p.read(ctx, "project", func(ctx context.Context, db bun.IDB) error {
		query := db.NewSelect().Model(&rows).ExcludeColumn("search").
			Join("JOIN memberships AS m ON m.workspace_id = p.workspace_id AND m.user_id = ?", filter.Member).
			Where("p.visibility <> ? OR p.created_by = ? OR m.role IN (?, ?)",
				core.VisibilityPrivate, filter.Member, core.RoleAdmin, core.RoleOwner)
		query = p.narrow(query, filter)
		if page.Before != nil {
			query = query.Where("(p.created_at, p.id) < (?, ?)", page.Before.CreatedAt, page.Before.ID)
		}
		return query.OrderExpr("p.created_at DESC, p.id DESC").Limit(int64(page.Limit)).Scan(ctx)
	})
	return each(rows, func(row projectRow) core.Project { return row.Project }), err
}

// isStorable reports whether what is compared with columns can be in one. The
// query is not: only its words are.
func isStorable(filter storage.ProjectFilter, page core.Page) bool {
	filter.Query = ""
	return storage.CheckText(filter) == nil && (page.Before == nil || storage.CheckText(*page.Before) == nil)
}

func (p projects) narrow(query *bun.SelectQuery, filter storage.ProjectFilter) *bun.SelectQuery {
	if filter.Workspace != "" {
		query = query.Where("p.workspace_id = ?", filter.Workspace)
	}
	if filter.Folder != "" {
		query = query.Where("p.folder_id = ?", filter.Folder)
	}
	if filter.RootOnly {
		query = query.Where("p.folder_id IS NULL")
	}
	if filter.Visibility != "" {
		query = query.Where("p.visibility = ?", filter.Visibility)
	}
	if filter.Deleted {
		query = query.Where("p.deleted_at IS NOT NULL")
	} else {
		query = query.Where("p.deleted_at IS NULL")
	}
	if words := storage.Words(filter.Query); len(words) > 0 {
		query = query.Where("NOT EXISTS (SELECT 1 FROM "+p.speaks().elements()+
			" WHERE "+p.speaks().find("p.search", "' ' || element.value")+" = 0)", jsonOf(words))
	}
	return query
}

// jsonOf writes texts as a JSON array: one argument, however many they are.
func jsonOf(texts []string) string {
	// A slice of strings always has a JSON form.
	body, _ := json.Marshal(texts)
	return string(body)
}

func (p projects) SlugsLike(ctx context.Context, workspace core.ID, slug string) (slugs []string, err error) {
	if !storage.Storable(string(workspace)) || !storage.Storable(slug) {
		return nil, nil
	}
	err = p.read(ctx, "project", func(ctx context.Context, db bun.IDB) error {
		// "." is the character behind "-", so the range holds all that begin with
		// slug and a hyphen.
		return db.NewSelect().Table("projects").Column("slug").
			Where("workspace_id = ?", workspace).
			Where("slug = ? OR slug >= ? AND slug < ?", slug, slug+"-", slug+".").
			Scan(ctx, &slugs)
	})
	return slugs, err
}
