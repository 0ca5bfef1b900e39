package people_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestAnInstallationRequiresVerifiedAddresses lets people without one verify it, and do nothing
// else, whatever they come with.
func TestAnInstallationRequiresVerifiedAddresses(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			admin := &keeper{account: newAccount(s)}
			require := func(by *storytest.Caller, required bool) storytest.Answer {
				return by.Do(http.MethodPatch, "/admin/settings", storytest.Fields{"requireVerifiedEmail": required})
			}
			wantRefused(t, "an admin without one", require(admin.Caller, true), http.StatusConflict, core.CodeConflict)
			if got := followProof(admin.Caller, proofToken(s, admin.User.Email, 1), false); got.Status != http.StatusOK {
				t.Fatalf("proof: got %d %s", got.Status, got.Body)
			}
			member, leaver := newAccount(s), newAccount(s)
			tool := &storytest.Caller{Site: s, Token: apiToken(member.Caller)}
			wantRefused(t, "a member", require(member.Caller, true), http.StatusForbidden, core.CodeForbidden)
			if got := require(admin.Caller, true); got.Status != http.StatusOK {
				t.Fatalf("got %d %s, want it required", got.Status, got.Body)
			}
			awaitAnswer(member.Caller, "/workspaces", http.StatusForbidden, core.CodeEmailUnverified)
			admin.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, nil)

			project, newcomer := string(core.NewID()), newAccount(s)
			refused := []struct {
				method, path string
				body         any
			}{
				{http.MethodGet, "/projects", nil},
				{http.MethodGet, "/projects/" + project, nil},
				{http.MethodPost, "/workspaces/" + project + "/projects", storytest.Fields{"name": "x"}},
				{http.MethodPost, "/workspaces", storytest.Fields{"name": "x"}},
				{http.MethodPost, "/invites/" + core.NewSecret() + "/accept", nil},
				{http.MethodGet, "/git/" + project + ".git/info/refs?service=git-upload-pack", nil},
				{http.MethodGet, "/ws/project/" + project, nil},
				{http.MethodGet, "/chat/" + project + "/stream", nil},
			}
			for _, call := range refused {
				for what, by := range map[string]*storytest.Caller{"a session": member.Caller, "an API token": tool, "a session from after": newcomer.Caller} {
					wantRefused(t, what+": "+call.method+" "+call.path, by.Do(call.method, call.path, call.body), http.StatusForbidden, core.CodeEmailUnverified)
				}
			}
			tool.Refused(http.StatusForbidden, core.CodeEmailUnverified, http.MethodPost, "/mcp", storytest.Fields{"jsonrpc": "2.0", "id": 1, "method": "ping"})
			member.Refused(http.StatusForbidden, core.CodeEmailUnverified, http.MethodPost, "/auth/api-tokens", storytest.Fields{"name": "x", "scopes": []string{"chat"}})
			member.Refused(http.StatusForbidden, core.CodeEmailUnverified, http.MethodGet, "/admin/settings", nil)

			for _, path := range []string{"/auth/me", "/auth/sessions", "/auth/mfa", "/auth/api-tokens"} {
				member.Must(http.StatusOK, http.MethodGet, path, nil, nil)
			}
			member.Must(http.StatusAccepted, http.MethodPost, "/auth/verify-email/send", nil, nil)
			leaver.Must(http.StatusAccepted, http.MethodPost, "/auth/change-email", storytest.Fields{"email": string(core.NewID()) + "@example.com", "password": "long enough"}, nil)
			leaver.Must(http.StatusNoContent, http.MethodDelete, "/auth/me", storytest.Fields{"password": "long enough"}, nil)

			if got := followProof(member.Caller, proofToken(s, member.User.Email, 1), false); got.Status != http.StatusOK {
				t.Fatalf("proof: got %d %s", got.Status, got.Body)
			}
			member.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, nil)
			tool.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, nil)
			set := func(entry core.AuditEntry) bool {
				return entry.Action == core.AuditInstanceSettings && entry.Target == "requireVerifiedEmail: true"
			}
			if log := auditAt(admin.Caller, "/admin/audit", "50"); !slices.ContainsFunc(log, set) {
				t.Errorf("got %+v, want the change in the log of the installation", log)
			}
		})
	}
}

