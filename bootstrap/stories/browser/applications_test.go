package browser

import (
	"context"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

func theTodoAppWorks(t *testing.T, c *chromium, s *service) {
	p := s.signUp(t).create("todo-app")
	for name, address := range map[string]string{"in the preview": p.preview(), "when published": p.publish()} {
		t.Run(name, func(t *testing.T) {
			page := c.open(t)
			page.visit(address)
			page.wantHeading("My todos")
			page.enter("#new-todo", "Buy bread")
			page.enter("#new-todo", "Call Ann")
			page.wantTodos("Buy bread,Call Ann")
			page.click("li:first-child input[type=checkbox]")
			page.until("the count", "document.querySelector('header p').textContent === '1 left'")
			page.picture("two todos " + name)
			page.click(".filters button:nth-child(2)")
			page.wantTodos("Call Ann")
			page.click(".filters button:nth-child(3)")
			page.wantTodos("Buy bread")
			page.click(".filters button:nth-child(1)")
			page.reload()
			page.wantTodos("Buy bread,Call Ann")
			page.until("the mark", "document.querySelector('li input').checked")
			page.click("li:first-child .remove")
			page.wantTodos("Call Ann")
			page.reload()
			page.wantTodos("Call Ann")
			page.wantQuiet()
		})
	}
}

func (p *tab) wantTodos(list string) {
	p.t.Helper()
	p.until("the list", "[...document.querySelectorAll('.todos li')].map((item) => item.textContent).join() === '"+list+"'")
}

// reload loads the page again. The mark tells the new page from the old one.
func (p *tab) reload() {
	p.t.Helper()
	evaluate[bool](p, "window.old = true")
	p.do(chromedp.Reload())
	p.until("the reload", "!window.old && document.readyState === 'complete'")
}

func aPublishedApplicationKeepsItsRoutes(t *testing.T, c *chromium, s *service) {
	site := s.signUp(t).create("todo-app").publish()
	page := c.open(t)
	page.visit(site + "/lists/today?sort=new#top")
	page.wantHeading("My todos")
	if got := evaluate[string](page, "location.pathname"); got != "/lists/today" {
		t.Errorf("got the path %q, want the one that was asked for", got)
	}
	page.wantQuiet()

	for path, want := range map[string]int{"/assets/missing.js": 404, "/logo.png": 404, "/icon.svg": 200, "/deep/er": 200} {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, site+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", "text/html,*/*")
		response, err := s.http.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, response.StatusCode, want)
		}
	}
}
