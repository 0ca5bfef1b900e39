package workspaces_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

func (c *crew) invite(by core.Actor, email string, role core.Role) core.Invite {
	c.t.Helper()
	invite, _, err := c.invites.Create(c.t.Context(), by, c.workspace.ID, email, role)
	c.must(err)
	return invite
}

// inSession gives somebody a session, in which they may have signed up.
func (c *crew) inSession(who core.Actor, signedUp bool) core.Actor {
	c.t.Helper()
	session := core.Session{ID: core.NewID(), UserID: who.UserID, TokenID: core.NewID(), SignedUp: signedUp, ExpiresAt: core.At(c.now().Add(time.Hour))}
	if err := c.store.Tables().Sessions.Create(c.t.Context(), session); err != nil {
		c.t.Fatal(err)
	}
	who.SessionID = session.ID
	return who
}

// TestOnlyWhoMadeTheAccountProvesItsAddressByAnInvite accepts in sessions in which
// somebody else may have created the account.
func TestOnlyWhoMadeTheAccountProvesItsAddressByAnInvite(t *testing.T) {
	for name, who := range map[string]func(c *crew) core.Actor{
		"a later session": func(c *crew) core.Actor { return c.inSession(c.nobody, false) },
		"no session":      func(c *crew) core.Actor { return c.nobody },
		"another's session": func(c *crew) core.Actor {
			by := c.nobody
			by.SessionID = c.inSession(c.admin, true).SessionID
			return by
		},
		"an API token": func(c *crew) core.Actor {
			by := c.inSession(c.nobody, true)
			by.Token, by.Scopes = true, []core.Scope{core.ScopeWorkspacesWrite}
			return by
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrew(t)
			by := who(c)
			c.invite(c.admin, "nobody@example.com", core.RoleMember)
			_, err := c.invites.Accept(t.Context(), by, c.secret("nobody@example.com", 1))
			wantSpaceCode(t, "accepts", err, "")
			user, err := c.store.Tables().Users.ByID(t.Context(), by.UserID)
			if err != nil || user.EmailVerified {
				t.Errorf("got %+v, %v, want nothing proven", user, err)
			}
		})
	}
}

func TestAnInviteGoesByMailAndWorksOnce(t *testing.T) {
	c := newCrew(t)
	before := c.version()
	invite := c.invite(c.admin, " Nobody@Example.com ", core.RoleMember)
	c.wantAudited(core.AuditInviteCreated, "nobody@example.com: member")
	if invite.Email != "nobody@example.com" || invite.Role != core.RoleMember || invite.InvitedBy != c.admin.UserID || invite.ExpiresAt != invite.CreatedAt.Add(7*24*time.Hour) {
		t.Fatalf("got %+v", invite)
	}
	secret := c.secret("nobody@example.com", 1)
	if text, _ := json.Marshal(invite); strings.Contains(string(text), secret) || strings.Contains(string(text), core.HashSecret(secret)) {
		t.Fatalf("got %s, want no token in the answer", text)
	}
	c.nobody = c.inSession(c.nobody, true)
	view, err := c.invites.Accept(t.Context(), c.nobody, secret)
	if err != nil || view.ID != c.workspace.ID || view.Role != core.RoleMember {
		t.Fatalf("got %+v, %v, want the workspace", view, err)
	}
	c.wantAudited(core.AuditMemberJoined, "nobody@example.com: member")
	c.wantRole("the person who accepted", c.nobody, core.RoleMember)
	user, err := c.store.Tables().Users.ByID(t.Context(), c.nobody.UserID)
	if err != nil || !user.EmailVerified {
		t.Errorf("got %+v, %v, want the address verified", user, err)
	}
	if c.version() <= before {
		t.Error("got the old version of the members, want it raised")
	}
	_, err = c.invites.Accept(t.Context(), c.nobody, secret)
	wantSpaceCode(t, "accepts again", err, core.CodeNotFound)
	if open, err := c.invites.List(t.Context(), c.admin, c.workspace.ID); err != nil || len(open) != 0 {
		t.Errorf("got %+v, %v, want no invite left", open, err)
	}
}

