package browser

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/atelierhq/atelier/core"
)

// providers are those of an environment by their name.
func (p *project) providers(env core.DataEnv) map[string]core.SignInProvider {
	p.t.Helper()
	var settings struct{ Items []core.SignInProvider }
	p.call(http.StatusOK, http.MethodGet, p.path("/backend/"+string(env)+"/providers"), nil, &settings)
	found := map[string]core.SignInProvider{}
	for _, one := range settings.Items {
		found[one.Name] = one
	}
	return found
}

// wrong waits for the focus in a field that says what is wrong with it.
func (p *tab) wrong(label, said string) {
	p.t.Helper()
	field := named("textbox", label)
	p.until("what is wrong with "+label, `document.activeElement === `+field+` && `+field+`.getAttribute('aria-describedby')?.split(' ').some((id) => document.getElementById(id).textContent.includes('`+said+`')) === true`)
}

// setUpSignIn adds providers, changes one, and removes one.
func setUpSignIn(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).book()
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "Sign-in")
	p.sees("No providers yet")
	p.sees(s.url + "/sign-ins/" + string(project.ID) + "/oauth2-redirect")
	p.looks("sign-in none", axe)

	p.tabTo("Add provider")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("the focus in the choice", `document.activeElement === `+named("combobox", "Provider"))
	p.sees("In the Google Cloud console")
	p.press("button", "Save")
	p.wrong("Client ID", "This can’t be empty.")
	p.looks("sign-in missing", axe)
	p.tabTo("Client ID")
	p.do(chromedp.KeyEvent("shop.apps.example"))
	p.tabTo("Client secret")
	p.do(chromedp.KeyEvent("a very secret secret"))
	p.do(chromedp.KeyEvent(kb.Enter))
	p.sees("Provider saved.")
	p.until("the form gone, the focus back", `document.querySelector('dialog[open]') === null && document.activeElement.textContent.includes('Add provider')`)
	p.sees("secret stored")
	if got := project.providers(core.DataTest)["google"]; got.ClientID != "shop.apps.example" {
		t.Errorf("got %+v, want what was entered", got)
	}
	enterAnyProvider(p)
	p.looks("sign-in", axe)
	changeProvider(t, p, project, axe)

	p.press("button", "Remove: Google")
	p.sees("Remove Google?")
	p.looks("sign-in remove", axe)
	p.press("button", "Remove")
	p.sees("Provider removed")
	p.until("one row", `document.querySelectorAll('.signin').length === 1`)
	if got := project.providers(core.DataTest); len(got) != 1 || len(project.providers(core.DataLive)) != 0 {
		t.Errorf("got %v of the test data, want one there and none of the live data", got)
	}
	p.press("button", "Ask the agent for the buttons")
	p.until("the request in the composer", `document.querySelector('.composer textarea').value.includes('signing in with Example ID')`)
	p.wantQuiet()
}

// enterAnyProvider adds one that has no addresses of its own.
func enterAnyProvider(p *tab) {
	p.t.Helper()
	p.press("button", "Add provider")
	p.pick("Provider", "Other (OpenID Connect)")
	p.sees("/.well-known/openid-configuration")
	p.fill("Client ID", "shop")
	p.fill("Client secret", "another secret")
	p.fill("Name on the button", "Example ID")
	p.fill("Authorization URL", "http://id.example/auth")
	p.fill("Token URL", "https://id.example/token")
	p.fill("User info URL", "https://id.example/me")
	p.press("button", "Save")
	p.wrong("Authorization URL", "begins with https://")
	p.fill("Authorization URL", "https://id.example/auth")
	p.press("button", "Save")
	p.until("two rows", `document.querySelector('dialog[open]') === null && document.querySelectorAll('.signin').length === 2`)
}

