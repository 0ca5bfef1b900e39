package browser

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/atelierhq/atelier/core"
)

// templateCard is the card of a workspace's template on the dashboard.
func templateCard(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('section[aria-labelledby=own-gallery] .project')].find((e) => e.querySelector('.gallery__name').textContent === %q)`, name)
}

// openMenu opens the menu of a template.
func (p *tab) openMenu(template string) {
	p.t.Helper()
	p.until("the menu of "+template, fmt.Sprintf(`(() => {
		const button = %s?.querySelector('.project__menu button');
		button?.click();
		return button !== undefined;
	})()`, templateCard(template)))
}

// aTemplateIsShared: somebody shares a project as a template of a team, somebody else makes a project
// of it, and both its author and an admin keep it in order.
func aTemplateIsShared(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	ada, bob := s.signUp(t), s.signUp(t)
	team := ada.team("Bakers")
	ada.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(team)+"/invites", map[string]string{"email": bob.email, "role": "member"}, nil)
	bob.call(http.StatusOK, http.MethodPost, s.linkMailed(t, bob.email, "/invites/")+"/accept", nil, nil)
	source := &project{user: bob}
	bob.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(team)+"/projects", map[string]string{"name": "Bakery", "template": "static-html"}, &source.Project)
	source.save("bread.txt", "rye")

	p := c.enterAs(t, bob, "/workspaces/"+string(team)+"/members")
	p.press("link", "Atelier")
	p.choose("Bakery", "Share as a template")
	p.looks("share a template", axe)
	p.fill("Description", "Today’s breads with prices.")
	p.agree("Share")
	p.sees(isolated("Bakery") + " is now a template of this workspace.")
	p.until("the picture", templateCard("Bakery")+`?.querySelector('img').naturalWidth > 0`)
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('#own-gallery').scrollIntoView()`))
	p.looks("dashboard with a template", axe)
	p.wantQuiet()

	// The other one, who is an admin, begins with the card by keyboard.
	q := c.enterAs(t, ada, "/workspaces/"+string(team)+"/members")
	q.press("link", "Atelier")
	q.until("the author", templateCard("Bakery")+`?.textContent.includes('By ')`)
	q.do(chromedp.Evaluate[chromedp.Void]("void " + templateCard("Bakery") + ".querySelector('.gallery__words').focus()"))
	q.do(chromedp.KeyEvent(kb.Enter))
	q.until("the template chosen", `document.querySelector('dialog[open] .choice input:checked')?.closest('label').textContent.includes('Bakery')`)
	q.looks("create from a template", axe)
	q.fill("Name", "Second bakery")
	q.agree("Create")
	q.at("/projects/")
	made := ada.projects("")["Second bakery"]
	if made.WorkspaceID != team || made.Template != nil {
		t.Errorf("got %+v, want a project of the team", made)
	}
	if got := ada.send(http.MethodGet, "/projects/"+string(made.ID)+"/files/bread.txt", "", nil); got.Body.Close() != nil || got.StatusCode != http.StatusOK {
		t.Errorf("got %d for the template's file, want it", got.StatusCode)
	}

	// What comes of it is shared from its own page.
	q.choose("Second bakery", "Share as a template")
	q.agree("Share")
	q.sees(isolated("Second bakery") + " is now a template of this workspace.")

	q.press("link", "Atelier")
	q.openMenu("Bakery")
	q.press("menuitem", "Update from its project")
	q.sees(isolated("Bakery") + " now has the files of its project.")
	q.openMenu("Bakery")
	q.press("menuitem", "Edit")
	q.fill("Description", "Breads.")
	q.agree("Save")
	q.until("the description", templateCard("Bakery")+`?.textContent.includes('Breads.')`)

	// A wish begins with it, too.
	q.press("button", "Start from: Blank")
	q.press("menuitem", "Bakery")
	q.until("the choice", named("button", "Start from: Bakery")+" !== null")

	// In the other workspace there is nothing of it.
	own := c.enterAs(t, ada, "/workspaces/"+string(ada.workspace)+"/members")
	own.press("link", "Atelier")
	own.sees("Start from a template")
	own.misses("Templates of this workspace")

	for _, name := range []string{"Bakery", "Second bakery"} {
		q.openMenu(name)
		q.press("menuitem", "Delete")
		q.sees("Projects that were made from it stay.")
		q.agree("Delete")
		q.until("no card", templateCard(name)+" === undefined")
	}
	q.misses("Templates of this workspace")
	q.wantQuiet()

	// Those who did not share it and are no admins only use it.
	var adas core.Project
	ada.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(team)+"/projects", map[string]string{"name": "Ada’s", "template": "static-html"}, &adas)
	ada.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(team)+"/templates", map[string]any{"projectId": adas.ID, "name": "Bakery"}, nil)
	p.visit(s.url + "/dashboard")
	p.openMenu("Bakery")
	p.until("one entry", `[...document.querySelectorAll('[role=menuitem]')].filter((e) => e.checkVisibility()).map((e) => e.textContent.trim()).join() === 'Remix…'`)
}
