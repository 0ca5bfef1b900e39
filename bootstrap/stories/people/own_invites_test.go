package people_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
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
func invitations(c *storytest.Caller) []invitation {
	c.T.Helper()
	var list struct{ Items []invitation }
	c.Must(http.StatusOK, http.MethodGet, ownInvites, nil, &list)
	return list.Items
}

// proven is a user whose address is verified, by an invite into a company that invites
// nobody else.
func proven(s *storytest.Site) *storytest.Caller {
	s.T.Helper()
	guest := s.SignUp()
	storytest.NewCompany(s).Hire(guest, core.RoleMember)
	return guest
}

// TestInvitesAreAnsweredWithoutTheirMails plays the list of one's own invites, accepting
// and declining against every program.
func TestInvitesAreAnsweredWithoutTheirMails(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := storytest.NewCompany(program.Serve(t))
			guest, other := proven(c.Site), storytest.NewCompany(c.Site)
			if got := guest.Do(http.MethodGet, ownInvites, nil); string(got.Body) != `{"items":[]}`+"\n" {
				t.Fatalf("got %s, want an empty list", got.Body)
			}
			first := c.Invite(c.Admin, guest.User.Email, core.RoleAdmin)
			link := c.InviteLink(guest.User.Email, 2)
			second := other.Invite(other.Owner, guest.User.Email, core.RoleMember)
			wantInvitations(c, guest, second, first, link)

			var joined core.Workspace
			guest.Must(http.StatusOK, http.MethodPost, ownInvites+"/"+string(first.ID)+"/accept", nil, &joined)
			if c.Space != "/workspaces/"+string(joined.ID) {
				t.Errorf("got %+v, want the company", joined)
			}
			wantRoles(c, map[*storytest.Caller]core.Role{c.Owner: core.RoleOwner, c.Admin: core.RoleAdmin, c.Member: core.RoleMember, guest: core.RoleAdmin})
			guest.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, ownInvites+"/"+string(first.ID)+"/accept", nil)
			guest.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, link+"/accept", nil)

			guest.Must(http.StatusNoContent, http.MethodDelete, ownInvites+"/"+string(second.ID), nil, nil)
			guest.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, ownInvites+"/"+string(second.ID), nil)
			if left := invitations(guest); len(left) != 0 {
				t.Errorf("got %+v, want no invites left", left)
			}
			if newest := auditLog(other.Owner, "1")[0]; newest.Action != core.AuditInviteDeclined || newest.Target != guest.User.Email {
				t.Errorf("got %+v, want the decline in the company's log", newest)
			}
			var open struct{ Items []core.Invite }
			other.Owner.Must(http.StatusOK, http.MethodGet, other.Space+"/invites", nil, &open)
			if len(open.Items) != 0 {
				t.Errorf("got %+v, want no invite of the company left", open.Items)
			}
		})
	}
}

// wantInvitations checks that the list has the invite of another and the company's older
// one, and no secret.
func wantInvitations(c *storytest.Company, guest *storytest.Caller, other, own core.Invite, link string) {
	c.T.Helper()
	list := invitations(guest)
	if len(list) != 2 || list[0].ID != other.ID || list[1].ID != own.ID {
		c.T.Fatalf("got %+v, want %s and then %s", list, other.ID, own.ID)
	}
	got := list[1]
	if "/workspaces/"+string(got.Workspace.ID) != c.Space || got.Workspace.Name != "Company" || got.Role != own.Role ||
		got.InvitedBy.DisplayName != c.Admin.User.Email || got.ExpiresAt != own.ExpiresAt || got.CreatedAt != own.CreatedAt {
		c.T.Errorf("got %+v, want what %+v says", got, own)
	}
	secret := strings.TrimPrefix(link, "/invites/")
	for _, hidden := range []string{secret, core.HashSecret(secret), "oken", "link"} {
		if body := string(guest.Do(http.MethodGet, ownInvites, nil).Body); strings.Contains(body, hidden) {
			c.T.Errorf("got %s, want nothing of %q", body, hidden)
		}
	}
}

// TestAnAddressThatNobodyProvedHasNoInvites signs up for somebody else's address and for
// another, and comes with an API token.
func TestAnAddressThatNobodyProvedHasNoInvites(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := storytest.NewCompany(program.Serve(t))
			squatter, stranger, guest := c.SignUp(), proven(c.Site), proven(c.Site)
			squatted, invite := c.Invite(c.Admin, squatter.User.Email, core.RoleAdmin), c.Invite(c.Admin, guest.User.Email, core.RoleAdmin)
			for _, thief := range []struct {
				*storytest.Caller
				id core.ID
			}{{squatter, squatted.ID}, {squatter, invite.ID}, {stranger, invite.ID}, {guest, core.NewID()}, {guest, "x"}} {
				thief.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, fmt.Sprintf("%s/%s/accept", ownInvites, thief.id), nil)
				thief.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, fmt.Sprintf("%s/%s", ownInvites, thief.id), nil)
			}
			for _, nobody := range []*storytest.Caller{squatter, stranger} {
				if list := invitations(nobody); len(list) != 0 {
					t.Errorf("got %+v, want nothing told", list)
				}
			}
			robot := robot(guest, "workspaces:write")
			for path, method := range map[string]string{"": http.MethodGet, "/" + string(invite.ID): http.MethodDelete, "/" + string(invite.ID) + "/accept": http.MethodPost} {
				robot.Refused(http.StatusForbidden, core.CodeInsufficientScope, method, ownInvites+path, nil)
			}
			wantRoles(c, map[*storytest.Caller]core.Role{c.Owner: core.RoleOwner, c.Admin: core.RoleAdmin, c.Member: core.RoleMember})
			guest.Must(http.StatusOK, http.MethodPost, ownInvites+"/"+string(invite.ID)+"/accept", nil, nil)
			squatter.Must(http.StatusOK, http.MethodPost, c.InviteLink(squatter.User.Email, 1)+"/accept", nil, nil)
		})
	}
}
