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

// recoveryAnswer has recovery codes, which no other answer has.
type recoveryAnswer struct {
	RecoveryCodes []string `json:"recoveryCodes"`
}

// proofRequest is the proof that a caller owns the account.
type proofRequest struct {
	Password string `json:"password,omitempty"`
	Code     string `json:"code,omitempty"`
}

// FinishSignIn answers POST /auth/mfa, as SignIn does.
func FinishSignIn(steps *accounts.SecondSteps, keys *passkeysignin.Service, session guard.Cookies, log *slog.Logger) rest.Handler {
	type request struct {
		MFAToken   string          `json:"mfaToken"`
		Code       string          `json:"code,omitempty"`
		Credential json.RawMessage `json:"credential,omitempty"`
	}
	finish := func(r *rest.Request, body request) (accounts.Session, error) {
		if len(body.Credential) == 0 {
			return steps.Finish(r.Context(), r.Actor, body.MFAToken, body.Code)
		}
		if body.Code != "" {
			return accounts.Session{}, core.Errorf(core.CodeValidationFailed, "give either code or credential")
		}
		return keys.FinishStep(r.Context(), r.Actor, body.MFAToken, body.Credential)
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		made, err := finish(r, body)
		return answerSignIn(w, r, session, log, made, err)
	}
}

// GetMFA answers GET /auth/mfa.
func GetMFA(factors *accounts.Factors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		status, err := factors.Status(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, status)
	}
}

// BeginTOTP answers POST /auth/mfa/totp.
func BeginTOTP(factors *accounts.Factors, log *slog.Logger) rest.Handler {
	type request struct {
		Password string `json:"password"`
		Code     string `json:"code,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		setup, err := factors.Begin(r.Context(), r.Actor, body.Password, body.Code)
		if err != nil {
			guard.LogFailure(log, r.ClientIP(), err)
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, setup)
	}
}

// ConfirmTOTP answers POST /auth/mfa/totp/confirm.
func ConfirmTOTP(factors *accounts.Factors, log *slog.Logger) rest.Handler {
	type request struct {
		Code string `json:"code"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		codes, err := factors.Confirm(r.Context(), r.Actor, body.Code)
		if err != nil {
			guard.LogFailure(log, r.ClientIP(), err)
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, recoveryAnswer{codes})
	}
}

// DeleteTOTP answers DELETE /auth/mfa/totp.
func DeleteTOTP(factors *accounts.Factors, log *slog.Logger) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body proofRequest
		if err := r.Decode(&body); err != nil {
			return err
		}
		if err := factors.TurnOff(r.Context(), r.Actor, accounts.Proof(body)); err != nil {
			guard.LogFailure(log, r.ClientIP(), err)
			return err
		}
		return rest.WriteNothing(w)
	}
}

// RenewRecoveryCodes answers POST /auth/mfa/recovery-codes.
func RenewRecoveryCodes(factors *accounts.Factors, log *slog.Logger) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		var body proofRequest
		if err := r.Decode(&body); err != nil {
			return err
		}
		codes, err := factors.RenewRecoveryCodes(r.Context(), r.Actor, accounts.Proof(body))
		if err != nil {
			guard.LogFailure(log, r.ClientIP(), err)
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, recoveryAnswer{codes})
	}
}

// answerSignIn answers with the session that a sign-in made, and sets its cookies; or it notes the
// failed attempt.
func answerSignIn(w http.ResponseWriter, r *rest.Request, session guard.Cookies, log *slog.Logger, made accounts.Session, err error) error {
	if err != nil {
		guard.LogFailure(log, r.ClientIP(), err)
		return err
	}
	session.SetAccess(w, made.AccessToken)
	session.SetRefresh(w, made.RefreshToken)
	return rest.WriteJSON(w, http.StatusOK, SessionAnswer(made))
}
