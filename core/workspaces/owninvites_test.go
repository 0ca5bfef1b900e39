package workspaces_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

// prove verifies somebody's address.
func (c *crew) prove(who core.Actor) {
	c.t.Helper()
	_, err := c.store.Tables().Users.Update(c.t.Context(), who.UserID, func(user *core.User) error {
		user.EmailVerified = true
		return nil
	})
	c.must(err)
}

func (c *crew) wantOwn(what string, who core.Actor, want ...workspaces.OwnInvite) {
	c.t.Helper()
	got, err := c.invites.ListOwn(c.t.Context(), who)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		c.t.Errorf("%s: got %+v, %v, want %+v", what, got, err, want)
	}
}

func (c *crew) asOwn(invite core.Invite, inviter string) workspaces.OwnInvite {
	return workspaces.OwnInvite{
		ID: invite.ID, Workspace: workspaces.InviteWorkspace{ID: c.workspace.ID, Name: c.workspace.Name}, Role: invite.Role,
		InvitedBy: workspaces.Inviter{DisplayName: inviter}, ExpiresAt: invite.ExpiresAt, CreatedAt: invite.CreatedAt,
	}
}

// TestOnesOwnInvitesNeedAProvenAddress verifies an address while an invite is open.
func TestOnesOwnInvitesNeedAProvenAddress(t *testing.T) {
	c := newCrew(t)
	invite := c.invite(c.admin, "nobody@example.com", core.RoleMember)
	c.wantOwn("an address that nobody proved", c.nobody)
	_, err := c.invites.AcceptOwn(t.Context(), c.nobody, invite.ID)
	wantSpaceCode(t, "accepts", err, core.CodeNotFound)
	wantSpaceCode(t, "declines", c.invites.DeclineOwn(t.Context(), c.nobody, invite.ID), core.CodeNotFound)
	c.prove(c.nobody)
	c.wantOwn("a proven address", c.nobody, c.asOwn(invite, "admin@example.com"))
	c.prove(c.member)
	c.wantOwn("somebody else", c.member)
	_, err = c.invites.AcceptOwn(t.Context(), c.member, invite.ID)
	wantSpaceCode(t, "somebody else accepts", err, core.CodeNotFound)
	wantSpaceCode(t, "somebody else declines", c.invites.DeclineOwn(t.Context(), c.member, invite.ID), core.CodeNotFound)
	before := c.version()
	view, err := c.invites.AcceptOwn(t.Context(), c.nobody, invite.ID)
	if err != nil || view.ID != c.workspace.ID || view.Role != core.RoleMember || c.version() <= before {
		t.Errorf("got %+v, %v, want the workspace, and its members raised", view, err)
	}
	c.wantAudited(core.AuditMemberJoined, "nobody@example.com: member")
	c.wantRole("who accepted", c.nobody, core.RoleMember)
	c.wantOwn("after accepting", c.nobody)
}

func TestADeclinedInviteIsDead(t *testing.T) {
	c := newCrew(t)
	c.prove(c.nobody)
	invite := c.invite(c.admin, "nobody@example.com", core.RoleMember)
	secret := c.secret("nobody@example.com", 1)
	c.must(c.invites.DeclineOwn(t.Context(), c.nobody, invite.ID))
	c.wantAudited(core.AuditInviteDeclined, "nobody@example.com")
	c.wantOwn("after declining", c.nobody)
	_, err := c.invites.Accept(t.Context(), c.nobody, secret)
	wantSpaceCode(t, "accepts by mail", err, core.CodeNotFound)
	wantSpaceCode(t, "declines again", c.invites.DeclineOwn(t.Context(), c.nobody, invite.ID), core.CodeNotFound)
	c.wantRole("who declined", c.nobody, core.RoleNone)
}

