package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/webauthn"
)

func passkeyStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"a passkey leads in, until it is deleted":    aPasskeyLeadsIn,
		"a passkey is the second step, as an app is": aPasskeyIsTheSecondStep,
		"a page without passkeys says what to do":    passkeysNeedASecurePage,
		"a browser without passkeys offers none":     anOldBrowserHasNoPasskeys,
		"passkeys are enough where two are required": passkeysAreEnough,
	}
}

// device plugs in an authenticator whose owner always agrees, as phones and laptops have one.
func (p *tab) device() webauthn.AuthenticatorID {
	p.t.Helper()
	send(p, webauthn.Enable, webauthn.EnableParams{})
	return send(p, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}}).AuthenticatorID
}

// verify proves the address of a person.
func (u *user) verify() *user {
	u.t.Helper()
	_, token, _ := strings.Cut(u.linkMailed(u.t, u.email, "/verify-email?token="), "token=")
	u.call(http.StatusOK, http.MethodPost, "/auth/verify-email", map[string]string{"token": token}, nil)
	return u
}

// makesPasskey adds the first passkey of a person, and returns the recovery codes.
func (p *tab) makesPasskey(name string) (codes []string) {
	p.t.Helper()
	p.press("button", "Add a passkey")
	p.fill("Current password", "long enough")
	p.press("button", "Next")
	p.fill("Name", name)
	p.press("button", "Create passkey")
	p.sees("they’re shown only once")
	codes = evaluate[[]string](p, `[...document.querySelectorAll('dialog .recovery code')].map((e) => e.textContent)`)
	p.press("button", "I’ve saved them")
	p.sees("10 recovery codes left")
	return codes
}

// refuses lets the owner of a device refuse, or agree again.
func (p *tab) refuses(device webauthn.AuthenticatorID, is bool) {
	p.t.Helper()
	send(p, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: device, IsUserVerified: !is})
}

// nothingSaid waits for a button to be ready again, and wants no message beside it.
func (p *tab) nothingSaid(button string) {
	p.t.Helper()
	p.until("the button "+button, named("button", button)+"?.disabled === false")
	if said := evaluate[string](p, `document.querySelector('.banner--error')?.textContent ?? ''`); said != "" {
		p.t.Errorf("got %q after a refusal, want nothing", said)
	}
}

func aPasskeyLeadsIn(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	u := s.signUp(t)
	p := c.enterAs(t, u, "/settings/security")
	laptop := p.device()
	p.sees("Passkeys")
	p.until("why there is none", `document.querySelector('[aria-labelledby=passkeys] .banner')?.textContent.includes('Verify your email address first') === true`)
	p.visit(s.url + s.linkMailed(t, u.email, "/verify-email?token="))
	p.press("button", "Confirm address")
	p.sees("Your email address is verified.")
	p.visit(s.url + "/settings/security")
	p.until("the button", named("button", "Add a passkey")+" !== null")
	p.looks("passkeys none", axe)
	p.pictures("passkeys none")
	p.press("button", "Add a passkey")
	p.fill("Current password", "not this one")
	p.press("button", "Next")
	p.sees("This isn’t your current password.")
	p.pardon(http.StatusUnauthorized)
	p.fill("Current password", "long enough")
	p.press("button", "Next")
	p.until("a name for it", "document.activeElement?.value === 'Linux computer'")
	p.looks("passkey name", axe)
	p.refuses(laptop, true)
	p.press("button", "Create passkey")
	p.nothingSaid("Create passkey")
	p.refuses(laptop, false)
	p.fill("Name", "Work laptop")
	p.press("button", "Create passkey")
	p.sees("they’re shown only once")
	p.press("button", "I’ve saved them")
	p.sees("Your passkeys are the second step after your password.")
	p.sees("10 recovery codes left")
	p.sees("Never used")
	p.looks("passkeys one", axe)
	p.pictures("passkeys one")

	p.signsOut()
	p.looks("sign-in with a passkey", axe)
	p.refuses(laptop, true)
	p.press("button", "Sign in with a passkey")
	p.nothingSaid("Sign in with a passkey")
	p.refuses(laptop, false)
	p.press("button", "Sign in with a passkey")
	p.at("/dashboard")
	p.visit(s.url + "/settings/security")
	p.sees("Last used just now")
	p.anotherPasskey(laptop, axe)
	p.passkeysGo(axe)
	p.wantQuiet()
}

