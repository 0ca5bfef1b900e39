package people_test

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// awaitAnswer waits until a call of a person gets an answer, since processes remember for a few
// seconds whether a person lacks a second factor.
func awaitAnswer(c *storytest.Caller, path string, status int, code core.Code) {
	c.T.Helper()
	var got storytest.Answer
	if !conformance.Becomes(func() bool {
		got = c.Do(http.MethodGet, path, nil)
		return got.Status == status && got.Code() == code
	}) {
		c.T.Fatalf("GET %s: got %d %s, want %d %s", path, got.Status, got.Body, status, code)
	}
}

// TestAnInstallationRequiresSecondFactors lets people without one set it up, and do nothing else.
func TestAnInstallationRequiresSecondFactors(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			admin, member := verifiedKeeper(s), verifiedKeeper(s)
			tool := &storytest.Caller{Site: s, Token: apiToken(member.Caller)}
			require := func(required bool) storytest.Answer {
				return admin.Do(http.MethodPatch, "/admin/settings", storytest.Fields{"requireMfa": required})
			}
			wantRefused(t, "an admin without one", require(true), http.StatusConflict, core.CodeConflict)
			wantRefused(t, "a member", member.Do(http.MethodPatch, "/admin/settings", storytest.Fields{"requireMfa": true}), http.StatusForbidden, core.CodeForbidden)
			admin.turnOn("")
			if got := require(true); got.Status != http.StatusOK {
				t.Fatalf("got %d %s, want it required", got.Status, got.Body)
			}
			awaitAnswer(member.Caller, "/workspaces", http.StatusForbidden, core.CodeMFASetupRequired)
			admin.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, nil)
			tool.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, nil)

			newcomer := newAccount(s)
			for _, person := range []*storytest.Caller{member.Caller, newcomer.Caller} {
				for _, call := range []struct {
					method, path string
					body         any
				}{
					{http.MethodGet, "/projects", nil},
					{http.MethodPost, "/workspaces", storytest.Fields{"name": "x"}},
					{http.MethodPost, "/auth/api-tokens", storytest.Fields{"name": "x", "scopes": []string{"chat"}}},
					{http.MethodGet, "/admin/settings", nil},
					{http.MethodGet, "/projects/" + string(core.NewID()), nil},
				} {
					person.Refused(http.StatusForbidden, core.CodeMFASetupRequired, call.method, call.path, call.body)
				}
				for _, path := range []string{"/auth/me", "/auth/mfa", "/auth/sessions"} {
					person.Must(http.StatusOK, http.MethodGet, path, nil, nil)
				}
			}

			member.turnOn("")
			member.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, nil)
			admin.Must(http.StatusNoContent, http.MethodPost, "/admin/users/"+string(member.User.ID)+"/reset-mfa", nil, nil)
			awaitAnswer(member.Caller, "/workspaces", http.StatusForbidden, core.CodeMFASetupRequired)
			if got := require(false); got.Status != http.StatusOK {
				t.Fatalf("got %d %s, want it required no more", got.Status, got.Body)
			}
			awaitAnswer(member.Caller, "/workspaces", http.StatusOK, "")
			if log := auditAt(admin.Caller, "/admin/audit", "50"); log[0].Action != core.AuditInstanceSettings || log[0].Target != "requireMfa: false" {
				t.Errorf("got %+v, want it in the log of the installation", log[0])
			}
		})
	}
}
