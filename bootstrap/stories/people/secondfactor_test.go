package people_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

// keeper is somebody with a second factor.
type keeper struct {
	account
	setup    accounts.AppSetup
	recovery []string
	// confirmed is when the factor was turned on. The code of that step of time is used; that of
	// the next works for more than half a minute, however the clock moves meanwhile.
	confirmed time.Time
}

// verifiedKeeper signs somebody up whose address is verified.
func verifiedKeeper(s *storytest.Site) *keeper {
	s.T.Helper()
	k := &keeper{account: newAccount(s)}
	if got := followProof(k.Caller, proofToken(s, k.User.Email, 1), false); got.Status != http.StatusOK {
		s.T.Fatalf("proof: got %d %s", got.Status, got.Body)
	}
	return k
}

// newKeeper signs somebody up who turns the factor on.
func newKeeper(s *storytest.Site) *keeper {
	s.T.Helper()
	k := verifiedKeeper(s)
	k.turnOn("")
	return k
}

func (k *keeper) turnOn(code string) {
	k.T.Helper()
	k.setup = k.begin(code)
	k.confirmed = time.Now()
	var confirmed struct{ RecoveryCodes []string }
	k.Must(http.StatusOK, http.MethodPost, "/auth/mfa/totp/confirm", storytest.Fields{"code": k.code(0)}, &confirmed)
	if k.recovery = confirmed.RecoveryCodes; len(k.recovery) != core.RecoveryCodes {
		k.T.Fatalf("got the recovery codes %q, want %d", k.recovery, core.RecoveryCodes)
	}
}

func (k *keeper) begin(code string) accounts.AppSetup {
	k.T.Helper()
	body := storytest.Fields{"password": "long enough"}
	if code != "" {
		body["code"] = code
	}
	var setup accounts.AppSetup
	k.Must(http.StatusOK, http.MethodPost, "/auth/mfa/totp", body, &setup)
	return setup
}

// code is that of a step of time, counted from the one that confirmed the factor.
func (k *keeper) code(step int) string {
	k.T.Helper()
	code, err := memory.NewTimeCodes().Code(k.setup.Secret, core.At(k.confirmed.Add(time.Duration(step)*30*time.Second)))
	if err != nil {
		k.T.Fatal(err)
	}
	return code
}

// fresh is a code that works now.
func (k *keeper) fresh() string { return k.code(1) }

// wrong is the code of no step that could work.
func (k *keeper) wrong() string {
	for number := 'a'; ; number++ {
		code := strings.Repeat(string('0'+(number-'a')%10), 6)
		near := func(step int) bool { return k.code(step) == code }
		if !slices.ContainsFunc([]int{-2, -1, 0, 1, 2, 3, 4, 5}, near) {
			return code
		}
	}
}

// login signs in with the password.
func (k *keeper) login(password string) storytest.Answer {
	k.T.Helper()
	return (&storytest.Caller{Site: k.Site}).Do(http.MethodPost, "/auth/login", storytest.Fields{"email": k.User.Email, "password": password})
}

// token signs in with the password, and returns the token of the second step.
func (k *keeper) token() string {
	k.T.Helper()
	return mfaTokenOf(k.T, k.login("long enough"))
}

func mfaTokenOf(t testing.TB, got storytest.Answer) string {
	t.Helper()
	var answer struct{ MFAToken string }
	if err := json.Unmarshal(got.Body, &answer); err != nil || got.Status != http.StatusUnauthorized || got.Code() != core.CodeMFARequired || len(answer.MFAToken) != 43 {
		t.Fatalf("got %d %s, want 401 %s with a token", got.Status, got.Body, core.CodeMFARequired)
	}
	wantNoSession(t, "the first step", got)
	return answer.MFAToken
}

