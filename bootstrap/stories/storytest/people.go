package storytest

import (
	"net/http"

	"github.com/atelierhq/atelier/core"
)

// Usage is GET /workspaces/:wid/usage.
func (c *Caller) Usage() (found struct {
	CreditLimit *float64
	CreditUsed  float64
	Items       []core.UsageRow
}) {
	c.T.Helper()
	c.Must(http.StatusOK, http.MethodGet, "/workspaces/"+string(c.Workspace)+"/usage", nil, &found)
	return found
}

// InWorkspace returns the caller with another default workspace.
func (c *Caller) InWorkspace(id core.ID) *Caller {
	other := *c
	other.Workspace = id
	return &other
}

// Found makes a workspace.
func (c *Caller) Found(name string) core.ID {
	c.T.Helper()
	var made core.Workspace
	c.Must(http.StatusCreated, http.MethodPost, "/workspaces", map[string]string{"name": name}, &made)
	return made.ID
}

// Join invites somebody into one of the caller's workspaces, who accepts. It must be
// their first invite.
func (c *Caller) Join(workspace core.ID, guest *Caller, role core.Role) {
	c.T.Helper()
	body := map[string]any{"email": guest.User.Email, "role": role}
	c.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(workspace)+"/invites", body, nil)
	guest.Must(http.StatusOK, http.MethodPost, c.InviteLink(guest.User.Email, 1)+"/accept", nil, nil)
}

// Company is a workspace with a person in every role, who all joined by invites.
type Company struct {
	*Site
	Owner, Admin, Member *Caller
	Space                string
}

// NewCompany signs three people up and makes a workspace of theirs.
func NewCompany(s *Site) *Company {
	s.T.Helper()
	c := &Company{Site: s, Owner: s.SignUp(), Admin: s.SignUp(), Member: s.SignUp()}
	var space core.Workspace
	c.Owner.Must(http.StatusCreated, http.MethodPost, "/workspaces", map[string]string{"name": "Company"}, &space)
	c.Space = "/workspaces/" + string(space.ID)
	c.Hire(c.Admin, core.RoleAdmin)
	c.Hire(c.Member, core.RoleMember)
	for _, p := range []*Caller{c.Owner, c.Admin, c.Member} {
		p.Workspace = space.ID
	}
	return c
}

// Invite invites an address.
func (c *Company) Invite(by *Caller, email string, role core.Role) core.Invite {
	c.T.Helper()
	var invite core.Invite
	by.Must(http.StatusCreated, http.MethodPost, c.Space+"/invites", map[string]any{"email": email, "role": role}, &invite)
	return invite
}

// Hire invites somebody by mail and lets them accept.
func (c *Company) Hire(p *Caller, role core.Role) {
	c.T.Helper()
	c.Invite(c.Owner, p.User.Email, role)
	p.Must(http.StatusOK, http.MethodPost, c.InviteLink(p.User.Email, 1)+"/accept", nil, nil)
}

// Roles returns the members' roles by address.
func (c *Company) Roles(by *Caller) map[string]core.Role {
	c.T.Helper()
	var list struct{ Items []core.Member }
	by.Must(http.StatusOK, http.MethodGet, c.Space+"/members", nil, &list)
	roles := map[string]core.Role{}
	for _, member := range list.Items {
		roles[member.Email] = member.Role
	}
	return roles
}

// Refused is Do with the refusal that must come back.
func (c *Caller) Refused(status int, code core.Code, method, path string, body any) Answer {
	c.T.Helper()
	got := c.Do(method, path, body)
	if got.Status != status || got.Code() != code {
		c.T.Errorf("%s %s: got %d %.300s, want %d %s", method, path, got.Status, got.Body, status, code)
	}
	return got
}
