package accounts_test

import (
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

// TestOnesHomeIsOnesOwnPersonalWorkspace lets somebody with an older account invite
// a person into their own personal workspace.
func TestOnesHomeIsOnesOwnPersonalWorkspace(t *testing.T) {
	w := newWorld(t)
	var homes []accounts.Home
	for _, email := range []string{"host@example.com", "guest@example.com"} {
		_, home, err := w.SignUp(t.Context(), from, accounts.NewAccount{Email: email, Password: password})
		if err != nil {
			t.Fatal(err)
		}
		homes = append(homes, home)
		w.now = w.now.Add(time.Hour)
	}
	host, guest := homes[0], homes[1]
	joined := core.Membership{WorkspaceID: host.Workspace.ID, UserID: guest.User.ID, Role: core.RoleOwner, JoinedAt: core.At(w.now)}
	if err := w.store.Tables().Workspaces.PutMember(t.Context(), joined); err != nil {
		t.Fatal(err)
	}
	for _, want := range homes {
		home, err := w.Me(t.Context(), core.Actor{UserID: want.User.ID})
		if err != nil || home.Workspace.ID != want.Workspace.ID || home.Role != core.RoleOwner {
			t.Errorf("got %+v, %v, want %s", home, err, want.Workspace.ID)
		}
	}
}
