package browser

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/adapters/npm"
)

// shapes are the windows in which every page is looked at.
var shapes = []struct {
	name          string
	width, height int64
	scheme        string
}{
	{"wide light", 1440, 900, "light"},
	{"wide dark", 1440, 900, "dark"},
	{"phone light", 390, 844, "light"},
	{"phone dark", 390, 844, "dark"},
	{"tablet light", 820, 1180, "light"},
	{"tablet dark", 820, 1180, "dark"},
	{"small light", 1024, 768, "light"},
	{"huge dark", 2560, 1440, "dark"},
}

func pagesStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"every page can be used by everybody": everyPageCanBeUsed,
		"the pages of admins can be used":     adminsPagesCanBeUsed,
	}
}

// everyPageCanBeUsed visits all pages in all shapes: axe finds nothing wrong, nothing
// is wider than the window, nothing moves while a page loads, and the console is quiet.
func everyPageCanBeUsed(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	u := s.signUp(t)
	p := c.enterAs(t, u, "/dashboard")
	p.observeShifts()
	p.visit(s.url + "/dashboard")
	look := func(name string) {
		p.settle()
		p.wantSteady()
		for _, shape := range shapes {
			p.show(shape.width, shape.height, shape.scheme)
			p.settle()
			p.wantAccessible(name+", "+shape.name, axe)
			p.picture(strings.ReplaceAll(name+" "+shape.name, "/", " "))
		}
		p.show(1440, 900, "light")
		p.painted()
		evaluate[bool](p, "window.shifts.splice(0).length >= 0")
	}
	look("dashboard empty")
	made := u.create("todo-app")
	for _, path := range slices.Concat(
		[]string{"/dashboard", "/invites/unknown"},
		p.linksBelow("/settings/profile", "/settings/"),
		p.linksBelow("/workspaces/"+string(u.workspace)+"/members", "/workspaces/"+string(u.workspace)+"/"),
	) {
		p.visit(s.url + path)
		look(strings.Trim(strings.ReplaceAll(path, string(u.workspace), ""), "/"))
	}
	p.visit(s.url + "/projects/" + string(made.ID))
	for _, pane := range []string{"Preview", "Code", "Data", "Versions"} {
		p.press("tab", pane)
		look("project " + strings.ToLower(pane))
	}
	p.press("button", "Publish")
	look("project publish")
	// The invitation that is not there.
	p.pardon(http.StatusNotFound)
	p.wantQuiet()

	out := c.open(t)
	for _, path := range []string{"/", "/login", "/signup", "/forgot-password", "/reset-password?token=x"} {
		out.visit(s.url + path)
		for _, shape := range shapes {
			out.show(shape.width, shape.height, shape.scheme)
			out.settle()
			out.wantAccessible(path+", "+shape.name, axe)
		}
	}
	out.wantQuiet()
}

// adminsPagesCanBeUsed visits the console of an installation of its own, whose first account is
// the admin's, and what its visitors see once sign-up is closed.
func adminsPagesCanBeUsed(t *testing.T, c *chromium, _ *service) {
	s := startService(t, "localhost", nil)
	axe := fetchAxe(t)
	admin, other := s.signUp(t), s.signUp(t)
	look := func(p *tab, name string) {
		for _, width := range []int64{390, 820, 1440} {
			for _, scheme := range []string{"light", "dark"} {
				p.show(width, 900, scheme)
				p.settle()
				p.wantAccessible(fmt.Sprintf("%s, %d %s", name, width, scheme), axe)
				p.picture(fmt.Sprintf("admin %s %d %s", name, width, scheme))
			}
		}
		p.show(1440, 900, "light")
	}
	admin.call(http.StatusOK, http.MethodPatch, "/admin/settings", map[string]string{"signup": "invite", "announcement": "Maintenance on Friday at 18:00."}, nil)
	admin.call(http.StatusCreated, http.MethodPost, "/admin/invites", map[string]string{"email": "guest@example.com"}, nil)
	p := c.enterAs(t, admin, "/dashboard")
	p.until("the notice", `document.body.innerText.includes("Maintenance on Friday")`)
	for _, path := range p.linksBelow("/admin/people", "/admin/") {
		p.visit(s.url + path)
		look(p, strings.TrimPrefix(path, "/admin/"))
	}
	p.wantQuiet()

	stranger := c.enterAs(t, other, "/admin/people")
	stranger.until("a refusal", `document.body.innerText.includes("Only admins of this installation")`)
	stranger.wantQuiet()

	out := c.open(t)
	for path, words := range map[string]string{"/": "by invitation", "/signup": "You need an invitation"} {
		out.visit(s.url + path)
		out.until("why sign-up is closed", fmt.Sprintf("document.body.innerText.includes(%q)", words))
		look(out, "closed"+strings.ReplaceAll(path, "/", " "))
	}
	out.wantQuiet()
}

