package workspaces_test

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

func TestMembersAreListedToMembers(t *testing.T) {
	c := newCrew(t)
	for _, by := range []core.Actor{c.owner, c.admin, c.member} {
		members, err := c.members.List(t.Context(), by, c.workspace.ID)
		if err != nil || len(members) != 3 {
			t.Errorf("got %+v, %v, want three members", members, err)
		}
	}
	_, err := c.members.List(t.Context(), c.nobody, c.workspace.ID)
	wantSpaceCode(t, "a stranger lists", err, core.CodeNotFound)
}

// TestWhoMayGiveWhichRole plays every role against every member and every role.
func TestWhoMayGiveWhichRole(t *testing.T) {
	people := func(c *crew) map[string]core.Actor {
		return map[string]core.Actor{"owner": c.owner, "admin": c.admin, "member": c.member, "nobody": c.nobody}
	}
	for by, byRole := range map[string]core.Role{"owner": core.RoleOwner, "admin": core.RoleAdmin, "member": core.RoleMember, "nobody": core.RoleNone} {
		for whom, before := range map[string]core.Role{"owner": core.RoleOwner, "admin": core.RoleAdmin, "member": core.RoleMember, "nobody": core.RoleNone} {
			for _, role := range []core.Role{core.RoleMember, core.RoleAdmin, core.RoleOwner} {
				c := newCrew(t)
				want := core.Code("")
				switch {
				case byRole == core.RoleNone:
					want = core.CodeNotFound
				case byRole == core.RoleMember:
					want = core.CodeForbidden
				case before == core.RoleNone:
					want = core.CodeNotFound
				case byRole == core.RoleAdmin && (role == core.RoleOwner || before == core.RoleOwner):
					want = core.CodeForbidden
				case before == core.RoleOwner && role != core.RoleOwner:
					want = core.CodeConflict // the last owner
				}
				what := fmt.Sprintf("%s makes %s %s", by, whom, role)
				member, err := c.members.SetRole(t.Context(), people(c)[by], c.workspace.ID, people(c)[whom].UserID, role)
				wantSpaceCode(t, what, err, want)
				after := before
				if want == "" {
					after = role
					if member.Role != role || member.Email != whom+"@example.com" {
						t.Errorf("%s: got %+v", what, member)
					}
				}
				c.wantRole(what, people(c)[whom], after)
			}
		}
	}
}

func TestWhoMayRemoveWhom(t *testing.T) {
	for _, test := range []struct {
		by, whom func(*crew) core.Actor
		want     core.Code
	}{
		{owner, owner, core.CodeConflict},
		{owner, admin, ""},
		{owner, member, ""},
		{owner, nobody, core.CodeNotFound},
		{admin, owner, core.CodeForbidden},
		{admin, admin, ""},
		{admin, member, ""},
		{member, owner, core.CodeForbidden},
		{member, admin, core.CodeForbidden},
		{member, member, ""},
		{member, nobody, core.CodeForbidden},
		{nobody, owner, core.CodeNotFound},
		{nobody, nobody, core.CodeNotFound},
	} {
		c := newCrew(t)
		what := fmt.Sprintf("%s removes %s", c.nameOf(test.by(c)), c.nameOf(test.whom(c)))
		err := c.members.Remove(t.Context(), test.by(c), c.workspace.ID, test.whom(c).UserID)
		wantSpaceCode(t, what, err, test.want)
		if test.want == "" {
			c.wantRole(what, test.whom(c), core.RoleNone)
		}
	}
}

func owner(c *crew) core.Actor  { return c.owner }
func admin(c *crew) core.Actor  { return c.admin }
func member(c *crew) core.Actor { return c.member }
func nobody(c *crew) core.Actor { return c.nobody }

func (c *crew) nameOf(who core.Actor) string {
	user, err := c.store.Tables().Users.ByID(c.t.Context(), who.UserID)
	c.must(err)
	return user.Email
}

