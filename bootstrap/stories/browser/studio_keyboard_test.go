package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func keyboardStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"the keyboard alone leads everywhere": theKeyboardLeads,
	}
}

// theKeyboardLeads goes from the sign-in to a project's panes and back without a
// mouse: by Tab where things are few, by the palette where they are many.
func theKeyboardLeads(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	made := u.create("static-html")
	p := c.open(t)
	p.show(1440, 900, "light")
	p.visit(s.url + "/login")
	p.tabTo("Email")
	p.do(chromedp.KeyEvent(u.email), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("long enough"), chromedp.KeyEvent(kb.Enter))
	p.sees(made.Name)

	p.command(made.Name)
	p.until("the project", fmt.Sprintf("location.pathname === '/projects/%s'", made.ID))
	p.until("the chat", named("textbox", "Describe a change")+" !== null")
	for _, pane := range []string{"Code", "Versions", "Publish", "Preview"} {
		p.command(pane)
		p.until("the pane "+pane, fmt.Sprintf("[...document.querySelectorAll('.pane')].some((e) => !e.hidden && e.getAttribute('aria-label') === %q)", pane))
	}
	p.tabTo("Describe a change")
	p.do(chromedp.KeyEvent("What is this?"), chromedp.KeyEvent(kb.Enter))
	p.answered()

	// A menu opens, is walked through, and gives the focus back.
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.bar__mark').focus()`))
	p.tabTo("Account")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("the menu", `document.activeElement.getAttribute('role')?.startsWith('menuitem') === true`)
	p.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Escape))
	p.until("the focus where it was", `document.querySelector('[role=menu]') === null && document.activeElement.getAttribute('aria-label') === 'Account'`)
	p.command("Projects")
	p.until("the dashboard", "location.pathname === '/dashboard'")
	p.wantQuiet()
}

// command opens the palette, types a command's name and runs it.
func (p *tab) command(name string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.until("the palette", `document.activeElement?.closest('dialog.finder') !== null`)
	p.do(chromedp.KeyEvent(name))
	p.until("the command", fmt.Sprintf(`document.querySelector('.finder__item[aria-selected=true]')?.textContent.startsWith(%q) === true`, name))
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("the palette gone", `document.querySelector('dialog.finder') === null`)
}

// holdEnter presses Enter until something is there, and some repetitions longer, which do nothing to it.
func (p *tab) holdEnter(what, there string) {
	p.t.Helper()
	press := func(kind input.DispatchKeyEventType, again bool) {
		key := input.DispatchKeyEventParams{Type: kind, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: '\r', AutoRepeat: &again}
		if kind == input.DispatchKeyEventTypeChar {
			key.Text, key.UnmodifiedText = kb.Enter, kb.Enter
		}
		send(p, input.DispatchKeyEvent, key)
	}
	// As a keyboard does it: a page that has handled the key gets no character.
	press(input.DispatchKeyEventTypeRawKeyDown, false)
	press(input.DispatchKeyEventTypeChar, false)
	p.until(what, there)
	for range 3 {
		press(input.DispatchKeyEventTypeRawKeyDown, true)
		press(input.DispatchKeyEventTypeChar, true)
	}
	press(input.DispatchKeyEventTypeKeyUp, false)
	p.painted()
	if !evaluate[bool](p, there) {
		p.t.Errorf("%s: got it gone while the key was held", what)
	}
}

// tabTo presses Tab until the element with a name has a visible focus.
func (p *tab) tabTo(name string) {
	p.t.Helper()
	is := fmt.Sprintf(`(() => {
		const e = document.activeElement;
		return (e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent ?? e.textContent).trim().startsWith(%q) && e !== document.body;
	})()`, name)
	for range 150 {
		if evaluate[bool](p, is) {
			if !evaluate[bool](p, `(() => {
				let e = document.activeElement;
				// A field may leave its ring to what is around it.
				for (; e && getComputedStyle(e).outlineStyle === 'none' && getComputedStyle(e).boxShadow === 'none'; e = e.parentElement);
				return e !== null;
			})()`) {
				p.t.Errorf("%s: got the focus without a ring", name)
			}
			return
		}
		p.do(chromedp.KeyEvent(kb.Tab))
	}
	p.t.Fatalf("pressed Tab 150 times and never came to %s", name)
}
