package people_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// spaceSeen is a workspace as an admin sees it.
type spaceSeen struct {
	ID                       core.ID
	Name, Owner              string
	Personal                 bool
	Projects, Members        int
	CreditLimit, GivenCredit *float64
	Quotas, GivenQuotas      map[core.QuotaName]*int64
}

// spaceOf returns the only workspace that an admin finds by a text.
func spaceOf(t *testing.T, admin *storytest.Caller, query string) spaceSeen {
	t.Helper()
	var found struct{ Items []spaceSeen }
	admin.Must(http.StatusOK, http.MethodGet, "/admin/workspaces?q="+query, nil, &found)
	if len(found.Items) != 1 {
		t.Fatalf("got %+v for %s, want one workspace", found.Items, query)
	}
	return found.Items[0]
}

// TestAnAdminGivesQuotas plays the quotas of the installation and of one workspace against every
// program.
func TestAnAdminGivesQuotas(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			admin, ada, bob := s.SignUp(), s.SignUp(), s.SignUp()
			ada.Create("blank")
			path := "/workspaces/" + string(ada.Workspace) + "/projects"
			admin.Must(http.StatusOK, http.MethodPatch, "/admin/settings", map[string]any{"quotas": map[string]any{"projectsPerWorkspace": 1}}, nil)
			wantFull(t, ada.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, path, map[string]string{"name": "Second"}), "at most 1 projects")

			seen := spaceOf(t, admin, ada.User.Email)
			if seen.ID != ada.Workspace || !seen.Personal || seen.Projects != 1 || seen.Members != 1 || *seen.Quotas[core.QuotaProjects] != 1 || seen.GivenQuotas[core.QuotaProjects] != nil {
				t.Errorf("got %+v, want Ada's workspace with its use and the default", seen)
			}
			own := "/admin/workspaces/" + string(ada.Workspace)
			admin.Must(http.StatusOK, http.MethodPatch, own, map[string]any{"quotas": map[string]any{"projectsPerWorkspace": 2, "membersPerWorkspace": 1}}, nil)
			ada.Must(http.StatusCreated, http.MethodPost, path, map[string]string{"name": "Second"}, nil)
			ada.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, path, map[string]string{"name": "Third"})

			var usage struct {
				Quotas struct {
					Projects, Members struct {
						Used  int
						Limit *int64
					}
				}
			}
			ada.Must(http.StatusOK, http.MethodGet, "/workspaces/"+string(ada.Workspace)+"/usage", nil, &usage)
			if got := usage.Quotas; got.Projects.Used != 2 || *got.Projects.Limit != 2 || got.Members.Used != 1 || *got.Members.Limit != 1 {
				t.Errorf("got %+v, want 2 of 2 projects and 1 of 1 member", got)
			}
			// An owner cannot do any of it, for their own workspace either.
			for _, at := range []string{"/admin/workspaces", own, "/admin/settings"} {
				method, body := http.MethodPatch, any(map[string]any{"quotas": map[string]any{"projectsPerWorkspace": 9}})
				if at == "/admin/workspaces" {
					method, body = http.MethodGet, nil
				}
				bob.Refused(http.StatusForbidden, core.CodeForbidden, method, at, body)
				ada.Refused(http.StatusForbidden, core.CodeForbidden, method, at, body)
			}
			for what, quotas := range map[string]any{
				"none of that name": map[string]any{"chats": 1}, "zero": map[string]any{"projectsPerWorkspace": 0},
				"too many": map[string]any{"membersPerWorkspace": 1_000_001}, "beyond the operator's": map[string]any{"bytesPerProject": int64(1) << 50},
			} {
				if got := admin.Do(http.MethodPatch, own, map[string]any{"quotas": quotas}); got.Status != http.StatusBadRequest {
					t.Errorf("%s: got %d %s, want 400", what, got.Status, got.Body)
				}
			}
			admin.Must(http.StatusOK, http.MethodPatch, own, map[string]any{"quotas": map[string]any{"projectsPerWorkspace": nil}}, nil)
			ada.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, path, map[string]string{"name": "Third"})

			var log struct{ Items []core.AuditEntry }
			admin.Must(http.StatusOK, http.MethodGet, "/admin/audit", nil, &log)
			if len(log.Items) == 0 || log.Items[0].Action != core.AuditInstanceQuotas || !strings.Contains(log.Items[0].Target, "projectsPerWorkspace: default") {
				t.Errorf("got %+v, want the change of the quotas", log.Items)
			}
		})
	}
}

