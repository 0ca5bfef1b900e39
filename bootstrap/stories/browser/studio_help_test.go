package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func helpStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"the manual answers newcomers":                  theManualAnswers,
		"the palette and quick-open know what was used": recentComesFirst,
	}
}

func theManualAnswers(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	p := c.enterAs(t, s.signUp(t), "/dashboard")
	p.press("button", "Account")
	p.press("menuitem", "Manual")
	p.until("the manual", "location.pathname === '/help'")
	p.fill("Search the manual", "own domain")
	p.until("the topic", named("link", "Publishing and domains")+" !== null")
	p.settle()
	p.wantAccessible("the manual", axe)
	p.inAllShapes("help")
	p.press("link", "Publishing and domains")
	p.sees("The HTTPS certificate is automatic, too.")
	p.press("link", "Your first app")
	p.until("the picture", `document.querySelector('.help__article img')?.naturalWidth > 0`)
	p.settle()
	p.wantAccessible("a topic", axe)
	p.inAllShapes("help topic")

	// A browser that has read older news gets a dot until it has read these.
	p.do(chromedp.Evaluate[chromedp.Void](`localStorage.setItem('atelier.news', 'older')`))
	p.visit(s.url + "/dashboard")
	p.until("the dot", `document.querySelector('.bar__news') !== null`)
	p.visit(s.url + "/help/news")
	p.until("the news read", `document.querySelector('.help__article h2') !== null && document.querySelector('.bar__news') === null`)
	p.visit(s.url + "/dashboard")
	p.until("the account", named("button", "Account")+" !== null")
	if evaluate[bool](p, `document.querySelector('.bar__news') !== null`) {
		t.Error("got the dot again, want the news remembered")
	}
	p.wantQuiet()

	out := c.open(t)
	out.visit(s.url + "/help/data")
	out.sees("Let your app remember things")
	out.wantQuiet()
}

func recentComesFirst(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	made.save("src/aaa.ts", "")
	made.save("src/zzz.ts", "")
	p := c.code(t, made)
	p.openFile("zzz.ts")
	p.openFile("App.tsx")
	p.do(chromedp.KeyEvent("p", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	first := func(text string) string {
		return fmt.Sprintf(`document.querySelector('.finder__item')?.textContent.startsWith(%q) === true`, text)
	}
	p.until("the file that was open before", first("zzz.ts"))
	p.do(chromedp.KeyEvent(kb.Escape))
	p.visit(made.url + "/projects/" + string(made.ID))
	p.until("the chat", named("textbox", "Describe a change")+" !== null")
	p.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.until("the palette", `document.activeElement?.closest('dialog.finder') !== null`)
	p.until("the groups", `document.querySelector('.finder [role=group][aria-label="On this page"]') !== null`)
	p.settle()
	p.wantAccessible("the palette", fetchAxe(t))
	p.inAllShapes("palette")
	p.do(chromedp.KeyEvent("aaa.t"))
	p.until("the file", first("aaa.ts"))
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("the file", named("tab", "aaa.ts")+" !== null")
	p.command("Versions")
	// A command runs after the palette has closed.
	p.until("the versions", "[...document.querySelectorAll('.pane')].some((e) => !e.hidden && e.getAttribute('aria-label') === 'Versions')")
	p.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.until("the command that was used", `document.querySelector('.finder [role=group]')?.getAttribute('aria-label') === 'Recent'`)
	p.until("its name", first("Versions"))
	p.do(chromedp.KeyEvent(kb.Escape))
	p.wantQuiet()
}
