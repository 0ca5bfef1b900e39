package account

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/accounts"
)

// ExportMe answers GET /auth/me/export. The document is streamed.
func ExportMe(exports *accounts.Exports) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		export, err := exports.Export(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Disposition", `attachment; filename="atelier-account.json"`)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(http.StatusOK)
		if r.Method == http.MethodHead {
			return nil
		}
		err = export.Write(r.Context(), rest.PacedWriter{ResponseWriter: w, Control: r.Control()})
		_ = r.Control().SetWriteDeadline(time.Time{})
		if gone := r.Context().Err(); gone != nil {
			return gone
		}
		return err
	}
}

// DeleteMe answers DELETE /auth/me. The session ends with the account, so its cookies go.
func DeleteMe(profiles *accounts.Profiles, session guard.Cookies, log *slog.Logger) rest.Handler {
	type request struct {
		Password string `json:"password"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		if err := profiles.DeleteAccount(r.Context(), r.Actor, body.Password); err != nil {
			guard.LogFailure(log, r.ClientIP(), err)
			return err
		}
		session.Clear(w)
		return rest.WriteNothing(w)
	}
}
