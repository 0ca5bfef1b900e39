package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// CompanyProviders are the OpenID providers with which people of companies sign in.
type CompanyProviders interface {
	// Create stores a provider. A slug in use has code core.CodeConflict.
	Create(ctx context.Context, provider core.CompanyProvider) error
	ByID(ctx context.Context, id core.ID) (core.CompanyProvider, error)
	BySlug(ctx context.Context, slug string) (core.CompanyProvider, error)
	// List returns all providers, the oldest first.
	List(ctx context.Context) ([]core.CompanyProvider, error)
	// Update works like Users.Update. ID, Slug and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.CompanyProvider) error) (core.CompanyProvider, error)
	// Delete removes the provider with its grants.
	Delete(ctx context.Context, id core.ID) error
}

// GroupGrants are the roles that groups at company providers gave to people. They are deleted with
// their provider, workspace and user.
type GroupGrants interface {
	// Put stores a grant in place of the one of the same provider, workspace and user.
	Put(ctx context.Context, grant core.GroupGrant) error
	// Of returns the grants of a provider to a user, by workspace.
	Of(ctx context.Context, provider, user core.ID) ([]core.GroupGrant, error)
	// Delete removes a grant; it is idempotent.
	Delete(ctx context.Context, provider, workspace, user core.ID) error
}
