package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
)

func frontStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"who comes first is shown the front page, and gets what they typed there": theFirstPersonComes,
		"templates are seen before they are chosen":                               templatesAreSeen,
		"the first prompt takes images, a mode and a model":                       theFirstPromptTakesImages,
		"who is signed in never sees the front page":                              theFrontPageIsForVisitors,
	}
}

// frontHeading is the heading of the front page.
const frontHeading = "Describe an app. Watch it take shape."

// theFirstPersonComes has a service of its own: nobody has an account yet.
func theFirstPersonComes(t *testing.T, c *chromium, _ *service) {
	s := startService(t, "localhost")
	axe := fetchAxe(t)
	p := c.open(t)
	p.observeShifts()
	p.show(1440, 900, "light")
	p.visit(s.url + "/")
	p.wantHeading(frontHeading)
	p.sees("This is a new installation.")
	for _, width := range []int64{390, 820, 1440} {
		for _, scheme := range []string{"light", "dark"} {
			p.show(width, 900, scheme)
			p.settle()
			p.wantAccessible(fmt.Sprintf("the front page, %d pixels, %s", width, scheme), axe)
			p.picture(fmt.Sprintf("front %d %s", width, scheme))
		}
	}
	p.show(1440, 900, "light")
	p.wantSteady()

	// Another language and theme, and the text is still there.
	p.fill("What do you want to build?", "A page for a small bakery: opening hours and today\u2019s breads.")
	p.press("button", "Theme")
	p.press("menuitem", "Dark")
	p.until("the dark theme", "document.documentElement.dataset.theme === 'dark'")
	p.press("button", "Language")
	p.press("menuitem", "Deutsch")
	p.wantHeading("Beschreiben Sie eine App. Sehen Sie, wie sie entsteht.")
	p.press("button", "Sprache")
	p.press("menuitem", "English")
	p.wantHeading(frontHeading)
	p.until("the text", "document.querySelector('textarea').value.startsWith('A page for a small bakery')")

	p.press("button", "Build")
	p.wantHeading("Create the first account")
	p.sees("A page for a small bakery: opening hours and today\u2019s breads.")
	p.fill("Email", "first@example.com")
	p.fill("Password", "long enough")
	p.recordBuild()
	p.press("button", "Create account")
	p.at("/projects/")
	p.answered()
	p.sees("A page for a small bakery")
	p.wantBuildShown()
	framed := p.frame(strings.TrimSuffix(evaluate[string](p, "new URL(document.querySelector('iframe').src).origin"), "/"))
	framed.wantHeading("Bread that takes its time")
	p.wantRunAnnounced()
	p.press("link", "Atelier")
	p.until("the examples after the first project", named("button", "Invoice maker")+" !== null")
	p.wantQuiet()

	// The next visitor is not the first. What they type and do not send waits in the box.
	u := s.signUp(t)
	next := c.open(t)
	next.show(1440, 900, "light")
	next.visit(s.url + "/")
	next.wantHeading(frontHeading)
	next.misses("This is a new installation.")
	next.press("button", "Quiz")
	next.until("the example", "document.querySelector('textarea').value.startsWith('A quiz about capitals')")
	next.press("link", "Sign in")
	next.fill("Email", u.email)
	next.fill("Password", "long enough")
	next.press("button", "Sign in")
	next.at("/dashboard")
	next.until("the example in the box", "document.querySelector('textarea')?.value.startsWith('A quiz about capitals') === true")
	if got := u.projects(""); len(got) > 0 {
		t.Errorf("got the projects %v, want none before somebody asks for one", got)
	}
	next.wantQuiet()
}

