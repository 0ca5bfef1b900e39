package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core"
)

// visitorsPage signs Grace in with PocketBase's client. It asks for her record once, when it is
// loaded, as pages do.
const visitorsPage = `import PocketBase from 'pocketbase'

const client = new PocketBase('/_data')
document.body.innerHTML = '<h1></h1><button id="in">Sign in</button><button id="out">Sign out</button>'
const say = (text: string) => { document.querySelector('h1')!.textContent = text }
say('nobody')
if (client.authStore.isValid) client.collection('users').authRefresh().then(({ record }) => say(record.email), () => say('refused'))
document.querySelector<HTMLButtonElement>('#in')!.onclick = () => {
	client.collection('users').authWithPassword('grace@example.com', 'long enough').then(({ record }) => say(record.email), () => say('refused'))
}
document.querySelector<HTMLButtonElement>('#out')!.onclick = () => { client.authStore.clear(); say('nobody') }
`

// visited creates a project with the page and its user.
func (u *user) visited() *project {
	project := u.create("todo-app")
	project.save("backend/seed.json", `{"users": [{"email": "grace@example.com", "password": "long enough"}]}`)
	project.save("backend/schema.json", `{"collections": [{"name": "users", "type": "auth", "viewRule": "id = @request.auth.id"}]}`)
	project.alter("package.json", `"react": `, `"pocketbase": "0.28.1", "react": `)
	project.save("src/main.tsx", visitorsPage)
	return project
}

// aVisitorStaysSignedIn signs an end user in on a preview in the studio. Then its address changes
// with the members of the workspace, with who may see it, and with a stop. Pages of other
// projects and other senders get and leave nothing.
func aVisitorStaysSignedIn(t *testing.T, c *chromium, s *service) {
	ada, bob := s.signUp(t), s.signUp(t)
	project, hostile := ada.visited(), ada.visited()
	p := c.enterAs(t, ada, "/projects/"+string(project.ID))
	first := project.preview()
	framed := p.frame(first)
	framed.wantHeading("nobody")
	p.clickIn(framed, "#in")
	framed.wantHeading("grace@example.com")
	p.keepsVisitor(project, first)

	ada.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(ada.workspace)+"/invites", map[string]string{"email": bob.email, "role": "member"}, nil)
	bob.call(http.StatusOK, http.MethodPost, s.linkMailed(t, bob.email, "/invites/")+"/accept", nil, nil)
	second := project.preview()
	if first == second {
		t.Fatal("the preview has kept its address")
	}
	p.press("button", "Reload the page")
	framed = p.frame(second)
	framed.wantHeading("grace@example.com")
	p.keepsVisitor(project, second)
	// The studio alone gives a page a session.
	if got := evaluate[bool](framed, `(async () => {
		const before = localStorage.pocketbase_auth
		localStorage.removeItem('pocketbase_auth')
		const heard = new Promise((done) => addEventListener('message', ({data}) => { if (data === 'last') done() }))
		for (const message of [{source: 'atelier-studio', type: 'user', text: 'forged'}, 'last']) postMessage(message, '*')
		await heard
		const is = localStorage.getItem('pocketbase_auth')
		localStorage.pocketbase_auth = before
		return is === null
	})()`); !got {
		t.Error("the page took a session from its own window, want one from the studio only")
	}

	hostilePageGetsNothing(p, hostile)

	// In the same tab and after a reload of the studio, the first project's visitor is there.
	project.call(http.StatusOK, http.MethodPatch, project.path(""), map[string]string{"visibility": string(core.VisibilityPublic)}, nil)
	p.visit(s.url + "/projects/" + string(project.ID))
	third := project.preview()
	framed = p.frame(third)
	framed.wantHeading("grace@example.com")
	p.keepsVisitor(project, third)

	// Who signs out stays signed out, wherever the preview goes.
	p.clickIn(framed, "#out")
	framed.wantHeading("nobody")
	p.until("no session in the studio", fmt.Sprintf(`!Object.keys(sessionStorage).some((name) => name.endsWith(%q))`, "visitor."+string(project.ID)))
	project.call(http.StatusNoContent, http.MethodDelete, project.path("/preview"), nil, nil)
	fourth := project.preview()
	p.visit(s.url + "/projects/" + string(project.ID))
	framed = p.frame(fourth)
	framed.wantHeading("nobody")

	// Nor does the next person at this computer find the visitor.
	p.clickIn(framed, "#in")
	framed.wantHeading("grace@example.com")
	p.keepsVisitor(project, fourth)
	p.press("button", "Account")
	p.press("menuitem", "Sign out")
	p.wantHeading("Welcome back")
	if got := evaluate[string](p, `Object.keys(sessionStorage).filter((name) => name.includes('visitor')).join()`); got != "" {
		t.Errorf("got %s in the tab after signing out, want nothing", got)
	}
}

// keepsVisitor waits until the studio has heard of the page's user.
func (p *tab) keepsVisitor(project *project, origin string) {
	p.t.Helper()
	p.until("the session in the studio", fmt.Sprintf(`Object.keys(sessionStorage).some((name) => name.endsWith(%q) && JSON.parse(sessionStorage[name]).origin === %q)`,
		"visitor."+string(project.ID), origin))
}

