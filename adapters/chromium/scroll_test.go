package chromium_test

import (
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/browser"
)

// TestALinkIsHitWhileThePageWouldScroll: a page that scrolls smoothly is where it wants to be at
// once, so that the next click does not miss.
func TestALinkIsHitWhileThePageWouldScroll(t *testing.T) {
	page := `<!doctype html><title>Plans</title><style>html { scroll-behavior: smooth }</style>
<nav><a href="#prices">Prices</a> <a href="#questions">Questions</a></nav>
<div style="height: 3000px"></div><h2 id="prices">Prices</h2><div style="height: 3000px"></div><h2 id="questions">Questions</h2>`
	tab := open(t, newBrowser(t, host(map[string]string{"/": page}), time.Minute), browser.Page{Address: "/"})
	for _, link := range []string{"Prices", "Questions", "Prices"} {
		step(t, tab, browser.Step{Do: browser.Click, Ref: node(t, snapshot(t, tab), browser.RoleLink, link).Ref})
		if got, want := snapshot(t, tab).URL, "/#"+map[string]string{"Prices": "prices", "Questions": "questions"}[link]; got != want {
			t.Errorf("after a click on %s: got the address %s, want %s", link, got, want)
		}
	}
}