func TestALinkThatIsHandedOverProvesNoAddress(t *testing.T) {
	c := newCrew(t)
	invite, first, err := c.invites.Create(t.Context(), c.admin, c.workspace.ID, "nobody@example.com", core.RoleMember)
	c.must(err)
	said, err := c.invites.Look(t.Context(), first)
	if want := (workspaces.Invitation{Email: "nobody@example.com", Role: core.RoleMember, Workspace: c.workspace.Name, InvitedBy: "admin@example.com", ExpiresAt: invite.ExpiresAt}); err != nil || said != want {
		t.Errorf("got %+v, %v, want %+v", said, err, want)
	}
	second, err := c.invites.Link(t.Context(), c.admin, c.workspace.ID, invite.ID)
	c.must(err)
	c.wantAudited(core.AuditInviteLinked, "nobody@example.com")
	_, err = c.invites.Accept(t.Context(), c.nobody, first)
	wantSpaceCode(t, "a link that another took the place of", err, core.CodeNotFound)
	_, err = c.invites.Look(t.Context(), first)
	wantSpaceCode(t, "a look at it", err, core.CodeNotFound)
	_, err = c.invites.Accept(t.Context(), c.member, second)
	wantSpaceCode(t, "another account", err, core.CodeForbidden)
	if _, err = c.invites.Look(t.Context(), c.secret("nobody@example.com", 1)); err != nil {
		t.Errorf("got %v, want the mailed link alive", err)
	}
	_, err = c.invites.Accept(t.Context(), c.nobody, second)
	c.must(err)
	c.wantRole("the person who accepted", c.nobody, core.RoleMember)
	user, err := c.store.Tables().Users.ByID(t.Context(), c.nobody.UserID)
	if err != nil || user.EmailVerified {
		t.Errorf("got %+v, %v, want the address as unverified as before", user, err)
	}
}

func TestWhoMayMakeALink(t *testing.T) {
	c := newCrew(t)
	invite := c.invite(c.owner, "nobody@example.com", core.RoleOwner)
	for what, test := range map[string]struct {
		by   core.Actor
		id   core.ID
		want core.Code
	}{
		"a member":                    {c.member, invite.ID, core.CodeForbidden},
		"an admin, to make an owner":  {c.admin, invite.ID, core.CodeForbidden},
		"somebody from elsewhere":     {c.nobody, invite.ID, core.CodeNotFound},
		"an invite that is not there": {c.owner, core.NewID(), core.CodeNotFound},
		"an owner":                    {c.owner, invite.ID, ""},
	} {
		if _, err := c.invites.Link(t.Context(), test.by, c.workspace.ID, test.id); core.CodeOf(err) != test.want && (err != nil || test.want != "") {
			t.Errorf("%s: got %v, want %q", what, err, test.want)
		}
	}
}

func TestWhoMayInvite(t *testing.T) {
	c := newCrew(t)
	for i, test := range []struct {
		by   core.Actor
		role core.Role
		want core.Code
	}{
		{c.owner, core.RoleOwner, ""},
		{c.owner, core.RoleMember, ""},
		{c.admin, core.RoleAdmin, ""},
		{c.admin, core.RoleOwner, core.CodeForbidden},
		{c.member, core.RoleMember, core.CodeForbidden},
		{c.nobody, core.RoleMember, core.CodeNotFound},
	} {
		_, _, err := c.invites.Create(t.Context(), test.by, c.workspace.ID, fmt.Sprintf("x%d@example.com", i), test.role)
		wantSpaceCode(t, fmt.Sprintf("invite %d", i), err, test.want)
		_, err = c.invites.List(t.Context(), test.by, c.workspace.ID)
		if forbidden := test.by.UserID == c.member.UserID || test.by.UserID == c.nobody.UserID; (err != nil) != forbidden {
			t.Errorf("list %d: got %v", i, err)
		}
	}
	_, _, err := c.invites.Create(t.Context(), c.admin, c.workspace.ID, "no address", core.RoleMember)
	wantSpaceCode(t, "no address", err, core.CodeValidationFailed)
	_, _, err = c.invites.Create(t.Context(), c.admin, c.workspace.ID, "MEMBER@example.com", core.RoleMember)
	wantSpaceCode(t, "a member", err, core.CodeConflict)
}

