package signins

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
)

// Registry is the backend.SignIns of the service. It is apart from Service because engines need it,
// and previews need engines.
type Registry struct {
	store  storage.Store
	sealer identity.Sealer
	now    func() time.Time
}

var _ backend.SignIns = (*Registry)(nil)

// NewRegistry returns a registry over the ports.
func NewRegistry(store storage.Store, sealer identity.Sealer, now func() time.Time) *Registry {
	return &Registry{store, sealer, now}
}

// SignIns implements backend.SignIns. A copy of data is attacked or tried out, and needs none.
func (r *Registry) SignIns(ctx context.Context, place backend.Place) ([]backend.SignInProvider, error) {
	if place.Copy != "" {
		return nil, nil
	}
	stored, err := r.store.Tables().SignInProviders.List(ctx, place.Project, place.Env)
	if err != nil {
		return nil, err
	}
	found := make([]backend.SignInProvider, 0, len(stored))
	for _, one := range stored {
		text, err := r.sealer.Open(one.SealedSecret, placeOf(one))
		if err != nil {
			return nil, err
		}
		secret, err := secretOf(one, string(text), r.now())
		if err != nil {
			return nil, err
		}
		found = append(found, backend.SignInProvider{
			Name: one.Name, ClientID: one.ClientID, ClientSecret: secret, DisplayName: one.DisplayName,
			AuthURL: one.AuthURL, TokenURL: one.TokenURL, UserInfoURL: one.UserInfoURL, PKCE: one.PKCE,
		})
	}
	return found, nil
}

// placeOf binds a sealed secret to the row that holds it.
func placeOf(p core.SignInProvider) string {
	return "sign_in_providers/" + string(p.ProjectID) + "/" + string(p.Env) + "/" + p.Name + "/secret"
}
