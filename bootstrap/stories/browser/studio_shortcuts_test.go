package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func shortcutStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"a question mark lists the shortcuts of where one is": shortcutsAreListed,
		"shortcuts are those of a Mac's keyboard":             shortcutsOnMacs,
	}
}

// listed reports in an expression whether the list of shortcuts has a row with a text and keys.
func listed(text, keys string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('dialog[open] .shortcuts__row')].some((row) =>
		row.querySelector('dt').textContent.startsWith(%q) && row.querySelector('kbd').textContent === %q)`, text, keys)
}

func shortcutsAreListed(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("static-html")
	axe := fetchAxe(t)
	p := c.enterAs(t, made.user, "/dashboard")
	p.sees(made.Name)
	// The prompt has the focus, and takes question marks as text.
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.bar__mark').focus()`), chromedp.KeyEvent("?"))
	p.until("the palette in the list", listed("Commands", "Ctrl+K"))
	if evaluate[bool](p, listed("Code", "Alt+2")) {
		t.Error("got the shortcuts of a project on the dashboard")
	}
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("the list closed", "document.querySelector('dialog[open]') === null")

	p.visit(s.url + "/projects/" + string(made.ID))
	p.until("the chat", named("textbox", "Describe a change")+" !== null")
	p.tabTo("Describe a change")
	p.do(chromedp.KeyEvent("what?"))
	p.until("the question mark in the field", named("textbox", "Describe a change")+"?.value === 'what?'")
	p.do(chromedp.KeyEvent("2", chromedp.KeyModifiers(chromedp.ModifierAlt)))
	p.until("the files", named("treeitem", "index.html")+" !== null")
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.tree').focus()`), chromedp.KeyEvent("?"))
	p.until("the files' shortcuts", listed("Open a file by name", "Ctrl+P"))
	for _, row := range [][2]string{{"Code", "Alt+2"}, {"Rename or move", "F2"}, {"Find in this file", "Ctrl+F"}, {"New line", "Shift+Enter"}, {"Stop the agent", "Esc"}} {
		if !evaluate[bool](p, listed(row[0], row[1])) {
			t.Errorf("got no shortcut %s for %q", row[1], row[0])
		}
	}
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.settle()
		p.wantAccessible("the shortcuts, "+shape.name, axe)
		p.picture("shortcuts " + shape.name)
	}
	p.show(1440, 900, "light")
	p.do(chromedp.KeyEvent("p", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.painted()
	if evaluate[bool](p, "document.querySelector('dialog.finder') !== null") {
		t.Error("got a shortcut of the page below the dialog")
	}
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("the list closed again", "document.querySelector('dialog[open]') === null")

	// A pane that is not shown has no shortcuts.
	p.do(chromedp.KeyEvent("1", chromedp.KeyModifiers(chromedp.ModifierAlt)))
	p.until("the preview", "[...document.querySelectorAll('.pane')].some((e) => !e.hidden && e.getAttribute('aria-label') === 'Preview')")
	p.painted() // Effects take the keys of the hidden pane away.
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.bar__mark').focus()`), chromedp.KeyEvent("?"))
	p.until("the list", listed("Preview", "Alt+1"))
	if evaluate[bool](p, listed("Open a file by name", "Ctrl+P")) {
		t.Error("got the shortcuts of the code while the preview is shown")
	}
	p.wantQuiet()
}

func shortcutsOnMacs(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("static-html")
	p := c.enterAs(t, made.user, "/dashboard")
	send(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		Object.defineProperty(Navigator.prototype, 'platform', {get: () => 'MacIntel'})`})
	p.visit(made.url + "/dashboard")
	p.sees(made.Name)
	p.until("the label", named("button", "Commands (⌘K)")+" !== null")
	p.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierMeta)))
	p.until("the palette", `document.activeElement?.closest('dialog.finder') !== null`)
	p.until("the keys in the palette", `[...document.querySelectorAll('.finder__item')].some((e) => e.querySelector('kbd')?.textContent === '?')`)
	p.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierMeta)))
	p.until("the palette gone", `document.querySelector('dialog.finder') === null`)
	p.wantQuiet()
}