func TestInvitingAgainKillsTheEarlierLink(t *testing.T) {
	c := newCrew(t)
	c.invite(c.admin, "nobody@example.com", core.RoleMember)
	first := c.secret("nobody@example.com", 1)
	c.invite(c.owner, "nobody@example.com", core.RoleAdmin)
	second := c.secret("nobody@example.com", 2)
	_, err := c.invites.Accept(t.Context(), c.nobody, first)
	wantSpaceCode(t, "the first link", err, core.CodeNotFound)
	if view, err := c.invites.Accept(t.Context(), c.nobody, second); err != nil || view.Role != core.RoleAdmin {
		t.Errorf("got %+v, %v, want an admin", view, err)
	}
}

// TestAnInviteForSomebodyElseIsNotUsedUp checks that a leaked link only reveals
// that it is for somebody else.
func TestAnInviteForSomebodyElseIsNotUsedUp(t *testing.T) {
	c := newCrew(t)
	c.invite(c.admin, "later@example.com", core.RoleAdmin)
	secret := c.secret("later@example.com", 1)
	_, err := c.invites.Accept(t.Context(), c.nobody, secret)
	wantSpaceCode(t, "another account", err, core.CodeForbidden)
	if strings.Contains(err.Error(), "later@") {
		t.Errorf("got %q, want the address kept from others", err)
	}
	c.wantRole("the other account", c.nobody, core.RoleNone)
	if user, _ := c.store.Tables().Users.ByID(t.Context(), c.nobody.UserID); user.EmailVerified {
		t.Error("another's link verified an address")
	}
	later := c.person("later")
	_, err = c.invites.Accept(t.Context(), later, secret)
	wantSpaceCode(t, "the invited person", err, "")
}

// TestInvitesThatAreVoid covers everything that invalidates a link before it is
// used.
func TestInvitesThatAreVoid(t *testing.T) {
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
		invite := c.invite(c.admin, "nobody@example.com", core.RoleMember)
		secret := c.secret("nobody@example.com", 1)
		c.must(spoil(c, invite))
		_, err := c.invites.Accept(t.Context(), c.nobody, secret)
		wantSpaceCode(t, name, err, core.CodeNotFound)
		c.wantRole(name, c.nobody, core.RoleNone)
	}
	c := newCrew(t)
	for _, secret := range []string{"", "x", core.NewSecret(), strings.Repeat("é\x00", 5000)} {
		_, err := c.invites.Accept(t.Context(), c.nobody, secret)
		wantSpaceCode(t, "a made-up secret", err, core.CodeNotFound)
	}
}

// TestAFormerOwnersInviteMakesNoOwner checks that an invite gives no more than its
// sender could give now.
func TestAFormerOwnersInviteMakesNoOwner(t *testing.T) {
	c := newCrew(t)
	c.invite(c.owner, "nobody@example.com", core.RoleOwner)
	secret := c.secret("nobody@example.com", 1)
	_, err := c.members.Transfer(t.Context(), c.owner, c.workspace.ID, c.member.UserID)
	c.must(err)
	_, err = c.invites.Accept(t.Context(), c.nobody, secret)
	wantSpaceCode(t, "accepts", err, core.CodeNotFound)
}