// changeProvider keeps the secret, until it would go to another address.
func changeProvider(t *testing.T, p *tab, project *project, axe string) {
	t.Helper()
	p.press("button", "Change: Example ID")
	p.sees("A secret is stored.")
	p.fill("Authorization URL", "https://id.example/authorize")
	p.press("button", "Save")
	p.until("the form gone", `document.querySelector('dialog[open]') === null`)
	if got := project.providers(core.DataTest)["oidc"]; got.AuthURL != "https://id.example/authorize" || got.ClientID != "shop" {
		t.Errorf("got %+v, want the new address with the kept secret", got)
	}
	p.press("button", "Change: Example ID")
	p.fill("Token URL", "https://id.example/tokens")
	p.sees("Enter the secret again")
	p.press("button", "Save")
	p.wrong("Client secret", "Enter the secret again")
	p.looks("sign-in again", axe)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.sees("Discard what you entered?")
	p.press("button", "Discard")
	p.until("the form gone", `document.querySelector('dialog[open]') === null`)
	if got := project.providers(core.DataTest)["oidc"]; got.TokenURL != "https://id.example/token" {
		t.Errorf("got %+v, want what was discarded not to be there", got)
	}
}

// liveSignInIsForAdmins sets a provider of the live data after a question, and looks at it as a member.
func liveSignInIsForAdmins(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	ada, bob := s.signUp(t), s.signUp(t)
	project := ada.book()
	ada.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(ada.workspace)+"/invites", map[string]string{"email": bob.email, "role": "member"}, nil)
	bob.call(http.StatusOK, http.MethodPost, s.linkMailed(t, bob.email, "/invites/")+"/accept", nil, nil)
	p := c.enterAs(t, ada, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "Live")
	p.press("button", "Sign-in")
	p.sees("You’ll get the address once the project is published.")
	origin := project.publish()
	p.press("button", "Reload")
	p.sees(origin + "/_data/api/oauth2-redirect")
	p.misses("/sign-ins/")
	p.press("button", "Add provider")
	p.pick("Provider", "GitHub")
	p.fill("Client ID", "shop")
	p.fill("Client secret", "a very secret secret")
	p.looks("sign-in live form", axe)
	p.click("dialog[open] [type=submit]") // by mouse: Chromium lets Escape close all dialogs that no person opened
	p.sees("Change how visitors sign in?")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.misses("Change how visitors sign in?")
	if got := project.providers(core.DataLive); len(got) != 0 {
		t.Errorf("got %v after a no, want none", got)
	}
	p.press("button", "Save")
	p.press("button", "Change live sign-in")
	p.sees("secret stored")
	p.looks("sign-in live", axe)
	p.wantQuiet()

	p = c.enterAs(t, bob, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "Live")
	p.press("button", "Sign-in")
	p.sees("For admins only")
	p.lacks("button", "Add provider")
	p.looks("sign-in locked", axe)
	p.wantQuiet()
}

// privateKey is a key as Apple hands it out.
func privateKey(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// signInInGerman reads the view and the form in German.
func signInInGerman(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).book()
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=data")
	p.do(chromedp.Evaluate[chromedp.Void](`localStorage.setItem('atelier.language', 'de')`))
	p.reload()
	p.press("button", "Anmeldung")
	p.sees("Noch keine Anbieter")
	p.press("button", "Anbieter hinzufügen")
	p.pick("Anbieter", "Anderer (OpenID Connect)")
	p.press("button", "Speichern")
	p.wrong("Client-ID", "Das darf nicht leer bleiben.")
	p.looks("german sign-in", axe)
	p.pick("Anbieter", "Apple")
	p.fill("Client-ID", "com.example.shop")
	p.fill("Team-ID", "team")
	p.press("button", "Speichern")
	p.wrong("Team-ID", "10 Großbuchstaben und Ziffern")
	p.looks("german sign-in apple", axe)
	p.fill("Team-ID", "TEAM123456")
	p.fill("Schlüssel-ID", "KEY1234567")
	p.fill("Privater Schlüssel (der Inhalt der .p8-Datei)", privateKey(t))
	p.press("button", "Speichern")
	p.until("the form gone", `document.querySelector('dialog[open]') === null`)
	if got := project.providers(core.DataTest)["apple"]; got.ClientID != "com.example.shop" {
		t.Errorf("got %+v, want Apple with its key", got)
	}
	p.wantQuiet()
}
