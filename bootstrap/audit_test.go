package bootstrap_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

// auditLog reads a workspace's security log, newest first, page by page.
func (c *caller) auditLog(limit string) []core.AuditEntry {
	c.t.Helper()
	return c.auditAt("/workspaces/"+string(c.workspace)+"/audit", limit)
}

// auditAt reads a log to its end.
func (c *caller) auditAt(path, limit string) []core.AuditEntry {
	c.t.Helper()
	var all []core.AuditEntry
	cursor := ""
	for {
		var page struct {
			Items      []core.AuditEntry
			NextCursor *string
		}
		c.must(http.StatusOK, http.MethodGet, path+query("limit", limit)+cursor, nil, &page)
		all = append(all, page.Items...)
		if page.NextCursor == nil {
			return all
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

func TestTheAuditLogTellsWhoDidWhat(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			tellAuditStory(t, program.serve(t).signUp().create("static-html"))
		})
	}
}

func tellAuditStory(t *testing.T, w *work) {
	space := "/workspaces/" + string(w.workspace)
	w.must(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": w.user.Email, "password": "long enough"}, nil)
	w.must(http.StatusUnauthorized, http.MethodPost, "/auth/login", map[string]string{"email": w.user.Email, "password": "guessed wrong"}, nil)
	w.must(http.StatusOK, http.MethodPatch, space, map[string]any{"creditLimit": 3}, nil)
	var provider core.Provider
	w.must(http.StatusCreated, http.MethodPost, space+"/ai-providers", map[string]string{"kind": "openai", "name": "Vendor", "apiKey": "sk-secret-secret-secret"}, &provider)
	w.must(http.StatusOK, http.MethodPatch, space+"/ai-providers/"+string(provider.ID), map[string]string{"apiKey": "sk-other-secret-secret"}, nil)
	w.must(http.StatusNoContent, http.MethodDelete, space+"/ai-providers/"+string(provider.ID), nil, nil)
	w.must(http.StatusOK, http.MethodPatch, w.path(""), map[string]string{"visibility": "public"}, nil)
	w.must(http.StatusNoContent, http.MethodPut, w.path("/env/API_KEY"), map[string]string{"value": "a secret value"}, nil)
	w.must(http.StatusNoContent, http.MethodDelete, w.path("/env/API_KEY"), nil, nil)
	if got := w.do(http.MethodGet, w.path("/export"), nil); got.status != http.StatusOK {
		t.Fatalf("export: got %d", got.status)
	}
	w.must(http.StatusCreated, http.MethodPost, w.path("/duplicate"), map[string]string{}, nil)
	w.must(http.StatusOK, http.MethodPost, w.path("/publish"), map[string]string{}, nil)
	w.must(http.StatusNoContent, http.MethodDelete, w.path("/publish"), nil, nil)
	w.must(http.StatusNoContent, http.MethodDelete, w.path("")+"?hard=true", nil, nil)
	w.must(http.StatusOK, http.MethodPatch, "/auth/me", map[string]string{"currentPassword": "long enough", "password": "longer still"}, nil)
	w.token = w.signInFor(w.user.Email, "longer still")
	w.must(http.StatusNoContent, http.MethodPost, "/auth/logout-all", nil, nil)
	w.token = w.signInFor(w.user.Email, "longer still")
	w.waitForAction(core.AuditSignInFailed)

	entries, own := w.auditLog("3"), w.auditAt("/auth/me/audit", "3")
	for action, target := range map[core.AuditAction]string{
		core.AuditSignUp: w.user.Email, core.AuditSignIn: w.user.Email, core.AuditSignInFailed: w.user.Email,
		core.AuditPasswordChanged: w.user.Email, core.AuditSignOutEverywhere: w.user.Email,
	} {
		checkEntry(t, own, w.user, action, target)
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
		checkEntry(t, entries, w.user, action, target)
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
func (c *caller) waitForAction(action core.AuditAction) {
	c.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if slices.ContainsFunc(c.auditAt("/auth/me/audit", "100"), func(e core.AuditEntry) bool { return e.Action == action }) {
			return
		}
	}
	c.t.Errorf("got no entry of %s in time", action)
}
