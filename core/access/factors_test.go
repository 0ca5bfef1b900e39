package access_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// person is somebody in a workspace of their own and one that may require a second factor.
type person struct {
	storage.Tables
	t      *testing.T
	by     core.Actor
	strict core.ID
}

func join(t *testing.T) *person {
	t.Helper()
	j := &person{Tables: memory.NewStore().Tables(), t: t, by: core.Actor{UserID: core.NewID()}}
	j.must(j.Users.Create(t.Context(), core.User{ID: j.by.UserID, Email: "ada@example.com"}))
	for _, name := range []string{"Own", "Strict"} {
		space := core.NewWorkspace(name, name == "Own", nil, 1000)
		j.must(j.Workspaces.Create(t.Context(), space))
		j.must(j.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: space.ID, UserID: j.by.UserID, Role: core.RoleMember}))
		j.strict = space.ID
	}
	return j
}

func (j *person) must(err error) {
	j.t.Helper()
	if err != nil {
		j.t.Fatal(err)
	}
}

// require returns the workspace, which requires a second factor from now on.
func (j *person) require() core.Workspace {
	j.t.Helper()
	space, err := j.Workspaces.Update(j.t.Context(), j.strict, func(space *core.Workspace) error {
		space.RequireMFA = true
		return nil
	})
	j.must(err)
	return space
}

func (j *person) wantNewKey(when string, want core.Code) {
	j.t.Helper()
	if got := core.CodeOf(access.CheckNewKey(j.t.Context(), j.Tables, j.by)); got != want {
		j.t.Errorf("%s: got %q, want %q", when, got, want)
	}
}

func TestNoNewKeyLeadsAroundTheRequiredFactor(t *testing.T) {
	j := join(t)
	j.wantNewKey("nothing is required", "")
	j.require()
	j.wantNewKey("without a factor", core.CodeMFASetupRequired)
	j.must(j.Factors.Put(t.Context(), core.Factor{UserID: j.by.UserID, SealedPending: []byte("x")}))
	j.wantNewKey("with an app that is not confirmed", core.CodeMFASetupRequired)
	j.must(j.Factors.Put(t.Context(), core.Factor{UserID: j.by.UserID, Passkeys: 1}))
	j.wantNewKey("with a passkey", "")
}

func TestALostFactorChangesTheAddressesOfPreviewsThere(t *testing.T) {
	j := join(t)
	j.must(access.MovePreviews(t.Context(), j.Tables, j.by.UserID))
	before := j.require()
	if before.MembersVersion != 0 {
		t.Errorf("got the version %d where nothing is required, want it unchanged", before.MembersVersion)
	}
	j.must(access.MovePreviews(t.Context(), j.Tables, j.by.UserID))
	after, err := j.Workspaces.ByID(t.Context(), j.strict)
	if err != nil || after.MembersVersion != 1 {
		t.Errorf("got %+v, %v, want other addresses", after, err)
	}
}
