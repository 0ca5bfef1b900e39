package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type signInProviderRow struct {
	bun.BaseModel `bun:"table:sign_in_providers,alias:sp"`
	core.SignInProvider
}

func (r signInProviderRow) provider() core.SignInProvider { return r.SignInProvider }

type signInProviders struct{ session }

// Put implements storage.SignInProviders.
func (s signInProviders) Put(ctx context.Context, provider core.SignInProvider) (core.SignInProvider, error) {
	if err := storage.CheckText(provider); err != nil {
		return core.SignInProvider{}, err
	}
	var stored signInProviderRow
	err := s.exec(ctx, "provider", func(ctx context.Context, db bun.IDB) error {
		stored = signInProviderRow{}
		return db.NewInsert().Model(&signInProviderRow{SignInProvider: provider}).
			On("CONFLICT (project_id, env, name) DO UPDATE").
			Set("client_id = EXCLUDED.client_id").Set("sealed_secret = EXCLUDED.sealed_secret").
			Set("display_name = EXCLUDED.display_name").Set("auth_url = EXCLUDED.auth_url").
			Set("token_url = EXCLUDED.token_url").Set("user_info_url = EXCLUDED.user_info_url").
			Set("pkce = EXCLUDED.pkce").Set("updated_at = EXCLUDED.updated_at").
			Returning("*").
			Scan(ctx, &stored)
	})
	if err != nil {
		return core.SignInProvider{}, err
	}
	return stored.SignInProvider, nil
}

// List implements storage.SignInProviders.
func (s signInProviders) List(ctx context.Context, project core.ID, env core.DataEnv) ([]core.SignInProvider, error) {
	var rows []signInProviderRow
	err := s.read(ctx, "provider", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&rows).Where("sp.project_id = ? AND sp.env = ?", project, env).OrderExpr("sp.name").Scan(ctx)
	})
	return each(rows, signInProviderRow.provider), err
}

// Delete implements storage.SignInProviders.
func (s signInProviders) Delete(ctx context.Context, project core.ID, env core.DataEnv, name string) error {
	return s.exec(ctx, "provider", func(ctx context.Context, db bun.IDB) error {
		result, err := db.NewDelete().Table("sign_in_providers").Where("project_id = ? AND env = ? AND name = ?", project, env, name).Exec(ctx)
		if err != nil {
			return err
		}
		return oneRow(result, "provider")
	})
}