// anotherPasskey adds one on another device: this one has one already.
func (p *tab) anotherPasskey(laptop webauthn.AuthenticatorID, axe string) {
	p.t.Helper()
	p.press("button", "Add a passkey")
	p.fill("Current password", "long enough")
	p.looks("passkey by a passkey", axe)
	p.press("button", "Use a code instead")
	p.fill("Code", "123456")
	p.press("button", "Next")
	p.sees("The password or the code is wrong.")
	p.pardon(http.StatusUnauthorized)
	p.press("button", "Use a passkey")
	p.press("button", "Confirm with a passkey")
	p.press("button", "Create passkey")
	p.sees("This device already has a passkey for your account.")
	p.looks("passkey exists", axe)
	send(p, webauthn.RemoveVirtualAuthenticator, webauthn.RemoveVirtualAuthenticatorParams{AuthenticatorID: laptop})
	p.device()
	p.press("button", "Create passkey")
	p.sees("The passkey " + isolated("Linux computer") + " was added.")
	p.until("both", `document.querySelectorAll('[aria-labelledby=passkeys] .row').length === 2`)
}

// passkeysGo deletes two, and signs in with the last one in vain.
func (p *tab) passkeysGo(axe string) {
	p.t.Helper()
	p.press("button", "Delete "+isolated("Work laptop"))
	p.sees("You’ll no longer be able to sign in with it.")
	p.misses("It’s your last passkey")
	p.fill("Current password", "not this one")
	p.agree("Delete passkey")
	p.sees("This isn’t your current password.")
	p.pardon(http.StatusUnauthorized)
	p.fill("Current password", "long enough")
	p.agree("Delete passkey")
	p.until("one", `document.querySelector('dialog[open]') === null && document.querySelectorAll('[aria-labelledby=passkeys] .row').length === 1`)
	p.press("button", "Delete "+isolated("Linux computer"))
	p.sees("It’s your last passkey")
	p.looks("passkey delete", axe)
	p.fill("Current password", "long enough")
	p.agree("Delete passkey")
	p.until("none", `document.querySelector('dialog[open]') === null && document.querySelectorAll('[aria-labelledby=passkeys] .row').length === 0`)
	p.until("no second step", named("button", "Turn on")+" !== null")
	p.signsOut()
	p.press("button", "Sign in with a passkey")
	p.sees("This passkey doesn’t work here.")
	p.pardon(http.StatusUnauthorized)
	p.looks("sign-in with a deleted passkey", axe)
}

func aPasskeyIsTheSecondStep(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	u := s.signUp(t).verify()
	p := c.enterAs(t, u, "/settings/security")
	laptop := p.device()
	codes := p.makesPasskey("Work laptop")
	p.signsOut()
	p.passesPassword(u.email)
	p.until("the focus", `document.activeElement?.textContent === 'Use a passkey'`)
	p.looks("second step with a passkey", axe)
	p.refuses(laptop, true)
	p.press("button", "Use a passkey")
	p.nothingSaid("Use a passkey")
	p.refuses(laptop, false)
	p.press("button", "Use a passkey")
	p.at("/dashboard")
	p.signsOut()

	p.passesPassword(u.email)
	p.lacks("button", "Use the app")
	p.press("button", "Use a recovery code")
	p.looks("second step with a recovery code", axe)
	p.fill("Recovery code", codes[0])
	p.press("button", "Sign in")
	p.at("/dashboard")

	p.visit(s.url + "/settings/security")
	p.sees("9 recovery codes left")
	p.press("button", "Add an app")
	p.fill("Current password", "long enough")
	p.fill("Code", codes[1])
	p.press("button", "Next")
	p.sees("Set up the app")
	secret := evaluate[string](p, `document.querySelector('dialog .copyable code').textContent`)
	p.fill("Code from the app", appCode(t, secret, 0))
	p.agree("Turn on")
	p.press("button", "I’ve saved them")
	p.signsOut()
	p.passesPassword(u.email)
	p.press("button", "Use the app")
	p.fill("Code from the app", appCode(t, secret, 1))
	p.press("button", "Sign in")
	p.at("/dashboard")
	p.visit(s.url + "/settings/security")
	p.press("button", "Turn off")
	p.sees("Your passkeys and recovery codes remain.")
	p.looks("app beside passkeys off", axe)
	p.fill("Current password", "long enough")
	p.agree("Turn off")
	p.sees("Your passkeys are the second step after your password.")
	p.wantQuiet()
}

