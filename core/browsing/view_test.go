package browsing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core/preview"
)

// tasks is a page with 30 controls.
func tasks() string {
	var page strings.Builder
	page.WriteString(`<!doctype html><title>Todos</title><header><h1>My todos</h1><nav><a href="/">All</a> <a href="/active">Active</a> <a href="/done">Done</a></nav></header>
<main><form><label>New todo <input name="title"></label><button>Add</button></form><ul>`)
	for i := range 12 {
		fmt.Fprintf(&page, `<li><label><input type="checkbox"> Task number %d</label> <button aria-label="Delete task %d">×</button></li>`, i, i)
	}
	page.WriteString(`</ul><p>12 items left</p><button disabled>Clear</button></main>`)
	return page.String()
}

func TestAViewSaysMuchInFewWords(t *testing.T) {
	view := look(t, newStudio(t, map[string]string{"/": tasks()}).page("/"))
	for _, want := range []string{
		"Page / \"Todos\"\nheading 1 \"My todos\"\nlink \"All\" e",
		"textbox \"New todo\" e", "- checkbox \"Task number 0\" e", "\nbutton \"Delete task 11\" e", "text \"12 items left\"\n", "button \"Clear\" disabled e",
	} {
		if !strings.Contains(view.Text, want) {
			t.Errorf("got %s, want %q in it", view.Text, want)
		}
	}
	// The common vocabularies have four bytes a token on such texts.
	if tokens := len(view.Text) / 4; tokens > 400 {
		t.Errorf("got %d tokens for 30 controls, want at most 400:\n%s", tokens, view.Text)
	}
}

func TestAViewSaysWhatHappened(t *testing.T) {
	s := newStudio(t, map[string]string{"/": `<!doctype html><title>A "shop"</title><p>text</p><img src="/missing.png" alt=""><script src="http://elsewhere.test/x.js"></script>
<script>console.warn("old"); console.error("bad at http://one.preview.test/app.js"); throw new Error("broken")</script>`})
	page := s.page("/?q=1")
	view := look(t, page)
	want := `Page /?q=1 "A \"shop\""
text "text"
! exception: Error: broken
! console error: bad at /app.js
! console warning: old
! failed: GET /missing.png 404
! not loaded, because this browser has no network: GET http://elsewhere.test/x.js
`
	if view.Text != want {
		t.Errorf("got %s, want %s", view.Text, want)
	}
	if again := look(t, page); len(again.Exceptions)+len(again.Failures)+len(again.Refused) > 0 {
		t.Errorf("got %s again, want it once", again.Text)
	}
}

func TestAViewSaysThatThereIsNothing(t *testing.T) {
	s := newStudio(t, map[string]string{"/": `<!doctype html><div id="root"></div>`})
	s.status = preview.StateError
	for path, want := range map[string]string{"/": "is blank", "/nothing": "(status 404)", "/?x": "does not build"} {
		if view := look(t, s.page(path)); !strings.Contains(view.Text, want) {
			t.Errorf("%s: got %q, want %q in it", path, view.Text, want)
		}
	}
}

func TestAViewIsBounded(t *testing.T) {
	wordy := strings.Repeat(`<p>`+strings.Repeat("many words ", 200)+`</p><button>`+strings.Repeat("x", 5000)+`</button>`, 900)
	view := look(t, newStudio(t, map[string]string{"/": `<!doctype html>` + wordy + strings.Repeat(`<script>console.error("`+strings.Repeat("y", 5000)+`")</script>`, 100)}).page("/"))
	if len(view.Text) > 12_000 || !strings.Contains(view.Text, "more elements") {
		t.Errorf("got %d bytes, want at most 12000, and that there is more", len(view.Text))
	}
}
