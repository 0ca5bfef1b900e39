package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core"
)

func previewStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"readers of a public project see its preview alone":         readAPublicProject,
		"what keeps a project from building is shown and handed on": showWhatIsBroken,
		"one finds one's way in the preview":                        findOnesWay,
		"hostile pages are shown as text":                           showHostilePages,
		"a preview is stopped and started":                          stopAndStart,
		"an end user stays signed in when the preview moves":        aVisitorStaysSignedIn,
		"a tab of its own follows the preview with its end user":    aTabFollowsThePreview,
		"a page has storage where the browser refuses it":           aPageHasStorage,
		"a module that throws leaves the page before it":            aModuleThatThrows,
	}
}

// frame is the page that the studio frames, which is a target of its own.
func (p *tab) frame(origin string) *tab {
	p.t.Helper()
	framed := newTab(p.t)
	before := ""
	p.wait("a frame with "+origin, func() bool {
		targets, err := chromedp.Targets(p.ctx)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, found := range targets {
			if found.Type == "iframe" && strings.HasPrefix(found.URL, origin) {
				// chromedp attaches badly to a page whose document changes in that moment: it then
				// reads and writes its nodes at once. Stories let a page come to rest before.
				if at := found.URL + " " + found.Title; at != before {
					before = at
					return false
				}
				ctx, leave := chromedp.NewContext(p.ctx, chromedp.WithTargetID(found.TargetID))
				p.t.Cleanup(leave)
				framed.ctx = ctx
				return true
			}
		}
		return false
	})
	if err := chromedp.Listen(framed.ctx, framed.notice); err != nil {
		p.t.Fatal(err)
	}
	return framed
}

// clickIn presses the mouse on an element of the framed page.
func (p *tab) clickIn(framed *tab, selector string) {
	p.t.Helper()
	// A click on an element that is still being laid out would miss.
	framed.until("the element at rest "+selector, fmt.Sprintf(`(() => {
		const at = document.querySelector(%q)?.getBoundingClientRect();
		const before = window.lastSeenAt;
		window.lastSeenAt = JSON.stringify(at);
		return at !== undefined && at.width > 0 && before === window.lastSeenAt;
	})()`, selector))
	outer := evaluate[[]float64](p, `(({x, y}) => [x, y])(document.querySelector('iframe').getBoundingClientRect())`)
	inner := evaluate[[]float64](framed, fmt.Sprintf(`(({x, y, width, height}) => [x + width / 2, y + height / 2])(document.querySelector(%q).getBoundingClientRect())`, selector))
	p.do(chromedp.MouseClickXY(outer[0]+inner[0], outer[1]+inner[1]))
}

// wantFile waits until a file of the project has the expected content.
func (p *tab) wantFile(project *project, path, want string) {
	p.t.Helper()
	p.wait(path+" with "+want, func() bool { return project.read(path) == want })
}

func readAPublicProject(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("blank")
	project.call(http.StatusOK, http.MethodPatch, project.path(""), map[string]string{"visibility": string(core.VisibilityPublic)}, nil)
	reader := *project
	reader.user = s.signUp(t)
	p := c.enterAs(t, reader.user, "/projects/"+string(project.ID))
	p.frame(reader.preview()).until("the page", `document.querySelector('h1') !== null`)
	for _, button := range []string{"Edit", "Console", "More preview options"} {
		if evaluate[bool](p, named("button", button)+" !== null") {
			t.Errorf("got the button %q for a reader, want none", button)
		}
	}
	p.wantQuiet()
}

