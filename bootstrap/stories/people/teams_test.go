package people_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

func memberPath(c *storytest.Company, p *storytest.Caller) string {
	return c.Space + "/members/" + string(p.User.ID)
}

func wantRoles(c *storytest.Company, want map[*storytest.Caller]core.Role) {
	c.T.Helper()
	expected := map[string]core.Role{}
	for p, role := range want {
		expected[p.User.Email] = role
	}
	if got := c.Roles(c.Owner); fmt.Sprint(got) != fmt.Sprint(expected) {
		c.T.Errorf("got the roles %v, want %v", got, expected)
	}
}

// TestTheLifeOfATeam plays inviting, working together, changing roles,
// transferring, leaving and removing against every program.
func TestTheLifeOfATeam(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := storytest.NewCompany(program.Serve(t))
			wantRoles(c, map[*storytest.Caller]core.Role{c.Owner: core.RoleOwner, c.Admin: core.RoleAdmin, c.Member: core.RoleMember})
			wantVerified(c, c.Member)
			workTogether(c)
			changeHands(c)
			checkRecords(c)
		})
	}
}

// wantVerified reads whether an address counts as verified.
func wantVerified(c *storytest.Company, p *storytest.Caller) {
	c.T.Helper()
	var me struct {
		User      core.User
		Workspace core.Workspace
	}
	p.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me)
	if !me.User.EmailVerified || !me.Workspace.Personal {
		c.T.Errorf("got %+v, want a verified address, and the personal workspace as home", me)
	}
}

// workTogether plays what each role may do.
func workTogether(c *storytest.Company) {
	c.T.Helper()
	mode := map[string]any{"name": "review", "prompt": "Look for mistakes.", "tools": []string{"read_file"}}
	for _, call := range []struct {
		method, path          string
		body                  any
		member, admin, forOwn int
	}{
		{http.MethodGet, c.Space, nil, 200, 200, 200},
		{http.MethodGet, c.Space + "/members", nil, 200, 200, 200},
		{http.MethodGet, c.Space + "/folders", nil, 200, 200, 200},
		{http.MethodPost, c.Space + "/folders", map[string]any{"name": "x"}, 201, 201, 201},
		{http.MethodGet, c.Space + "/modes", nil, 200, 200, 200},
		{http.MethodPost, c.Space + "/modes", mode, 403, 201, 409},
		{http.MethodGet, c.Space + "/invites", nil, 403, 200, 200},
		{http.MethodPost, c.Space + "/invites", map[string]any{"email": "guest@example.com", "role": "member"}, 403, 201, 201},
		{http.MethodPost, c.Space + "/invites", map[string]any{"email": "boss@example.com", "role": "owner"}, 403, 403, 201},
		{http.MethodPatch, c.Space, map[string]any{"name": "Company & Co", "creditLimit": nil}, 403, 200, 200},
		{http.MethodPatch, c.Space, map[string]any{"commandHosts": []string{"registry.npmjs.org"}}, 403, 200, 200},
		{http.MethodGet, c.Space + "/audit", nil, 403, 200, 200},
		{http.MethodPost, c.Space + "/transfer", map[string]any{"userId": c.Member.User.ID}, 403, 403, 200},
	} {
		for p, want := range map[*storytest.Caller]int{c.Member: call.member, c.Admin: call.admin} {
			if got := p.Do(call.method, call.path, call.body); got.Status != want {
				c.T.Errorf("%s %s by %s: got %d %.300s, want %d", call.method, call.path, p.User.Email, got.Status, got.Body, want)
			}
		}
		if got := c.Owner.Do(call.method, call.path, call.body); got.Status != call.forOwn {
			c.T.Errorf("%s %s by the owner: got %d %.300s, want %d", call.method, call.path, got.Status, got.Body, call.forOwn)
		}
	}
}

// changeHands begins with the member as the owner, after the transfer, and the
// owner as an admin.
func changeHands(c *storytest.Company) {
	c.T.Helper()
	wantRoles(c, map[*storytest.Caller]core.Role{c.Owner: core.RoleAdmin, c.Admin: core.RoleAdmin, c.Member: core.RoleOwner})
	boss := c.Member
	boss.Refused(http.StatusConflict, core.CodeConflict, http.MethodDelete, memberPath(c, boss), nil)
	boss.Refused(http.StatusConflict, core.CodeConflict, http.MethodPatch, memberPath(c, boss), map[string]any{"role": "member"})
	boss.Must(http.StatusOK, http.MethodPatch, memberPath(c, c.Owner), map[string]any{"role": "owner"}, nil)
	boss.Must(http.StatusNoContent, http.MethodDelete, memberPath(c, boss), nil, nil)
	boss.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, c.Space, nil)
	c.Owner.Must(http.StatusOK, http.MethodPatch, memberPath(c, c.Admin), map[string]any{"role": "member"}, nil)
	c.Admin.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodGet, c.Space+"/invites", nil)
	c.Owner.Must(http.StatusNoContent, http.MethodDelete, memberPath(c, c.Admin), nil, nil)
	c.Admin.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, c.Space+"/members", nil)
	wantRoles(c, map[*storytest.Caller]core.Role{c.Owner: core.RoleOwner})
}

