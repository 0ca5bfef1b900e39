package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// platformProviderRow has the columns of core.PlatformProvider, which belongs to no workspace.
type platformProviderRow struct {
	bun.BaseModel `bun:"table:platform_providers,alias:pp"`
	ID            core.ID
	Kind          core.ProviderKind
	Name          string
	BaseURL       *string
	DefaultModel  *string
	ContextTokens *int
	IsDefault     bool
	Enabled       bool
	HasKey        bool
	KeyHint       *string
	Capabilities  *core.ProviderCapabilities
	SealedKey     []byte
	CreatedAt     core.Time
	UpdatedAt     core.Time
}

func rowOfPlatform(p core.PlatformProvider) *platformProviderRow {
	return &platformProviderRow{
		ID: p.ID, Kind: p.Kind, Name: p.Name, BaseURL: p.BaseURL, DefaultModel: p.DefaultModel, ContextTokens: p.ContextTokens, IsDefault: p.IsDefault, Enabled: p.Enabled,
		HasKey: p.HasKey, KeyHint: p.KeyHint, Capabilities: p.Capabilities, SealedKey: p.SealedKey, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
}

func (r platformProviderRow) provider() core.PlatformProvider {
	return core.PlatformProvider{Enabled: r.Enabled, Provider: core.Provider{
		ID: r.ID, Kind: r.Kind, Name: r.Name, BaseURL: r.BaseURL, DefaultModel: r.DefaultModel, ContextTokens: r.ContextTokens, IsDefault: r.IsDefault,
		HasKey: r.HasKey, KeyHint: r.KeyHint, Capabilities: r.Capabilities, SealedKey: r.SealedKey, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}}
}

type platformProviders struct{ session }

// Create implements storage.PlatformProviders.
func (p platformProviders) Create(ctx context.Context, provider core.PlatformProvider) error {
	if err := storage.CheckText(provider); err != nil {
		return err
	}
	return p.write(ctx, "provider", func(ctx context.Context, db bun.IDB) error {
		if err := p.handOver(ctx, db, provider); err != nil {
			return err
		}
		_, err := db.NewInsert().Model(rowOfPlatform(provider)).Exec(ctx)
		return err
	})
}

// platformDefaultKey is the index that allows one default. handOver clears the others first, so
// only a default that another transaction made at the same time violates it.
const platformDefaultKey = "platform_providers_default"

// handOver makes provider the default instead of the others, if it is to be one.
func (p platformProviders) handOver(ctx context.Context, db bun.IDB, provider core.PlatformProvider) error {
	if !provider.IsDefault {
		return nil
	}
	_, err := db.NewUpdate().Table("platform_providers").Set("is_default = FALSE").
		Where("is_default AND id <> ?", provider.ID).Exec(ctx)
	return err
}

// ByID implements storage.PlatformProviders.
func (p platformProviders) ByID(ctx context.Context, id core.ID) (core.PlatformProvider, error) {
	row, err := find[platformProviderRow](ctx, p.session, "provider", "id", string(id))
	return row.provider(), err
}

// List implements storage.PlatformProviders.
func (p platformProviders) List(ctx context.Context) ([]core.PlatformProvider, error) {
	var rows []platformProviderRow
	err := p.read(ctx, "provider", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&rows).OrderExpr("pp.created_at, pp.id").Scan(ctx)
	})
	return each(rows, platformProviderRow.provider), err
}

// Update implements storage.PlatformProviders.
func (p platformProviders) Update(ctx context.Context, id core.ID, change func(*core.PlatformProvider) error) (core.PlatformProvider, error) {
	var updated core.PlatformProvider
	err := p.write(ctx, "provider", func(ctx context.Context, db bun.IDB) error {
		var row platformProviderRow
		if err := lockRow(ctx, p.session, db, &row, id); err != nil {
			return err
		}
		updated = row.provider()
		if err := change(&updated); err != nil {
			return refusal{err}
		}
		updated.ID, updated.CreatedAt, updated.WorkspaceID = row.ID, row.CreatedAt, ""
		if err := storage.CheckText(updated); err != nil {
			return err
		}
		if err := p.handOver(ctx, db, updated); err != nil {
			return err
		}
		return replace(ctx, db, rowOfPlatform(updated), id)
	})
	if err != nil {
		return core.PlatformProvider{}, err
	}
	return updated, nil
}

// Delete implements storage.PlatformProviders.
func (p platformProviders) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, p.session, "provider", "platform_providers", id)
}