// goTo goes to a path of the preview by its address bar.
func (p *tab) goTo(path string) {
	p.t.Helper()
	p.until("the address bar", named("textbox", "Address in the preview")+`?.disabled === false`)
	p.fill("Address in the preview", path)
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void %s.form.requestSubmit()`, named("textbox", "Address in the preview"))))
}

func showWhatIsBroken(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("blank")
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	framed := p.frame(project.preview())
	framed.until("the page", `document.querySelector('h1') !== null`)
	project.save("src/App.tsx", "export default () => <h1>Hello</h2>\n")
	p.sees("The build failed:")
	p.sees("src/App.tsx:1:")
	p.press("button", "src/App.tsx:1:")
	p.until("the code", `document.querySelector('[role=tab][aria-selected=true]')?.textContent.includes('Code') === true`)
	p.press("tab", "Preview")
	p.press("button", "Fix with AI")
	p.sees("The build failed. Please fix this:")
	p.answered()
	project.save("src/App.tsx", heading)
	p.misses("The build failed:")
}

func findOnesWay(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("blank")
	project.save("src/App.tsx", "export default () => <button onClick={() => history.pushState(null, '', '/deeper?x=1#end')}>Go</button>\n")
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	framed := p.frame(project.preview())
	p.clickIn(framed, "button")
	at := func(path string) {
		t.Helper()
		p.until("the address "+path, fmt.Sprintf(`%s?.value === %q`, named("textbox", "Address in the preview"), path))
	}
	at("/deeper?x=1#end")
	p.press("button", "Back")
	at("/")
	p.press("button", "Forward")
	at("/deeper?x=1#end")
	p.do(chromedp.Evaluate[chromedp.Void](`void (window.said = [], addEventListener('message', ({data}) => { window.said.push(data?.path) }))`))
	p.goTo("elsewhere")
	at("/elsewhere")
	framed.until("the page there", `location.pathname === '/elsewhere'`)
	p.until("what the page says of its place", `window.said.includes('/elsewhere')`)
	p.goTo("https://example.com/")
	framed.until("the notice", `document.body?.innerText.includes('There is no such page') === true`)
	at("/https://example.com/")
	p.press("button", "Size")
	p.press("menuitem", "Phone")
	framed.until("a phone's width", `innerWidth === 390`)
	p.press("button", "Size")
	p.press("menuitem", "Rotate")
	framed.until("a phone on its side", `innerWidth === 844`)
	p.wantQuiet()
}

func showHostilePages(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("static-html")
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	p.frame(project.preview())
	project.save("index.html", `<!doctype html><title>"><img src=x onerror=alert(1)></title><h1 class="x">Hostile</h1><script type="module">
		const say = (message) => parent.postMessage({source: 'atelier-preview', ...message}, '*')
		for (const type of ['location', 'picked', 'picking', 'step', 'constructor', '__proto__']) for (const value of [null, 1, {}, [], '<b>'.repeat(99999)]) {
			say({type, path: value, title: value, element: value, on: value, to: value})
			say({type, element: {tag: 'h1', loc: value, trail: value, styles: value, text: value, count: value, classes: value}})
		}
		say({type: 'location', path: 'javascript:alert(1)', title: '<script>', back: true})
		say({type: 'location', path: '//example.com/', title: '\u202egnp.exe'})
		console.error('<img src=x onerror="document.title=1"> \u202e ' + 'long '.repeat(200))
		top.location = 'https://example.com/'
	</script>`)
	framed := p.frame(project.preview())
	framed.until("the hostile page", `document.querySelector('h1.x') !== null`)
	p.press("button", "Console")
	p.sees(`<img src=x onerror="document.title=1">`)
	p.fill("Filter messages", "nothing like it")
	p.sees("No matches.")
	p.fill("Filter messages", "")
	p.beginEditing(framed)
	p.clickIn(framed, "h1.x")
	p.until("the heading chosen", `document.querySelector('.editor__tag')?.textContent === 'Heading'`)
	if got := evaluate[int](p, `document.querySelectorAll('img[src=x], b').length`); got != 0 {
		t.Errorf("got %d elements of the page's messages in the studio, want them as text", got)
	}
	if got := evaluate[string](p, "location.pathname"); got != "/projects/"+string(project.ID) {
		t.Errorf("got %s, want the studio to stay", got)
	}
	const forged = `new Promise((done) => {
		addEventListener('message', ({data}) => { if (data === 'last') done(true) })
		for (const message of [{source: 'atelier-studio', type: 'navigate', path: '/#forged'}, {source: 'atelier-preview', type: 'location', path: '/forged'}, 'last']) postMessage(message, '*')
	})`
	evaluate[bool](framed, forged)
	evaluate[bool](p, forged)
	if got := evaluate[string](framed, "location.hash"); got != "" {
		t.Errorf("got the page at %s, want it to hear the studio alone", got)
	}
	if got := evaluate[string](p, named("textbox", "Address in the preview")+".value"); strings.Contains(got, "forged") {
		t.Errorf("got the address %s, want the studio to hear its frame alone", got)
	}
	p.press("button", "Clear")
	p.sees("Nothing reported")
	p.wantQuiet()
}

func stopAndStart(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("blank")
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	before := project.preview()
	p.frame(before).until("the page", `document.querySelector('h1') !== null`)
	p.press("button", "More preview options")
	p.press("menuitem", "Stop the preview")
	p.press("button", "Stop the preview")
	p.sees("The preview is stopped")
	p.press("button", "Start the preview")
	// The address changes with a stop and with who may see the project, and the studio
	// finds the new one.
	p.until("another address", fmt.Sprintf(`!(document.querySelector('iframe')?.src ?? %q).startsWith(%q)`, before, before))
	again := project.preview()
	p.frame(again).until("the page again", `document.querySelector('h1') !== null`)
	project.call(http.StatusOK, http.MethodPatch, project.path(""), map[string]string{"visibility": string(core.VisibilityPublic)}, nil)
	after := project.preview()
	if again == before || after == again {
		t.Fatalf("got the addresses %s, %s and %s, want another one each time", before, again, after)
	}
	p.press("button", "Reload the page")
	p.frame(after).until("the page at its new address", `document.querySelector('h1') !== null`)
}