func TestAHigherRoleIsKept(t *testing.T) {
	for have, want := range map[core.Role]core.Role{core.RoleMember: core.RoleAdmin, core.RoleAdmin: core.RoleAdmin, core.RoleOwner: core.RoleOwner} {
		c := newCrew(t)
		c.invite(c.admin, "nobody@example.com", core.RoleAdmin)
		secret := c.secret("nobody@example.com", 1)
		c.enter(c.nobody, have)
		view, err := c.invites.Accept(t.Context(), c.nobody, secret)
		if err != nil || view.Role != want {
			t.Errorf("had %s: got %+v, %v, want %s", have, view, err, want)
		}
		c.wantRole("after accepting", c.nobody, want)
		if have == core.RoleMember {
			c.wantAudited(core.AuditMemberRoleChanged, "nobody@example.com: member → admin")
		}
	}
}

func TestSixteenAcceptsAtOnceMakeOneMember(t *testing.T) {
	c := newCrew(t)
	c.invite(c.admin, "nobody@example.com", core.RoleMember)
	secret := c.secret("nobody@example.com", 1)
	var won, lost atomic.Int32
	var together sync.WaitGroup
	for range 16 {
		together.Go(func() {
			switch _, err := c.invites.Accept(t.Context(), c.nobody, secret); core.CodeOf(err) {
			case "":
				won.Add(1)
			case core.CodeNotFound:
				lost.Add(1)
			}
		})
	}
	together.Wait()
	if won.Load() != 1 || lost.Load() != 15 {
		t.Errorf("got %d winners and %d who found nothing, want 1 and 15", won.Load(), lost.Load())
	}
}

func TestAWorkspaceHasABoundedNumberOfOpenInvites(t *testing.T) {
	c := newCrew(t)
	for i := range workspaces.MaxOpenInvites {
		invite := core.Invite{
			ID: core.NewID(), Email: fmt.Sprintf("x%d@example.com", i), Role: core.RoleMember, InvitedBy: c.owner.UserID,
			CreatedAt: 1, ExpiresAt: core.At(c.now()).Add(time.Hour), WorkspaceID: c.workspace.ID, TokenHash: fmt.Sprint(i),
		}
		c.must(c.store.Tables().Invites.Create(t.Context(), invite))
	}
	_, _, err := c.invites.Create(t.Context(), c.owner, c.workspace.ID, "one@too.many", core.RoleMember)
	wantSpaceCode(t, "one too many", err, core.CodeConflict)
	c.invite(c.owner, "x7@example.com", core.RoleMember)
	c.pass(time.Hour)
	c.invite(c.owner, "one@too.many", core.RoleMember)
}

func TestAnInviteOfAnotherWorkspaceIsNotFound(t *testing.T) {
	c := newCrew(t)
	other := core.NewWorkspace("Other", false, nil, 1)
	tables := c.store.Tables()
	c.must(tables.Workspaces.Create(t.Context(), other))
	c.must(tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: other.ID, UserID: c.nobody.UserID, Role: core.RoleOwner}))
	invite := c.invite(c.admin, "x@example.com", core.RoleMember)
	wantSpaceCode(t, "through one's own", c.invites.Delete(t.Context(), c.nobody, other.ID, invite.ID), core.CodeNotFound)
	wantSpaceCode(t, "a member", c.invites.Delete(t.Context(), c.member, c.workspace.ID, invite.ID), core.CodeForbidden)
	wantSpaceCode(t, "an admin", c.invites.Delete(t.Context(), c.admin, c.workspace.ID, invite.ID), "")
	c.wantAudited(core.AuditInviteDeleted, "x@example.com")
	wantSpaceCode(t, "again", c.invites.Delete(t.Context(), c.admin, c.workspace.ID, invite.ID), core.CodeNotFound)
}

// TestAnInviteThatIsNotStoredSendsNoMail checks that the mail is stored in the
// invite's transaction.
func TestAnInviteThatIsNotStoredSendsNoMail(t *testing.T) {
	c := newCrew(t)
	_, _, err := c.invites.Create(t.Context(), c.member, c.workspace.ID, "x@example.com", core.RoleMember)
	wantSpaceCode(t, "a member invites", err, core.CodeForbidden)
	if _, err := c.store.Tables().Mails.Claim(t.Context(), core.At(c.now()), core.At(c.now())); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want no mail", err)
	}
}
