package accounts_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/ports/oauth"
)

// keeper is a person who has a second factor, in a world where wrong codes are counted.
type keeper struct {
	*agora
	user     core.User
	by       core.Actor
	secret   string
	recovery []string
}

const keeperEmail = "ada@example.com"

// newKeeper signs up a person with a verified address, without a factor yet.
func newKeeper(t *testing.T) *keeper {
	t.Helper()
	k := &keeper{agora: newAgora(t)}
	k.Service = accounts.New(accounts.Deps{
		Companies: companysignin.NewRules(access.NewGate(nil)), Doors: openDoors(k.store), Store: k.store, Tokens: k.tokens, Passwords: k.hasher, Sealer: k.sealer, Codes: memory.NewTimeCodes(),
		Audit: k.audit, Mails: k.mails, Estate: k.estate(), Now: func() time.Time { return k.now },
		OAuth:    oauth.Providers{GitHub: k.github, Google: k.google},
		Settings: accounts.Settings{AccessTTL: 15 * time.Minute, RefreshTTL: time.Hour, LimitGuesses: true, Issuer: "Atelier (localhost)"},
	})
	session, _ := k.signUp(keeperEmail)
	var err error
	k.user, err = k.store.Tables().Users.Update(t.Context(), session.User.ID, func(user *core.User) error {
		user.EmailVerified = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if k.by, err = k.Authenticate(t.Context(), session.AccessToken); err != nil {
		t.Fatal(err)
	}
	k.by.IP = from.IP
	return k
}

// pass lets time pass once the log has all failures, which are written in the background.
func (k *keeper) pass(d time.Duration) {
	k.audit.Close()
	k.now = k.now.Add(d)
}

// withFactor turns the factor on, and lets the step of its code pass.
func withFactor(t *testing.T) *keeper {
	t.Helper()
	k := newKeeper(t)
	k.secret = k.begin("").Secret
	var err error
	if k.recovery, err = k.Factors.Confirm(t.Context(), k.by, k.code(0)); err != nil {
		t.Fatal(err)
	}
	k.pass(time.Minute)
	return k
}

func (k *keeper) begin(code string) accounts.AppSetup {
	k.t.Helper()
	setup, err := k.Factors.Begin(k.t.Context(), k.by, password, code)
	if err != nil {
		k.t.Fatal(err)
	}
	return setup
}

// code is what the app shows some steps of time from now.
func (k *keeper) code(steps int) string { return codeAt(k.t, k.secret, k.now, steps) }

func codeAt(t *testing.T, secret string, now time.Time, steps int) string {
	t.Helper()
	code, err := memory.NewTimeCodes().Code(secret, core.At(now.Add(time.Duration(steps)*30*time.Second)))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// wrong is a code that the app does not show about now.
func (k *keeper) wrong() string {
	for _, code := range []string{"000000", "111111", "222222", "333333"} {
		if code != k.code(-1) && code != k.code(0) && code != k.code(1) {
			return code
		}
	}
	panic("unreachable: three codes cannot be four")
}

// token signs in with the password and returns the token of the second step.
func (k *keeper) token() string {
	k.t.Helper()
	session, err := k.SignIn(k.t.Context(), from, keeperEmail, password)
	return tokenOf(k.t, session, err)
}

func tokenOf(t *testing.T, session accounts.Session, err error) string {
	t.Helper()
	var required *core.Error
	if !errors.As(err, &required) || required.Code != core.CodeMFARequired || required.MFAToken == "" || session != (accounts.Session{}) {
		t.Fatalf("got %+v, %v, want no session and %s with a token", session, err, core.CodeMFARequired)
	}
	if strings.Contains(err.Error(), required.MFAToken) {
		t.Errorf("got %q, want the token kept out of logs", err)
	}
	return required.MFAToken
}

func (k *keeper) finish(token, code string) error {
	session, err := k.SecondSteps.Finish(k.t.Context(), from, token, code)
	if (err == nil) != (session.AccessToken != "") {
		k.t.Errorf("got %+v, %v, want a session or an error", session, err)
	}
	return err
}

func TestASignInWithASecondFactor(t *testing.T) {
	k := withFactor(t)
	token := k.token()
	session, err := k.SecondSteps.Finish(t.Context(), from, token, k.code(0))
	if err != nil || session.User.ID != k.user.ID {
		t.Fatalf("got %+v, %v, want a session", session, err)
	}
	actor, err := k.Authenticate(t.Context(), session.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := k.store.Tables().Sessions.ByID(t.Context(), actor.SessionID)
	if err != nil || !stored.SecondFactor || stored.SignedUp {
		t.Errorf("got %+v, %v, want a session with a second factor", stored, err)
	}
	wantCode(t, "the token again", k.finish(token, k.code(1)), core.CodeInvalidToken)
	if got := k.actions(k.user.ID); !strings.HasSuffix(got, "auth.mfa_on auth.login") || strings.Count(got, "auth.login") != 1 {
		t.Errorf("got the audit log %q, want one sign-in, after the second step", got)
	}
}

func TestAWrongPasswordTellsNothingOfAFactor(t *testing.T) {
	k, plain := withFactor(t), newWorld(t)
	plain.signUp(keeperEmail)
	_, guarded := k.SignIn(t.Context(), from, keeperEmail, "wrong password")
	_, open := plain.SignIn(t.Context(), from, keeperEmail, "wrong password")
	if guarded == nil || open == nil || guarded.Error() != open.Error() {
		t.Errorf("got %v with a factor and %v without, want the same", guarded, open)
	}
}

func TestACodeWorksOnce(t *testing.T) {
	k := withFactor(t)
	code := k.code(0)
	wantCode(t, "a code of the step before", k.finish(k.token(), k.code(-1)), "")
	wantCode(t, "the code of now", k.finish(k.token(), code), "")
	wantCode(t, "the same code", k.finish(k.token(), code), core.CodeInvalidCredentials)
	wantCode(t, "the code of the step before it", k.finish(k.token(), k.code(-1)), core.CodeInvalidCredentials)
	wantCode(t, "the code of the step after it", k.finish(k.token(), k.code(1)), "")
	wantCode(t, "the code of now, after that", k.finish(k.token(), code), core.CodeInvalidCredentials)
	wantCode(t, "a code of two steps ahead", k.finish(k.token(), k.code(2)), core.CodeInvalidCredentials)
}

// race runs a call many times at once, and wants that it succeeds once.
func race(t *testing.T, what string, n int, lost core.Code, call func(i int) error) {
	t.Helper()
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { errs[i] = call(i) })
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			wantCode(t, what+": one that lost", err, lost)
		}
	}
	if won != 1 {
		t.Errorf("%s: got %d of %d calls succeed, want one: %v", what, won, n, errors.Join(errs...))
	}
}

func TestOfParallelSecondStepsOneSucceeds(t *testing.T) {
	k := withFactor(t)
	token, tokens := k.token(), []string{}
	race(t, "one token, one code", 8, core.CodeInvalidToken, func(int) error { return k.finish(token, k.code(0)) })
	k.pass(time.Minute)
	for range 8 {
		tokens = append(tokens, k.token())
	}
	race(t, "many tokens, one code", 8, core.CodeInvalidCredentials, func(i int) error { return k.finish(tokens[i], k.code(0)) })
	k.pass(2 * time.Hour)
	for i := range tokens {
		tokens[i] = k.token()
	}
	race(t, "many tokens, one recovery code", 8, core.CodeInvalidCredentials, func(i int) error { return k.finish(tokens[i], k.recovery[0]) })
	k.pass(2 * time.Hour)
	token = k.token()
	race(t, "one token, many recovery codes", 8, core.CodeInvalidToken, func(i int) error { return k.finish(token, k.recovery[i+1]) })
	if status, err := k.Factors.Status(t.Context(), k.by); err != nil || status.RecoveryCodesLeft != core.RecoveryCodes-2 {
		t.Errorf("got %+v, %v, want %d recovery codes left", status, err, core.RecoveryCodes-2)
	}
}

func TestARecoveryCodeIsUsedUp(t *testing.T) {
	k := withFactor(t)
	wantCode(t, "a recovery code", k.finish(k.token(), strings.ToUpper(" "+k.recovery[3])), "")
	if got := k.actions(k.user.ID); !strings.Contains(got, "auth.recovery_code_used auth.login") {
		t.Errorf("got the audit log %q, want the recovery code in it", got)
	}
	wantCode(t, "the same", k.finish(k.token(), k.recovery[3]), core.CodeInvalidCredentials)
	renewed, err := k.Factors.RenewRecoveryCodes(t.Context(), k.by, accounts.Proof{Code: k.recovery[4]})
	if err != nil || len(renewed) != core.RecoveryCodes {
		t.Fatalf("got %q, %v, want ten new ones for a recovery code", renewed, err)
	}
	wantCode(t, "an old one", k.finish(k.token(), k.recovery[5]), core.CodeInvalidCredentials)
	wantCode(t, "a new one", k.finish(k.token(), renewed[0]), "")
}

func TestWrongCodesEndASecondStep(t *testing.T) {
	k := withFactor(t)
	token := k.token()
	for range accounts.MaxWrongCodes {
		wantCode(t, "a wrong code", k.finish(token, k.wrong()), core.CodeInvalidCredentials)
	}
	wantCode(t, "the right one, too late", k.finish(token, k.code(0)), core.CodeInvalidToken)
	k.audit.Close()
	entries, err := k.store.Tables().Audit.OfPerson(t.Context(), k.user.ID, core.Page{Limit: 50})
	failed := slices.DeleteFunc(entries, func(entry core.AuditEntry) bool { return entry.Action != core.AuditFactorFailed })
	if err != nil || len(failed) != accounts.MaxWrongCodes {
		t.Errorf("got %d wrong codes in the log, %v, want %d", len(failed), err, accounts.MaxWrongCodes)
	}
	wantCode(t, "a new sign-in", k.finish(k.token(), k.code(0)), "")
}

func TestWrongCodesAreCountedForTheAccount(t *testing.T) {
	k := withFactor(t)
	refused := 0
	for i := range 40 {
		token := k.token()
		for range accounts.MaxWrongCodes - 1 {
			caller := core.Actor{IP: "192.0.2." + string(rune('0'+i%10))}
			_, err := k.SecondSteps.Finish(t.Context(), caller, token, k.wrong())
			if core.IsCode(err, core.CodeRateLimited) {
				refused++
			} else {
				wantCode(t, "a wrong code", err, core.CodeInvalidCredentials)
			}
		}
	}
	if want := 40*(accounts.MaxWrongCodes-1) - accounts.MaxGuesses; refused != want {
		t.Errorf("got %d guesses refused, want %d: all but %d", refused, want, accounts.MaxGuesses)
	}
	wantCode(t, "the right code while limited", k.finish(k.token(), k.code(0)), core.CodeRateLimited)
	wantCode(t, "the owner turns it off in a session", k.Factors.TurnOff(t.Context(), k.by, accounts.Proof{Code: k.code(0)}), "")
}

func TestASecondStepLapses(t *testing.T) {
	for what, spoil := range map[string]func(k *keeper) error{
		"five minutes later": func(k *keeper) error {
			k.pass(accounts.SecondStepLifetime)
			return nil
		},
		"after a new password": func(k *keeper) error {
			_, err := k.Update(k.t.Context(), k.by, accounts.Change{Password: &accounts.PasswordChange{Current: password, New: "new password"}})
			return err
		},
		"after a reset of the password": func(k *keeper) error { return k.reset(k.forgot(keeperEmail), "new password") },
		"after signing out everywhere":  func(k *keeper) error { return k.SignOutEverywhere(k.t.Context(), k.by) },
		"after the factor was turned off": func(k *keeper) error {
			return k.Factors.TurnOff(k.t.Context(), k.by, accounts.Proof{Password: password})
		},
		"after new recovery codes": func(k *keeper) error {
			_, err := k.Factors.RenewRecoveryCodes(k.t.Context(), k.by, accounts.Proof{Password: password})
			return err
		},
		"when the factor is gone": func(k *keeper) error { return k.store.Tables().Factors.DeleteOf(k.t.Context(), k.user.ID) },
	} {
		k := withFactor(t)
		token := k.token()
		if err := spoil(k); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		wantCode(t, what, k.finish(token, k.code(0)), core.CodeInvalidToken)
	}
}

func TestNoWayInSkipsTheFactor(t *testing.T) {
	k := withFactor(t)
	for _, provider := range []core.IdentityProvider{core.IdentityGitHub, core.IdentityGoogle, core.IdentityGitHub} {
		k.provider(provider).AddPerson(ada())
		session, next, err := k.FinishOAuth(t.Context(), from, provider, k.leave(provider, ada().Subject))
		token := tokenOf(t, session, err)
		if next != "/projects" {
			t.Errorf("got %q, want the path to which the browser wants", next)
		}
		wantCode(t, string(provider), k.finish(token, k.code(0)), "")
		k.pass(time.Minute)
	}
	if got := k.actions(k.user.ID); !strings.HasSuffix(got, "auth.identity_linked auth.login auth.identity_linked auth.login auth.login") {
		t.Errorf("got the audit log %q, want each sign-in once", got)
	}
	wantCode(t, "a reset", k.reset(k.forgot(keeperEmail), "new password"), "")
	session, err := k.SignIn(t.Context(), from, keeperEmail, "new password")
	wantCode(t, "the new password", k.finish(tokenOf(t, session, err), k.code(0)), "")
}

func TestTheTokenOfASecondStepIsNoOther(t *testing.T) {
	k := withFactor(t)
	token := k.token()
	_, err := k.Authenticate(t.Context(), token)
	wantCode(t, "as an access token", err, core.CodeUnauthenticated)
	_, err = k.Refresh(t.Context(), from, token)
	wantCode(t, "as a refresh token", err, core.CodeUnauthenticated)
	wantCode(t, "as a link of a mail", k.reset(token, "new password"), core.CodeInvalidToken)
	_, _, err = k.Prove(t.Context(), k.by, token, false)
	wantCode(t, "as a proof", err, core.CodeInvalidToken)
	wantCode(t, "a link of a mail as a token", k.finish(k.forgot(keeperEmail), k.code(0)), core.CodeInvalidToken)
	for _, text := range []string{"", "x", "\x00", core.HashSecret(token)} {
		wantCode(t, "another text", k.finish(text, k.code(0)), core.CodeInvalidToken)
	}
	wantCode(t, "the token", k.finish(token, k.code(0)), "")
}

func TestADisabledAccountHasNoSecondStep(t *testing.T) {
	k := withFactor(t)
	token := k.token()
	_, err := k.store.Tables().Users.Update(t.Context(), k.user.ID, func(user *core.User) error {
		user.DisabledAt = 1
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, "the second step", k.finish(token, k.code(0)), core.CodeAccountDisabled)
	_, err = k.SignIn(t.Context(), from, keeperEmail, password)
	wantCode(t, "the first", err, core.CodeAccountDisabled)
}

func TestASetupChangesNothingUntilItIsConfirmed(t *testing.T) {
	k := newKeeper(t)
	setup := k.begin("")
	if !strings.HasPrefix(setup.URI, "otpauth://totp/Atelier") || !strings.Contains(setup.URI, setup.Secret) {
		t.Errorf("got %+v, want an address with the secret", setup)
	}
	stored, err := k.store.Tables().Factors.Of(t.Context(), k.user.ID)
	if err != nil || strings.Contains(string(stored.SealedPending), setup.Secret) || stored.On() {
		t.Errorf("got %+v, %v, want the secret sealed and the factor off", stored, err)
	}
	if _, err := k.SignIn(t.Context(), from, keeperEmail, password); err != nil {
		t.Errorf("got %v, want a session without a code", err)
	}
	confirm := func(code string) error {
		recovery, err := k.Factors.Confirm(t.Context(), k.by, code)
		if err == nil && len(recovery) != core.RecoveryCodes {
			t.Errorf("got %d recovery codes, want %d", len(recovery), core.RecoveryCodes)
		}
		return err
	}
	k.secret = setup.Secret
	wantCode(t, "a wrong code", confirm(k.wrong()), core.CodeInvalidCredentials)
	wantCode(t, "no code", confirm(""), core.CodeInvalidCredentials)
	k.pass(accounts.SetupLifetime)
	wantCode(t, "too late", confirm(k.code(0)), core.CodeConflict)
	k.secret = k.begin("").Secret
	race(t, "confirming", 6, core.CodeConflict, func(int) error { return confirm(k.code(0)) })
	wantCode(t, "a used setup", confirm(k.code(1)), core.CodeConflict)
	wantCode(t, "signing in with the code that confirmed it", k.finish(k.token(), k.code(0)), core.CodeInvalidCredentials)
	if status, err := k.Factors.Status(t.Context(), k.by); err != nil || status != (accounts.OwnFactors{FactorStatus: accounts.FactorStatus{TOTP: true, RecoveryCodesLeft: core.RecoveryCodes}, HasPassword: true}) {
		t.Errorf("got %+v, %v, want it on", status, err)
	}
}

func TestASecondSetupNeedsACode(t *testing.T) {
	k := withFactor(t)
	begin := func(code string) error {
		_, err := k.Factors.Begin(t.Context(), k.by, password, code)
		return err
	}
	wantCode(t, "no code", begin(""), core.CodeValidationFailed)
	wantCode(t, "a wrong one", begin(k.wrong()), core.CodeInvalidCredentials)
	code := k.code(0)
	next := k.begin(code)
	wantCode(t, "the same again", begin(code), core.CodeInvalidCredentials)
	wantCode(t, "the old app, until the new one is confirmed", k.finish(k.token(), k.code(1)), "")
	if _, err := k.Factors.Confirm(t.Context(), k.by, codeAt(t, next.Secret, k.now, 0)); err != nil {
		t.Fatal(err)
	}
	k.pass(2 * time.Minute)
	wantCode(t, "the old app", k.finish(k.token(), k.code(0)), core.CodeInvalidCredentials)
	wantCode(t, "an old recovery code", k.finish(k.token(), k.recovery[0]), core.CodeInvalidCredentials)
	k.secret = next.Secret
	wantCode(t, "the new app", k.finish(k.token(), k.code(0)), "")
}

func TestChangingTheFactorNeedsAProof(t *testing.T) {
	k := withFactor(t)
	for what, c := range map[string]struct {
		proof accounts.Proof
		code  core.Code
	}{
		"nothing":          {accounts.Proof{}, core.CodeValidationFailed},
		"both":             {accounts.Proof{Password: password, Code: k.code(0)}, core.CodeValidationFailed},
		"a wrong password": {accounts.Proof{Password: "wrong"}, core.CodeInvalidCredentials},
		"a wrong code":     {accounts.Proof{Code: k.wrong()}, core.CodeInvalidCredentials},
		"no code at all":   {accounts.Proof{Code: "x"}, core.CodeInvalidCredentials},
	} {
		wantCode(t, "off with "+what, k.Factors.TurnOff(t.Context(), k.by, c.proof), c.code)
		_, err := k.Factors.RenewRecoveryCodes(t.Context(), k.by, c.proof)
		wantCode(t, "new codes with "+what, err, c.code)
	}
	wantCode(t, "off with a code", k.Factors.TurnOff(t.Context(), k.by, accounts.Proof{Code: k.code(0)}), "")
	if _, err := k.SignIn(t.Context(), from, keeperEmail, password); err != nil {
		t.Errorf("got %v, want a session without a code", err)
	}
	wantCode(t, "off again", k.Factors.TurnOff(t.Context(), k.by, accounts.Proof{Password: password}), core.CodeConflict)
	if got := k.actions(k.user.ID); !strings.Contains(got, "auth.mfa_on auth.mfa_off") {
		t.Errorf("got the audit log %q, want both in it", got)
	}
}

func TestWhoCannotSetAFactorUp(t *testing.T) {
	k := newKeeper(t)
	begin := func(by core.Actor, password string) error {
		_, err := k.Factors.Begin(t.Context(), by, password, "")
		return err
	}
	wantCode(t, "a wrong password", begin(k.by, "wrong"), core.CodeInvalidCredentials)
	program := k.by
	program.Token = true
	wantCode(t, "an API token", begin(program, password), core.CodeInsufficientScope)
	_, err := k.Factors.Confirm(t.Context(), program, "000000")
	wantCode(t, "an API token confirms", err, core.CodeInsufficientScope)
	wantCode(t, "an API token turns off", k.Factors.TurnOff(t.Context(), program, accounts.Proof{Password: password}), core.CodeInsufficientScope)
	_, err = k.Factors.Status(t.Context(), program)
	wantCode(t, "an API token looks", err, core.CodeInsufficientScope)
	ended := k.by
	ended.SessionID = core.NewID()
	wantCode(t, "an ended session", begin(ended, password), core.CodeUnauthenticated)
	session, _ := k.signUp("eve@example.com")
	eve, err := k.Authenticate(t.Context(), session.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, "an address that nobody proved", begin(eve, password), core.CodeConflict)
}

func TestWhoProvesTheAddressOfAnAccountTakesItsFactorAway(t *testing.T) {
	k := withFactor(t)
	_, err := k.store.Tables().Users.Update(t.Context(), k.user.ID, func(user *core.User) error {
		user.EmailVerified = false
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, "the reset", k.reset(k.forgot(keeperEmail), "new password"), "")
	if _, err := k.SignIn(context.WithoutCancel(t.Context()), from, keeperEmail, "new password"); err != nil {
		t.Errorf("got %v, want the owner of the address in", err)
	}
}
