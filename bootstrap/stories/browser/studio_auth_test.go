package browser

import "testing"

func authStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"somebody signs up, signs out and signs in":                 somebodySignsUp,
		"mistakes in a sign-up are named in the reader's language":  mistakesAreNamed,
		"a forgotten password is replaced by mail":                  aPasswordIsForgotten,
		"somebody signs in with GitHub and comes where they wanted": somebodyComesFromGitHub,
		"the studio is read in Spanish":                             theStudioIsReadInSpanish,
		"two steps lead in":                                         twoStepsLeadIn,
		"two steps are required":                                    twoStepsAreRequired,
	}
}

func somebodySignsUp(t *testing.T, c *chromium, s *service) {
	s.signUp(t) // The first account of all has another heading.
	p := c.open(t)
	p.show(1440, 900, "light")
	p.visit(s.url + "/")
	p.wantHeading("Describe an app. Watch it take shape.")
	p.press("link", "Sign in")
	p.wantHeading("Welcome back")
	p.press("link", "Sign up")
	p.wantHeading("Create your account")
	p.fill("Your name", "Grace Hopper")
	p.fill("Email", "grace@example.com")
	p.fill("Password", "long enough")
	p.press("button", "Create account")
	p.until("the dashboard", "location.pathname === '/dashboard'")
	// What the dashboard still asks for would be refused after the sign-out.
	p.sees("Your projects will appear here")
	p.press("button", "Account")
	p.press("menuitem", "Sign out")
	p.wantHeading("Welcome back")
	p.wantQuiet()

	p.fill("Email", "grace@example.com")
	p.fill("Password", "something else")
	p.press("button", "Sign in")
	p.sees("Wrong email or password.")
	p.fill("Password", "long enough")
	p.press("button", "Sign in")
	p.until("the dashboard", "location.pathname === '/dashboard'")
}

func mistakesAreNamed(t *testing.T, c *chromium, s *service) {
	s.signUp(t) // The first account of all has another heading.
	p := c.open(t)
	p.show(1440, 900, "light")
	p.visit(s.url + "/signup")
	p.press("button", "Create account")
	p.sees("Enter your email address.")
	p.sees("Fill in this field.")
	p.until("the focus at the first mistake", "document.activeElement?.type === 'email' && document.activeElement.getAttribute('aria-invalid') === 'true'")
	p.fill("Email", "ada")
	p.sees("Enter a complete email address")
	p.fill("Email", "mistakes@example.com")
	p.misses("Enter a complete email address")
	p.fill("Password", "short")
	p.sees("Use at least 8 characters (5 so far).")
	p.press("button", "Show password")
	p.until("the password in sight", named("textbox", "Password")+"?.type === 'text'")
	p.press("button", "Hide password")
	p.until("the password hidden", named("textbox", "Password")+"?.type === 'password'")
	p.press("button", "Language")
	p.press("menuitem", "Deutsch")
	p.wantHeading("Konto anlegen")
	p.fill("E-Mail", "mistakes@example.com")
	p.fill("Passwort", "kurz")
	p.press("button", "Konto anlegen")
	p.sees("Nehmen Sie mindestens 8 Zeichen. Bisher sind es 4.")
	p.fill("Passwort", "lang genug")
	p.press("button", "Konto anlegen")
	p.at("/dashboard")
	p.wantQuiet()
}

func aPasswordIsForgotten(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	p := c.open(t)
	p.show(1440, 900, "light")
	p.visit(s.url + "/login")
	p.press("link", "Forgot password?")
	p.fill("Email", u.email)
	p.press("button", "Email me a link")
	p.sees("a link is on its way")
	link := s.linkMailed(t, u.email, "/reset-password?token=")
	p.visit(s.url + link)
	p.wantHeading("Choose a new password")
	p.fill("New password", "something longer")
	p.press("button", "Set password")
	p.sees("Your password was changed.")
	p.press("link", "Sign in")
	p.wantHeading("Welcome back")
	p.fill("Email", u.email)
	p.fill("Password", "something longer")
	p.press("button", "Sign in")
	p.until("the dashboard", "location.pathname === '/dashboard'")
	p.wantQuiet()

	// The link works once.
	p.visit(s.url + link)
	p.fill("New password", "yet another one")
	p.press("button", "Set password")
	p.sees("This link was already used or has expired.")
}

func somebodyComesFromGitHub(t *testing.T, c *chromium, _ *service) {
	s := startWithGitHub(t)
	p := c.open(t)
	p.show(1440, 900, "light")
	p.visit(s.url + "/settings/profile")
	p.wantHeading("Welcome back")
	p.press("link", "Continue with GitHub")
	p.until("their name", "document.querySelector('input')?.value === 'Ada'")
	if at := evaluate[string](p, "location.pathname"); at != "/settings/profile" {
		t.Errorf("got to %s, want the page that was asked for", at)
	}
	p.wantQuiet()
}

// theStudioIsReadInSpanish chooses a language that is a folder of texts and nothing else.
func theStudioIsReadInSpanish(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).create("static-html")
	p := c.enterAs(t, project.user, "/settings/appearance")
	p.press("radio", "Español")
	p.sees("Se aplica a este navegador")
	p.looks("appearance in Spanish", axe)
	for path, words := range map[string]string{
		"/dashboard": "¿Qué quieres crear?",
		"/workspaces/" + string(project.WorkspaceID) + "/members": "Qué puede hacer cada rol",
		"/projects/" + string(project.ID) + "?pane=versions":      "Se conservan todos los estados de tu proyecto",
		"/projects/" + string(project.ID) + "?pane=publish":       "Despliegues",
	} {
		p.visit(s.url + path)
		p.sees(words)
		p.looks("Spanish "+words, axe)
	}
	p.wantQuiet()
}
