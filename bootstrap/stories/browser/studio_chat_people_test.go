package browser

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core"
)

func twoPeopleInOneChat(t *testing.T, c *chromium, _ *service) {
	talks, s := startTalker(t)
	talks.on("from the first", counting(300, 20*time.Millisecond))
	talks.on("from the second", answer{pieces: []string{"Hello to you, too."}})
	first, second := s.signUp(t), s.signUp(t)
	shared := first.shareWith(second)
	p, q := c.workbench(t, shared), c.workbench(t, &project{user: second, Project: shared.Project})
	p.ask("from the first")
	q.sees("word0020")
	q.sees(first.email)
	q.ask("from the second")
	q.sees("1 message waiting")
	p.answered()
	q.sees("Hello to you, too.")
	p.sees("Hello to you, too.")
	p.sees(second.email)
	p.wantQuiet()
}

// shareWith creates a project in a workspace of which another user becomes a member.
func (u *user) shareWith(other *user) *project {
	u.t.Helper()
	var team core.Workspace
	u.call(http.StatusCreated, http.MethodPost, "/workspaces", map[string]string{"name": "Team"}, &team)
	u.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(team.ID)+"/invites", map[string]string{"email": other.email, "role": "member"}, nil)
	other.call(http.StatusOK, http.MethodPost, u.linkMailed(u.t, other.email, "/invites/")+"/accept", nil, nil)
	made := &project{user: u}
	u.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(team.ID)+"/projects", map[string]string{"name": "Ours"}, &made.Project)
	return made
}

// holdChats delays the page's requests for the list of chats, and the answers to changes
// of a chat, until they are released.
const holdChats = `(() => {
	const ask = window.fetch
	window.heldChats = []
	window.fetch = async (path, options) => {
		const answer = await ask(path, options)
		const method = options?.method ?? 'GET'
		const isHeld = method === 'GET' && path.endsWith('/chats') || method === 'PATCH' && path.includes('/chats/')
		if (isHeld && window.heldChats) await new Promise((go) => window.heldChats.push({ method, go }))
		return answer
	}
})()`

// aLateListOfChats gets a list, and the answer to the chat's new title, in which a run is
// at work when it has ended.
func aLateListOfChats(t *testing.T, c *chromium, _ *service) {
	talks, s := startTalker(t)
	talks.on("take your time", counting(200, 10*time.Millisecond))
	p := c.workbench(t, s.signUp(t).create("blank"))
	p.do(chromedp.Evaluate[chromedp.Void](holdChats))
	p.ask("take your time")
	// A tab that is looked at again asks for the list.
	for _, method := range []string{http.MethodPatch, http.MethodGet} {
		p.until("an answer to "+method, fmt.Sprintf("document.dispatchEvent(new Event('visibilitychange')) && window.heldChats.some(({ method }) => method === %q)", method))
	}
	p.answered()
	p.do(chromedp.Evaluate[chromedp.Void]("void (window.heldChats.forEach(({ go }) => go()), window.heldChats = null)"))
	p.settle()
	p.wantQuiet()
}

func theWorkbenchOnAPhone(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	made := s.signUp(t).create("todo-app")
	p := c.workbench(t, made)
	p.ask(`Change the title to "On the phone"`)
	p.answered()
	for _, scheme := range []string{"light", "dark"} {
		p.show(390, 844, scheme)
		for _, place := range []string{"Chat", "Preview", "Code", "Versions", "Publish"} {
			p.turnTo(place)
			p.settle()
			p.wantAccessible(place+" on a phone, "+scheme, axe)
			p.picture("project on a phone " + place + " " + scheme)
		}
	}
	p.turnTo("Chat")
	p.fill("Describe a change", "kept")
	p.turnTo("Code")
	p.turnTo("Chat")
	p.until("the draft", named("textbox", "Describe a change")+"?.value === 'kept'")
	p.wantQuiet()
}

// turnTo shows a place by the bar at the bottom, and waits until it is painted.
func (p *tab) turnTo(place string) {
	p.t.Helper()
	choice := fmt.Sprintf(`[...document.querySelectorAll('.bottom-bar__choice')].find((choice) => choice.querySelector('span').textContent === %q)`, place)
	p.until("the bar", choice+" !== undefined")
	p.do(chromedp.Evaluate[chromedp.Void]("void " + choice + ".click()"))
	p.until("the place", choice+"?.getAttribute('aria-current') === 'true'")
	p.painted()
}

func aReaderLooks(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("todo-app")
	made.call(http.StatusOK, http.MethodPatch, made.path(""), map[string]string{"visibility": "public"}, nil)
	p := c.enterAs(t, s.signUp(t), "/projects/"+string(made.ID))
	p.sees("View only")
	p.until("the preview", `document.querySelector('iframe') !== null`)
	if got := evaluate[int](p, `document.querySelectorAll('.chat').length`) + evaluate[int](p, named("button", "Publish")+" === null ? 0 : 1"); got != 0 {
		t.Errorf("got a chat or a button to publish, want none")
	}
	p.press("tab", "Code")
	p.wantQuiet()
}

// coveredInBar lists pairs of the composer's controls of which one covers the other, names that are wider than
// their button, and controls beyond the composer.
const coveredInBar = `(() => {
	const bar = document.querySelector('.composer__bar');
	const found = [];
	const boxOf = (element) => element.getBoundingClientRect();
	const nameOf = (element) => element.ariaLabel || element.textContent || element.className;
	const controls = [...bar.querySelectorAll('button, label')].filter((element) => element.checkVisibility());
	controls.forEach((one, at) => {
		const a = boxOf(one);
		if (a.right > boxOf(bar).right) found.push(nameOf(one) + ' leaves the composer');
		for (const other of controls.slice(at + 1)) {
			const b = boxOf(other);
			if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) found.push(nameOf(one) + ' and ' + nameOf(other));
		}
		for (const name of one.querySelectorAll('.composer__choice')) if (boxOf(name).right > a.right) found.push(nameOf(one) + ' is cut');
	});
	return found;
})()`

// theComposerFits: the longest names of modes and models cover no other control, in any language and width.
func theComposerFits(t *testing.T, c *chromium, _ *service) {
	_, s := startTalker(t)
	made := s.signUp(t).create("blank")
	p := c.workbench(t, made)
	for _, language := range []string{"es", "de", "en"} {
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`localStorage.setItem('atelier.language', %q)`, language)))
		p.visit(s.url + made.path(""))
		p.until("the composer", `document.querySelectorAll('.composer__choice').length === 2`)
		for _, shape := range shapes {
			p.show(shape.width, shape.height, shape.scheme)
			p.painted()
			if got := evaluate[[]string](p, coveredInBar); len(got) > 0 {
				t.Errorf("%s, %s: got %q, want nothing covered", language, shape.name, got)
			}
			if shape.width == 820 {
				p.snapshot("composer " + language + " " + shape.name)
			}
		}
	}
	p.wantQuiet()
}
