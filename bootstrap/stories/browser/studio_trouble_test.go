package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func troubleStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"a page that crashes says why and what helps":             aPageThatCrashesSaysWhy,
		"whoever broke a page finds the last version that works":  theLastWorkingVersionIsFound,
		"an address that leads nowhere is a page":                 anAddressThatLeadsNowhere,
		"a project that is deleted meanwhile says so":             aProjectIsDeletedMeanwhile,
		"a project that is taken away meanwhile says so":          aProjectIsTakenAwayMeanwhile,
		"a message written when a session ended is sent after it": whatWasWrittenIsSent,
		"a message on its way when a session ended is sent once":  whatWasOnItsWayIsSent,
	}
}

const crashing = `const notes: { text: string }[] | null = JSON.parse('null')

export default function App() {
  console.error('Warned of %s in %d places', 'a thing', 3, { more: true })
  return <h1>{notes!.length}</h1>
}
`

// aPageThatCrashesSaysWhy breaks a page that was there, and mends it.
func aPageThatCrashesSaysWhy(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	p := c.workbench(t, made)
	p.until("the preview", `document.querySelector('iframe') !== null`)
	framed := p.frame(evaluate[string](p, "new URL(document.querySelector('iframe').src).origin"))
	framed.until("the page", `document.querySelector('h1') !== null`)
	calm := made.read("src/App.tsx")
	made.save("src/App.tsx", crashing)
	p.sees("The page crashed")
	p.sees("Cannot read properties of null (reading 'length')")
	p.until("the place", named("button", "src/App.tsx:5")+" !== null")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		if shape.width < 800 {
			p.turnTo("Preview")
		}
		p.until("the ways out", `['Fix it', 'Show in code', 'Last working version'].every((name) => [...document.querySelectorAll('.crash button')].some((e) => e.textContent === name && e.checkVisibility()))`)
		p.settle()
		p.snapshot("crash " + shape.name)
	}
	p.show(1440, 900, "light")
	p.press("button", "Console")
	p.sees(`Warned of a thing in 3 places {"more":true}`)
	p.misses("%s")
	p.press("button", "Show in code")
	p.until("the code", named("tab", "App.tsx")+`?.getAttribute('aria-selected') === 'true'`)

	p.press("tab", "Preview")
	made.save("src/App.tsx", calm)
	framed.until("the page again", `document.querySelector('h1') !== null`)
	p.misses("The page crashed")

	made.save("src/App.tsx", crashing)
	p.press("button", "Fix it")
	p.sees("Please find out why and fix it")
}

// theLastWorkingVersionIsFound breaks a page, and then its build, and goes back both times.
func theLastWorkingVersionIsFound(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	keep := func(name, content string) {
		t.Helper()
		made.save("src/App.tsx", content)
		made.call(http.StatusCreated, http.MethodPost, made.path("/versions"), map[string]string{"message": name}, nil)
	}
	p := c.workbench(t, made)
	p.until("the preview", `document.querySelector('iframe') !== null`)
	framed := p.frame(evaluate[string](p, "new URL(document.querySelector('iframe').src).origin"))
	keep("A calm page", "export default function App() {\n  return <h1>All is calm</h1>\n}\n")
	framed.until("the page", `document.querySelector('h1')?.textContent === 'All is calm'`)
	keep("A page that crashes", crashing)
	p.sees("The page crashed")
	p.press("button", "Last working version")
	p.sees("Go back to the last working version?")
	p.sees("“A calm page”")
	p.sees("opened without errors")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.settle()
		p.snapshot("back to what works " + shape.name)
	}
	p.show(1440, 900, "light")
	p.press("button", "Restore")
	framed.until("the page again", `document.querySelector('h1')?.textContent === 'All is calm'`)
	p.misses("The page crashed")

	made.save("src/App.tsx", "export default function App() {\n  return <h1>open\n}\n")
	p.sees("The build failed")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		if shape.width < 800 {
			p.turnTo("Preview")
		}
		p.until("both ways out", `['Fix with AI', 'Last working version'].every((name) => [...document.querySelectorAll('.problems button')].some((e) => e.textContent === name && e.checkVisibility() && e.getBoundingClientRect().right <= innerWidth))`)
		p.settle()
		p.snapshot("build failed " + shape.name)
	}
	p.show(1440, 900, "light")
	p.press("button", "Last working version")
	p.sees("“Went back to “A calm page””")
	p.press("button", "Restore")
	p.misses("The build failed")
	if got := made.read("src/App.tsx"); !strings.Contains(got, "All is calm") {
		t.Errorf("got %s, want the file of the version that works", got)
	}
}

