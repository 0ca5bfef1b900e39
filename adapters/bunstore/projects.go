package bunstore

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// projectRow is a project with the words for the search, each preceded by a space: " "
// followed by the beginning of a word is then a substring.
type projectRow struct {
	bun.BaseModel `bun:"table:projects,alias:p"`
	core.Project
	PublishedAt *int64
	DeletedAt   *int64
	Search      string
	SortName    string
}

func rowOfProject(project core.Project) *projectRow {
	words := storage.Words(project.Name)
	if project.Description != nil {
		words = append(words, storage.Words(*project.Description)...)
	}
	return &projectRow{
		Project:     project,
		PublishedAt: (*int64)(project.PublishedAt),
		DeletedAt:   (*int64)(project.DeletedAt),
		Search:      " " + strings.Join(words, " "),
		SortName:    storage.SortName(project.Name),
	}
}

func (r projectRow) project() core.Project {
	r.Project.PublishedAt, r.Project.DeletedAt = (*core.Time)(r.PublishedAt), (*core.Time)(r.DeletedAt)
	return r.Project
}

type projects struct{ session }

// Create implements storage.Projects.
func (p projects) Create(ctx context.Context, project core.Project) error {
	if err := storage.CheckText(project); err != nil {
		return err
	}
	return insert(ctx, p.session, "project", rowOfProject(project))
}

// ByID implements storage.Projects.
func (p projects) ByID(ctx context.Context, id core.ID) (core.Project, error) {
	row, err := find[projectRow](ctx, p.session, "project", "id", string(id))
	return row.project(), err
}

// seenProjectRow is a project with a user's role.
type seenProjectRow struct {
	bun.BaseModel `bun:"table:projects,alias:p"`
	projectRow
	standingColumns
}

// projectColumns leaves out columns that only queries use.
func projectColumns(query *bun.SelectQuery) *bun.SelectQuery {
	return query.ExcludeColumn("search", "sort_name")
}

// accessColumns are those of core.ProjectAccess.
const accessColumns = bun.Safe("p.created_by, p.visibility, p.deleted_at IS NOT NULL AS deleted, p.purging, p.copy_of IS NOT NULL AS copy")

// SeenBy implements storage.Projects.
func (p projects) SeenBy(ctx context.Context, id, user core.ID) (core.Project, core.Standing, error) {
	var row seenProjectRow
	err := seenBy(ctx, p.session, memberLookup{"project", "project", "p.workspace_id", projectColumns}, id, user, &row)
	return row.project(), row.standing(), err
}

// ByPublishedSlug implements storage.Projects.
func (p projects) ByPublishedSlug(ctx context.Context, slug string) (core.Project, error) {
	row, err := find[projectRow](ctx, p.session, "project", "published_slug", slug)
	return row.project(), err
}

// Update implements storage.Projects.
func (p projects) Update(ctx context.Context, id core.ID, change func(*core.Project) error) (core.Project, error) {
	row, err := update(ctx, p.session, "project", id, func(row *projectRow) error {
		project := row.project()
		if err := change(&project); err != nil {
			return err
		}
		project.ID, project.CreatedAt = row.ID, row.CreatedAt
		*row = *rowOfProject(project)
		return storage.CheckText(project)
	})
	return row.project(), err
}

// Delete implements storage.Projects.
func (p projects) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, p.session, "project", "projects", id)
}

// List implements storage.Projects.
func (p projects) List(ctx context.Context, filter storage.ProjectFilter, page core.Page) ([]core.Project, error) {
	if page.Limit < 1 || page.Before != nil && storage.CheckText(*page.Before) != nil {
		return nil, nil
	}
	var rows []projectRow
	if first, values, is := firstPageOf(filter, page); is {
		err := p.look(ctx, "project", lookup{first, first.query}, &rows, values...)
		return each(rows, projectRow.project), err
	}
	err := p.read(ctx, "project", func(ctx context.Context, db bun.IDB) error {
		query := db.NewSelect().Model(&rows).ExcludeColumn("search", "sort_name")
		switch {
		case filter.CopyOf != "":
			query = query.Where("p.copy_of = ?", filter.CopyOf)
		case filter.Purging:
			query = query.Where("p.purging")
		case filter.DeletedBefore != 0:
			query = query.Where("p.deleted_at < ?", filter.DeletedBefore)
		case filter.Public:
			query = query.Where("p.visibility = 'public' AND p.deleted_at IS NULL")
		default:
			query = seenByMember(query, filter.Member, filter.AnyFactor)
		}
		return placed(p.narrow(query, filter), filter.Sort, page.Before).Limit(int64(page.Limit)).Scan(ctx)
	})
	return each(rows, projectRow.project), err
}

