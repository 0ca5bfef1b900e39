package bootstrap_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// company is a workspace with somebody in every role, who all came by invites.
type company struct {
	*site
	owner, admin, member *caller
	space                string
}

func newCompany(s *site) *company {
	s.t.Helper()
	c := &company{site: s, owner: s.signUp(), admin: s.signUp(), member: s.signUp()}
	var space core.Workspace
	c.owner.must(http.StatusCreated, http.MethodPost, "/workspaces", map[string]string{"name": "Company"}, &space)
	c.space = "/workspaces/" + string(space.ID)
	c.hire(c.admin, core.RoleAdmin)
	c.hire(c.member, core.RoleMember)
	for _, p := range []*caller{c.owner, c.admin, c.member} {
		p.workspace = space.ID
	}
	return c
}

func (c *company) invite(by *caller, email string, role core.Role) core.Invite {
	c.t.Helper()
	var invite core.Invite
	by.must(http.StatusCreated, http.MethodPost, c.space+"/invites", map[string]any{"email": email, "role": role}, &invite)
	return invite
}

// hire invites somebody by mail and lets them accept.
func (c *company) hire(p *caller, role core.Role) {
	c.t.Helper()
	c.invite(c.owner, p.user.Email, role)
	p.must(http.StatusOK, http.MethodPost, c.inviteLink(p.user.Email, 1)+"/accept", nil, nil)
}

func (c *company) memberPath(p *caller) string { return c.space + "/members/" + string(p.user.ID) }

// roles returns the members' roles by address.
func (c *company) roles(by *caller) map[string]core.Role {
	c.t.Helper()
	var list struct{ Items []core.Member }
	by.must(http.StatusOK, http.MethodGet, c.space+"/members", nil, &list)
	roles := map[string]core.Role{}
	for _, member := range list.Items {
		roles[member.Email] = member.Role
	}
	return roles
}

func (c *company) wantRoles(want map[*caller]core.Role) {
	c.t.Helper()
	expected := map[string]core.Role{}
	for p, role := range want {
		expected[p.user.Email] = role
	}
	if got := c.roles(c.owner); fmt.Sprint(got) != fmt.Sprint(expected) {
		c.t.Errorf("got the roles %v, want %v", got, expected)
	}
}

// refused is do with the refusal that has to come back.
func (c *caller) refused(status int, code core.Code, method, path string, body any) answer {
	c.t.Helper()
	got := c.do(method, path, body)
	if got.status != status || got.code() != code {
		c.t.Errorf("%s %s: got %d %.300s, want %d %s", method, path, got.status, got.body, status, code)
	}
	return got
}

// TestTheLifeOfATeam plays inviting, working together, changing roles,
// transferring, leaving and removing against every program.
func TestTheLifeOfATeam(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := newCompany(program.serve(t))
			c.wantRoles(map[*caller]core.Role{c.owner: core.RoleOwner, c.admin: core.RoleAdmin, c.member: core.RoleMember})
			c.wantVerified(c.member)
			c.workTogether()
			c.changeHands()
			c.checkRecords()
		})
	}
}

// wantVerified reads whether an address counts as verified.
func (c *company) wantVerified(p *caller) {
	c.t.Helper()
	var me struct {
		User      core.User
		Workspace core.Workspace
	}
	p.must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me)
	if !me.User.EmailVerified || !me.Workspace.Personal {
		c.t.Errorf("got %+v, want a verified address, and the personal workspace as home", me)
	}
}