// passesPassword signs in with the password, as far as that leads somebody with a passkey.
func (p *tab) passesPassword(email string) {
	p.t.Helper()
	p.fill("Email", email)
	p.fill("Password", "long enough")
	p.press("button", "Sign in")
	p.sees("Confirm with one of your passkeys that it’s you.")
	p.pardon(http.StatusUnauthorized)
}

// passkeysNeedASecurePage opens a service at an address without https.
func passkeysNeedASecurePage(t *testing.T, c *chromium, _ *service) {
	axe := fetchAxe(t)
	s := startService(t, "studio.test", nil)
	u := s.signUp(t).verify()
	p := c.enterAs(t, u, "/settings/security")
	p.sees("Open this page at an address that begins with https://.")
	p.lacks("button", "Add a passkey")
	p.looks("passkeys insecure", axe)
	p.pictures("passkeys insecure")
	p.signsOut()
	p.lacks("button", "Sign in with a passkey")
}

func anOldBrowserHasNoPasskeys(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t).verify()
	p := c.enterAs(t, u, "/settings/appearance")
	send(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: "delete window.PublicKeyCredential"})
	for language, said := range map[string]string{"de": "Dieser Browser kennt keine Passkeys.", "es": "Este navegador no admite llaves de acceso.", "en": "This browser doesn’t support passkeys."} {
		p.visit(s.url + "/settings/appearance")
		p.click(fmt.Sprintf("input[value=%s]", language))
		p.until("the language", fmt.Sprintf("document.documentElement.lang === %q", language))
		p.visit(s.url + "/settings/security")
		p.sees(said)
		p.pictures("passkeys unsupported " + language)
	}
	p.wantQuiet()
}

// passkeysAreEnough plays somebody who has to set up a second factor.
func passkeysAreEnough(t *testing.T, c *chromium, _ *service) {
	s := startService(t, "localhost", nil)
	admin, member := s.signUp(t).verify(), s.signUp(t).verify()
	a := c.enterAs(t, admin, "/settings/security")
	a.device()
	a.makesPasskey("Key")
	a.visit(s.url + "/admin/signup")
	a.press("checkbox", "Require two-step verification")
	a.press("button", "Save")
	a.sees("Saved")
	a.visit(s.url + "/settings/security")
	a.press("button", "Delete "+isolated("Key"))
	a.fill("Current password", "long enough")
	a.agree("Delete passkey")
	a.sees("This service requires two-step verification: set up another way first")
	a.pardon(http.StatusConflict)
	a.wantQuiet()

	p := c.enterAs(t, member, "/settings/profile")
	p.wait("the rule in force", func() bool {
		return evaluate[int](p, `fetch('/workspaces').then((answer) => answer.status)`) == http.StatusForbidden
	})
	p.visit(s.url + "/dashboard")
	p.at("/settings/security")
	p.sees("This service requires two-step verification.")
	p.pardon(http.StatusForbidden)
	p.device()
	p.press("button", "Add a passkey")
	p.press("button", "Cancel")
	p.makesPasskey("Phone")
	p.misses("This service requires two-step verification.")
	p.press("link", "Projects")
	p.sees("Your projects will appear here")
	p.wantQuiet()
}
