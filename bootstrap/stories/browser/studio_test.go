package browser

import (
	"fmt"
	"maps"
	"net/url"
	"testing"

	"github.com/chromedp/cdproto/network"
)

// TestStudio plays what people do in the studio, in one browser and on one service, which
// may call AI providers that a story starts on this machine. Each story has its own
// people and tabs, so that several run in parallel. Pictures are kept with
//
//	go test -run TestStudio -artifacts -outputdir DIR ./bootstrap/stories/browser
func TestStudio(t *testing.T) {
	t.Parallel()
	c, s := startChromium(t), startService(t, "localhost", map[string]string{"PRIVATE_NETWORKS": "allow"})
	stories := make(map[string]func(*testing.T, *chromium, *service))
	for _, part := range []map[string]func(*testing.T, *chromium, *service){
		mainStories(), keyboardStories(), authStories(), pagesStories(), homeStories(), workspaceStories(), chatStories(), previewStories(), publishStories(), codeStories(), fileStories(), versionStories(), dataStories(), logStories(), roomStories(), focusStories(), frontStories(), troubleStories(), shareStories(), failureStories(), looksStories(), shortcutStories(), replaceStories(), helpStories(), visualStories(), webhookStories(), commentStories(), nextStories(), remoteStories(), consentStories(), passkeyStories(), policyStories(), connectorStories(),
	} {
		maps.Copy(stories, part)
	}
	// This story runs alone, because the browser measures all of its pages together.
	t.Run("a stream of 100 deltas a second leaves the page its frames", func(t *testing.T) { streamingIsSmooth(t, c) })
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, c, s)
		})
	}
}

// enterAs opens a tab in which a person is signed in, on a page of the studio.
func (c *chromium) enterAs(t *testing.T, u *user, path string) *tab {
	t.Helper()
	p := c.open(t)
	at, err := url.Parse(u.url)
	if err != nil {
		t.Fatal(err)
	}
	p.show(1440, 900, "light")
	for _, cookie := range u.cookies {
		send(p, network.SetCookie, network.SetCookieParams{
			Name: cookie.Name, Value: cookie.Value, Domain: at.Hostname(), Path: cookie.Path, HTTPOnly: new(true),
		})
	}
	p.visit(u.url + path)
	return p
}

// named returns an expression for the visible element of a role (an ARIA role, or the
// element that implies it) whose name is a text, or begins with it.
func named(role, name string) string {
	return fmt.Sprintf(`(() => {
		const native = {button: 'button', link: 'a[href]', textbox: 'input:not([type=checkbox]):not([type=radio]), textarea', checkbox: 'input[type=checkbox]', radio: 'input[type=radio]',
			combobox: 'select', heading: 'h1, h2, h3', dialog: 'dialog[open]', tab: '[role=tab]', menuitem: '[role^=menuitem]'}[%[1]q] ?? '';
		const all = [...document.querySelectorAll(['[role=' + %[1]q + ']', native].filter(Boolean).join(','))]
			.filter((e) => e.checkVisibility() && (!document.querySelector('dialog[open]') || e.closest('dialog[open]')));
		const nameOf = (e) => (e.getAttribute('aria-label') ?? document.getElementById(e.getAttribute('aria-labelledby'))?.textContent
			?? e.labels?.[0]?.textContent ?? e.textContent ?? e.placeholder ?? '').trim();
		return all.find((e) => nameOf(e) === %[2]q) ?? all.find((e) => nameOf(e).startsWith(%[2]q)) ?? null;
	})()`, role, name)
}

// press clicks on the element with a role and a name, once it exists and is enabled.
func (p *tab) press(role, name string) {
	p.t.Helper()
	p.until(fmt.Sprintf("the %s %q", role, name), fmt.Sprintf(`(() => {
		const found = %s;
		if (!found || found.disabled) return false;
		found.click();
		return true;
	})()`, named(role, name)))
}

// publishes submits the form to publish, once it may be. The panel moves while its lists load, so a
// click at a place could miss.
func (p *tab) publishes() {
	p.t.Helper()
	p.until("the form to publish", `(() => {
		const button = document.querySelector('.site__form [type=submit]:not([disabled])');
		button?.click();
		return button !== null;
	})()`)
}

// fill replaces the text in the field with a label.
func (p *tab) fill(label, text string) {
	p.t.Helper()
	p.until("the field "+label, fmt.Sprintf(`(() => {
		const field = %s;
		if (!field) return false;
		field.focus();
		const kind = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
		Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(field, %q);
		field.dispatchEvent(new InputEvent('input', {bubbles: true}));
		field.dispatchEvent(new Event('change', {bubbles: true}));
		return true;
	})()`, named("textbox", label), text))
}

// sees waits until the page shows a text.
func (p *tab) sees(text string) {
	p.t.Helper()
	p.until("the text", fmt.Sprintf("document.body?.innerText.includes(%q) === true", text))
}

// misses waits until the page does not show a text.
func (p *tab) misses(text string) {
	p.t.Helper()
	p.until("no text", fmt.Sprintf("document.body?.innerText.includes(%q) === false", text))
}
