package workspaces_test

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/workspaces"
)

// service is the use cases of the crew's workspace.
func (c *crew) service() *workspaces.Service {
	gate := access.NewGate(c.store)
	records := audit.New(audit.Deps{Store: c.store, Gate: gate, Now: c.now, Log: slog.New(slog.DiscardHandler)})
	return workspaces.New(workspaces.Deps{Store: c.store, Gate: gate, Audit: records, Members: c.members, Now: c.now})
}

// secure gives somebody a second factor.
func (c *crew) secure(who core.Actor) {
	c.t.Helper()
	c.must(c.store.Tables().Factors.Put(c.t.Context(), core.Factor{UserID: who.UserID, Passkeys: 1}))
}

func (c *crew) require(service *workspaces.Service, by core.Actor, required bool) (workspaces.View, error) {
	return service.Update(c.t.Context(), by, c.workspace.ID, workspaces.Change{RequireMFA: &required})
}

func TestNobodyRequiresASecondFactorThatTheyLack(t *testing.T) {
	c := newCrew(t)
	service := c.service()
	for who, by := range map[string]core.Actor{
		"the owner": c.owner, "an admin": c.admin, "an admin's token": {UserID: c.admin.UserID, Token: true, Scopes: []core.Scope{core.ScopeWorkspacesWrite}},
	} {
		_, err := c.require(service, by, true)
		wantSpaceCode(t, who, err, core.CodeConflict)
	}
	c.secure(c.member)
	_, err := c.require(service, c.member, true)
	wantSpaceCode(t, "a member", err, core.CodeForbidden)
	if len(c.runs.calls) != 0 {
		t.Errorf("got %v stopped, want nothing", c.runs.calls)
	}
}

func TestRequiringASecondFactorShutsMembersOut(t *testing.T) {
	c := newCrew(t)
	service := c.service()
	c.secure(c.admin)
	notices, err := c.bus.Follow(t.Context(), c.project)
	c.must(err)
	before, err := service.Get(t.Context(), c.admin, c.workspace.ID)
	c.must(err)
	after, err := c.require(service, c.admin, true)
	c.must(err)
	if !after.RequireMFA || after.MembersVersion != before.MembersVersion+1 {
		t.Errorf("got %+v, want it required, and other addresses of previews", after)
	}
	want := []string{fmt.Sprint(c.project, " ", c.owner.UserID), fmt.Sprint(c.project, " ", c.member.UserID)}
	slices.Sort(want)
	slices.Sort(c.runs.calls)
	if notice := <-notices; notice.Kind != core.NoticeProject || !slices.Equal(c.runs.calls, want) {
		t.Errorf("got the notice %s and %v stopped, want the followers told and %v", notice.Kind, c.runs.calls, want)
	}
	for who, by := range map[string]core.Actor{"the owner": c.owner, "a member": c.member} {
		_, err := service.Get(t.Context(), by, c.workspace.ID)
		wantSpaceCode(t, who, err, core.CodeMFASetupRequired)
		listed, err := service.List(t.Context(), by)
		if err != nil || len(listed) != 1 || !listed[0].RequireMFA {
			t.Errorf("%s: got %+v, %v, want the workspace in the list", who, listed, err)
		}
	}
	if again, err := c.require(service, c.admin, true); err != nil || again.MembersVersion != after.MembersVersion {
		t.Errorf("got %+v, %v, want nothing changed by requiring it again", again, err)
	}
	c.secure(c.member)
	_, err = service.Get(t.Context(), c.member, c.workspace.ID)
	wantSpaceCode(t, "a member who has one now", err, "")
	_, err = c.require(service, c.admin, false)
	c.must(err)
	_, err = service.Get(t.Context(), c.owner, c.workspace.ID)
	wantSpaceCode(t, "once it is required no more", err, "")
}

func TestOnlyAdminsLearnWhoLacksASecondFactor(t *testing.T) {
	c := newCrew(t)
	c.secure(c.owner)
	for _, by := range []core.Actor{c.owner, c.admin, c.member} {
		members, err := c.members.List(t.Context(), by, c.workspace.ID)
		c.must(err)
		for _, member := range members {
			want := "<nil>"
			if by.UserID != c.member.UserID {
				want = fmt.Sprint(member.UserID == c.owner.UserID)
			}
			got := "<nil>"
			if member.SecondFactor != nil {
				got = fmt.Sprint(*member.SecondFactor)
			}
			if got != want {
				t.Errorf("%s of %s: got %s, want %s", by.UserID, member.UserID, got, want)
			}
		}
	}
}