// theFrontPageIsForVisitors comes to the root with a session, and with one that is about to
// be renewed: the cookie is gone, the browser remembers.
func theFrontPageIsForVisitors(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	p := c.enterAs(t, s.signUp(t), "/dashboard")
	p.wantHeading("What do you want to build?")
	send(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		new MutationObserver(() => { if (document.querySelector('.front')) window.sawFront = true; })
			.observe(document, { childList: true, subtree: true });`})
	p.visit(s.url + "/")
	p.at("/dashboard")
	p.wantHeading("What do you want to build?")
	if evaluate[bool](p, "window.sawFront === true") {
		t.Error("got the front page shown to somebody who is signed in")
	}

	// The page for unknown addresses leads back.
	p.visit(s.url + "/nowhere")
	p.sees("This page doesn’t exist")
	for _, shape := range shapes[:6] {
		p.show(shape.width, shape.height, shape.scheme)
		p.wantAccessible("an unknown address, "+shape.name, axe)
		p.snapshot("unknown address " + shape.name)
	}
	p.press("link", "Atelier")
	p.at("/dashboard")
	p.pardon(http.StatusNotFound)
	p.wantQuiet()
}

// templatesAreSeen looks at the pictures on the dashboard, in the dialog and on a project.
func templatesAreSeen(t *testing.T, c *chromium, s *service) {
	p := c.enterAs(t, s.signUp(t), "/dashboard")
	pictures := func(where string) string {
		return fmt.Sprintf("[...document.querySelectorAll('%s')].filter((image) => image.complete && image.naturalWidth === 640).length", where)
	}
	p.until("the logo without a box around it", `document.querySelector('.bar a svg') !== null && getComputedStyle(document.querySelector('.bar a')).backgroundColor === 'rgba(0, 0, 0, 0)'`)
	p.until("the gallery", `document.querySelectorAll('.gallery img').length > 4`)
	evaluate[bool](p, "(document.querySelector('.gallery').scrollIntoView(), true)")
	p.until("its pictures", pictures(".gallery img")+" === document.querySelectorAll('.gallery img').length")
	p.press("button", "Landing page")
	p.until("the template in the dialog", "document.querySelector('dialog input[value=landing-page]')?.checked === true")
	p.until("its picture there", pictures("dialog .choice img")+" > 0")
	p.picture("gallery dialog")
	p.press("button", "Create")
	p.at("/projects/")
	p.press("link", "Atelier")
	p.until("the project with its template's picture", "document.querySelector('.project img')?.currentSrc.endsWith('/gallery/landing-page.webp') === true && "+pictures(".project img")+" === 1")
	p.wantQuiet()
}

// recordBuild notes what is shown in the place of the preview from now on.
func (p *tab) recordBuild() {
	p.t.Helper()
	evaluate[bool](p, `(() => {
		window.builds = new Set();
		window.both = false;
		new MutationObserver(() => {
			const build = document.querySelector('.build');
			if (!build) return;
			for (const step of build.querySelectorAll('.build__step')) window.builds.add(step.textContent);
			if (document.querySelector('iframe') && !document.querySelector('.stage__veil')) window.both = true;
		}).observe(document, { childList: true, subtree: true, characterData: true });
		return true;
	})()`)
}

// wantBuildShown checks that the first run was shown step by step, and no page before its end. The page
// that loads afterwards is veiled until it has painted.
func (p *tab) wantBuildShown() {
	p.t.Helper()
	p.until("the page in the place of the steps", "document.querySelector('.build') === null && document.querySelector('iframe') !== null")
	steps := evaluate[[]string](p, "[...window.builds]")
	if !strings.Contains(strings.Join(steps, "|"), "Wrote") {
		p.t.Errorf("got the steps %q shown, want the files that were written", steps)
	}
	if evaluate[bool](p, "window.both") {
		p.t.Error("got the template's page shown during the first run, want the steps alone")
	}
}

// wantRunAnnounced lets a run end while somebody looks at another tab.
func (p *tab) wantRunAnnounced() {
	p.t.Helper()
	hide := func(hidden bool) {
		evaluate[bool](p, fmt.Sprintf("Object.defineProperty(document, 'hidden', { value: %t, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))", hidden))
	}
	p.ask(`Change the title to "Fresh bread"`)
	hide(true)
	p.until("the mark in the title", "document.title.startsWith('\u25cf')")
	hide(false)
	p.until("no mark any more", "!document.title.startsWith('\u25cf')")
	p.answered()
}

// observeShifts adds up the layout shifts of the pages that the tab opens from now on.
func (p *tab) observeShifts() {
	p.t.Helper()
	send(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		window.shifts = [];
		new PerformanceObserver((list) => {
			for (const entry of list.getEntries()) {
				if (!entry.hadRecentInput) window.shifts.push(entry.value + ' ' + entry.sources.map(({ node }) => node?.className ?? node?.nodeName).join());
			}
		}).observe({ type: 'layout-shift', buffered: true });`})
}

// wantSteady checks that what the page showed has not moved by more than a fiftieth.
func (p *tab) wantSteady() {
	p.t.Helper()
	shifts := evaluate[[]string](p, "window.shifts")
	total := 0.0
	for _, shift := range shifts {
		var value float64
		if _, err := fmt.Sscan(shift, &value); err != nil {
			p.t.Fatal(err)
		}
		total += value
	}
	if total > 0.02 {
		p.t.Errorf("%s: got layout shifts of %.3f, want 0.02 at most:\n%s", evaluate[string](p, "location.pathname"), total, strings.Join(shifts, "\n"))
	}
}
