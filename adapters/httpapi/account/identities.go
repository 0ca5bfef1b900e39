package account

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

// ListIdentities answers GET /auth/identities.
func ListIdentities(signIns *accounts.OAuthSignIns) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		linked, err := signIns.Identities(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, linked)
	}
}

// DeleteIdentity answers DELETE /auth/identities/:provider.
func DeleteIdentity(signIns *accounts.OAuthSignIns) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		if err := signIns.Unlink(r.Context(), r.Actor, core.IdentityProvider(r.Param("provider"))); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}
