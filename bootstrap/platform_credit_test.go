package bootstrap_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
)

// capped serves the hosted model under an operator's limit, on both databases.
func capped(t *testing.T, limit string, story func(t *testing.T, s *site, model *hostedModel)) {
	for name, more := range map[string]func(testing.TB) map[string]string{
		"SQLite": func(testing.TB) map[string]string { return nil }, "PostgreSQL": postgres,
	} {
		t.Run(name, func(t *testing.T) {
			model := serveHosted(t)
			env := model.env(limit)
			maps.Copy(env, more(t))
			story(t, serve(t, t.TempDir(), local.New, env), model)
		})
	}
}

// exhaust spends what the caller may of the platform's provider in their own
// workspace.
func exhaust(t *testing.T, c *caller) *work {
	t.Helper()
	w := c.create("static-html")
	wantEnd(t, "the first message", w.send("Hello"), "")
	wantEnd(t, "with nothing left", w.send("Hello"), core.CodeCreditExhausted)
	return w
}

// wantEnd holds the last event of a run to a code, "" for a good end.
func wantEnd(t *testing.T, what string, all []event, code core.Code) {
	t.Helper()
	last := all[len(all)-1]
	if got, _ := last.data["error"].(string); got != string(code) {
		t.Errorf("%s: got %v at the end, want %q", what, last.data, code)
	}
}

// inWorkspace is the caller with another workspace for what they create.
func (c *caller) inWorkspace(id core.ID) *caller {
	other := *c
	other.workspace = id
	return &other
}

// found makes a workspace.
func (c *caller) found(name string) core.ID {
	c.t.Helper()
	var made core.Workspace
	c.must(http.StatusCreated, http.MethodPost, "/workspaces", map[string]string{"name": name}, &made)
	return made.ID
}

func TestNobodyLiftsTheOperatorsLimit(t *testing.T) {
	capped(t, "0.1", func(t *testing.T, s *site, model *hostedModel) {
		ada, bob := s.signUp(), s.signUp()
		w := exhaust(t, ada)
		ada.must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(ada.workspace), map[string]any{"creditLimit": nil}, nil)
		wantEnd(t, "creditLimit null", w.send("Hello"), core.CodeCreditExhausted)
		ada.must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(ada.workspace), map[string]any{"creditLimit": 1000}, nil)
		wantEnd(t, "creditLimit 1000", w.send("Hello"), core.CodeCreditExhausted)
		team := ada.inWorkspace(ada.found("Fresh"))
		wantEnd(t, "a new workspace", team.create("static-html").send("Hello"), core.CodeCreditExhausted)

		bob.join(bob.workspace, ada, core.RoleOwner)
		guest := ada.inWorkspace(bob.workspace)
		wantEnd(t, "a workspace of somebody else's", guest.create("static-html").send("Hello"), core.CodeCreditExhausted)

		ada.join(team.workspace, bob, core.RoleMember)
		helper := bob.inWorkspace(team.workspace)
		wantEnd(t, "somebody else in the workspace", helper.create("static-html").send("Hello"), core.CodeCreditExhausted)
		ada.must(http.StatusOK, http.MethodPost, "/workspaces/"+string(team.workspace)+"/transfer", map[string]any{"userId": bob.user.ID}, nil)
		wantEnd(t, "a workspace given away", team.create("static-html").send("Hello"), core.CodeCreditExhausted)
		wantEnd(t, "its new owner", helper.create("static-html").send("Hello"), "")
	})
}

func TestAProviderOfTheWorkspacesOwnIsNotTheOperatorsConcern(t *testing.T) {
	capped(t, "0.1", func(t *testing.T, s *site, model *hostedModel) {
		ada := s.signUp()
		w := exhaust(t, ada)
		ada.must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(ada.workspace), map[string]any{"creditLimit": nil}, nil)
		ada.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(ada.workspace)+"/ai-providers", map[string]any{
			"kind": "demo", "name": "Mine",
		}, nil)
		wantEnd(t, "a provider of one's own", w.send("Hello"), "")
	})
}

func TestParallelRunsInManyWorkspacesNeverOverdrawTheOperatorsLimit(t *testing.T) {
	const limit = 2.0
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := serve(t, t.TempDir(), program.make, merged(program.env(t), map[string]string{"WORKSPACE_CREDIT_LIMIT": "2"})).signUp()
			var runs []core.Run
			w := c.create("static-html")
			for range 10 {
				space := c.inWorkspace(c.found("Another"))
				space.must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(space.workspace), map[string]any{"creditLimit": nil}, nil)
				in := space.create("static-html")
				for range 4 {
					runs = append(runs, in.running())
				}
			}
			choice := chat.Choice{Kind: core.ProviderOpenAI, Model: "gpt-4o", Platform: true}
			for w.spendTogetherOn(choice, runs) > 0 {
			}
			used, err := w.app.Store.Tables().Usage.Charged(t.Context(), c.user.ID)
			if err != nil || used < limit-callCost || used > limit+callCost+1e-9 {
				t.Errorf("got %.3f USD used, %v, want %.2f, give or take the %.2f of one call", used, err, limit, callCost)
			}
		})
	}
}

// merged is settings of which the later ones win.
func merged(settings ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, some := range settings {
		maps.Copy(all, some)
	}
	return all
}

// join invites somebody into one of the caller's workspaces, who accepts. It is
// the first invite that they get.
func (c *caller) join(workspace core.ID, guest *caller, role core.Role) {
	c.t.Helper()
	body := map[string]any{"email": guest.user.Email, "role": role}
	c.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(workspace)+"/invites", body, nil)
	guest.must(http.StatusOK, http.MethodPost, c.inviteLink(guest.user.Email, 1)+"/accept", nil, nil)
}
