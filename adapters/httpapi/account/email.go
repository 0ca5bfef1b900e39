package account

import (
	"log/slog"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

// VerifyEmail answers POST /auth/verify-email, to which the links of mails lead that prove an
// address. A new address ends the session, so its cookies go.
func VerifyEmail(proofs *accounts.Proofs, session guard.Cookies) rest.Handler {
	type request struct {
		Token   string `json:"token"`
		Created bool   `json:"created,omitempty"`
	}
	type answer struct {
		User      core.User `json:"user"`
		SignedOut bool      `json:"signedOut"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		user, moved, err := proofs.Prove(r.Context(), r.Actor, body.Token, body.Created)
		if err != nil {
			return err
		}
		if moved {
			session.Clear(w)
		}
		return rest.WriteJSON(w, http.StatusOK, answer{user, moved})
	}
}

// SendVerification answers POST /auth/verify-email/send.
func SendVerification(proofs *accounts.Proofs) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		if err := proofs.AskForProof(r.Context(), r.Actor); err != nil {
			return err
		}
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
}

// ChangeEmail answers POST /auth/change-email.
func ChangeEmail(proofs *accounts.Proofs, log *slog.Logger) rest.Handler {
	type request struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		if err := proofs.ChangeEmail(r.Context(), r.Actor, body.Email, body.Password); err != nil {
			guard.LogFailure(log, r.ClientIP(), err)
			return err
		}
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
}