// wantMethods compares the ways in which somebody can finish a sign-in.
func (k *keeper) wantMethods(want ...core.FactorMethod) {
	k.T.Helper()
	var answer struct{ MFAMethods []core.FactorMethod }
	if got := k.login("long enough"); json.Unmarshal(got.Body, &answer) != nil || !slices.Equal(answer.MFAMethods, want) {
		k.T.Errorf("got %s, want the methods %v", got.Body, want)
	}
}

// wantNoSession checks that an answer opens nothing.
func wantNoSession(t testing.TB, what string, got storytest.Answer) {
	t.Helper()
	if got.Header.Values("Set-Cookie") != nil || bytes.Contains(got.Body, []byte("accessToken")) || bytes.Contains(got.Body, []byte("refreshToken")) {
		t.Errorf("%s: got %q %s, want nothing of a session", what, got.Header.Values("Set-Cookie"), got.Body)
	}
}

// finish is the second step.
func (k *keeper) finish(token, code any) storytest.Answer {
	k.T.Helper()
	return (&storytest.Caller{Site: k.Site}).Do(http.MethodPost, "/auth/mfa", storytest.Fields{"mfaToken": token, "code": code})
}

func (k *keeper) wantIn(what string, got storytest.Answer) *storytest.Caller {
	k.T.Helper()
	var session struct {
		User                      core.User
		AccessToken, RefreshToken string
	}
	if err := json.Unmarshal(got.Body, &session); err != nil || got.Status != http.StatusOK || session.User.ID != k.User.ID || len(got.Header.Values("Set-Cookie")) != 2 {
		k.T.Fatalf("%s: got %d %s with the cookies %q, want a session of theirs", what, got.Status, got.Body, got.Header.Values("Set-Cookie"))
	}
	in := &storytest.Caller{Site: k.Site, Token: session.AccessToken, User: session.User}
	in.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, nil)
	(&storytest.Caller{Site: k.Site}).Must(http.StatusOK, http.MethodPost, "/auth/refresh", storytest.Fields{"refreshToken": session.RefreshToken}, nil)
	return in
}

func (k *keeper) status() (status accounts.FactorStatus) {
	k.T.Helper()
	k.Must(http.StatusOK, http.MethodGet, "/auth/mfa", nil, &status)
	return status
}

// TestASecondFactor turns it on, signs in with it, and turns it off.
func TestASecondFactor(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			k := verifiedKeeper(s)
			if got := k.status(); got != (accounts.FactorStatus{}) {
				t.Errorf("got %+v, want it off", got)
			}
			tool := &storytest.Caller{Site: s, Token: apiToken(k.Caller)}
			k.turnOn("")
			address, err := url.Parse(k.setup.URI)
			if err != nil || address.Query().Get("secret") != k.setup.Secret || !strings.Contains(address.Path, k.User.Email) || !strings.HasPrefix(address.Path, "/Atelier (localhost") {
				t.Errorf("got %+v, want the address of a QR code for this service and person", k.setup)
			}
			if got := k.status(); got != (accounts.FactorStatus{TOTP: true, RecoveryCodesLeft: 10}) {
				t.Errorf("got %+v, want it on with ten recovery codes", got)
			}
			// The session in which it was turned on and API tokens go on.
			tool.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, nil)
			k.wantMethods(core.FactorApp, core.FactorRecovery)
			k.wantIn("a code", k.finish(k.token(), k.fresh()))
			in := k.wantIn("a recovery code", k.finish(k.token(), k.recovery[0]))
			if got := k.status(); got.RecoveryCodesLeft != 9 {
				t.Errorf("got %+v, want nine recovery codes left", got)
			}
			here, there := account{Caller: in}.sessions()[0], k.sessions()[0]
			if !here.SecondFactor || there.SecondFactor {
				t.Errorf("got %+v and %+v, want the sign-in told from the session of the sign-up", here, there)
			}
			var renewed struct{ RecoveryCodes []string }
			in.Must(http.StatusOK, http.MethodPost, "/auth/mfa/recovery-codes", storytest.Fields{"password": "long enough"}, &renewed)
			in.Must(http.StatusNoContent, http.MethodDelete, "/auth/mfa/totp", storytest.Fields{"code": renewed.RecoveryCodes[9]}, nil)
			if got := k.login("long enough"); got.Status != http.StatusOK {
				t.Errorf("after turning it off: got %d %s, want a session", got.Status, got.Body)
			}
			for _, words := range []string{"was turned on", "A recovery code was used", "New recovery codes", "was turned off"} {
				awaitNotice(s, k.User.Email, words)
			}
			var actions []string
			for _, entry := range auditAt(k.Caller, "/auth/me/audit", "50") {
				actions = append(actions, string(entry.Action))
			}
			slices.Reverse(actions)
			want := "auth.mfa_on auth.login auth.recovery_code_used auth.login auth.recovery_codes_created auth.mfa_off auth.login"
			if got := strings.Join(actions, " "); !strings.HasSuffix(got, want) {
				t.Errorf("got the log %q, want it to end with %q", got, want)
			}
		})
	}
}

