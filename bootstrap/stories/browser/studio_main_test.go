package browser

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

func mainStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"somebody who has read nothing comes to a published page": theMainJob,
		"the pane that is chosen last is shown":                   theLastPaneIsShown,
		"the service is below a path of its host":                 theServiceIsBelowAPath,
	}
}

// theMainJob is the main use of the studio in one go: from signing up to a site that
// others can visit. It makes the pictures of the README (`make pictures`).
func theMainJob(t *testing.T, c *chromium, s *service) {
	p := c.open(t)
	p.show(1440, 900, "light")
	p.visit(s.url + "/signup")
	p.fill("Your name", "Ada Lovelace")
	p.fill("Email", fmt.Sprintf("ada%d@example.com", os.Getpid()))
	p.fill("Password", "long enough")
	p.press("button", "Create account")
	p.sees("What do you want to build?")

	p.press("button", "New")
	p.press("menuitem", "From a template")
	p.agreeTo("My reading list", "todo-app")
	p.until("the project", "location.pathname.includes('/projects/')")
	project := "s" + path.Base(evaluate[string](p, "location.pathname"))
	p.until("the preview", `document.querySelector('iframe') !== null`)
	framed := p.frame(strings.TrimSuffix(evaluate[string](p, "new URL(document.querySelector('iframe').src).origin"), "/"))
	framed.until("the template's page", `document.querySelector('h1')?.textContent === 'My todos'`)

	p.ask(`Change the title to "Books to read"`)
	p.answered()
	framed.until("what the agent changed", `document.querySelector('h1')?.textContent === 'Books to read'`)
	p.snapshot("workbench")

	p.beginEditing(framed)
	p.clickIn(framed, "h1")
	p.fill("Color", "#0f766e")
	framed.until("the colour", `getComputedStyle(document.querySelector('h1')).color === 'rgb(15, 118, 110)'`)
	p.until("the colour saved", `document.querySelector('.visual')?.textContent.includes('Saved') !== false`)
	p.snapshot("visual-edit")
	p.pressInBar("Done")

	p.press("tab", "Code")
	p.until("the files", `document.querySelector('[role=tree]') !== null`)
	p.openFile("App.tsx")
	p.until("the change in the code", `document.querySelector('.cm-content')?.textContent.includes('Books to read') === true`)
	p.snapshot("code")

	p.press("button", "Publish")
	p.fill("Address", project)
	p.submitSite("Publish")
	site := "http://" + project + "." + s.host + "/"
	p.sees("Published")
	visitor := c.open(t)
	visitor.visit(site)
	visitor.wantHeading("Books to read")
	if got := evaluate[string](visitor, "getComputedStyle(document.querySelector('h1')).color"); got != "rgb(15, 118, 110)" {
		t.Errorf("got the published heading in %s, want it in the colour that was chosen", got)
	}
	p.press("link", "Atelier")
	p.sees("My reading list")
	p.wantQuiet()
	framed.wantQuiet()
	visitor.wantQuiet()
}

// theServiceIsBelowAPath does the main job where APP_URL has a path, and comes back to it
// by an address, without a session and with one.
func theServiceIsBelowAPath(t *testing.T, c *chromium, _ *service) {
	s := startService(t, "localhost", map[string]string{"APP_URL": "/build/here"})
	theMainJob(t, c, s)
	for _, at := range s.exchanges() {
		if !strings.HasPrefix(at.path, "/build/here") {
			t.Errorf("got %s %s asked for, want nothing outside of the service's path", at.method, at.path)
		}
	}
	p := c.open(t)
	p.visit(s.url + "/settings/profile")
	p.until("the sign-in page, which remembers where to go", "location.pathname === '/build/here/login' && location.search.includes(encodeURIComponent('/settings/profile'))")
	p.fill("Email", fmt.Sprintf("ada%d@example.com", os.Getpid()))
	p.fill("Password", "long enough")
	p.press("button", "Sign in")
	p.until("the page that was asked for", "location.pathname === '/build/here/settings/profile'")
	p.wantQuiet()
}

// agreeTo fills the dialog for a new project and makes it.
func (p *tab) agreeTo(name, template string) {
	p.t.Helper()
	p.tick(template)
	p.fill("Name", name)
	p.press("button", "Create")
}

// tick chooses one of a dialog's choices, when it is there.
func (p *tab) tick(value string) {
	p.t.Helper()
	choice := fmt.Sprintf("document.querySelector('dialog input[value=%s]')", value)
	p.until("the choice "+value, choice+" !== null")
	p.do(chromedp.Evaluate[chromedp.Void]("void " + choice + ".click()"))
}

// snapshot takes a picture of the window if pictures are requested.
func (p *tab) snapshot(name string) {
	p.t.Helper()
	p.settle()
	folder := os.Getenv("ATELIER_PICTURES")
	switch {
	case folder == "" && !keepsArtifacts():
		return
	case folder == "":
		folder = p.t.ArtifactDir()
	}
	png := run(p, chromedp.CaptureScreenshot())
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// theLastPaneIsShown chooses a pane right after another one was drawn.
func theLastPaneIsShown(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("static-html")
	p := c.enterAs(t, made.user, "/projects/"+string(made.ID))
	p.until("the panes", named("tab", "Code")+" !== null")
	for range 5 {
		evaluate[bool](p, fmt.Sprintf(`(async () => {
			%s.click();
			await new Promise((go) => setTimeout(go));
			%s.click();
			return true;
		})()`, named("tab", "Code"), named("tab", "Versions")))
		p.settle()
		if got := evaluate[string](p, `document.querySelector('[role=tab][aria-selected=true][aria-controls=pane]').textContent`); got != "Versions" {
			t.Fatalf("got the pane %q, want the one that was chosen last", got)
		}
		p.press("tab", "Preview")
	}
	p.wantQuiet()
}
