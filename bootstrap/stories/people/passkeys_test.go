package people_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/ports/passkeys/passkeystest"
)

// The routes of passkeys.
const (
	registerBegin  = "/auth/passkeys/register/begin"
	registerFinish = "/auth/passkeys/register/finish"
	loginBegin     = "/auth/passkeys/login/begin"
	loginFinish    = "/auth/passkeys/login/finish"
)

// options calls a route that asks for a passkey.
func options(c *storytest.Caller, path string, body storytest.Fields) json.RawMessage {
	c.T.Helper()
	var answer struct{ PublicKey json.RawMessage }
	c.Must(http.StatusOK, http.MethodPost, path, body, &answer)
	return answer.PublicKey
}

func stranger(s *storytest.Site) *storytest.Caller { return &storytest.Caller{Site: s} }

// register gives the keeper a passkey on a new device, with a proof beside the password.
func (k *keeper) register(name string, proof storytest.Fields) (device *passkeystest.Authenticator, made core.Passkey, recovery []string) {
	k.T.Helper()
	body := storytest.Fields{"password": "long enough"}
	for field, value := range proof {
		body[field] = value
	}
	device = passkeystest.NewAuthenticator(k.T, k.URL)
	credential := device.Create(k.T, options(k.Caller, registerBegin, body))
	var answer struct {
		Passkey       core.Passkey
		RecoveryCodes []string
	}
	k.Must(http.StatusCreated, http.MethodPost, registerFinish, storytest.Fields{"name": name, "credential": credential}, &answer)
	return device, answer.Passkey, answer.RecoveryCodes
}

// alone signs in with a device and nothing else.
func alone(s *storytest.Site, device *passkeystest.Authenticator) storytest.Answer {
	s.T.Helper()
	credential := device.Get(s.T, options(stranger(s), loginBegin, storytest.Fields{}))
	return stranger(s).Do(http.MethodPost, loginFinish, storytest.Fields{"credential": credential})
}

// step signs in with the password and a device.
func (k *keeper) step(device *passkeystest.Authenticator) storytest.Answer {
	k.T.Helper()
	token := k.token()
	credential := device.Get(k.T, options(stranger(k.Site), loginBegin, storytest.Fields{"mfaToken": token}))
	return stranger(k.Site).Do(http.MethodPost, "/auth/mfa", storytest.Fields{"mfaToken": token, "credential": credential})
}

// TestPasskeys makes one, signs in with it in both ways, and deletes it.
func TestPasskeys(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			k := verifiedKeeper(s)
			device, made, recovery := k.register("Laptop", nil)
			if made.Name != "Laptop" || made.ID == "" || len(recovery) != core.RecoveryCodes {
				t.Fatalf("got %+v and %d recovery codes, want the laptop and %d", made, len(recovery), core.RecoveryCodes)
			}
			if got := k.status(); got != (accounts.FactorStatus{Passkeys: 1, RecoveryCodesLeft: 10}) {
				t.Errorf("got %+v, want a passkey and its recovery codes", got)
			}
			k.wantMethods(core.FactorPasskey, core.FactorRecovery)
			k.wantIn("a passkey alone", alone(s, device))
			k.wantIn("a passkey as the second step", k.step(device))
			k.wantIn("a recovery code", k.finish(k.token(), recovery[0]))
			wantRefused(t, "a code without an app", k.finish(k.token(), "000000"), http.StatusUnauthorized, core.CodeInvalidCredentials)

			k.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, registerBegin, storytest.Fields{"password": "long enough"})
			proof := device.Get(t, options(stranger(s), loginBegin, storytest.Fields{}))
			phone, second, more := k.register("Phone", storytest.Fields{"credential": proof})
			if len(more) != 0 {
				t.Errorf("got %d recovery codes again, want those of before", len(more))
			}
			k.wantIn("the phone", alone(s, phone))
			var listed struct{ Items []core.Passkey }
			k.Must(http.StatusOK, http.MethodGet, "/auth/passkeys", nil, &listed)
			if len(listed.Items) != 2 || listed.Items[0].ID != made.ID || listed.Items[0].LastUsedAt == nil || listed.Items[1].Name != "Phone" {
				t.Errorf("got %+v, want the laptop, which was used, and the phone", listed.Items)
			}

			k.turnOn(recovery[1])
			k.wantMethods(core.FactorPasskey, core.FactorApp, core.FactorRecovery)
			k.Must(http.StatusNoContent, http.MethodDelete, "/auth/mfa/totp", storytest.Fields{"code": k.fresh()}, nil)
			k.wantIn("a passkey after the app went", k.step(device))
			k.Must(http.StatusNoContent, http.MethodDelete, "/auth/passkeys/"+string(second.ID), storytest.Fields{"password": "long enough"}, nil)
			wantRefused(t, "a deleted passkey", alone(s, phone), http.StatusUnauthorized, core.CodeInvalidCredentials)
			k.Must(http.StatusNoContent, http.MethodDelete, "/auth/passkeys/"+string(made.ID), storytest.Fields{"code": k.recovery[0]}, nil)
			if got := k.status(); got != (accounts.FactorStatus{}) {
				t.Errorf("got %+v, want it off without a passkey", got)
			}
			k.wantIn("the password", k.login("long enough"))
			if log := passkeyLog(k.Caller); log != "passkey_added passkey_added passkey_removed passkey_removed" {
				t.Errorf("got %q in the log", log)
			}
		})
	}
}

