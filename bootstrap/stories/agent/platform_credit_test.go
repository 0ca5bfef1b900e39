package agent_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
)

// capped serves the hosted model under an operator's limit, on both databases.
func capped(t *testing.T, limit string, story func(t *testing.T, s *storytest.Site, model *hostedModel)) {
	for name, more := range map[string]func(testing.TB) map[string]string{
		"SQLite": func(testing.TB) map[string]string { return nil }, "PostgreSQL": storytest.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			model := serveHosted(t)
			env := model.env(limit)
			maps.Copy(env, more(t))
			story(t, storytest.Serve(t, t.TempDir(), local.New, env), model)
		})
	}
}

// exhaust spends the caller's whole credit of the platform's provider in their own
// workspace.
func exhaust(t *testing.T, c *storytest.Caller) *storytest.Work {
	t.Helper()
	w := c.Create("static-html")
	wantEnd(t, "the first message", w.Send("Hello"), "")
	wantEnd(t, "with nothing left", w.Send("Hello"), core.CodeCreditExhausted)
	return w
}

// wantEnd checks the code of a run's last event, "" for a successful end.
func wantEnd(t *testing.T, what string, all []storytest.Event, code core.Code) {
	t.Helper()
	last := all[len(all)-1]
	if got, _ := last.Data["error"].(string); got != string(code) {
		t.Errorf("%s: got %v at the end, want %q", what, last.Data, code)
	}
}

func TestNobodyLiftsTheOperatorsLimit(t *testing.T) {
	capped(t, "0.1", func(t *testing.T, s *storytest.Site, model *hostedModel) {
		ada, bob := s.SignUp(), s.SignUp()
		w := exhaust(t, ada)
		ada.Must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(ada.Workspace), map[string]any{"creditLimit": nil}, nil)
		wantEnd(t, "creditLimit null", w.Send("Hello"), core.CodeCreditExhausted)
		ada.Must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(ada.Workspace), map[string]any{"creditLimit": 1000}, nil)
		wantEnd(t, "creditLimit 1000", w.Send("Hello"), core.CodeCreditExhausted)
		team := ada.InWorkspace(ada.Found("Fresh"))
		wantEnd(t, "a new workspace", team.Create("static-html").Send("Hello"), core.CodeCreditExhausted)

		bob.Join(bob.Workspace, ada, core.RoleOwner)
		guest := ada.InWorkspace(bob.Workspace)
		wantEnd(t, "a workspace of somebody else's", guest.Create("static-html").Send("Hello"), core.CodeCreditExhausted)

		ada.Join(team.Workspace, bob, core.RoleMember)
		helper := bob.InWorkspace(team.Workspace)
		wantEnd(t, "somebody else in the workspace", helper.Create("static-html").Send("Hello"), core.CodeCreditExhausted)
		ada.Must(http.StatusOK, http.MethodPost, "/workspaces/"+string(team.Workspace)+"/transfer", map[string]any{"userId": bob.User.ID}, nil)
		wantEnd(t, "a workspace given away", team.Create("static-html").Send("Hello"), core.CodeCreditExhausted)
		wantEnd(t, "its new owner", helper.Create("static-html").Send("Hello"), "")
	})
}

func TestAProviderOfTheWorkspacesOwnIsNotTheOperatorsConcern(t *testing.T) {
	capped(t, "0.1", func(t *testing.T, s *storytest.Site, model *hostedModel) {
		ada := s.SignUp()
		w := exhaust(t, ada)
		ada.Must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(ada.Workspace), map[string]any{"creditLimit": nil}, nil)
		ada.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(ada.Workspace)+"/ai-providers", map[string]any{
			"kind": "demo", "name": "Mine",
		}, nil)
		wantEnd(t, "a provider of one's own", w.Send("Hello"), "")
	})
}

func TestParallelRunsInManyWorkspacesNeverOverdrawTheOperatorsLimit(t *testing.T) {
	const limit = 2.0
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := storytest.Serve(t, t.TempDir(), program.Make, storytest.Merged(program.Env(t), map[string]string{"WORKSPACE_CREDIT_LIMIT": "2"})).SignUp()
			var runs []core.Run
			w := c.Create("static-html")
			for range 10 {
				space := c.InWorkspace(c.Found("Another"))
				space.Must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(space.Workspace), map[string]any{"creditLimit": nil}, nil)
				in := space.Create("static-html")
				for range 4 {
					runs = append(runs, running(in))
				}
			}
			choice := chat.Choice{Kind: core.ProviderOpenAI, Model: "gpt-4o", Platform: true}
			for spendTogetherOn(w, choice, runs) > 0 {
			}
			used, err := w.App.Store.Tables().Usage.Charged(t.Context(), c.User.ID)
			if err != nil || used < limit-callCost || used > limit+callCost+1e-9 {
				t.Errorf("got %.3f USD used, %v, want %.2f, give or take the %.2f of one call", used, err, limit, callCost)
			}
		})
	}
}
