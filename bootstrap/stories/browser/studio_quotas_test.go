package browser

import (
	"net/http"
	"testing"
)

// anAdminGivesQuotas: an admin bounds somebody's workspace to one project, its usage says so, the
// second project is refused, and the admin takes the bound back.
func anAdminGivesQuotas(t *testing.T, c *chromium, _ *service) {
	axe := fetchAxe(t)
	s := startService(t, "localhost", nil)
	admin, member := s.signUp(t), s.signUp(t)
	member.create("static-html")
	a := c.enterAs(t, admin, "/admin/workspaces")
	a.fill("Search by name or owner", member.email)
	a.until("one workspace", `document.querySelectorAll('main .rows .row').length === 1`)
	a.press("button", "Change quotas of")
	a.fill("Projects in a workspace", "1")
	a.looks("quotas of a workspace", axe)
	a.press("button", "Save")
	a.sees("Projects: 1 of 1")

	p := c.enterAs(t, member, "/workspaces/"+string(member.workspace)+"/usage")
	p.sees("1 of 1")
	p.sees("The workspace is full.")
	p.looks("usage of a full workspace", axe)
	member.call(http.StatusConflict, http.MethodPost, "/workspaces/"+string(member.workspace)+"/projects", map[string]string{"name": "Second"}, nil)
	p.wantQuiet()

	a.press("button", "Change quotas of")
	a.fill("Projects in a workspace", "")
	a.press("button", "Save")
	a.sees("Projects: 1 of 500")
	a.wantQuiet()
	member.create("static-html")
}