func anAddressThatLeadsNowhere(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	p := c.enterAs(t, u, "/nonsense/page")
	p.sees("This page doesn’t exist")
	for _, path := range []string{"/settings/profile/more", "/projects/" + string(u.workspace) + "/nonsense", "/dashboard/x"} {
		p.visit(s.url + path)
		p.sees("This page doesn’t exist")
	}
	p.press("link", "Go to your projects")
	p.sees("What do you want to build?")
	response := u.send(http.MethodGet, "/nonsense/page", "application/json", strings.NewReader(""))
	defer response.Body.Close()
	if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusNotFound || got != "application/json" {
		t.Errorf("got %d %s for a program, want 404 in JSON", response.StatusCode, got)
	}
}

// watched is a project of somebody's that another person has open.
func (c *chromium) watched(t *testing.T, s *service) (made *project, p *tab) {
	t.Helper()
	owner, guest := s.signUp(t), s.signUp(t)
	made = owner.shareWith(guest)
	p = c.workbench(t, &project{user: guest, Project: made.Project})
	p.until("the link", `document.querySelector('iframe') !== null`)
	return made, p
}

func (p *tab) wantNoComposer() {
	p.t.Helper()
	p.until("a composer that takes nothing", named("textbox", "Describe a change")+`?.disabled === true`)
}

func aProjectIsDeletedMeanwhile(t *testing.T, c *chromium, s *service) {
	made, p := c.watched(t, s)
	made.call(http.StatusNoContent, http.MethodDelete, made.path(""), nil, nil)
	p.sees("This project was deleted.")
	p.wantNoComposer()
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.until("an exit", named("link", "Go to your projects")+" !== null")
		p.snapshot("deleted " + shape.name)
	}
	p.press("button", "Restore from trash")
	p.until("the project again", named("textbox", "Describe a change")+`?.disabled === false`)
	p.misses("This project was deleted.")
}

func aProjectIsTakenAwayMeanwhile(t *testing.T, c *chromium, s *service) {
	made, p := c.watched(t, s)
	made.call(http.StatusOK, http.MethodPatch, made.path(""), map[string]string{"visibility": "private"}, nil)
	p.sees("You no longer have access to this project.")
	p.lacks("button", "Restore from trash")
	p.wantNoComposer()
	p.press("link", "Go to your projects")
	p.sees("What do you want to build?")
}

// whatWasWrittenIsSent ends a session right before a message is sent.
func whatWasWrittenIsSent(t *testing.T, c *chromium, s *service) {
	p, made := c.endedSession(t, s, `async (send) => send()`)
	p.wantSentAfterSigningIn(made)
}

// whatWasOnItsWayIsSent lets another call find out that the session ended, and the
// message go on only when the project is no longer shown.
func whatWasOnItsWayIsSent(t *testing.T, c *chromium, s *service) {
	p, made := c.endedSession(t, s, `async (send) => {
		const left = new Promise((resolve) => {
			new MutationObserver(() => { if (!document.querySelector('.composer')) resolve(); }).observe(document.body, { childList: true, subtree: true });
		});
		document.dispatchEvent(new Event('visibilitychange'));
		await left;
		return send();
	}`)
	p.wantSentAfterSigningIn(made)
}

const asked = "What is this page about?"

// endedSession sends a message whose session ends just before; onward is the script that
// lets it continue.
func (c *chromium) endedSession(t *testing.T, s *service, onward string) (p *tab, made *project) {
	t.Helper()
	made = s.signUp(t).create("static-html")
	p = c.workbench(t, made)
	evaluate[bool](p, `(() => {
		const call = window.fetch;
		window.fetch = async (path, options) => {
			if (options?.method !== 'POST' || !String(path).endsWith('/messages')) return call(path, options);
			const ended = await call('/auth/logout', { method: 'POST' });
			if (!ended.ok) throw new Error('got ' + ended.status + ' to the end of the session');
			return (`+onward+`)(() => call(path, options));
		};
		return true;
	})()`)
	p.ask(asked)
	return p, made
}

// wantSentAfterSigningIn signs in again, and holds the chat to one message.
func (p *tab) wantSentAfterSigningIn(made *project) {
	p.t.Helper()
	p.sees("Your session ended")
	p.fill("Email", made.email)
	p.fill("Password", "long enough")
	p.press("button", "Sign in")
	p.until("the project", fmt.Sprintf("location.pathname === '/projects/%s'", made.ID))
	p.answered()
	p.sees(asked)
	p.misses("Sign in first")
	if got := evaluate[int](p, `document.querySelectorAll('.turn').length`); got != 1 {
		p.t.Errorf("got %d messages, want 1", got)
	}
}