// checkRecords checks the audit log of all that.
func checkRecords(c *storytest.Company) {
	c.T.Helper()
	var lines []string
	for _, entry := range auditLog(c.Owner, "50") {
		lines = append(lines, fmt.Sprintf("%s %s", entry.Action, entry.Target))
	}
	for _, want := range []string{
		"workspace.created Company", "workspace.updated name: Company & Co, creditLimit: unlimited",
		"invite.created " + c.Member.User.Email + ": member", "member.joined " + c.Member.User.Email + ": member",
		"workspace.transferred " + c.Member.User.Email, "member.role_changed " + c.Owner.User.Email + ": admin → owner",
		"member.removed " + c.Member.User.Email, "member.role_changed " + c.Admin.User.Email + ": admin → member",
	} {
		if !slices.Contains(lines, want) {
			c.T.Errorf("got the log\n%s\nwant a line %q", strings.Join(lines, "\n"), want)
		}
	}
}

// TestWhatSomebodyWhoLeftMadeStaysWithTheCompany keeps private projects from being
// lost, and from everybody but admins.
func TestWhatSomebodyWhoLeftMadeStaysWithTheCompany(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := storytest.NewCompany(program.Serve(t))
			other := c.SignUp()
			c.Hire(other, core.RoleMember)
			w := c.Member.Create("static-html")
			w.Must(http.StatusOK, http.MethodPatch, w.Path(""), map[string]any{"visibility": "private"}, nil)
			c.Member.Must(http.StatusNoContent, http.MethodDelete, memberPath(c, c.Member), nil, nil)
			c.Member.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, w.Path(""), nil)
			other.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, w.Path(""), nil)
			c.Admin.Must(http.StatusOK, http.MethodGet, w.Path("/files/index.html"), nil, nil)
			c.Admin.WantFound("?workspaceId="+string(w.WorkspaceID), w.ID)
		})
	}
}

// TestFoldersHoldProjects plays projects in folders against every program.
func TestFoldersHoldProjects(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := program.Serve(t).SignUp()
			space := "/workspaces/" + string(c.Workspace)
			var top, below core.Folder
			c.Must(http.StatusCreated, http.MethodPost, space+"/folders", map[string]any{"name": "Top"}, &top)
			c.Must(http.StatusCreated, http.MethodPost, space+"/folders", map[string]any{"name": "Below", "parentId": top.ID}, &below)
			var first, second core.Project
			c.Must(http.StatusCreated, http.MethodPost, space+"/projects", map[string]any{"name": "First", "folderId": top.ID}, &first)
			c.Must(http.StatusCreated, http.MethodPost, space+"/projects", map[string]any{"name": "Second"}, &second)
			if first.FolderID == nil || *first.FolderID != top.ID || second.FolderID != nil {
				t.Errorf("got the folders %v and %v", first.FolderID, second.FolderID)
			}
			c.WantFound("?folderId="+string(top.ID), first.ID)
			c.WantFound("?folderId=none", second.ID)
			c.Must(http.StatusOK, http.MethodPatch, "/projects/"+string(second.ID), map[string]any{"folderId": below.ID}, nil)
			c.WantFound("?folderId="+string(below.ID), second.ID)
			c.Must(http.StatusNoContent, http.MethodDelete, "/folders/"+string(top.ID), nil, nil)
			c.WantFound("?folderId=none", first.ID)
			c.Must(http.StatusOK, http.MethodPatch, "/projects/"+string(second.ID), map[string]any{"folderId": nil}, nil)
			c.WantFound("?folderId=none", second.ID, first.ID)
			var list struct{ Items []core.Folder }
			c.Must(http.StatusOK, http.MethodGet, space+"/folders", nil, &list)
			if len(list.Items) != 1 || list.Items[0].ID != below.ID || list.Items[0].ParentID != nil {
				t.Errorf("got %+v, want the folder below in the root", list.Items)
			}
		})
	}
}

// TestModesSurviveTheDatabase stores and reads a mode on every program.
func TestModesSurviveTheDatabase(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := program.Serve(t).SignUp()
			modes := "/workspaces/" + string(c.Workspace) + "/modes"
			var made, changed core.Mode
			c.Must(http.StatusCreated, http.MethodPost, modes, map[string]any{"name": "Über/setzen", "prompt": "Translate.\n", "tools": []string{"write_file", "read_file"}}, &made)
			c.Must(http.StatusOK, http.MethodPatch, modes+"/%C3%9Cber%2Fsetzen", map[string]any{"tools": []string{}, "model": "small"}, &changed)
			if changed.Prompt != "Translate.\n" || *changed.Model != "small" || !slices.Equal(made.Tools, []string{"write_file", "read_file"}) {
				t.Errorf("got %+v and %+v", made, changed)
			}
			if got := c.Do(http.MethodGet, modes, nil); !strings.Contains(string(got.Body), `"tools":[]`) {
				t.Errorf("got %s, want no tools as an empty list", got.Body)
			}
			c.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, modes, map[string]any{"name": "Über/setzen", "prompt": "x", "tools": []string{}})
		})
	}
}