// seenByMember keeps the projects that a member of their workspaces may see. Unless anyFactor, the
// member has the second factor that the workspaces require.
func seenByMember(query *bun.SelectQuery, member any, anyFactor bool) *bun.SelectQuery {
	query = query.Join("JOIN memberships AS m ON m.workspace_id = p.workspace_id AND m.user_id = ?", member).
		Where("p.visibility <> ? OR p.created_by = ? OR m.role IN (?, ?)", core.VisibilityPrivate, member, core.RoleAdmin, core.RoleOwner)
	if anyFactor {
		return query
	}
	return query.Join("JOIN workspaces AS w ON w.id = p.workspace_id").Where("NOT w.require_mfa OR ?", hasFactor("m.user_id"))
}

// firstPage is the list that dashboards request most: the beginning of a member's list.
// It is a lookup, because planning it takes a database longer than reading it.
type firstPage struct {
	ofWorkspace, inFolder, rootOnly, anyFactor bool
	sort                                       core.ProjectSort
	limit                                      int
}

// firstPageOf returns the lookup for a list with its values. is is false for any other
// list.
func firstPageOf(filter storage.ProjectFilter, page core.Page) (first firstPage, values []string, is bool) {
	plain := storage.ProjectFilter{Member: filter.Member, Workspace: filter.Workspace, Folder: filter.Folder, RootOnly: filter.RootOnly, AnyFactor: filter.AnyFactor, Sort: filter.Sort}
	first = firstPage{filter.Workspace != "", filter.Folder != "", filter.RootOnly, filter.AnyFactor, filter.Sort, page.Limit}
	for _, value := range []core.ID{filter.Member, filter.Workspace, filter.Folder} {
		if value != "" {
			values = append(values, string(value))
		}
	}
	return first, values, filter == plain && filter.Member != "" && page.Before == nil
}

func (f firstPage) query(db bun.IDB, value func(i int) any) *bun.SelectQuery {
	query := seenByMember(db.NewSelect().Model((*projectRow)(nil)).ExcludeColumn("search", "sort_name"), value(0), f.anyFactor)
	next := 1
	if f.ofWorkspace {
		query = query.Where("p.workspace_id = ?", value(next))
		next++
	}
	if f.inFolder {
		query = query.Where("p.folder_id = ?", value(next))
	}
	if f.rootOnly {
		query = query.Where("p.folder_id IS NULL")
	}
	return placed(query.Where("p.deleted_at IS NULL AND p.copy_of IS NULL"), f.sort, nil).Limit(int64(f.limit))
}

// placed sorts a list, and starts it after a cursor.
func placed(query *bun.SelectQuery, sort core.ProjectSort, before *core.Position) *bun.SelectQuery {
	var start core.Position
	if before != nil {
		start = *before
	}
	column, way, beyond, place := "created_at", "DESC", "<", any(start.CreatedAt)
	switch sort {
	case core.SortUpdated:
		column, place = "updated_at", start.UpdatedAt
	case core.SortName:
		column, way, beyond, place = "sort_name", "ASC", ">", start.Name
	}
	if before != nil {
		query = query.Where("(p."+column+", p.id) "+beyond+" (?, ?)", place, start.ID)
	}
	return query.OrderExpr("p." + column + " " + way + ", p.id " + way)
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
	switch {
	case filter.CopyOf != "":
	case filter.Deleted || filter.DeletedBefore != 0 || filter.Purging:
		query = query.Where("p.deleted_at IS NOT NULL")
	default:
		query = query.Where("p.deleted_at IS NULL")
	}
	if !filter.Copies && filter.CopyOf == "" && filter.DeletedBefore == 0 && !filter.Purging {
		query = query.Where("p.copy_of IS NULL")
	}
	if words := storage.Words(filter.Query); len(words) > 0 {
		query = query.Where("NOT EXISTS (SELECT 1 FROM "+p.speaks().elements()+
			" WHERE "+p.speaks().find("p.search", "' ' || element.value")+" = 0)", jsonOf(words))
	}
	return query
}

// Count implements storage.Projects.
func (p projects) Count(ctx context.Context, workspace core.ID) (count int, err error) {
	err = p.read(ctx, "project", func(ctx context.Context, db bun.IDB) error {
		found, err := db.NewSelect().Model((*projectRow)(nil)).Where("p.workspace_id = ? AND p.copy_of IS NULL", workspace).Count(ctx)
		count = int(found)
		return err
	})
	return count, err
}

// SlugsLike implements storage.Projects.
func (p projects) SlugsLike(ctx context.Context, workspace core.ID, slug string) (slugs []string, err error) {
	err = p.read(ctx, "project", func(ctx context.Context, db bun.IDB) error {
		// "." is the character after "-", so the range holds every slug that begins with
		// slug and a hyphen.
		return db.NewSelect().Table("projects").Column("slug").
			Where("workspace_id = ?", workspace).
			Where("slug = ? OR slug >= ? AND slug < ?", slug, slug+"-", slug+".").
			Scan(ctx, &slugs)
	})
	return slugs, err
}
