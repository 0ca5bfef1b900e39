package browser

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
)

// appCode is what an authenticator app shows some steps of time from now.
func appCode(t *testing.T, secret string, steps int) string {
	t.Helper()
	code, err := memory.NewTimeCodes().Code(secret, core.At(time.Now().Add(time.Duration(steps)*30*time.Second)))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// twoStepsLeadIn turns two-step verification on, signs in with a code and with a recovery
// code, and turns it off.
func twoStepsLeadIn(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	u := s.signUp(t)
	p := c.enterAs(t, u, "/settings/security")
	p.sees("Verify your email address first")
	p.looks("two-step, not verified", axe)
	p.visit(s.url + s.linkMailed(t, u.email, "/verify-email?token="))
	p.press("button", "Confirm address")
	p.sees("Your email address is verified.")
	p.visit(s.url + "/settings/security")
	secret, codes := p.turnsTwoStepOn(axe)
	p.signsOut()

	p.firstStep(u.email)
	p.looks("second step", axe)
	p.fill("Code from the app", "12345")
	p.press("button", "Sign in")
	p.sees("This code is wrong or was already used.")
	p.fill("Code from the app", appCode(t, secret, 1))
	p.press("button", "Sign in")
	p.at("/dashboard")
	p.signsOut()

	p.firstStep(u.email)
	p.press("button", "Use a recovery code")
	p.looks("second step with a recovery code", axe)
	p.fill("Recovery code", strings.ToUpper(codes[0]))
	p.press("button", "Sign in")
	p.at("/dashboard")
	p.pardon(http.StatusUnauthorized)

	p.visit(s.url + "/settings/security")
	p.sees("9 recovery codes left")
	p.sees("With two-step verification")
	p.press("button", "New recovery codes")
	p.sees("The codes you have now will stop working.")
	p.fill("Current password", "long enough")
	p.press("button", "Create codes")
	p.sees("they’re shown only once")
	p.press("button", "I’ve saved them")
	p.sees("10 recovery codes left")
	p.press("button", "Turn off")
	p.looks("two-step off", axe)
	p.fill("Current password", "long enough")
	p.agree("Turn off")
	p.sees("Two-step verification is off.")
	p.wantQuiet()
}

// turnsTwoStepOn sets an app up, and returns its secret and the recovery codes.
func (p *tab) turnsTwoStepOn(axe string) (secret string, codes []string) {
	p.t.Helper()
	p.press("button", "Turn on")
	p.sees("so that we know it’s you")
	p.fill("Current password", "not this one")
	p.press("button", "Next")
	p.sees("This isn’t your current password.")
	p.fill("Current password", "long enough")
	p.press("button", "Next")
	p.sees("Set up the app")
	p.until("the QR code", `document.querySelector('dialog svg.qr[role=img] path')?.getAttribute('d').length > 1000`)
	p.looks("two-step setup", axe)
	secret = evaluate[string](p, `document.querySelector('dialog .copyable code').textContent`)
	p.fill("Code from the app", "12345")
	p.agree("Turn on")
	p.sees("This code is wrong.")
	p.pardon(http.StatusUnauthorized)
	p.fill("Code from the app", appCode(p.t, secret, 0))
	p.agree("Turn on")
	p.sees("they’re shown only once")
	p.looks("recovery codes", axe)
	codes = evaluate[[]string](p, `[...document.querySelectorAll('dialog .recovery code')].map((e) => e.textContent)`)
	if len(codes) != core.RecoveryCodes {
		p.t.Fatalf("got the recovery codes %q, want ten", codes)
	}
	folder := p.downloads()
	p.press("button", "Download")
	p.wait("the file of the codes", func() bool {
		saved, err := os.ReadFile(filepath.Join(folder, "atelier-recovery-codes.txt"))
		return err == nil && string(saved) == strings.Join(codes, "\n")+"\n"
	})
	p.press("button", "I’ve saved them")
	p.sees("10 recovery codes left")
	p.looks("two-step on", axe)
	p.show(1440, 900, "light")
	return secret, codes
}

func (p *tab) signsOut() {
	p.t.Helper()
	p.show(1440, 900, "light")
	p.press("button", "Account")
	p.press("menuitem", "Sign out")
	p.wantHeading("Welcome back")
}

// firstStep signs in with the password, as far as that leads.
func (p *tab) firstStep(email string) {
	p.t.Helper()
	p.fill("Email", email)
	p.fill("Password", "long enough")
	p.press("button", "Sign in")
	p.sees("Enter the code that your authenticator app shows.")
}

// twoStepsAreRequired plays an admin who requires two-step verification, and somebody without it.
func twoStepsAreRequired(t *testing.T, c *chromium, _ *service) {
	axe := fetchAxe(t)
	s := startService(t, "localhost", nil)
	admin, member := s.signUp(t).verify(), s.signUp(t).verify()
	a := c.enterAs(t, admin, "/settings/security")
	a.turnsTwoStepOn(axe)
	a.visit(s.url + "/admin/signup")
	a.press("checkbox", "Require two-step verification")
	a.looks("two-step required by an admin", axe)
	a.press("button", "Save")
	a.sees("Saved")
	a.wantQuiet()

	p := c.enterAs(t, member, "/settings/profile")
	p.wait("the rule in force", func() bool {
		return evaluate[int](p, `fetch('/workspaces').then((answer) => answer.status)`) == http.StatusForbidden
	})
	p.pardon(http.StatusForbidden)
	p.visit(s.url + "/dashboard")
	p.at("/settings/security")
	p.sees("This service requires two-step verification.")
	p.looks("two-step required", axe)
	p.pardon(http.StatusForbidden)
	p.turnsTwoStepOn(axe)
	p.misses("This service requires two-step verification.")
	p.press("link", "Projects")
	p.sees("Your projects will appear here")
	p.wantQuiet()
}
