package browser

import (
	"net/http"
	"testing"
)

func policyStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"an address is verified before anything else": verifiedAddressesAreRequired,
		"passwords are turned off":                    passwordsAreTurnedOff,
		"a workspace requires two-step verification":  aWorkspaceRequiresTwoSteps,
	}
}

// verifiedAddressesAreRequired plays an admin who requires verified addresses, and somebody without
// one.
func verifiedAddressesAreRequired(t *testing.T, c *chromium, _ *service) {
	axe := fetchAxe(t)
	s := startService(t, "localhost", nil)
	admin, member := s.signUp(t).verify(), s.signUp(t)
	a := c.enterAs(t, admin, "/admin/signup")
	a.press("checkbox", "Require a verified email address")
	a.looks("a verified address required by an admin", axe)
	a.press("button", "Save")
	a.sees("Saved")
	a.wantQuiet()

	p := c.enterAs(t, member, "/settings/profile")
	p.wait("the rule in force", func() bool {
		return evaluate[int](p, `fetch('/workspaces').then((answer) => answer.status)`) == http.StatusForbidden
	})
	p.visit(s.url + "/dashboard")
	p.wantHeading("Verify your email address")
	p.looks("a verified address required", axe)
	p.press("button", "I’ve opened the link")
	p.sees("Your address isn’t verified yet.")
	p.press("button", "Use another address")
	p.sees("New email")
	p.press("button", "Cancel")
	p.press("button", "Send the link again")
	p.sees(member.email)
	p.press("link", "Account settings")
	p.at("/settings/profile")
	p.pardon(http.StatusForbidden)

	p.visit(s.url + s.linkMailed(t, member.email, "/verify-email?token="))
	p.press("button", "Confirm address")
	p.sees("Your email address is verified.")
	p.visit(s.url + "/dashboard")
	p.sees("Your projects will appear here")
	p.pardon(http.StatusForbidden)
	p.wantQuiet()
}

// passwordsAreTurnedOff plays an admin with a passkey who turns passwords off.
func passwordsAreTurnedOff(t *testing.T, c *chromium, _ *service) {
	axe := fetchAxe(t)
	s := startService(t, "localhost", nil)
	admin := s.signUp(t).verify()
	a := c.enterAs(t, admin, "/admin/signup")
	a.press("checkbox", "Allow passwords")
	a.press("button", "Save")
	a.sees("before you turn passwords off")
	a.pardon(http.StatusConflict)
	a.visit(s.url + "/settings/security")
	a.device()
	a.makesPasskey("Key")
	a.visit(s.url + "/admin/signup")
	a.press("checkbox", "Allow passwords")
	a.press("button", "Save")
	a.sees("Saved")
	a.signsOut()
	a.looks("sign-in without passwords", axe)
	a.misses("Forgot password?")
	a.visit(s.url + "/signup")
	a.sees("No passwords here")
	a.looks("sign-up without passwords", axe)
	a.visit(s.url + "/forgot-password")
	a.sees("No passwords here")
	a.visit(s.url + "/login")
	a.press("button", "Sign in with a passkey")
	a.at("/dashboard")
	a.wantQuiet()
}

// aWorkspaceRequiresTwoSteps plays an owner who requires two-step verification of a member, who is led
// to it, works elsewhere, and turns it on.
func aWorkspaceRequiresTwoSteps(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	owner, member := s.signUp(t).verify(), s.signUp(t).verify()
	made := owner.shareWith(member)
	space := "/workspaces/" + string(made.WorkspaceID)
	a := c.enterAs(t, owner, space+"/general")
	a.sees("You don’t have it yourself yet.")
	a.press("link", "Turn it on")
	a.at("/settings/security")
	a.turnsTwoStepOn(axe)
	m := c.enterAs(t, member, "/projects/"+string(made.ID))
	m.sees(made.Name)

	a.visit(s.url + space + "/general")
	a.sees("1 member doesn’t have it:")
	a.press("checkbox", "Require two-step verification")
	a.sees("is shut out at once")
	a.press("button", "Cancel")
	a.press("checkbox", "Require two-step verification")
	a.looks("two-step verification required by a workspace, asked", axe)
	a.agree("Require")
	a.sees("Saved")
	a.looks("two-step verification required by a workspace", axe)
	a.visit(s.url + space + "/members")
	a.sees("No two-step verification")
	a.looks("a member without the required two-step verification", axe)
	a.wantQuiet()

	m.at("/settings/security")
	m.sees("The workspace you opened requires two-step verification.")
	m.looks("two-step verification for a workspace", axe)
	m.pardon(http.StatusForbidden)
	m.visit(s.url + "/workspaces/" + string(member.workspace) + "/members")
	m.sees("Everyone here can see")
	m.visit(s.url + space + "/members")
	m.at("/settings/security")
	m.pardon(http.StatusForbidden)
	m.turnsTwoStepOn(axe)
	m.misses("The workspace you opened requires two-step verification.")
	m.visit(s.url + "/projects/" + string(made.ID))
	m.sees(made.Name)
	m.wantQuiet()
}
