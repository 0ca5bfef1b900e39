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

// aGuestbookLives is the story of an application with data, in the studio: the agent builds a
// guestbook, visitors use it in the preview, two members look at its data, it is published,
// changed twice and rolled back. Nothing that somebody wrote is lost without a yes.
func aGuestbookLives(t *testing.T, c *chromium, s *service) {
	ada, bob := s.signUp(t), s.signUp(t)
	project := ada.create("static-html")
	p := c.workbench(t, project)
	p.ask("Please build a guestbook.")
	p.answered()
	preview := project.preview()
	window := c.open(t)
	window.visit(preview)
	window.wantEntries(2, 0)
	framed := p.frame(preview)
	framed.wantEntries(2, 0)
	framed.signsUp("Eva")
	framed.signs("Written in the preview")
	framed.wantEntries(3, 1)
	window.wantEntries(3, 0)

	// The preview moves when somebody joins, and Eva is still signed in.
	p.keepsVisitor(project, preview)
	ada.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(ada.workspace)+"/invites", map[string]string{"email": bob.email, "role": "member"}, nil)
	bob.call(http.StatusOK, http.MethodPost, s.linkMailed(t, bob.email, "/invites/")+"/accept", nil, nil)
	preview = project.preview()
	p.press("button", "Reload the page")
	window = c.open(t)
	window.visit(preview)
	window.wantEntries(3, 0)
	p.frame(preview).wantEntries(3, 1)

	p.press("tab", "Data")
	p.press("button", "entries")
	p.sees("Written in the preview")
	p.changesText("Written in the preview", "Changed in the studio")
	window.until("the change, in a page that is open", `document.querySelector('#guestbook ul').textContent.includes('Eva: Changed in the studio')`)
	q := c.enterAs(t, bob, "/projects/"+string(project.ID)+"?pane=data")
	q.press("button", "entries")
	q.sees("Changed in the studio")
	q.changesText("Changed in the studio", "Changed by both")
	window.until("the second change", `document.querySelector('#guestbook ul').textContent.includes('Eva: Changed by both')`)
	// Nobody touches the first member's window.
	p.sees("Changed by both")

	site := p.publishesGuestbook(project)
	visitor := c.open(t)
	visitor.visit(site)
	visitor.wantEntries(0, 0)
	visitor.signsUp("Finn")
	visitor.signs("Written on the site")
	visitor.wantEntries(1, 1)
	q.press("button", "Live")
	q.press("button", "entries")
	q.sees("Written on the site")
	p.addsAColumn(project, q)
	p.dropsTheColumn(project, q)
	p.rollsBack(project, visitor)
	for _, one := range []*tab{p, q, window, visitor} {
		one.wantQuiet()
	}
}

// signsUp signs a visitor up in the guestbook.
func (p *tab) signsUp(name string) {
	p.t.Helper()
	p.until("the form", `document.querySelector('#guestbook [name=email]') !== null`)
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
		const form = document.querySelector('#guestbook form')
		form.elements.email.value = %q
		form.elements.password.value = 'a password for tests'
		form.elements.name.value = %q
		form.querySelector("[value='Sign up']").click()
	})()`, strings.ToLower(name)+"@example.com", name)))
	p.until("somebody signed in", `document.querySelector('#guestbook textarea') !== null`)
}

// signs writes an entry.
func (p *tab) signs(text string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
		document.querySelector('#guestbook textarea').value = %q
		document.querySelector('#guestbook form button').click()
	})()`, text)))
}

// changesText changes the text of an entry in the table of the data pane.
func (p *tab) changesText(from, to string) {
	p.t.Helper()
	p.fill("Search", from)
	p.until("the one record", `document.querySelectorAll('.grid__body [role=row]').length === 1`)
	p.until("the focus in the table", `(() => { const grid = document.querySelector('.grid'); grid.focus(); return document.activeElement === grid })()`)
	p.do(chromedp.KeyEvent(kb.Home))
	p.holdEnter("the form", `document.querySelector('dialog[open] form') !== null`)
	p.fill("text", to)
	p.press("button", "Save")
	p.until("the change in the table", fmt.Sprintf(`document.querySelector('dialog[open]') === null && document.querySelector('.grid').textContent.includes(%q)`, to))
	p.fill("Search", "")
}

