package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/atelierhq/atelier/core"
)

func shareStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"a project is shared from its own page":             aProjectIsShared,
		"a project is kept in order from its own page":      aProjectIsKeptInOrder,
		"a reader of a public project shares and copies it": aReaderSharesAndCopies,
		"a shared project is on the guest's dashboard":      sharedIsFound,
	}
}

func aProjectIsShared(t *testing.T, c *chromium, s *service) {
	owner, guest := s.signUp(t), s.signUp(t)
	made := owner.shareWith(guest)
	axe := fetchAxe(t)
	p := c.workbench(t, made)
	p.press("button", "Share")
	p.sees("People with access")
	p.sees(s.url + "/projects/" + string(made.ID))
	p.until("both people", fmt.Sprintf(`document.querySelectorAll('.share__people li').length === 2 && document.querySelector('.share__people').textContent.includes(%q)`, name(guest)))
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.settle()
		p.wantAccessible("share, "+shape.name, axe)
		p.snapshot("share " + shape.name)
	}
	p.show(1440, 900, "light")
	p.press("button", "Close")
	p.show(820, 1180, "light")
	p.settle()
	if wide := evaluate[int](p, "document.documentElement.scrollWidth"); wide > 820 {
		t.Errorf("got the page %d wide on a tablet, want it in the window", wide)
	}
	p.snapshot("bar tablet")
	p.show(1440, 900, "light")
	p.press("button", "Share")
	p.tick("private")
	p.wait("the project private", func() bool {
		var now core.Project
		owner.call(http.StatusOK, http.MethodGet, made.path(""), nil, &now)
		return now.Visibility == core.VisibilityPrivate
	})
	p.until("the owner alone", `document.querySelectorAll('.share__people li').length === 1`)
	p.press("link", "Invite")
	p.sees("Members")
	p.wantQuiet()
}

// focusAfterDialog notes what has the focus at the moment in which the open dialog goes.
const focusAfterDialog = `void (() => {
	const dialog = document.querySelector('dialog[open]')
	new MutationObserver((_, observer) => {
		if (dialog.isConnected) return
		observer.disconnect()
		window.focusAfterDialog = document.activeElement.getAttribute('aria-label') ?? document.activeElement.tagName
	}).observe(document, {childList: true, subtree: true})
})()`

func aProjectIsKeptInOrder(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	made := u.create("static-html")
	p := c.workbench(t, made)
	p.choose(made.Name, "Settings")
	p.fill("Name", "Corner shop")
	p.fill("Description", "Bread and rolls")
	p.do(chromedp.Evaluate[chromedp.Void](focusAfterDialog))
	p.agree("Save")
	p.until("the new name", `document.querySelector('h1')?.textContent === 'Corner shop'`)
	p.until("the dialog is closed", `document.querySelector('dialog[open]') === null`)
	if got := evaluate[string](p, "window.focusAfterDialog"); !strings.HasPrefix(got, "More actions for") {
		t.Errorf("got the focus at %q as soon as the dialog was closed, want it back at the menu", got)
	}
	p.choose("Corner shop", "Rename")
	p.until("the name is edited", `document.activeElement?.getAttribute('aria-label') === 'Project name'`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.choose("Corner shop", "Duplicate")
	p.agree("Duplicate")
	p.sees("is now in")
	if got := u.projects("")["Corner shop copy"]; got.ID == "" {
		t.Errorf("got no copy in %v, want one", u.projects(""))
	}
	p.press("button", "More actions for "+isolated("Corner shop"))
	for _, entry := range []string{"Download as zip", "Move to a folder"} {
		p.until(entry, named("menuitem", entry)+" !== null")
	}
	p.press("menuitem", "Move to a folder")
	p.agree("Cancel")
	// The room tells the page that the project has changed, so the page may request what
	// it has just deleted, and get 404.
	p.wantQuiet()
	p.choose("Corner shop", "Move to trash")
	p.at("/dashboard")
	if _, there := u.projects("")["Corner shop"]; there {
		t.Error("got the project in the list, want it in the trash")
	}
}

func aReaderSharesAndCopies(t *testing.T, c *chromium, s *service) {
	owner, reader := s.signUp(t), s.signUp(t)
	made := owner.create("static-html")
	owner.call(http.StatusOK, http.MethodPatch, made.path(""), map[string]string{"visibility": "public"}, nil)
	p := c.enterAs(t, reader, made.path(""))
	p.press("button", "Share")
	p.sees("everyone who has an account here")
	p.misses("People with access")
	p.press("button", "Close")
	p.press("button", "More actions for "+isolated(made.Name))
	p.until("the menu", named("menuitem", "Duplicate")+" !== null")
	p.lacks("menuitem", "Move to trash")
	p.lacks("menuitem", "Rename")
	p.wantQuiet()
}

// sharedIsFound signs in on another device, which knows nothing of the workspace that was
// chosen last.
func sharedIsFound(t *testing.T, c *chromium, s *service) {
	owner, guest := s.signUp(t), s.signUp(t)
	made := owner.shareWith(guest)
	p := c.enterAs(t, guest, "/dashboard")
	p.sees("In your other workspaces")
	p.until("the project", named("link", made.Name)+" !== null")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.snapshot("shared " + shape.name)
	}
	p.show(1440, 900, "light")
	p.press("button", "Team")
	p.until("the other workspace", named("button", "Workspace: Team")+" !== null")
	p.misses("In your other workspaces")
	p.wantQuiet()
}
