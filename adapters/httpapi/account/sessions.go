package account

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/accounts"
)

// ListSessions answers GET /auth/sessions.
func ListSessions(sessions *accounts.Sessions) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		open, err := sessions.List(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, open)
	}
}

// DeleteSession answers DELETE /auth/sessions/:id.
func DeleteSession(sessions *accounts.Sessions) rest.Handler {
	return rest.NothingByID("id", sessions.Delete)
}
