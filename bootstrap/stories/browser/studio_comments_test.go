package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func commentStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"two people comment on an element, and the agent does it": twoPeopleComment,
	}
}

// pinAt reports that the only pin has a number and is at the upper right corner of an element's words.
func pinAt(number, selector string) string {
	return fmt.Sprintf(`(() => {
		const pins = [...document.querySelector('atelier-pins')?.shadowRoot.querySelectorAll('button') ?? []];
		const element = document.querySelector(%q);
		if (pins.length !== 1 || !element) return false;
		const [pin, at, words] = [pins[0].getBoundingClientRect(), element.getBoundingClientRect(), document.createRange()];
		words.selectNodeContents(element);
		return pins[0].textContent === %q && pin.width > 0
			&& Math.abs(pin.top + 14 - Math.max(at.top, 16)) < 2 && Math.abs(pin.left + 14 - words.getBoundingClientRect().right) < 2;
	})()`, selector, number)
}

// comments presses the button of the comments in the preview's bar, which says how many are open.
func (p *tab) comments(open string) {
	p.t.Helper()
	p.press("button", "Comment"+open)
	p.until("the panel of comments", `document.querySelector('.comments') !== null`)
}

// commentOn chooses an element and writes a comment on it.
func (p *tab) commentOn(framed *tab, selector, text string) {
	p.t.Helper()
	p.sees("Choose something on the page to comment on.")
	framed.until("the picker in the page", `document.querySelector('atelier-picker') !== null`)
	p.clickIn(framed, selector)
	p.until("the field in focus", `document.activeElement?.matches('.comments__draft textarea') === true`)
	p.fill("Your comment", text)
	p.click(".comments__draft button[type=submit]")
	p.until("the comment", fmt.Sprintf(`[...document.querySelectorAll('.comment__text')].some((e) => e.textContent === %q)`, text))
}

func twoPeopleComment(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	first, second := s.signUp(t), s.signUp(t)
	made := first.shareWith(second)
	made.save("src/App.tsx", heading)
	p := c.enterAs(t, first, "/projects/"+string(made.ID))
	framed := p.frame(made.preview())
	framed.until("the heading", `document.querySelector('h1')?.textContent === 'Hello'`)
	q := c.enterAs(t, second, "/projects/"+string(made.ID))
	beside := q.frame(made.preview())
	q.until("nothing open", named("button", "Comment")+" !== null")

	p.comments("")
	p.commentOn(framed, "h1", `Change the heading to "Guten Tag"`)
	framed.until("the pin", pinAt("1", "h1"))
	q.comments(", 1 open comment")
	q.sees(first.email)
	beside.until("the pin for the other", pinAt("1", "h1"))
	q.press("button", "Comment 1")
	q.fill("Your reply", "Yes, please")
	q.press("button", "Reply")
	p.sees("Yes, please")
	p.sees(second.email)

	// The element is found where it is after a change above it.
	made.save("src/App.tsx", strings.Replace(heading, "<h1>", "<p>Above</p>\n      <h1>", 1))
	framed.until("the pin below the new line", `document.querySelectorAll('p').length === 2 && `+pinAt("1", "h1"))
	for _, size := range []int64{1440, 390} {
		q.show(size, 900, "light")
		if size == 390 {
			q.turnTo("Preview")
		}
		q.settle()
		q.wantAccessible(fmt.Sprintf("comments at %d", size), axe)
	}
	q.show(1440, 900, "light")
	q.pictures("comments")

	q.press("button", "Ask the agent")
	q.answered()
	beside.until("what the agent changed", `document.querySelector('h1')?.textContent === 'Guten Tag'`)
	q.sees("The agent is done. Is this resolved?")
	q.click(".comment__errand .button--primary")
	q.sees("Resolved (1)")
	p.sees("Resolved (1)")
	framed.until("no pin", `document.querySelector('atelier-pins') === null`)

	p.press("tab", "Resolved")
	p.press("button", "Comment 1")
	p.press("button", "Reopen")
	q.sees("Open (1)")
	made.save("src/App.tsx", strings.Replace(heading, "<h1>Hello</h1>", "", 1))
	framed.until("the page without the heading", `document.querySelector('h1') === null && document.querySelector('p')?.textContent === 'Below the heading'`)
	p.sees("Element not found")
	var page struct{ Items []struct{ ID string } }
	made.call(http.StatusOK, http.MethodGet, made.path("/comments"), nil, &page)
	q.visit(first.url + "/projects/" + string(made.ID) + "?pane=preview&comment=" + page.Items[0].ID)
	q.until("the thread that the address names", `document.querySelector('.comment[data-open]')?.textContent.includes('Yes, please') === true`)
	q.pressInBar("Edit")
	q.until("the panel closed", `document.querySelector('.comments') === null`)
	p.wantQuiet()
	q.wantQuiet()
}

// pictures takes pictures in three widths and both themes, when somebody wants to look at them.
func (p *tab) pictures(name string) {
	p.t.Helper()
	if !keepsArtifacts() {
		return
	}
	for _, width := range []int64{1440, 820, 390} {
		for _, scheme := range []string{"light", "dark"} {
			p.show(width, 900, scheme)
			p.settle()
			p.picture(fmt.Sprintf("%s %d %s", name, width, scheme))
		}
	}
	p.show(1440, 900, "light")
}