// publishesGuestbook publishes in the studio and returns the site's origin.
func (p *tab) publishesGuestbook(project *project) string {
	p.t.Helper()
	p.press("button", "Publish")
	p.fill("Address", "s"+string(project.ID))
	p.submitSite("Publish")
	p.sees("Published. The build took")
	return "http://s" + string(project.ID) + "." + project.host
}

// live returns the entries of the live data.
func (p *project) live() []map[string]any {
	p.t.Helper()
	var page struct{ Items []map[string]any }
	p.call(http.StatusOK, http.MethodGet, p.path("/backend/live/collections/entries/records"), nil, &page)
	return page.Items
}

const guestbookText = `{ "name": "text", "type": "text", "required": true, "max": 500 },`

// addsAColumn releases a second version, whose column both environments get.
func (p *tab) addsAColumn(project *project, q *tab) {
	p.t.Helper()
	project.alter("backend/schema.json", guestbookText, guestbookText+` { "name": "mood", "type": "text" },`)
	p.sees("Unpublished changes")
	if got := project.live(); len(got) != 1 || got[0]["mood"] != nil {
		p.t.Errorf("got %v before the publish, want live data as they were", got)
	}
	p.submitSite("Publish changes")
	p.sees("Earlier")
	got := project.live()
	if len(got) != 1 || got[0]["text"] != "Written on the site" || got[0]["mood"] != "" {
		p.t.Fatalf("got %v after the publish, want the entry with the new column", got)
	}
	q.press("button", "Test")
	q.press("button", "entries")
	q.until("the column in the test data", `document.querySelector('.grid__head').textContent.includes('mood')`)
	for env, text := range map[core.DataEnv]string{core.DataLive: "Written on the site", core.DataTest: "Changed by both"} {
		var page struct{ Items []struct{ ID, Text string } }
		records := project.path("/backend/" + string(env) + "/collections/entries/records")
		project.call(http.StatusOK, http.MethodGet, records, nil, &page)
		for _, one := range page.Items {
			if one.Text == text {
				project.call(http.StatusOK, http.MethodPatch, records+"/"+one.ID, map[string]string{"mood": "happy"}, nil)
			}
		}
	}
}

// dropsTheColumn releases a third version without the column: test data wait for a yes, and so
// does the publish.
func (p *tab) dropsTheColumn(project *project, q *tab) {
	p.t.Helper()
	project.alter("backend/schema.json", ` { "name": "mood", "type": "text" },`, "")
	q.sees("would delete 1 value from your test data")
	q.until("the column until somebody says yes", `document.querySelector('.grid').textContent.includes('happy')`)
	q.press("button", "Delete 1 value")
	q.sees("The test data now uses the new schema.")
	p.submitSite("Publish changes")
	p.sees("Publishing would delete 1 value of your live data.")
	p.pardon(http.StatusConflict)
	if got := project.live(); len(got) != 1 || got[0]["mood"] != "happy" {
		p.t.Errorf("got %v while the question is open, want nothing lost", got)
	}
	p.press("button", "Publish and delete 1 value")
	p.misses("Publishing would delete")
	p.until("three deployments", `document.querySelectorAll('.rows .row__main > div:first-child bdi').length === 3`)
	if got := project.live(); len(got) != 1 || got[0]["text"] != "Written on the site" || got[0]["mood"] != nil {
		p.t.Errorf("got %v after the yes, want the entry without the column", got)
	}
}

// rollsBack goes back to an earlier deployment, which works with the data of now.
func (p *tab) rollsBack(project *project, visitor *tab) {
	p.t.Helper()
	visitor.signs("Written before going back")
	visitor.wantEntries(2, 2)
	p.press("button", "Roll back to this")
	p.sees("Roll back?")
	p.press("button", "Roll back to this")
	p.sees("Rolled back. The site shows the earlier version again.")
	visitor.reload()
	visitor.wantEntries(2, 2)
	visitor.signs("Written after going back")
	visitor.wantEntries(3, 3)
	if got := project.live(); len(got) != 3 {
		p.t.Errorf("got the live entries %v, want all three", got)
	}
}