// hostilePageGetsNothing opens a project whose page claims users, and asks for those of others.
func hostilePageGetsNothing(p *tab, hostile *project) {
	p.t.Helper()
	hostile.save("src/main.tsx", `document.body.innerHTML = '<h1>hostile</h1>'
		const heard: unknown[] = []
		Object.assign(window, { heard })
		addEventListener('message', ({ data }) => { heard.push(data) })
		const claim = (text: unknown) => parent.postMessage({ source: 'atelier-preview', type: 'user', text, origin: 'https://elsewhere.example', project: '*' }, '*')
		for (const text of ['x'.repeat(1e6), { toString: () => 'x' }, 7, [], undefined, 'planted']) claim(text)
		for (let i = 0; i < 100; i++) claim(null)
	`)
	p.visit(hostile.url + "/projects/" + string(hostile.ID))
	framed := p.frame(hostile.preview())
	framed.wantHeading("hostile")
	framed.until("an answer of the studio", `heard.some((one) => one?.source === 'atelier-studio' && one.type === 'hello')`)
	if got := evaluate[string](framed, `JSON.stringify(heard.filter((one) => one?.type === 'user')) + (localStorage.getItem('pocketbase_auth') ?? '')`); got != "[]" {
		p.t.Errorf("got %q in a page of another project, want nothing of its neighbour's user", got)
	}
}

// aPageHasStorage where the browser refuses it to frames of other sites, and keeps it over reloads.
func aPageHasStorage(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("static-html")
	project.save("index.html", `<!doctype html><title>n</title><p></p><script>
		localStorage.visits = Number(localStorage.getItem('visits') ?? 0) + 1;
		document.querySelector('p').textContent = [localStorage.visits, localStorage.length, Object.keys(localStorage), 'visits' in localStorage, localStorage instanceof Storage, sessionStorage.getItem('x')].join();
	</script>`)
	p := c.workbench(t, project)
	framed := p.frame(project.preview())
	framed.until("the browser's own storage", `document.querySelector('p').textContent === '1,1,visits,true,true,'`)
	send(framed, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		for (const name of ['localStorage', 'sessionStorage'])
			Object.defineProperty(window, name, {configurable: true, get: () => { throw new DOMException('denied', 'SecurityError') }});
	`})
	for visits := 1; visits <= 3; visits++ {
		framed.do(chromedp.Evaluate[chromedp.Void](`void (document.querySelector('p').textContent = 'before')`))
		p.press("button", "Reload the page")
		framed.until("storage of its own", fmt.Sprintf(`document.querySelector('p')?.textContent === '%d,1,visits,true,true,'`, visits))
	}
	p.until("the studio keeping it", `Object.entries(sessionStorage).some(([name, text]) => name.includes('stored.') && text.includes('"visits":"3"'))`)
	p.wantQuiet()
	framed.wantQuiet()
}

// aModuleThatThrows leaves the page before it in view, with the way out beside it.
func aModuleThatThrows(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("blank")
	project.save("src/App.tsx", heading)
	p := c.workbench(t, project)
	framed := p.frame(project.preview())
	framed.until("the heading", `document.querySelector('h1')?.textContent === 'Hello'`)
	project.save("src/App.tsx", "(null as never as { b: { c: number } }).b.c\n"+heading)
	p.sees("The newest change doesn’t run.")
	p.sees("Fix it")
	p.until("its place", `document.querySelector('.crash .place')?.textContent === 'src/App.tsx:1'`)
	framed.until("the page before it", `document.querySelector('h1')?.textContent === 'Hello' && document.querySelector('atelier-diagnostics') === null`)
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		if shape.width < 800 {
			p.turnTo("Preview")
		}
		p.settle()
		p.snapshot("a module that throws " + shape.name)
	}
	p.show(1440, 900, "light")
	project.save("src/App.tsx", strings.Replace(heading, "Hello", "Well again", 1))
	framed.until("the page", `document.querySelector('h1')?.textContent === 'Well again'`)
	p.misses("The newest change doesn’t run.")

	// A later error leaves the page as it is, and is reported until it is dismissed or fixed.
	project.save("src/App.tsx", `export default function App() {
  return <button onClick={() => { void Promise.reject(new Error('no cups')) }}>Brew</button>
}
`)
	brew := `document.querySelector('button').click()`
	framed.until("the button", `document.querySelector('button')?.textContent === 'Brew'`)
	evaluate[bool](framed, brew+"; true")
	p.sees("Something on the page went wrong")
	p.until("its place", `document.querySelector('.crash--below .place')?.textContent === 'src/App.tsx:2'`)
	p.press("button", "Hide")
	p.misses("Something on the page went wrong")
	evaluate[bool](framed, brew+"; true")
	p.sees("Something on the page went wrong")
	project.save("src/App.tsx", heading)
	p.misses("Something on the page went wrong")
}
