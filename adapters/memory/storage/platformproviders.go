package storage

import (
	"cmp"
	"context"

	"github.com/atelierhq/atelier/core"
)

type platformProviders struct {
	records records[core.PlatformProvider]
}

func platformProvidersOf(session conn) records[core.PlatformProvider] {
	own := providersOf(session)
	return records[core.PlatformProvider]{
		session: session,
		noun:    "provider",
		table:   func(s *database) *table[core.ID, core.PlatformProvider] { return &s.platformAI },
		id:      func(p core.PlatformProvider) core.ID { return p.ID },
		copy: func(p core.PlatformProvider) core.PlatformProvider {
			p.Provider, p.WorkspaceID = own.copy(p.Provider), ""
			return p
		},
		pin:   func(p *core.PlatformProvider, before core.PlatformProvider) { own.pin(&p.Provider, before.Provider) },
		check: checkPlatformProvider,
	}
}

// checkPlatformProvider also removes the default flag from the other providers.
func checkPlatformProvider(s *database, provider core.PlatformProvider) error {
	if !provider.IsDefault {
		return nil
	}
	for id, other := range s.platformAI.rows {
		if other.IsDefault && id != provider.ID {
			other.IsDefault = false
			s.platformAI.edit(s)[id] = other
		}
	}
	return nil
}

// Create implements storage.PlatformProviders.
func (p platformProviders) Create(ctx context.Context, provider core.PlatformProvider) error {
	return p.records.create(ctx, provider)
}

// ByID implements storage.PlatformProviders.
func (p platformProviders) ByID(ctx context.Context, id core.ID) (core.PlatformProvider, error) {
	return p.records.byID(ctx, id)
}

// List implements storage.PlatformProviders.
func (p platformProviders) List(ctx context.Context) ([]core.PlatformProvider, error) {
	return p.records.list(ctx, func(core.PlatformProvider) bool { return true }, func(a, b core.PlatformProvider) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Update implements storage.PlatformProviders.
func (p platformProviders) Update(ctx context.Context, id core.ID, change func(*core.PlatformProvider) error) (core.PlatformProvider, error) {
	return p.records.update(ctx, id, change)
}

// Delete implements storage.PlatformProviders.
func (p platformProviders) Delete(ctx context.Context, id core.ID) error {
	return p.records.delete(ctx, id, func(state *database, id core.ID) { delete(state.platformAI.edit(state), id) })
}
