package account

import (
	"encoding/json"
	"log/slog"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/passkeysignin"
)

// optionsAnswer has the options of WebAuthn for a browser.
type optionsAnswer struct {
	PublicKey json.RawMessage `json:"publicKey"`
}

// BeginPasskey answers POST /auth/passkeys/register/begin.
func BeginPasskey(keys *passkeysignin.Service, log *slog.Logger) rest.Handler {
	type request struct {
		Password   string          `json:"password"`
		Code       string          `json:"code,omitempty"`
		Credential json.RawMessage `json:"credential,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		options, err := keys.BeginRegistration(r.Context(), r.Actor, passkeysignin.Proof(body))
		if err != nil {
			guard.LogFailure(log, r.ClientIP(), err)
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, optionsAnswer{options})
	}
}

// FinishPasskey answers POST /auth/passkeys/register/finish.
func FinishPasskey(keys *passkeysignin.Service) rest.Handler {
	type request struct {
		Name       string          `json:"name"`
		Credential json.RawMessage `json:"credential"`
	}
	type answer struct {
		Passkey       core.Passkey `json:"passkey"`
		RecoveryCodes []string     `json:"recoveryCodes"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		made, err := keys.FinishRegistration(r.Context(), r.Actor, body.Name, body.Credential)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, answer{made.Passkey, rest.EmptyIfNil(made.RecoveryCodes)})
	}
}

// BeginPasskeySignIn answers POST /auth/passkeys/login/begin.
func BeginPasskeySignIn(keys *passkeysignin.Service) rest.Handler {
	type request struct {
		MFAToken string `json:"mfaToken,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		options, err := keys.BeginSignIn(r.Context(), body.MFAToken)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, optionsAnswer{options})
	}
}

// FinishPasskeySignIn answers POST /auth/passkeys/login/finish, as SignIn does.
func FinishPasskeySignIn(keys *passkeysignin.Service, session guard.Cookies, log *slog.Logger) rest.Handler {
	type request struct {
		Credential json.RawMessage `json:"credential"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		made, err := keys.FinishSignIn(r.Context(), r.Actor, body.Credential)
		return answerSignIn(w, r, session, log, made, err)
	}
}

// ListPasskeys answers GET /auth/passkeys.
func ListPasskeys(factors *accounts.Factors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		found, err := factors.Passkeys(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, found)
	}
}

// DeletePasskey answers DELETE /auth/passkeys/:id.
func DeletePasskey(factors *accounts.Factors, log *slog.Logger) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("id")
		if err != nil {
			return err
		}
		var body proofRequest
		if err := r.Decode(&body); err != nil {
			return err
		}
		if err := factors.RemovePasskey(r.Context(), r.Actor, id, accounts.Proof(body)); err != nil {
			guard.LogFailure(log, r.ClientIP(), err)
			return err
		}
		return rest.WriteNothing(w)
	}
}
