package account

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/accounts"
)

// ForgotPassword answers 202 to every address, so that nobody learns whether it has an
// account.
func ForgotPassword(resets *accounts.Resets) rest.Handler {
	type request struct {
		Email string `json:"email"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		if err := resets.ForgotPassword(r.Context(), r.Actor, body.Email); err != nil {
			return err
		}
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
}

// ResetPassword answers POST /auth/reset-password.
func ResetPassword(resets *accounts.Resets) rest.Handler {
	type request struct {
		Token    string `json:"token"`
		Password string `json:"password"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		if err := resets.ResetPassword(r.Context(), r.Actor, body.Token, body.Password); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}
