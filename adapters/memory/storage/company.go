package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type companyProviders struct {
	records records[core.CompanyProvider]
}

func companyProvidersOf(session conn) records[core.CompanyProvider] {
	return records[core.CompanyProvider]{
		session: session,
		noun:    "provider",
		table:   func(s *database) *table[core.ID, core.CompanyProvider] { return &s.companies },
		id:      func(p core.CompanyProvider) core.ID { return p.ID },
		copy: func(p core.CompanyProvider) core.CompanyProvider {
			p.Scopes, p.Domains, p.Mappings = slices.Clone(p.Scopes), slices.Clone(p.Domains), slices.Clone(p.Mappings)
			p.SealedSecret = slices.Clone(p.SealedSecret)
			return p
		},
		pin: func(p *core.CompanyProvider, before core.CompanyProvider) {
			p.ID, p.Slug, p.CreatedAt = before.ID, before.Slug, before.CreatedAt
		},
		check: func(s *database, p core.CompanyProvider) error {
			for _, other := range s.companies.rows {
				if other.Slug == p.Slug && other.ID != p.ID {
					return core.Errorf(core.CodeConflict, "another provider has this slug")
				}
			}
			return nil
		},
	}
}

// Create implements storage.CompanyProviders.
func (c companyProviders) Create(ctx context.Context, provider core.CompanyProvider) error {
	return c.records.create(ctx, provider)
}

// ByID implements storage.CompanyProviders.
func (c companyProviders) ByID(ctx context.Context, id core.ID) (core.CompanyProvider, error) {
	return c.records.byID(ctx, id)
}

// BySlug implements storage.CompanyProviders.
func (c companyProviders) BySlug(ctx context.Context, slug string) (core.CompanyProvider, error) {
	return c.records.first(ctx, func(provider core.CompanyProvider) bool { return provider.Slug == slug })
}

// List implements storage.CompanyProviders.
func (c companyProviders) List(ctx context.Context) ([]core.CompanyProvider, error) {
	return c.records.list(ctx, func(core.CompanyProvider) bool { return true }, func(a, b core.CompanyProvider) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Update implements storage.CompanyProviders.
func (c companyProviders) Update(ctx context.Context, id core.ID, change func(*core.CompanyProvider) error) (core.CompanyProvider, error) {
	return c.records.update(ctx, id, change)
}

// Delete implements storage.CompanyProviders.
func (c companyProviders) Delete(ctx context.Context, id core.ID) error {
	return c.records.delete(ctx, id, func(state *database, id core.ID) {
		delete(state.companies.edit(state), id)
		state.groupGrants.drop(state, func(g core.GroupGrant) bool { return g.ProviderID == id })
	})
}

// groupGrantKey is the key of a grant.
type groupGrantKey struct{ provider, workspace, user core.ID }

type groupGrants struct{ session conn }

// Put implements storage.GroupGrants.
func (g groupGrants) Put(ctx context.Context, grant core.GroupGrant) error {
	if err := storage.CheckText(grant); err != nil {
		return err
	}
	return g.session.change(ctx, func(state *database) error {
		switch {
		case !state.companies.has(grant.ProviderID):
			return core.NotFound("provider")
		case !state.workspaces.has(grant.WorkspaceID):
			return core.NotFound("workspace")
		case !state.users.has(grant.UserID):
			return core.NotFound("user")
		}
		state.groupGrants.edit(state)[groupGrantKey{grant.ProviderID, grant.WorkspaceID, grant.UserID}] = grant
		return nil
	})
}

// Of implements storage.GroupGrants.
func (g groupGrants) Of(ctx context.Context, provider, user core.ID) ([]core.GroupGrant, error) {
	state, err := g.session.view(ctx)
	if err != nil {
		return nil, err
	}
	found := []core.GroupGrant{}
	for key, grant := range state.groupGrants.rows {
		if key.provider == provider && key.user == user {
			found = append(found, grant)
		}
	}
	slices.SortFunc(found, func(a, b core.GroupGrant) int { return cmp.Compare(a.WorkspaceID, b.WorkspaceID) })
	return found, nil
}

// Delete implements storage.GroupGrants.
func (g groupGrants) Delete(ctx context.Context, provider, workspace, user core.ID) error {
	return g.session.change(ctx, func(state *database) error {
		delete(state.groupGrants.edit(state), groupGrantKey{provider, workspace, user})
		return nil
	})
}
