package bootstrap_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

const ownInvites = "/users/me/invites"

// invitation is one of the caller's own, as the list tells it.
type invitation struct {
	ID        core.ID
	Workspace struct {
		ID   core.ID
		Name string
	}
	Role      core.Role
	InvitedBy struct{ DisplayName string }
	ExpiresAt core.Time
	CreatedAt core.Time
}

// invitations lists the caller's own invites.
func (c *caller) invitations() []invitation {
	c.t.Helper()
	var list struct{ Items []invitation }
	c.must(http.StatusOK, http.MethodGet, ownInvites, nil, &list)
	return list.Items
}

// proven is somebody whose address is verified, by an invite into a company that asks
// nobody else.
func proven(s *site) *caller {
	s.t.Helper()
	guest := s.signUp()
	newCompany(s).hire(guest, core.RoleMember)
	return guest
}

// TestInvitesAreAnsweredWithoutTheirMails plays the list of one's own invites, accepting
// and declining against every program.
func TestInvitesAreAnsweredWithoutTheirMails(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := newCompany(program.serve(t))
			guest, other := proven(c.site), newCompany(c.site)
			if got := guest.do(http.MethodGet, ownInvites, nil); string(got.body) != `{"items":[]}`+"\n" {
				t.Fatalf("got %s, want an empty list", got.body)
			}
			first := c.invite(c.admin, guest.user.Email, core.RoleAdmin)
			link := c.inviteLink(guest.user.Email, 2)
			second := other.invite(other.owner, guest.user.Email, core.RoleMember)
			c.wantInvitations(guest, second, first, link)

			var joined core.Workspace
			guest.must(http.StatusOK, http.MethodPost, ownInvites+"/"+string(first.ID)+"/accept", nil, &joined)
			if c.space != "/workspaces/"+string(joined.ID) {
				t.Errorf("got %+v, want the company", joined)
			}
			c.wantRoles(map[*caller]core.Role{c.owner: core.RoleOwner, c.admin: core.RoleAdmin, c.member: core.RoleMember, guest: core.RoleAdmin})
			guest.refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, ownInvites+"/"+string(first.ID)+"/accept", nil)
			guest.refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, link+"/accept", nil)

			guest.must(http.StatusNoContent, http.MethodDelete, ownInvites+"/"+string(second.ID), nil, nil)
			guest.refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, ownInvites+"/"+string(second.ID), nil)
			if left := guest.invitations(); len(left) != 0 {
				t.Errorf("got %+v, want no invites left", left)
			}
			if newest := other.owner.auditLog("1")[0]; newest.Action != core.AuditInviteDeclined || newest.Target != guest.user.Email {
				t.Errorf("got %+v, want the decline in the company's log", newest)
			}
			var open struct{ Items []core.Invite }
			other.owner.must(http.StatusOK, http.MethodGet, other.space+"/invites", nil, &open)
			if len(open.Items) != 0 {
				t.Errorf("got %+v, want no invite of the company left", open.Items)
			}
		})
	}
}

// wantInvitations holds the list to the invite of another and the company's older one,
// and to having no secret.
func (c *company) wantInvitations(guest *caller, other, own core.Invite, link string) {
	c.t.Helper()
	list := guest.invitations()
	if len(list) != 2 || list[0].ID != other.ID || list[1].ID != own.ID {
		c.t.Fatalf("got %+v, want %s and then %s", list, other.ID, own.ID)
	}
	got := list[1]
	if "/workspaces/"+string(got.Workspace.ID) != c.space || got.Workspace.Name != "Company" || got.Role != own.Role ||
		got.InvitedBy.DisplayName != c.admin.user.Email || got.ExpiresAt != own.ExpiresAt || got.CreatedAt != own.CreatedAt {
		c.t.Errorf("got %+v, want what %+v says", got, own)
	}
	secret := strings.TrimPrefix(link, "/invites/")
	for _, hidden := range []string{secret, core.HashSecret(secret), "oken", "link"} {
		if body := string(guest.do(http.MethodGet, ownInvites, nil).body); strings.Contains(body, hidden) {
			c.t.Errorf("got %s, want nothing of %q", body, hidden)
		}
	}
}

// TestAnAddressThatNobodyProvedHasNoInvites signs up for somebody else's address and for
// another, and comes with an API token.
func TestAnAddressThatNobodyProvedHasNoInvites(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := newCompany(program.serve(t))
			squatter, stranger, guest := c.signUp(), proven(c.site), proven(c.site)
			squatted, invite := c.invite(c.admin, squatter.user.Email, core.RoleAdmin), c.invite(c.admin, guest.user.Email, core.RoleAdmin)
			for _, thief := range []struct {
				*caller
				id core.ID
			}{{squatter, squatted.ID}, {squatter, invite.ID}, {stranger, invite.ID}, {guest, core.NewID()}, {guest, "x"}} {
				thief.refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, fmt.Sprintf("%s/%s/accept", ownInvites, thief.id), nil)
				thief.refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, fmt.Sprintf("%s/%s", ownInvites, thief.id), nil)
			}
			for _, nobody := range []*caller{squatter, stranger} {
				if list := nobody.invitations(); len(list) != 0 {
					t.Errorf("got %+v, want nothing told", list)
				}
			}
			robot := guest.robot("workspaces:write")
			for path, method := range map[string]string{"": http.MethodGet, "/" + string(invite.ID): http.MethodDelete, "/" + string(invite.ID) + "/accept": http.MethodPost} {
				robot.refused(http.StatusForbidden, core.CodeInsufficientScope, method, ownInvites+path, nil)
			}
			c.wantRoles(map[*caller]core.Role{c.owner: core.RoleOwner, c.admin: core.RoleAdmin, c.member: core.RoleMember})
			guest.must(http.StatusOK, http.MethodPost, ownInvites+"/"+string(invite.ID)+"/accept", nil, nil)
			squatter.must(http.StatusOK, http.MethodPost, c.inviteLink(squatter.user.Email, 1)+"/accept", nil, nil)
		})
	}
}