// linksBelow returns the addresses below a place that a page leads to.
func (p *tab) linksBelow(page, place string) []string {
	p.t.Helper()
	origin := evaluate[string](p, "location.origin")
	p.visit(origin + page)
	links := fmt.Sprintf("[...new Set([...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href')).filter((href) => href.startsWith(%q)))]", place)
	p.until("links below "+place, "("+links+").length > 1")
	return evaluate[[]string](p, links)
}

// painted waits until the page has painted the latest change, such as the window's size.
func (p *tab) painted() {
	p.t.Helper()
	evaluate[bool](p, "new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(() => painted(true))))")
}

// settle waits until nothing is being loaded any more.
func (p *tab) settle() {
	p.t.Helper()
	left := []string{"a page"}
	defer func() {
		if p.t.Failed() {
			p.t.Logf("still busy or moving: %q", left)
		}
	}()
	p.wait("the page at rest", func() bool {
		found, err := try(p, chromedp.Evaluate[[]string](restless))
		if err == nil {
			left = found
		}
		return err == nil && len(found) == 0
	})
	p.painted()
}

// restless lists what is busy or moves on the page.
const restless = `(() => {
	if (document.querySelector('main') === null) return ['the page']
	const busy = [...document.querySelectorAll('.loading, .skeleton, [aria-busy=true]')].map((element) => 'busy: ' + element.outerHTML.slice(0, 200))
	const moving = document.getAnimations().filter((animation) => animation.playState !== 'finished')
	return [...busy, ...moving.map((animation) => animation.playState + ': ' + (animation.animationName ?? animation.transitionProperty) + ' of ' + animation.effect?.target?.outerHTML.slice(0, 200))]
})()`

// wantAccessible checks the page against axe's rules, and that it fits the window's width. The
// dark scheme changes colors alone, so only their rules are checked in it.
func (p *tab) wantAccessible(what, axe string) {
	p.t.Helper()
	if !evaluate[bool](p, "'axe' in window") {
		p.do(chromedp.Evaluate[chromedp.Void](axe))
	}
	found := evaluate[[]string](p, `(async () => {
		const dark = matchMedia('(prefers-color-scheme: dark)').matches;
		const runOnly = dark ? ['color-contrast', 'link-in-text-block'] : ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
		const { violations } = await axe.run(document, { resultTypes: ['violations'], runOnly });
		return violations.flatMap((v) => v.nodes.slice(0, 3).map((n) => v.id + ': ' + n.target.join(' ') + ': ' + n.failureSummary.replace(/\s+/g, ' ')));
	})()`)
	for _, violation := range found {
		p.t.Errorf("%s: got %s", what, violation)
	}
	p.wantFitting(what)
}

// wantFitting checks that nothing is wider than the window.
func (p *tab) wantFitting(what string) {
	p.t.Helper()
	if wide := evaluate[int](p, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
		p.t.Errorf("%s: got the page %d pixels wider than the window", what, wide)
	}
}

// axeOnce reads axe's source from the npm registry.
var axeOnce = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "axe-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	resolver, err := npm.New(npm.Config{Dir: dir})
	if err != nil {
		return "", err
	}
	set, err := resolver.Install(context.Background(), map[string]string{"axe-core": "4.14.1"})
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(filepath.Join(set.Dir, "node_modules", "axe-core", "axe.min.js"))
	return string(source), err
})

// fetchAxe returns axe's source.
func fetchAxe(t *testing.T) string {
	t.Helper()
	source, err := axeOnce()
	if err != nil {
		t.Fatal(err)
	}
	return source
}