// TestTokensWithoutTheScopeChangeNobody covers API tokens of an owner.
func TestTokensWithoutTheScopeChangeNobody(t *testing.T) {
	c := newCrew(t)
	reader := c.owner
	reader.Token, reader.Scopes = true, []core.Scope{core.ScopeWorkspacesRead}
	_, err := c.members.List(t.Context(), reader, c.workspace.ID)
	wantSpaceCode(t, "lists", err, "")
	_, err = c.members.SetRole(t.Context(), reader, c.workspace.ID, c.member.UserID, core.RoleAdmin)
	wantSpaceCode(t, "raises", err, core.CodeInsufficientScope)
	wantSpaceCode(t, "removes", c.members.Remove(t.Context(), reader, c.workspace.ID, c.member.UserID), core.CodeInsufficientScope)
	_, err = c.members.Transfer(t.Context(), reader, c.workspace.ID, c.member.UserID)
	wantSpaceCode(t, "transfers", err, core.CodeInsufficientScope)
}

func TestEveryChangeOfMembersIsCountedAndAudited(t *testing.T) {
	c := newCrew(t)
	_, err := c.members.SetRole(t.Context(), c.owner, c.workspace.ID, c.member.UserID, core.RoleAdmin)
	c.must(err)
	c.wantAudited(core.AuditMemberRoleChanged, "member@example.com: member → admin")
	first := c.version()
	_, err = c.members.SetRole(t.Context(), c.owner, c.workspace.ID, c.member.UserID, core.RoleAdmin)
	c.must(err)
	if got := c.version(); first == 0 || got != first {
		t.Errorf("got the versions %d and %d, want a change that changes nothing not counted", first, got)
	}
	c.must(c.members.Remove(t.Context(), c.admin, c.workspace.ID, c.member.UserID))
	c.wantAudited(core.AuditMemberRemoved, "member@example.com")
	second := c.version()
	_, err = c.members.Transfer(t.Context(), c.owner, c.workspace.ID, c.admin.UserID)
	c.must(err)
	c.wantAudited(core.AuditWorkspaceTransfer, "admin@example.com")
	if third := c.version(); second <= first || third <= second {
		t.Errorf("got the versions %d, %d, %d, want each higher", first, second, third)
	}
}

func TestTransferMakesTheOtherOwnerAndTheCallerAdmin(t *testing.T) {
	c := newCrew(t)
	for _, by := range []core.Actor{c.admin, c.member} {
		_, err := c.members.Transfer(t.Context(), by, c.workspace.ID, c.admin.UserID)
		wantSpaceCode(t, "somebody else transfers", err, core.CodeForbidden)
	}
	_, err := c.members.Transfer(t.Context(), c.nobody, c.workspace.ID, c.nobody.UserID)
	wantSpaceCode(t, "a stranger transfers", err, core.CodeNotFound)
	_, err = c.members.Transfer(t.Context(), c.owner, c.workspace.ID, c.nobody.UserID)
	wantSpaceCode(t, "to a stranger", err, core.CodeNotFound)
	_, err = c.members.Transfer(t.Context(), c.owner, c.workspace.ID, c.owner.UserID)
	wantSpaceCode(t, "to oneself", err, core.CodeValidationFailed)
	view, err := c.members.Transfer(t.Context(), c.owner, c.workspace.ID, c.member.UserID)
	if err != nil || view.ID != c.workspace.ID || view.Role != core.RoleAdmin {
		t.Fatalf("got %+v, %v, want the workspace as an admin sees it", view, err)
	}
	c.wantRole("the other", c.member, core.RoleOwner)
	c.wantRole("the caller", c.owner, core.RoleAdmin)
}

// TestAPersonalWorkspaceStaysItsPersons covers the actions of a second owner.
func TestAPersonalWorkspaceStaysItsPersons(t *testing.T) {
	c := newCrew(t)
	own := core.NewWorkspace("Mine", true, nil, 7000)
	tables := c.store.Tables()
	c.must(tables.Workspaces.Create(t.Context(), own))
	for who, joined := range map[core.ID]core.Time{c.nobody.UserID: 7000, c.owner.UserID: 7001} {
		c.must(tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: own.ID, UserID: who, Role: core.RoleOwner, JoinedAt: joined}))
	}
	for _, by := range []core.Actor{c.nobody, c.owner} {
		wantSpaceCode(t, "its person is removed", c.members.Remove(t.Context(), by, own.ID, c.nobody.UserID), core.CodeConflict)
		_, err := c.members.SetRole(t.Context(), by, own.ID, c.nobody.UserID, core.RoleAdmin)
		wantSpaceCode(t, "its person steps down", err, core.CodeConflict)
		_, err = c.members.Transfer(t.Context(), by, own.ID, c.owner.UserID)
		wantSpaceCode(t, "it is transferred", err, core.CodeConflict)
	}
	wantSpaceCode(t, "a guest leaves", c.members.Remove(t.Context(), c.owner, own.ID, c.owner.UserID), "")
}

