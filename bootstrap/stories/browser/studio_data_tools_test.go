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

// book makes a project with the guestbook and its seed.
func (u *user) book() *project {
	u.t.Helper()
	project := u.create("static-html")
	project.save("backend/seed.json", guestbookSeed)
	project.save("backend/schema.json", guestbookSchema)
	return project
}

// snapshots are those of an environment, the newest first.
func (p *project) snapshots(env core.DataEnv) []core.DataSnapshot {
	p.t.Helper()
	var list struct{ Items []core.DataSnapshot }
	p.call(http.StatusOK, http.MethodGet, p.path("/backend/"+string(env)+"/snapshots"), nil, &list)
	return list.Items
}

// goBackToASnapshot loses a record, and gets it back.
func goBackToASnapshot(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).book()
	origin := project.preview()
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "Snapshots")
	p.sees("No snapshots yet")
	p.looks("snapshots none", axe)
	p.press("button", "Create snapshot")
	p.sees("Created by hand")
	p.sees("Snapshot created")

	kept := project.texts(origin)
	project.dropEntry(origin)
	p.tabTo("Restore this")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.sees("A snapshot of the current data is created first")
	p.looks("snapshots question", axe)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("the question gone, the focus back", `document.querySelector('dialog[open]') === null && document.activeElement.textContent === 'Restore this'`)
	if got := project.snapshots(core.DataTest); len(got) != 1 {
		t.Errorf("got %d snapshots after a no, want the one", len(got))
	}
	p.press("button", "Restore this")
	p.until("the question", `document.querySelector('dialog[open]') !== null`)
	p.press("button", "Restore this")
	p.sees("Before a restore")
	p.sees("The data is back to")
	p.looks("snapshots", axe)
	if got := project.texts(origin); len(got) != len(kept) {
		t.Errorf("got the entries %q, want %q back", got, kept)
	}
	p.press("button", "Delete snapshot")
	p.sees("Delete this snapshot?")
	p.press("button", "Delete")
	p.sees("Snapshot deleted")
	if got := project.snapshots(core.DataTest); len(got) != 1 {
		t.Errorf("got %d snapshots, want one left", len(got))
	}
	p.wantQuiet()
}

// dropEntry deletes an entry of the test data.
func (p *project) dropEntry(origin string) {
	p.t.Helper()
	var page struct{ Items []struct{ ID string } }
	p.askData(http.MethodGet, origin+"/_data/collections/entries/records", "", &page)
	p.call(http.StatusNoContent, http.MethodDelete, p.path("/backend/test/collections/entries/records/"+page.Items[0].ID), nil, nil)
}

// liveSnapshotsAreForAdmins looks at the live data as a member who is no admin.
func liveSnapshotsAreForAdmins(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	ada, bob := s.signUp(t), s.signUp(t)
	project := ada.book()
	project.publish()
	ada.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(ada.workspace)+"/invites", map[string]string{"email": bob.email, "role": "member"}, nil)
	bob.call(http.StatusOK, http.MethodPost, s.linkMailed(t, bob.email, "/invites/")+"/accept", nil, nil)
	p := c.enterAs(t, ada, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "Live")
	p.press("button", "Snapshots")
	p.press("button", "Create snapshot")
	p.sees("Created by hand")
	p.looks("snapshots live", axe)
	p.press("button", "Restore this")
	p.sees("immediately and for all visitors")
	p.press("button", "Cancel")
	p.wantQuiet()

	p = c.enterAs(t, bob, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "Live")
	p.press("button", "Snapshots")
	p.sees("For admins only")
	p.lacks("button", "Create snapshot")
	p.looks("snapshots locked", axe)
	p.wantQuiet()
}

