package accounts_test

import (
	"slices"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

// visitor is somebody who signed up with a provider, and has no password.
type visitor struct {
	*agora
	by core.Actor
}

func newVisitor(t *testing.T) *visitor {
	t.Helper()
	v := &visitor{agora: newAgora(t)}
	v.signUp("admin@example.com")
	v.github.AddPerson(ada())
	v.signIn()
	return v
}

func (v *visitor) signIn() {
	v.t.Helper()
	session, _, err := v.FinishOAuth(v.t.Context(), from, core.IdentityGitHub, v.leave(core.IdentityGitHub, ada().Subject))
	if err != nil {
		v.t.Fatal(err)
	}
	v.by = v.as(session)
}

// protected are the changes that others confirm with their password.
func (v *visitor) protected(password string) map[string]error {
	ctx := v.t.Context()
	_, begun := v.Factors.Begin(ctx, v.by, password, "")
	_, renewed := v.Factors.RenewRecoveryCodes(ctx, v.by, accounts.Proof{Password: password})
	return map[string]error{
		"beginning a factor":    begun,
		"renewing codes":        renewed,
		"changing the address":  v.Proofs.ChangeEmail(ctx, v.by, "new@example.com", password),
		"deleting the account":  v.DeleteAccount(ctx, v.by, password),
		"turning a factor off":  v.Factors.TurnOff(ctx, v.by, accounts.Proof{Password: password}),
		"removing some passkey": v.Factors.RemovePasskey(ctx, v.by, core.NewID(), accounts.Proof{Password: password}),
	}
}

func TestWithoutAPasswordARecentSignInConfirms(t *testing.T) {
	v := newVisitor(t)
	if own, err := v.Factors.Status(t.Context(), v.by); err != nil || own.HasPassword {
		t.Fatalf("got %+v, %v, want nobody's password", own, err)
	}
	v.now = v.now.Add(accounts.RecentSignIn)
	setup, err := v.Factors.Begin(t.Context(), v.by, "", "")
	wantCode(t, "beginning", err, "")
	_, err = v.Factors.Confirm(t.Context(), v.by, codeAt(t, setup.Secret, v.now, 0))
	wantCode(t, "confirming", err, "")
	_, err = v.Factors.RenewRecoveryCodes(t.Context(), v.by, accounts.Proof{})
	wantCode(t, "renewing codes", err, "")
	wantCode(t, "turning it off", v.Factors.TurnOff(t.Context(), v.by, accounts.Proof{}), "")
	wantCode(t, "changing the address", v.Proofs.ChangeEmail(t.Context(), v.by, "new@example.com", ""), "")
	wantCode(t, "deleting the account", v.DeleteAccount(t.Context(), v.by, ""), "")
	v.wantMail("ada@example.com", "was deleted")
}

func TestAnOlderSignInConfirmsNothing(t *testing.T) {
	v := newVisitor(t)
	v.now = v.now.Add(accounts.RecentSignIn + time.Millisecond)
	for _, guess := range []string{"", password} {
		for what, err := range v.protected(guess) {
			wantCode(t, what+" with "+guess, err, core.CodeSignInAgain)
		}
	}
	v.by.SessionID = ""
	wantCode(t, "a session without a record", v.DeleteAccount(t.Context(), v.by, ""), core.CodeSignInAgain)
	v.signIn()
	wantCode(t, "after signing in again", v.DeleteAccount(t.Context(), v.by, ""), "")
}

// TestARecentSignInReplacesNoPassword has people with a password leave it out.
func TestARecentSignInReplacesNoPassword(t *testing.T) {
	v := newVisitor(t)
	session, _ := v.signUp("eve@example.com")
	v.by = v.as(session)
	for what, err := range v.protected("") {
		want := core.CodeInvalidCredentials
		if !slices.Contains([]string{"beginning a factor", "changing the address", "deleting the account"}, what) {
			want = core.CodeValidationFailed // a code could be given instead
		}
		wantCode(t, what, err, want)
	}
	for what, err := range v.protected("a wrong one") {
		wantCode(t, what, err, core.CodeInvalidCredentials)
	}
}