// awaitNotice waits for a mail about the account that has certain words.
func awaitNotice(s *storytest.Site, to, words string) {
	s.T.Helper()
	for n := 1; ; n++ {
		sent := mailsOf(s, to, n, storytest.IsAboutAccount)
		if strings.Contains(sent[n-1].Text, words) {
			return
		}
	}
}

// TestAnAdminResetsTheSecondFactorOfAPerson plays what an admin does for somebody who lost it.
func TestAnAdminResetsTheSecondFactorOfAPerson(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			admin, k := s.SignUp(), newKeeper(s)
			path, waiting := "/admin/users/"+string(k.User.ID)+"/reset-mfa", k.token()
			wantListed(admin, k.User.ID, true)
			k.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodPost, path, nil)
			admin.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, "/admin/users/"+string(admin.User.ID)+"/reset-mfa", nil)
			admin.Must(http.StatusNoContent, http.MethodPost, path, nil, nil)
			wantListed(admin, k.User.ID, false)
			admin.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, path, nil)
			wantRefused(t, "a sign-in that waited", k.finish(waiting, k.fresh()), http.StatusBadRequest, core.CodeInvalidToken)
			if got := k.login("long enough"); got.Status != http.StatusOK {
				t.Errorf("got %d %s, want a session without a code", got.Status, got.Body)
			}
			k.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, nil)
			awaitNotice(s, k.User.Email, "who runs this service turned off")
			if log := auditAt(admin, "/admin/audit", "50"); log[0].Action != core.AuditFactorReset || log[0].Target != k.User.Email {
				t.Errorf("got %+v, want it in the log of the installation", log[0])
			}
		})
	}
}

// wantListed checks what the list of all accounts says of a person's second factor.
func wantListed(admin *storytest.Caller, person core.ID, mfa bool) {
	admin.T.Helper()
	var listed struct {
		Items []struct {
			ID  core.ID
			MFA *bool
		}
	}
	admin.Must(http.StatusOK, http.MethodGet, "/admin/users", nil, &listed)
	for _, item := range listed.Items {
		if item.ID == person && item.MFA != nil && *item.MFA == mfa {
			return
		}
	}
	admin.T.Errorf("got %+v, want %s with mfa %v", listed.Items, person, mfa)
}

// TestNothingOfASecondFactorIsStoredInTheClear reads the files of the service.
func TestNothingOfASecondFactorIsStoredInTheClear(t *testing.T) {
	dir := t.TempDir()
	s := storytest.Serve(t, dir, storytest.Programs()["local"].Make, nil)
	k := newKeeper(s)
	token := k.token()
	secrets := []string{k.setup.Secret, token, k.recovery[0], strings.ReplaceAll(k.recovery[0], "-", ""), k.begin(k.recovery[1]).Secret}
	found := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(k.User.ID)) {
			found++
		}
		for _, secret := range secrets {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s has %q in the clear", path, secret)
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("got %d files with the account, %v, want the database among them", found, err)
	}
}