// TestTwoOwnersWhoDemoteEachOtherAtOnceLeaveOne keeps a workspace from losing its
// last owner to a race.
func TestTwoOwnersWhoDemoteEachOtherAtOnceLeaveOne(t *testing.T) {
	for range 50 {
		c := newCrew(t)
		c.enter(c.admin, core.RoleOwner)
		both := [2]core.Actor{c.owner, c.admin}
		var together sync.WaitGroup
		for i := range both {
			together.Go(func() {
				_, _ = c.members.SetRole(t.Context(), both[i], c.workspace.ID, both[1-i].UserID, core.RoleMember)
			})
			together.Go(func() { _ = c.members.Remove(t.Context(), both[i], c.workspace.ID, both[i].UserID) })
			together.Go(func() { _, _ = c.members.Transfer(t.Context(), both[i], c.workspace.ID, c.member.UserID) })
		}
		together.Wait()
		owners, err := c.store.Tables().Members.Owners(t.Context(), c.workspace.ID)
		if err != nil || owners < 1 {
			t.Fatalf("got %d owners, %v, want at least one", owners, err)
		}
	}
}

// TestAChangeThatIsNotStoredIsNotTold checks that a failed removal does not reach
// followers, runs and the log.
func TestAChangeThatIsNotStoredIsNotTold(t *testing.T) {
	c := newCrew(t)
	failing := workspaces.NewMembers(workspaces.MemberDeps{
		Store: failingCommit{c.store}, Audit: c.records, Runs: c.runs, Bus: c.bus, Log: slog.New(slog.DiscardHandler),
	})
	notices, err := c.bus.Follow(t.Context(), c.project)
	c.must(err)
	wantSpaceCode(t, "removes", failing.Remove(t.Context(), c.owner, c.workspace.ID, c.member.UserID), core.CodeUnavailable)
	c.wantRole("the member", c.member, core.RoleMember)
	if len(notices) != 0 || len(c.runs.calls) != 0 {
		t.Errorf("got %d notices and %v stopped, want none", len(notices), c.runs.calls)
	}
}

// TestRemovalStopsTheRunsOfThePersonInEveryProject has more projects than a page,
// including private ones of others.
func TestRemovalStopsTheRunsOfThePersonInEveryProject(t *testing.T) {
	c := newCrew(t)
	c.enter(c.nobody, core.RoleMember)
	want := []string{fmt.Sprint(c.project, " ", c.member.UserID)}
	for i := range core.MaxPageLimit + 5 {
		want = append(want, fmt.Sprint(c.addProject(fmt.Sprint("p", i)), " ", c.member.UserID))
	}
	notices, err := c.bus.Follow(t.Context(), c.project)
	c.must(err)
	c.runs.err = core.Errorf(core.CodeUnavailable, "broken")
	c.must(c.members.Remove(t.Context(), c.member, c.workspace.ID, c.member.UserID))
	slices.Sort(want)
	slices.Sort(c.runs.calls)
	if !slices.Equal(c.runs.calls, want) {
		t.Errorf("got %d runs stopped, want those of %d projects", len(c.runs.calls), len(want))
	}
	if notice := <-notices; notice.Kind != core.NoticeProject {
		t.Errorf("got the notice %s, want the followers told", notice.Kind)
	}
}

func TestAChangeOfRoleStopsNoRuns(t *testing.T) {
	c := newCrew(t)
	notices, err := c.bus.Follow(t.Context(), c.project)
	c.must(err)
	_, err = c.members.SetRole(t.Context(), c.owner, c.workspace.ID, c.member.UserID, core.RoleAdmin)
	c.must(err)
	if notice := <-notices; notice.Kind != core.NoticeProject || len(c.runs.calls) != 0 {
		t.Errorf("got the notice %s and %v stopped, want the followers told and no more", notice.Kind, c.runs.calls)
	}
}
