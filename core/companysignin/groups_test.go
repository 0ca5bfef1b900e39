package companysignin_test

import (
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/companysignin"
)

func TestGroupsGiveRolesAndTakeThem(t *testing.T) {
	h := newHouse(t, core.SignupOpen)
	own, dev := h.team("Own"), h.team("Dev")
	h.provider(at("x.example"), func(i *companysignin.Input) {
		i.Mappings = &[]core.GroupMapping{
			{Group: "dev", WorkspaceID: dev.ID, Role: core.RoleMember}, {Group: "/lead", WorkspaceID: dev.ID, Role: core.RoleOwner},
			{Group: "dev", WorkspaceID: own.ID, Role: core.RoleAdmin},
		}
	})
	come := func(groups ...string) core.ID {
		t.Helper()
		outcome, err := h.arrive("acme", person("ada@x.example", groups...))
		h.must(err)
		return outcome.Session.User.ID
	}
	ada := come("/dev")
	h.wantRole("a group of Keycloak's", dev, ada, core.RoleMember)
	h.wantRole("another workspace of the group", own, ada, core.RoleAdmin)
	come("dev", "lead")
	h.wantRole("the highest of two", dev, ada, core.RoleOwner)
	h.put(dev, h.admin.UserID, core.RoleAdmin)
	come("dev")
	h.wantRole("the last owner", dev, ada, core.RoleOwner)
	h.put(dev, h.admin.UserID, core.RoleOwner)
	come("dev")
	h.wantRole("one of two owners", dev, ada, core.RoleMember)
	h.put(own, ada, core.RoleOwner)
	come()
	h.wantRole("without groups", dev, ada, core.RoleNone)
	h.wantRole("a role that a person gave", own, ada, core.RoleOwner)
	come("DEV", "dev/x", "x/dev")
	h.wantRole("other groups", dev, ada, core.RoleNone)

	h.put(dev, ada, core.RoleMember)
	come("lead")
	h.wantRole("more than what one has by oneself", dev, ada, core.RoleOwner)
	come()
	h.wantRole("what one has by oneself", dev, ada, core.RoleMember)
	come("lead")
	h.must(h.store.Tables().Members.Remove(t.Context(), dev.ID, ada))
	come()
	h.wantRole("whom a person removed", dev, ada, core.RoleNone)
}

func TestAFullWorkspaceStaysFull(t *testing.T) {
	h := newHouse(t, core.SignupOpen)
	space := h.team("Dev")
	h.put(space, h.signUp("a@y.example").ID, core.RoleMember)
	h.put(space, h.signUp("b@y.example").ID, core.RoleMember)
	h.provider(func(i *companysignin.Input) {
		i.Mappings = &[]core.GroupMapping{{Group: "dev", WorkspaceID: space.ID, Role: core.RoleMember}}
	})
	outcome, err := h.arrive("acme", person("ada@x.example", "dev"))
	h.must(err)
	h.wantRole("one too many", space, outcome.Session.User.ID, core.RoleNone)
	entries, err := h.store.Tables().Audit.List(t.Context(), space.ID, core.Page{Limit: 10})
	refused := slices.ContainsFunc(entries, func(e core.AuditEntry) bool { return e.Action == core.AuditGroupRefused })
	if err != nil || !refused {
		t.Errorf("got %+v, %v, want the refusal in the log", entries, err)
	}
}

func TestWhoConfiguresAProvider(t *testing.T) {
	h := newHouse(t, core.SignupOpen)
	space := h.team("Dev")
	view := h.provider()
	bob := core.Actor{UserID: h.signUp("bob@x.example").ID}
	_, err := h.List(t.Context(), bob)
	h.wantCode("a list for somebody else", err, core.CodeForbidden)
	_, err = h.Update(t.Context(), bob, view.ID, companysignin.Input{Only: new(true)})
	h.wantCode("a change by somebody else", err, core.CodeForbidden)
	h.wantCode("a deletion by somebody else", h.Delete(t.Context(), bob, view.ID), core.CodeForbidden)
	_, err = h.Test(t.Context(), bob, view.ID)
	h.wantCode("a test by somebody else", err, core.CodeForbidden)
	_, home, err := h.Accounts.SignUp(t.Context(), from, newAccount("carol@x.example"))
	h.must(err)
	for name, c := range map[string]struct {
		input companysignin.Input
		want  core.Code
	}{
		"a private address":        {companysignin.Input{Issuer: new("https://10.0.0.1"), ClientSecret: new("x")}, core.CodeForbiddenAddress},
		"metadata of a cloud":      {companysignin.Input{Issuer: new("https://169.254.169.254"), ClientSecret: new("x")}, core.CodeForbiddenAddress},
		"no TLS":                   {companysignin.Input{Issuer: new("http://id.example.com"), ClientSecret: new("x")}, core.CodeValidationFailed},
		"a query":                  {companysignin.Input{Issuer: new("https://id.example.com?x"), ClientSecret: new("x")}, core.CodeValidationFailed},
		"only without a domain":    {companysignin.Input{Only: new(true)}, core.CodeValidationFailed},
		"what is no domain":        {companysignin.Input{Domains: &[]string{"localhost"}}, core.CodeValidationFailed},
		"a scope of two words":     {companysignin.Input{Scopes: &[]string{"a b"}}, core.CodeValidationFailed},
		"an empty group":           {mapped("/", space.ID, core.RoleMember), core.CodeValidationFailed},
		"a role of nobody":         {mapped("dev", space.ID, "king"), core.CodeValidationFailed},
		"somebody's own workspace": {mapped("dev", home.Workspace.ID, core.RoleMember), core.CodeValidationFailed},
		"a workspace of nobody":    {mapped("dev", core.NewID(), core.RoleMember), core.CodeValidationFailed},
		"an empty secret":          {companysignin.Input{ClientSecret: new("")}, core.CodeValidationFailed},
	} {
		_, err := h.Update(t.Context(), h.admin, view.ID, c.input)
		h.wantCode(name, err, c.want)
	}
	_, err = h.Update(t.Context(), h.admin, view.ID, mapped("dev", space.ID, core.RoleAdmin))
	h.must(err)
	entries, err := h.store.Tables().Audit.List(t.Context(), space.ID, core.Page{Limit: 1})
	if err != nil || len(entries) != 1 || entries[0].Action != core.AuditGroupMapped {
		t.Errorf("got %+v, %v, want the mapping in the log of its workspace", entries, err)
	}
}

func mapped(group string, space core.ID, role core.Role) companysignin.Input {
	return companysignin.Input{Mappings: &[]core.GroupMapping{{Group: group, WorkspaceID: space, Role: role}}}
}
