package people_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// auditLog reads a workspace's security log, newest first, page by page.
func auditLog(c *storytest.Caller, limit string) []core.AuditEntry {
	c.T.Helper()
	return auditAt(c, "/workspaces/"+string(c.Workspace)+"/audit", limit)
}

// auditAt reads a log to its end.
func auditAt(c *storytest.Caller, path, limit string) []core.AuditEntry {
	c.T.Helper()
	var all []core.AuditEntry
	cursor := ""
	for {
		var page struct {
			Items      []core.AuditEntry
			NextCursor *string
		}
		c.Must(http.StatusOK, http.MethodGet, path+storytest.Query("limit", limit)+cursor, nil, &page)
		all = append(all, page.Items...)
		if page.NextCursor == nil {
			return all
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

func TestTheAuditLogTellsWhoDidWhat(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			tellAuditStory(t, program.Serve(t).SignUp().Create("static-html"))
		})
	}
}

func tellAuditStory(t *testing.T, w *storytest.Work) {
	space := "/workspaces/" + string(w.Workspace)
	w.Must(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": w.User.Email, "password": "long enough"}, nil)
	w.Must(http.StatusUnauthorized, http.MethodPost, "/auth/login", map[string]string{"email": w.User.Email, "password": "guessed wrong"}, nil)
	w.Must(http.StatusOK, http.MethodPatch, space, map[string]any{"creditLimit": 3}, nil)
	var provider core.Provider
	w.Must(http.StatusCreated, http.MethodPost, space+"/ai-providers", map[string]string{"kind": "openai", "name": "Vendor", "apiKey": "sk-secret-secret-secret"}, &provider)
	w.Must(http.StatusOK, http.MethodPatch, space+"/ai-providers/"+string(provider.ID), map[string]string{"apiKey": "sk-other-secret-secret"}, nil)
	w.Must(http.StatusNoContent, http.MethodDelete, space+"/ai-providers/"+string(provider.ID), nil, nil)
	w.Must(http.StatusOK, http.MethodPatch, w.Path(""), map[string]string{"visibility": "public"}, nil)
	w.Must(http.StatusNoContent, http.MethodPut, w.Path("/env/API_KEY"), map[string]string{"value": "a secret value"}, nil)
	w.Must(http.StatusNoContent, http.MethodDelete, w.Path("/env/API_KEY"), nil, nil)
	if got := w.Do(http.MethodGet, w.Path("/export"), nil); got.Status != http.StatusOK {
		t.Fatalf("export: got %d", got.Status)
	}
	w.Must(http.StatusCreated, http.MethodPost, w.Path("/duplicate"), map[string]string{}, nil)
	w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), map[string]string{}, nil)
	w.Must(http.StatusNoContent, http.MethodDelete, w.Path("/publish"), nil, nil)
	w.Must(http.StatusNoContent, http.MethodDelete, w.Path("")+"?hard=true", nil, nil)
	w.Must(http.StatusOK, http.MethodPatch, "/auth/me", map[string]string{"currentPassword": "long enough", "password": "longer still"}, nil)
	w.Token = signInFor(w.Caller.Site, w.User.Email, "longer still")
	w.Must(http.StatusNoContent, http.MethodPost, "/auth/logout-all", nil, nil)
	w.Token = signInFor(w.Caller.Site, w.User.Email, "longer still")
	waitForAction(w.Caller, core.AuditSignInFailed)

	entries, own := auditLog(w.Caller, "3"), auditAt(w.Caller, "/auth/me/audit", "3")
	for action, target := range map[core.AuditAction]string{
		core.AuditSignUp: w.User.Email, core.AuditSignIn: w.User.Email, core.AuditSignInFailed: w.User.Email,
		core.AuditPasswordChanged: w.User.Email, core.AuditSignOutEverywhere: w.User.Email,
	} {
		checkEntry(t, own, w.User, action, target)
		if slices.ContainsFunc(entries, func(e core.AuditEntry) bool { return e.Action == action }) {
			t.Errorf("%s: got it in the workspace's log, want it in the person's alone", action)
		}
	}
	for action, target := range map[core.AuditAction]string{
		core.AuditEnvironmentUpdated: "API_KEY of " + w.Name, core.AuditEnvironmentDeleted: "API_KEY of " + w.Name,
		core.AuditProjectExported: w.Name, core.AuditProjectDuplicated: w.Name,
		core.AuditWorkspaceUpdated: "creditLimit: 3.00 USD", core.AuditProviderCreated: "Vendor",
		core.AuditProviderUpdated: "Vendor: key changed", core.AuditProviderDeleted: "Vendor",
		core.AuditProjectVisibility: w.Name + ": workspace → public", core.AuditProjectPublished: w.Name + " at http://",
		core.AuditProjectUnpublished: w.Name + " at http://", core.AuditProjectPurged: w.Name,
	} {
		checkEntry(t, entries, w.User, action, target)
	}
	for i := 1; i < len(entries); i++ {
		if entries[i].CreatedAt > entries[i-1].CreatedAt {
			t.Errorf("got %s before %s, want the newest first", entries[i-1].Action, entries[i].Action)
		}
	}
}

func checkEntry(t *testing.T, entries []core.AuditEntry, by core.User, action core.AuditAction, target string) {
	t.Helper()
	at := slices.IndexFunc(entries, func(e core.AuditEntry) bool { return e.Action == action })
	if at < 0 {
		t.Errorf("%s: got no entry, want one", action)
		return
	}
	entry := entries[at]
	if !strings.HasPrefix(entry.Target, target) || entry.IP != "127.0.0.1" || strings.Contains(entry.Target, "secret") {
		t.Errorf("%s: got %+v, want the target %q from 127.0.0.1", action, entry, target)
	}
	if anonymous := action == core.AuditSignInFailed; anonymous != (entry.Actor == nil) || !anonymous && *entry.Actor != (core.AuditActor{UserID: by.ID, Email: by.Email}) {
		t.Errorf("%s: got the actor %+v, want %s, or none for a failure", action, entry.Actor, by.Email)
	}
}

// waitForAction waits for an entry that is written after its answer.
func waitForAction(c *storytest.Caller, action core.AuditAction) {
	c.T.Helper()
	conformance.Eventually(c.T, "an entry of "+string(action), func() bool {
		return slices.ContainsFunc(auditAt(c, "/auth/me/audit", "100"), func(e core.AuditEntry) bool { return e.Action == action })
	})
}