// TestOnesOwnInvitesThatAreVoid checks that accepting by id has the same rules as
// accepting by mail.
func TestOnesOwnInvitesThatAreVoid(t *testing.T) {
	for name, spoil := range map[string]func(c *crew, invite core.Invite) error{
		"seven days later": func(c *crew, _ core.Invite) error {
			c.pass(7 * 24 * time.Hour)
			return nil
		},
		"deleted": func(c *crew, invite core.Invite) error {
			return c.invites.Delete(c.t.Context(), c.admin, c.workspace.ID, invite.ID)
		},
		"the sender was removed": func(c *crew, _ core.Invite) error {
			return c.members.Remove(c.t.Context(), c.owner, c.workspace.ID, c.admin.UserID)
		},
		"the sender is a member now": func(c *crew, _ core.Invite) error {
			_, err := c.members.SetRole(c.t.Context(), c.owner, c.workspace.ID, c.admin.UserID, core.RoleMember)
			return err
		},
		"the workspace is gone": func(c *crew, _ core.Invite) error {
			return c.store.Tables().Workspaces.Delete(c.t.Context(), c.workspace.ID)
		},
	} {
		c := newCrew(t)
		c.prove(c.nobody)
		invite := c.invite(c.admin, "nobody@example.com", core.RoleMember)
		c.must(spoil(c, invite))
		c.wantOwn(name, c.nobody)
		_, err := c.invites.AcceptOwn(t.Context(), c.nobody, invite.ID)
		wantSpaceCode(t, name+": accepts", err, core.CodeNotFound)
		wantSpaceCode(t, name+": declines", c.invites.DeclineOwn(t.Context(), c.nobody, invite.ID), core.CodeNotFound)
		c.wantRole(name, c.nobody, core.RoleNone)
	}
}

func TestAnAPITokenSeesNoInvites(t *testing.T) {
	c := newCrew(t)
	c.prove(c.nobody)
	invite := c.invite(c.admin, "nobody@example.com", core.RoleMember)
	robot := c.nobody
	robot.Token, robot.Scopes = true, core.Scopes()
	_, err := c.invites.ListOwn(t.Context(), robot)
	wantSpaceCode(t, "lists", err, core.CodeInsufficientScope)
	_, err = c.invites.AcceptOwn(t.Context(), robot, invite.ID)
	wantSpaceCode(t, "accepts", err, core.CodeInsufficientScope)
	wantSpaceCode(t, "declines", c.invites.DeclineOwn(t.Context(), robot, invite.ID), core.CodeInsufficientScope)
}

// TestOfAllWaysToAnswerAnInviteOneWins accepts by the list and by mail, and declines,
// concurrently.
func TestOfAllWaysToAnswerAnInviteOneWins(t *testing.T) {
	c := newCrew(t)
	c.prove(c.nobody)
	invite := c.invite(c.admin, "nobody@example.com", core.RoleMember)
	secret := c.secret("nobody@example.com", 1)
	var won, lost atomic.Int32
	var together sync.WaitGroup
	for n := range 15 {
		together.Go(func() {
			var err error
			switch n % 3 {
			case 0:
				_, err = c.invites.AcceptOwn(t.Context(), c.nobody, invite.ID)
			case 1:
				_, err = c.invites.Accept(t.Context(), c.nobody, secret)
			default:
				err = c.invites.DeclineOwn(t.Context(), c.nobody, invite.ID)
			}
			switch core.CodeOf(err) {
			case "":
				won.Add(1)
			case core.CodeNotFound:
				lost.Add(1)
			}
		})
	}
	together.Wait()
	if won.Load() != 1 || lost.Load() != 14 {
		t.Errorf("got %d winners and %d who found nothing, want 1 and 14", won.Load(), lost.Load())
	}
}

func TestTheListOfOnesOwnInvitesIsBounded(t *testing.T) {
	c := newCrew(t)
	c.prove(c.nobody)
	var newest core.ID
	for i := range workspaces.MaxOwnInvites + 1 {
		other := core.NewWorkspace("Other", false, nil, 1)
		tables := c.store.Tables()
		c.must(tables.Workspaces.Create(t.Context(), other))
		c.must(tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: other.ID, UserID: c.owner.UserID, Role: core.RoleOwner}))
		invite := core.Invite{
			ID: core.NewID(), Email: "nobody@example.com", Role: core.RoleMember, InvitedBy: c.owner.UserID,
			CreatedAt: core.Time(i), ExpiresAt: core.At(c.now()).Add(time.Hour), WorkspaceID: other.ID, TokenHash: fmt.Sprint(i),
		}
		c.must(tables.Invites.Create(t.Context(), invite))
		newest = invite.ID
	}
	got, err := c.invites.ListOwn(t.Context(), c.nobody)
	if err != nil || len(got) != workspaces.MaxOwnInvites || got[0].ID != newest {
		t.Errorf("got %d invites, %v, want the newest %d", len(got), err, workspaces.MaxOwnInvites)
	}
}