// workTogether plays what each role may do.
func (c *company) workTogether() {
	c.t.Helper()
	mode := map[string]any{"name": "review", "prompt": "Look for mistakes.", "tools": []string{"read_file"}}
	for _, call := range []struct {
		method, path          string
		body                  any
		member, admin, forOwn int
	}{
		{http.MethodGet, c.space, nil, 200, 200, 200},
		{http.MethodGet, c.space + "/members", nil, 200, 200, 200},
		{http.MethodGet, c.space + "/folders", nil, 200, 200, 200},
		{http.MethodPost, c.space + "/folders", map[string]any{"name": "x"}, 201, 201, 201},
		{http.MethodGet, c.space + "/modes", nil, 200, 200, 200},
		{http.MethodPost, c.space + "/modes", mode, 403, 201, 409},
		{http.MethodGet, c.space + "/invites", nil, 403, 200, 200},
		{http.MethodPost, c.space + "/invites", map[string]any{"email": "guest@example.com", "role": "member"}, 403, 201, 201},
		{http.MethodPost, c.space + "/invites", map[string]any{"email": "boss@example.com", "role": "owner"}, 403, 403, 201},
		{http.MethodPatch, c.space, map[string]any{"name": "Company & Co", "creditLimit": nil}, 403, 200, 200},
		{http.MethodPatch, c.space, map[string]any{"commandHosts": []string{"registry.npmjs.org"}}, 403, 200, 200},
		{http.MethodGet, c.space + "/audit", nil, 403, 200, 200},
		{http.MethodPost, c.space + "/transfer", map[string]any{"userId": c.member.user.ID}, 403, 403, 200},
	} {
		for p, want := range map[*caller]int{c.member: call.member, c.admin: call.admin} {
			if got := p.do(call.method, call.path, call.body); got.status != want {
				c.t.Errorf("%s %s by %s: got %d %.300s, want %d", call.method, call.path, p.user.Email, got.status, got.body, want)
			}
		}
		if got := c.owner.do(call.method, call.path, call.body); got.status != call.forOwn {
			c.t.Errorf("%s %s by the owner: got %d %.300s, want %d", call.method, call.path, got.status, got.body, call.forOwn)
		}
	}
}

// changeHands begins with the member as the owner, after the transfer, and the
// owner as an admin.
func (c *company) changeHands() {
	c.t.Helper()
	c.wantRoles(map[*caller]core.Role{c.owner: core.RoleAdmin, c.admin: core.RoleAdmin, c.member: core.RoleOwner})
	boss := c.member
	boss.refused(http.StatusConflict, core.CodeConflict, http.MethodDelete, c.memberPath(boss), nil)
	boss.refused(http.StatusConflict, core.CodeConflict, http.MethodPatch, c.memberPath(boss), map[string]any{"role": "member"})
	boss.must(http.StatusOK, http.MethodPatch, c.memberPath(c.owner), map[string]any{"role": "owner"}, nil)
	boss.must(http.StatusNoContent, http.MethodDelete, c.memberPath(boss), nil, nil)
	boss.refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, c.space, nil)
	c.owner.must(http.StatusOK, http.MethodPatch, c.memberPath(c.admin), map[string]any{"role": "member"}, nil)
	c.admin.refused(http.StatusForbidden, core.CodeForbidden, http.MethodGet, c.space+"/invites", nil)
	c.owner.must(http.StatusNoContent, http.MethodDelete, c.memberPath(c.admin), nil, nil)
	c.admin.refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, c.space+"/members", nil)
	c.wantRoles(map[*caller]core.Role{c.owner: core.RoleOwner})
}

// checkRecords reads what the audit log says of all that.
func (c *company) checkRecords() {
	c.t.Helper()
	var lines []string
	for _, entry := range c.owner.auditLog("50") {
		lines = append(lines, fmt.Sprintf("%s %s", entry.Action, entry.Target))
	}
	for _, want := range []string{
		"workspace.created Company", "workspace.updated name: Company & Co, creditLimit: unlimited",
		"invite.created " + c.member.user.Email + ": member", "member.joined " + c.member.user.Email + ": member",
		"workspace.transferred " + c.member.user.Email, "member.role_changed " + c.owner.user.Email + ": admin → owner",
		"member.removed " + c.member.user.Email, "member.role_changed " + c.admin.user.Email + ": admin → member",
	} {
		if !slices.Contains(lines, want) {
			c.t.Errorf("got the log\n%s\nwant a line %q", strings.Join(lines, "\n"), want)
		}
	}
}

