package browser

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func nextStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"the demo says that it is one, and leads on":        theDemoLeadsOn,
		"a service that is away is marked until it is back": theServiceIsAway,
	}
}

// theDemoLeadsOn: the demo is named before the first message; an admin connects a model from the
// choice of models and from under the answer, a member is told who can; the next steps are chips.
func theDemoLeadsOn(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	u, other := s.signUp(t), s.signUp(t)
	made := u.shareWith(other)
	providers := fmt.Sprintf(`a[href="/workspaces/%s/providers"]`, made.WorkspaceID)
	p := c.workbench(t, made)
	p.press("button", "Model: Demo")
	p.until("a model to connect", `document.querySelector('.finder '+`+fmt.Sprintf("%q", providers)+`)?.textContent === 'Connect a model'`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("the list closed", `document.querySelector('dialog[open]') === null`)
	p.ask(`Change the title to "Things to do"`)
	p.answered()
	p.until("the next steps", `[...document.querySelectorAll('[aria-label="Next steps"] button')].map((e) => e.textContent).join() === 'Habit tracker,Bakery page,Invoice maker,Quiz,Guestbook,Change the title,Publish'`)
	p.until("the way to a model", fmt.Sprintf(`document.querySelector('.turn %s')?.checkVisibility() === true`, providers))
	for _, shape := range shapes[:6] {
		p.show(shape.width, shape.height, shape.scheme)
		p.snapshot("next steps " + shape.name)
	}
	p.show(390, 844, "light")
	p.wantAccessible("next steps on a phone", axe)
	p.show(1440, 900, "light")
	p.wantAccessible("next steps", axe)
	p.ask("Make it dark and add a weekly chart")
	p.sees("I can’t do that: I’m the demo, a script.")
	p.answered()
	p.press("button", "Guestbook")
	p.sees("Your guestbook is ready")
	p.answered()
	p.until("the work as one line", `[...document.querySelectorAll('.turn')].at(-1).querySelectorAll('.step').length === 1`)
	p.everywhere("work folded", axe)
	p.press("button", "Done in ")
	p.until("the work", `document.querySelectorAll('.turn__work .step').length > 5`)
	p.everywhere("work unfolded", axe)
	p.until("the steps that are left", `[...document.querySelectorAll('[aria-label="Next steps"] button')].map((e) => e.textContent).join() === 'Change the title,Publish'`)
	p.press("button", "Publish")
	p.until("the pane", `document.querySelector('.publish') !== null`)

	q := c.workbench(t, &project{user: other, Project: made.Project})
	q.sees("Ask an admin of the workspace to connect a model: ")
	q.until("no way that is shut", fmt.Sprintf(`document.querySelector('.turn %s') === null`, providers))

	u.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(made.WorkspaceID)+"/ai-providers",
		map[string]string{"kind": "openai", "name": "Lab", "baseUrl": startLab(t), "apiKey": labKey, "defaultModel": "lab-large"}, nil)
	p.visit(u.url + made.path(""))
	p.until("steps for a model", `[...document.querySelectorAll('[aria-label="Next steps"] button')].some((e) => e.textContent === 'Add a check')`)
	p.until("no way to a model any more", fmt.Sprintf(`document.querySelector('.turn %s') === null`, providers))
	p.until("no demo", named("button", "Model: Default model")+" !== null")
	p.wantQuiet()
}

// theServiceIsAway: the mark comes when the browser loses its network, says what works, and goes by
// itself; what was written meanwhile is sent.
func theServiceIsAway(t *testing.T, c *chromium, s *service) {
	p := c.workbench(t, s.signUp(t).create("static-html"))
	p.until("no mark", named("button", "You’re offline")+" === null && performance.getEntriesByType('resource').some((e) => e.name.includes('offline-mark'))")
	p.offline(true)
	p.do(chromedp.Evaluate[chromedp.Void](`void dispatchEvent(new Event('offline'))`))
	p.until("the mark", named("button", "You’re offline")+" !== null")
	for _, shape := range shapes[:6] {
		p.show(shape.width, shape.height, shape.scheme)
		p.press("button", "You’re offline")
		p.sees("What you typed is kept.")
		p.picture("offline " + shape.name)
		p.do(chromedp.KeyEvent(kb.Escape))
	}
	p.show(1440, 900, "light")
	p.ask("Hello")
	p.offline(false)
	p.until("no mark", named("button", "You’re offline")+" === null")
	p.answered()
}
