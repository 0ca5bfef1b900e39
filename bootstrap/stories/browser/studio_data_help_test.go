package browser

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// askForData begins where a project has no data, reads what that would be, and lets the agent add some.
// It makes a picture of the README (`make pictures`).
func askForData(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("static-html")
	project.call(http.StatusOK, http.MethodPatch, project.path(""), map[string]string{"name": "Class reunion"}, nil)
	p := c.enterAs(t, project.user, project.path("?pane=data"))
	p.sees("Data is what your page remembers for its visitors")
	p.sees("one row per entry")
	p.sees("You say who can do what")
	p.tabTo("What these words mean")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.sees("Terms on this page")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.press("button", "Guestbook")
	p.press("button", "Ask the agent")
	p.answered()
	p.press("button", "entries")
	p.sees("What a lovely page!")
	p.until("the authors' names", `document.querySelectorAll('.grid .reference bdi').length === 2`)
	p.snapshot("data")
	p.wantQuiet()
}
