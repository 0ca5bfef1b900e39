package accounts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/ports/mail"
)

// as is the caller of a session.
func (w *world) as(session accounts.Session) core.Actor {
	w.t.Helper()
	by, err := w.Authenticate(w.t.Context(), session.AccessToken)
	if err != nil {
		w.t.Fatal(err)
	}
	by.IP = from.IP
	return by
}

func TestADeletedAccountIsGone(t *testing.T) {
	w := newWorld(t)
	w.signUp("admin@example.com")
	session, home := w.signUp("ada@example.com")
	_, err := w.store.Tables().Users.Update(t.Context(), home.User.ID, func(user *core.User) error { user.EmailVerified = true; return nil })
	wantCode(t, "verifying", err, "")
	by := w.as(session)
	_, token, err := w.APITokens.Create(t.Context(), by, accounts.NewAPIToken{Name: "x", Scopes: []string{"chat"}})
	wantCode(t, "a token", err, "")
	wantCode(t, "a wrong password", w.DeleteAccount(t.Context(), by, "wrong password"), core.CodeInvalidCredentials)
	if _, err := w.Me(t.Context(), by); err != nil {
		t.Errorf("after a wrong password: got %v, want the account", err)
	}
	wantCode(t, "the deletion", w.DeleteAccount(t.Context(), by, password), "")

	_, err = w.Authenticate(t.Context(), session.AccessToken)
	wantCode(t, "the session", err, core.CodeUnauthenticated)
	_, err = w.Refresh(t.Context(), from, session.RefreshToken)
	wantCode(t, "the refresh token", err, core.CodeUnauthenticated)
	_, err = w.Authenticate(t.Context(), token)
	wantCode(t, "the API token", err, core.CodeUnauthenticated)
	wantCode(t, "who stays connected", w.Standing(t.Context(), by), core.CodeUnauthenticated)
	if !w.Ended(t.Context(), by) {
		t.Error("got a stream that goes on, want it to end")
	}
	wantCode(t, "a second deletion", w.DeleteAccount(t.Context(), by, password), core.CodeUnauthenticated)
	_, err = w.SignIn(t.Context(), from, "ada@example.com", password)
	wantCode(t, "a sign-in", err, core.CodeInvalidCredentials)
	_, err = w.store.Tables().Workspaces.ByID(t.Context(), home.Workspace.ID)
	wantCode(t, "the empty personal workspace", err, core.CodeNotFound)
	entries, err := w.store.Tables().Audit.OfInstance(t.Context(), core.Page{Limit: 1})
	if err != nil || len(entries) != 1 || entries[0].Action != core.AuditPersonDeleted || entries[0].Target != "ada@example.com" || entries[0].Actor.UserID != home.User.ID {
		t.Errorf("got %+v, %v, want who deleted whom", entries, err)
	}
	again, home2 := w.signUp("ada@example.com")
	if again.User.ID == home.User.ID || home2.Workspace.ID == home.Workspace.ID {
		t.Errorf("got %+v, want a new account", home2)
	}
	w.wantMail("ada@example.com", "was deleted")
}

// wantMail sends what is queued and waits for a mail that says something.
func (w *world) wantMail(email, says string) {
	w.t.Helper()
	box := memory.NewMailbox()
	defer w.post(box)()
	for n := 1; ; {
		mails, err := box.Await(w.t.Context(), email, n)
		if err != nil {
			w.t.Fatal(err)
		}
		if slices.ContainsFunc(mails, func(mail mail.Message) bool { return strings.Contains(mail.Text, says) }) {
			return
		}
		n = len(mails) + 1
	}
}

func TestWhoMayNotDeleteAnAccount(t *testing.T) {
	w := newWorld(t)
	session, _ := w.signUp("admin@example.com")
	by := w.as(session)
	wantCode(t, "the last admin", w.DeleteAccount(t.Context(), by, password), core.CodeConflict)
	_, _, secret := w.program("bob@example.com")
	program, err := w.Authenticate(t.Context(), secret)
	wantCode(t, "the token", err, "")
	wantCode(t, "an API token", w.DeleteAccount(t.Context(), program, password), core.CodeInsufficientScope)
	stale, _ := w.signUp("eve@example.com")
	eve := w.as(stale)
	wantCode(t, "signing out", w.SignOut(t.Context(), from, stale.AccessToken, stale.RefreshToken), "")
	wantCode(t, "an ended session", w.DeleteAccount(t.Context(), eve, password), core.CodeUnauthenticated)
}