// TestWhatSomebodyWhoLeftMadeStaysWithTheCompany keeps private projects from being
// lost, and from everybody but admins.
func TestWhatSomebodyWhoLeftMadeStaysWithTheCompany(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := newCompany(program.serve(t))
			other := c.signUp()
			c.hire(other, core.RoleMember)
			w := c.member.create("static-html")
			w.must(http.StatusOK, http.MethodPatch, w.path(""), map[string]any{"visibility": "private"}, nil)
			c.member.must(http.StatusNoContent, http.MethodDelete, c.memberPath(c.member), nil, nil)
			c.member.refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, w.path(""), nil)
			other.refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, w.path(""), nil)
			c.admin.must(http.StatusOK, http.MethodGet, w.path("/files/index.html"), nil, nil)
			c.admin.wantFound("?workspaceId="+string(w.WorkspaceID), w.ID)
		})
	}
}

// TestFoldersHoldProjects plays projects in folders against every program.
func TestFoldersHoldProjects(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := program.serve(t).signUp()
			space := "/workspaces/" + string(c.workspace)
			var top, below core.Folder
			c.must(http.StatusCreated, http.MethodPost, space+"/folders", map[string]any{"name": "Top"}, &top)
			c.must(http.StatusCreated, http.MethodPost, space+"/folders", map[string]any{"name": "Below", "parentId": top.ID}, &below)
			var first, second core.Project
			c.must(http.StatusCreated, http.MethodPost, space+"/projects", map[string]any{"name": "First", "folderId": top.ID}, &first)
			c.must(http.StatusCreated, http.MethodPost, space+"/projects", map[string]any{"name": "Second"}, &second)
			if first.FolderID == nil || *first.FolderID != top.ID || second.FolderID != nil {
				t.Errorf("got the folders %v and %v", first.FolderID, second.FolderID)
			}
			c.wantFound("?folderId="+string(top.ID), first.ID)
			c.wantFound("?folderId=none", second.ID)
			c.must(http.StatusOK, http.MethodPatch, "/projects/"+string(second.ID), map[string]any{"folderId": below.ID}, nil)
			c.wantFound("?folderId="+string(below.ID), second.ID)
			c.must(http.StatusNoContent, http.MethodDelete, "/folders/"+string(top.ID), nil, nil)
			c.wantFound("?folderId=none", first.ID)
			c.must(http.StatusOK, http.MethodPatch, "/projects/"+string(second.ID), map[string]any{"folderId": nil}, nil)
			c.wantFound("?folderId=none", second.ID, first.ID)
			var list struct{ Items []core.Folder }
			c.must(http.StatusOK, http.MethodGet, space+"/folders", nil, &list)
			if len(list.Items) != 1 || list.Items[0].ID != below.ID || list.Items[0].ParentID != nil {
				t.Errorf("got %+v, want the folder below in the root", list.Items)
			}
		})
	}
}

// TestModesSurviveTheDatabase stores and reads a mode on every program.
func TestModesSurviveTheDatabase(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := program.serve(t).signUp()
			modes := "/workspaces/" + string(c.workspace) + "/modes"
			var made, changed core.Mode
			c.must(http.StatusCreated, http.MethodPost, modes, map[string]any{"name": "Über/setzen", "prompt": "Translate.\n", "tools": []string{"write_file", "read_file"}}, &made)
			c.must(http.StatusOK, http.MethodPatch, modes+"/%C3%9Cber%2Fsetzen", map[string]any{"tools": []string{}, "model": "small"}, &changed)
			if changed.Prompt != "Translate.\n" || *changed.Model != "small" || !slices.Equal(made.Tools, []string{"write_file", "read_file"}) {
				t.Errorf("got %+v and %+v", made, changed)
			}
			if got := c.do(http.MethodGet, modes, nil); !strings.Contains(string(got.body), `"tools":[]`) {
				t.Errorf("got %s, want no tools as an empty list", got.body)
			}
			c.refused(http.StatusConflict, core.CodeConflict, http.MethodPost, modes, map[string]any{"name": "Über/setzen", "prompt": "x", "tools": []string{}})
		})
	}
}
