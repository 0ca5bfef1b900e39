package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// companyRow keeps Scopes, Domains and Mappings as JSON.
type companyRow struct {
	bun.BaseModel `bun:"table:company_providers,alias:cp"`
	core.CompanyProvider
}

func (r companyRow) provider() core.CompanyProvider { return r.CompanyProvider }

type companyProviders struct{ session }

// Create implements storage.CompanyProviders.
func (c companyProviders) Create(ctx context.Context, provider core.CompanyProvider) error {
	if err := storage.CheckText(provider); err != nil {
		return err
	}
	return insert(ctx, c.session, "provider", &companyRow{CompanyProvider: provider})
}

// ByID implements storage.CompanyProviders.
func (c companyProviders) ByID(ctx context.Context, id core.ID) (core.CompanyProvider, error) {
	row, err := find[companyRow](ctx, c.session, "provider", "id", string(id))
	return row.provider(), err
}

// BySlug implements storage.CompanyProviders.
func (c companyProviders) BySlug(ctx context.Context, slug string) (core.CompanyProvider, error) {
	row, err := find[companyRow](ctx, c.session, "provider", "slug", slug)
	return row.provider(), err
}

// List implements storage.CompanyProviders.
func (c companyProviders) List(ctx context.Context) ([]core.CompanyProvider, error) {
	var rows []companyRow
	err := c.read(ctx, "provider", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&rows).OrderExpr("cp.created_at, cp.id").Scan(ctx)
	})
	return each(rows, companyRow.provider), err
}

// Update implements storage.CompanyProviders.
func (c companyProviders) Update(ctx context.Context, id core.ID, change func(*core.CompanyProvider) error) (core.CompanyProvider, error) {
	row, err := update(ctx, c.session, "provider", id, func(row *companyRow) error {
		before := row.CompanyProvider
		if err := change(&row.CompanyProvider); err != nil {
			return err
		}
		row.ID, row.Slug, row.CreatedAt = before.ID, before.Slug, before.CreatedAt
		return storage.CheckText(row.CompanyProvider)
	})
	return row.provider(), err
}

// Delete implements storage.CompanyProviders.
func (c companyProviders) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, c.session, "provider", "company_providers", id)
}

type groupGrantRow struct {
	bun.BaseModel `bun:"table:group_grants,alias:gg"`
	core.GroupGrant
}

type groupGrants struct{ session }

// Put implements storage.GroupGrants.
func (g groupGrants) Put(ctx context.Context, grant core.GroupGrant) error {
	if err := storage.CheckText(grant); err != nil {
		return err
	}
	return g.exec(ctx, "grant", func(ctx context.Context, db bun.IDB) error {
		query := db.NewInsert().Model(&groupGrantRow{GroupGrant: grant}).On("CONFLICT (provider_id, user_id, workspace_id) DO UPDATE")
		for _, column := range []string{"role", "before", "created_at"} {
			query = query.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
		}
		_, err := query.Exec(ctx)
		return err
	})
}

// Of implements storage.GroupGrants.
func (g groupGrants) Of(ctx context.Context, provider, user core.ID) ([]core.GroupGrant, error) {
	var rows []groupGrantRow
	err := g.read(ctx, "grant", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&rows).Where("gg.provider_id = ? AND gg.user_id = ?", provider, user).OrderExpr("gg.workspace_id").Scan(ctx)
	})
	return each(rows, func(row groupGrantRow) core.GroupGrant { return row.GroupGrant }), err
}

// Delete implements storage.GroupGrants.
func (g groupGrants) Delete(ctx context.Context, provider, workspace, user core.ID) error {
	return removeWhere(ctx, g.session, "group_grants", "provider_id = ? AND workspace_id = ? AND user_id = ?", provider, workspace, user)
}