// theCheckFindsOpenDoors checks rules that are too wide, and lets the agent know.
func theCheckFindsOpenDoors(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).book()
	shut := `"deleteRule": "@request.auth.id != '' && author = @request.auth.id"`
	schema := strings.Replace(guestbookSchema, `"createRule": "@request.auth.id != ''"`, `"createRule": "@request.auth.id != '' && author = @request.auth.id"`, 1)
	project.save("backend/schema.json", strings.Replace(schema, shut, `"deleteRule": ""`, 1))
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "entries")
	p.press("button", "Test the rules")
	p.sees("Can strangers reach what they shouldn’t?")
	p.looks("check before", axe)
	p.press("button", "Check now")
	p.sees("Strangers can do more with your data than they probably should.")
	p.sees(`delete other people's records in "entries".`)
	p.sees("Anyone can read or delete.")
	p.looks("check found", axe)

	p.press("button", "entries")
	p.until("what was found, beside the rules", named("button", "1 problem found")+" !== null")
	p.press("button", "1 problem found")
	p.press("button", "Ask the agent to fix it")
	p.until("the request in the composer, with the focus", `document.activeElement.matches('.composer textarea') && document.activeElement.value.includes('delete other people\'s records in "entries"') && document.activeElement.value.includes('"deleteRule"')`)

	project.save("backend/schema.json", schema)
	p.sees("The schema has changed since this check.")
	p.press("button", "Check again")
	p.misses("The schema has changed since this check.")
	p.misses("Strangers can do more")
	p.sees("Nothing that looks private is exposed.")
	p.looks("check good", axe)
	p.wantQuiet()
}

const (
	helloFunction  = "export default async (req: Request) => {\n  console.log('asked');\n  return Response.json({ method: req.method, said: await req.text(), query: new URL(req.url).search });\n};\n"
	brokenFunction = "export const schedule = \"0 8 * * *\";\n\nexport default async () => {\n  throw new Error('out of paper');\n};\n"
)

// functionsAreTried lists functions, calls them and opens their files.
func functionsAreTried(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).book()
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "Functions")
	p.sees("No functions yet")
	p.looks("functions none", axe)
	project.save("functions/hello.ts", helloFunction)
	project.save("functions/remind.ts", brokenFunction)
	p.sees("every day at 08:00 UTC")
	p.until("the address", `document.querySelector('.copyable code')?.textContent === '/_fn/hello'`)
	p.looks("functions", axe)

	p.tabTo("Try it: hello")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.pick("Method", "POST")
	p.fill("After /_fn/hello", "?from=studio")
	p.fill("Body", "good day")
	p.press("button", "Send")
	p.until("the answer", `document.querySelector('.trial__text')?.textContent.includes('"said": "good day"') === true`)
	p.sees("?from=studio")
	p.sees("info: asked")
	p.looks("functions tried", axe)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("the focus back", `document.querySelector('dialog[open]') === null && document.activeElement.getAttribute('aria-label') === 'Try it: hello'`)

	p.press("button", "Try it: remind")
	p.press("button", "Send")
	p.sees("The function failed.")
	p.sees("out of paper")
	p.looks("functions failed", axe)
	p.press("button", "Ask the agent to fix it")
	p.until("the request in the composer", `document.querySelector('dialog[open]') === null && document.activeElement.matches('.composer textarea') && document.activeElement.value.includes('out of paper')`)
	p.press("button", "Open file: functions/remind.ts")
	p.until("the code", `document.querySelector('.cm-content')?.textContent.includes('out of paper') === true`)
	p.wantQuiet()
}

// wordsAreExplained puts the explanations away, one after the other, and finds them again.
func wordsAreExplained(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).book()
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "entries")
	p.sees("What a lovely page")
	for _, word := range []string{"Test and live", "Collection", "Rule"} {
		p.until("the one word "+word, fmt.Sprintf(`[...document.querySelectorAll('.tip strong')].map((e) => e.textContent).join() === %q`, word+"."))
		p.looks("tip "+word, axe)
		p.tabTo("Hide: " + word)
		p.do(chromedp.KeyEvent(kb.Enter))
		p.until("the focus on something else", `document.activeElement !== document.body && !document.activeElement.closest('.tip')`)
	}
	p.until("no word left", `document.querySelector('.tip') === null`)
	p.reload()
	p.press("button", "entries")
	p.sees("What a lovely page")
	p.until("no word again", `document.querySelector('.tip') === null`)
	p.tabTo("What these words mean")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.sees("Terms on this page")
	p.looks("terms", axe)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("the focus back", `document.querySelector('dialog[open]') === null && document.activeElement.textContent === 'What these words mean'`)
	p.show(390, 844, "light")
	p.press("button", "Back to the list")
	p.press("button", "What these words mean")
	p.sees("Terms on this page")
	p.press("button", "Close")
	p.press("button", "entries")
	p.press("button", "What these words mean")
	p.sees("Terms on this page")
	p.wantQuiet()
}