// passkeyLog is what the log says of the caller's passkeys, the oldest first.
func passkeyLog(c *storytest.Caller) string {
	var words []string
	for _, entry := range auditAt(c, "/auth/me/audit", "50") {
		if word, is := strings.CutPrefix(string(entry.Action), "auth."); is && strings.HasPrefix(word, "passkey_") {
			words = append([]string{word}, words...)
		}
	}
	return strings.Join(words, " ")
}

// TestPasskeysOfAttackers signs in with answers that are stolen, copied, foreign or made elsewhere.
func TestPasskeysOfAttackers(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			k, other := verifiedKeeper(s), verifiedKeeper(s)
			device, made, _ := k.register("Laptop", nil)
			foreign, _, _ := other.register("Theirs", nil)
			finish := func(credential json.RawMessage) storytest.Answer {
				return stranger(s).Do(http.MethodPost, loginFinish, storytest.Fields{"credential": credential})
			}
			refused := func(what string, got storytest.Answer, status int, code core.Code) {
				t.Helper()
				wantRefused(t, what, got, status, code)
				wantNoSession(t, what, got)
			}
			ask := func() json.RawMessage { return options(stranger(s), loginBegin, storytest.Fields{}) }

			used := device.Get(t, ask())
			k.wantIn("the first time", finish(used))
			refused("a replay", finish(used), http.StatusBadRequest, core.CodeInvalidToken)
			loose := device.Get(t, json.RawMessage(`{"challenge":"`+core.NewSecret()+`","rpId":"localhost"}`))
			refused("a challenge of nobody", finish(loose), http.StatusBadRequest, core.CodeInvalidToken)
			step := device.Get(t, options(stranger(s), loginBegin, storytest.Fields{"mfaToken": k.token()}))
			refused("a challenge of a second step", finish(step), http.StatusBadRequest, core.CodeInvalidToken)

			asked := ask()
			device.Origin = "https://evil.example"
			refused("another origin", finish(device.Get(t, asked)), http.StatusUnauthorized, core.CodeInvalidCredentials)
			device.Origin = k.URL
			refused("the challenge of a failure", finish(device.Get(t, asked)), http.StatusBadRequest, core.CodeInvalidToken)
			device.Unverified = true
			refused("a device that checks nobody", alone(s, device), http.StatusUnauthorized, core.CodeInvalidCredentials)
			k.wantIn("such a device after the password", k.step(device))
			device.Unverified = false

			thief := passkeystest.NewAuthenticator(t, k.URL)
			refused("a key of nobody", alone(s, thief), http.StatusUnauthorized, core.CodeInvalidCredentials)
			thief.ID, thief.Person, thief.Count = device.ID, k.User.ID, device.Count
			refused("another key with the id", alone(s, thief), http.StatusUnauthorized, core.CodeInvalidCredentials)
			refused("another's passkey as the second step", k.step(foreign), http.StatusUnauthorized, core.CodeInvalidCredentials)
			credential := foreign.Get(t, options(stranger(s), loginBegin, storytest.Fields{"mfaToken": other.token()}))
			refused("another's challenge", stranger(s).Do(http.MethodPost, "/auth/mfa", storytest.Fields{"mfaToken": k.token(), "credential": credential}), http.StatusBadRequest, core.CodeInvalidToken)
			device.Count = 0
			refused("a counter that went back", alone(s, device), http.StatusUnauthorized, core.CodeInvalidCredentials)
			device.Count = 1000
			k.wantIn("a counter that goes on", alone(s, device))

			refused("nothing", stranger(s).Do(http.MethodPost, loginFinish, storytest.Fields{}), http.StatusBadRequest, core.CodeInvalidRequest)
			refused("nonsense", finish(json.RawMessage(`{"id":"x","type":"public-key","response":{"clientDataJSON":"AA"}}`)), http.StatusBadRequest, core.CodeValidationFailed)
			registration := passkeystest.NewAuthenticator(t, k.URL)
			answer := registration.Create(t, options(k.Caller, registerBegin, storytest.Fields{"password": "long enough", "credential": device.Get(t, ask())}))
			other.Refused(http.StatusBadRequest, core.CodeInvalidToken, http.MethodPost, registerFinish, storytest.Fields{"name": "x", "credential": answer})
			k.Refused(http.StatusBadRequest, core.CodeInvalidToken, http.MethodPost, registerFinish, storytest.Fields{"name": "x", "credential": answer})
			k.Refused(http.StatusUnauthorized, core.CodeInvalidCredentials, http.MethodPost, registerBegin, storytest.Fields{"password": "long enough", "credential": foreign.Get(t, ask())})
			k.Refused(http.StatusUnauthorized, core.CodeInvalidCredentials, http.MethodPost, registerBegin, storytest.Fields{"password": "wrong"})
			other.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, "/auth/passkeys/"+string(made.ID), storytest.Fields{"password": "long enough"})
			k.Refused(http.StatusUnauthorized, core.CodeInvalidCredentials, http.MethodDelete, "/auth/passkeys/"+string(made.ID), storytest.Fields{"password": "wrong"})
			newAccount(s).Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, registerBegin, storytest.Fields{"password": "long enough"})
		})
	}
}

// TestALastFactorStays keeps the last way of a second step while the installation requires one.
func TestALastFactorStays(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			admin := newKeeper(s)
			admin.Must(http.StatusOK, http.MethodPatch, "/admin/settings", storytest.Fields{"requireMfa": true}, nil)
			off := storytest.Fields{"password": "long enough"}
			admin.Refused(http.StatusConflict, core.CodeConflict, http.MethodDelete, "/auth/mfa/totp", off)
			device, made, _ := admin.register("Laptop", storytest.Fields{"code": admin.fresh()})
			admin.Must(http.StatusNoContent, http.MethodDelete, "/auth/mfa/totp", off, nil)
			admin.Refused(http.StatusConflict, core.CodeConflict, http.MethodDelete, "/auth/passkeys/"+string(made.ID), off)
			admin.wantIn("the passkey that stays", alone(s, device))
			admin.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, nil)

			member := verifiedKeeper(s)
			phone, _, _ := member.register("Phone", nil)
			admin.Must(http.StatusNoContent, http.MethodPost, "/admin/users/"+string(member.User.ID)+"/reset-mfa", nil, nil)
			wantRefused(t, "a passkey after a reset", alone(s, phone), http.StatusUnauthorized, core.CodeInvalidCredentials)
		})
	}
}
