package workspaces_test

import (
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

func TestAdminsReserveWhatChangesLiveData(t *testing.T) {
	c := newCrew(t)
	service := c.service()
	set := func(by core.Actor, role core.Role) (workspaces.View, error) {
		return service.Update(t.Context(), by, c.workspace.ID, workspaces.Change{LivePublish: &role})
	}
	if c.workspace.LivePublish != core.RoleMember {
		t.Errorf("got a new workspace that reserves publishes for %q, want members to publish all", c.workspace.LivePublish)
	}
	got, err := set(c.admin, core.RoleAdmin)
	if err != nil || got.LivePublish != core.RoleAdmin {
		t.Errorf("got %+v, %v, want it reserved for admins", got, err)
	}
	c.wantAudited(core.AuditWorkspaceUpdated, "livePublish: admin")
	for _, role := range []core.Role{core.RoleOwner, core.RoleNone, "everybody"} {
		_, err := set(c.admin, role)
		wantSpaceCode(t, string(role), err, core.CodeValidationFailed)
	}
	_, err = set(c.member, core.RoleMember)
	wantSpaceCode(t, "a member", err, core.CodeForbidden)
}