// TestPasswordsAreTurnedOff tries every way in with a password, also those that began before.
func TestPasswordsAreTurnedOff(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			admin, member, careful := verifiedKeeper(s), newAccount(s), newKeeper(s)
			allow := func(by *storytest.Caller, allowed bool) storytest.Answer {
				return by.Do(http.MethodPatch, "/admin/settings", storytest.Fields{"passwordSignIn": allowed})
			}
			wantRefused(t, "an admin without another way in", allow(admin.Caller, false), http.StatusConflict, core.CodeConflict)
			wantRefused(t, "a member", allow(member.Caller, false), http.StatusForbidden, core.CodeForbidden)
			device, made, _ := admin.register("Laptop", nil)
			forgot(s, member.User.Email)
			reset := resetToken(s, mails(s, member.User.Email, 1)[0])
			halfway := careful.token()
			if got := allow(admin.Caller, false); got.Status != http.StatusOK {
				t.Fatalf("got %d %s, want passwords off", got.Status, got.Body)
			}

			visitor := &storytest.Caller{Site: s}
			login := func(email, password string) storytest.Answer {
				return visitor.Do(http.MethodPost, "/auth/login", storytest.Fields{"email": email, "password": password})
			}
			for what, got := range map[string]storytest.Answer{
				"the right password":            login(member.User.Email, "long enough"),
				"the admin's":                   login(admin.User.Email, "long enough"),
				"a wrong password":              login(member.User.Email, "wrong password"),
				"an address without an account": login("stranger@example.com", "long enough"),
				"a sign-up":                     visitor.Do(http.MethodPost, "/auth/signup", storytest.Fields{"email": "new@example.com", "password": "long enough"}),
				"a sign-up with a known address": visitor.Do(http.MethodPost, "/auth/signup", storytest.Fields{
					"email": member.User.Email, "password": "long enough",
				}),
				"a forgotten password":                visitor.Do(http.MethodPost, "/auth/forgot-password", storytest.Fields{"email": member.User.Email}),
				"a link from before":                  resetTo(s, reset, "another password"),
				"a link that is none":                 resetTo(s, core.NewSecret(), "another password"),
				"a second step that began before":     careful.finish(halfway, careful.fresh()),
				"a second step with a recovery code":  careful.finish(halfway, careful.recovery[0]),
				"the admin's last passkey":            admin.Do(http.MethodDelete, "/auth/passkeys/"+string(made.ID), storytest.Fields{"password": "long enough"}),
				"a member who brings passwords back":  allow(member.Caller, true),
				"a visitor who brings passwords back": allow(visitor, true),
			} {
				status, code := http.StatusForbidden, core.CodePasswordSignInOff
				switch what {
				case "the admin's last passkey":
					status, code = http.StatusConflict, core.CodeConflict
				case "a member who brings passwords back":
					code = core.CodeForbidden
				case "a visitor who brings passwords back":
					status, code = http.StatusUnauthorized, core.CodeUnauthenticated
				}
				wantRefused(t, what, got, status, code)
			}

			member.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, nil)
			visitor.Must(http.StatusOK, http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": member.refresh}, nil)
			admin.wantIn("the passkey", alone(s, device))

			if got := allow(admin.Caller, true); got.Status != http.StatusOK {
				t.Fatalf("got %d %s, want passwords back", got.Status, got.Body)
			}
			signInFor(s, member.User.Email, "long enough")
			if got := resetTo(s, reset, "another password"); got.Status != http.StatusNoContent {
				t.Errorf("the link from before: got %d %s, want it valid still", got.Status, got.Body)
			}
		})
	}
}