// TestCreditThatAnAdminGivesIsNotExceeded plays what an owner does with the credit of a workspace.
func TestCreditThatAnAdminGivesIsNotExceeded(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			admin, ada := s.SignUp(), s.SignUp()
			space := "/workspaces/" + string(ada.Workspace)
			limit := func(want float64) {
				t.Helper()
				var view struct{ CreditLimit *float64 }
				ada.Must(http.StatusOK, http.MethodGet, space, nil, &view)
				if view.CreditLimit == nil || *view.CreditLimit != want {
					t.Errorf("got %v, want the limit %v", view.CreditLimit, want)
				}
			}
			admin.Must(http.StatusOK, http.MethodPatch, "/admin"+space, map[string]any{"creditLimit": 5}, nil)
			limit(5)
			wantFull(t, ada.Refused(http.StatusConflict, core.CodeConflict, http.MethodPatch, space, map[string]any{"creditLimit": 5.01}), "5.00 USD")
			ada.Must(http.StatusOK, http.MethodPatch, space, map[string]any{"creditLimit": 2}, nil)
			limit(2)
			ada.Must(http.StatusOK, http.MethodPatch, space, map[string]any{"creditLimit": nil}, nil)
			limit(5)
			admin.Must(http.StatusOK, http.MethodPatch, "/admin/settings", map[string]any{"defaultCreditLimit": 3}, nil)
			admin.Must(http.StatusOK, http.MethodPatch, "/admin"+space, map[string]any{"creditLimit": nil}, nil)
			limit(3)
			if seen := spaceOf(t, admin, ada.User.Email); seen.GivenCredit != nil || *seen.CreditLimit != 3 {
				t.Errorf("got %+v, want the default", seen)
			}
			admin.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPatch, "/admin"+space, map[string]any{"creditLimit": -1})
		})
	}
}

// TestAnAdminBoundsTheRunsOfAWorkspace has a run at work beside which there may be no other.
func TestAnAdminBoundsTheRunsOfAWorkspace(t *testing.T) {
	address, gone := storytest.SlowOllama(t)
	s := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": address, "AI_MODEL": "m"})
	admin, ada := s.SignUp(), s.SignUp()
	first, second := ada.Create("static-html"), ada.Create("static-html")
	own := "/admin/workspaces/" + string(ada.Workspace)
	admin.Must(http.StatusOK, http.MethodPatch, own, map[string]any{"quotas": map[string]any{"runsAtOnce": 1}}, nil)
	defer first.OpenMessage(t.Context(), map[string]any{"text": "hi", "detach": true}).Body.Close()
	message := map[string]any{"chatId": second.Chat, "text": "hi"}
	wantFull(t, ada.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, "/chat/"+string(second.ID)+"/messages", message), "at most 1 messages at once")

	var usage struct{ Quotas struct{ RunsAtOnce *int64 } }
	ada.Must(http.StatusOK, http.MethodGet, "/workspaces/"+string(ada.Workspace)+"/usage", nil, &usage)
	if usage.Quotas.RunsAtOnce == nil || *usage.Quotas.RunsAtOnce != 1 {
		t.Errorf("got %+v, want the quota shown", usage)
	}
	ada.Must(http.StatusAccepted, http.MethodPost, "/chat/"+string(first.ID)+"/stop", map[string]any{"chatId": first.Chat}, nil)
	first.WaitIdle()
	defer second.OpenMessage(t.Context(), map[string]any{"text": "hi", "detach": true}).Body.Close()
	admin.Must(http.StatusOK, http.MethodPatch, own, map[string]any{"quotas": map[string]any{"runsAtOnce": nil}}, nil)
	defer first.OpenMessage(t.Context(), map[string]any{"text": "hi", "detach": true}).Body.Close()
	if len(gone) != 1 {
		t.Errorf("got %d calls ended, want only the one that was stopped", len(gone))
	}
}
