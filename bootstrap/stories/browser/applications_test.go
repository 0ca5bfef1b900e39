package browser

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core"
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

// aGuestbookIsShared lets the demo build a guestbook into a page with React and into one
// without, and looks at it as two visitors at once.
func aGuestbookIsShared(t *testing.T, c *chromium, s *service) {
	for _, template := range []string{"static-html", "todo-app"} {
		p := s.signUp(t).create(template)
		p.ask("Please build a guestbook.")
		for name, address := range map[string]string{"in the preview": p.preview(), "when published": p.publish()} {
			t.Run(template+" "+name, func(t *testing.T) {
				host, seeded := c.open(t), 0
				host.visit(address)
				if name == "in the preview" {
					seeded = 2
					host.until("the seed", `document.querySelector('#guestbook')?.textContent.includes('What a lovely page!')`)
				}
				host.wantEntries(seeded, 0)
				guest := c.open(t)
				guest.visit(address)
				for field, text := range map[string]string{"email": "eva@example.com", "password": "a password for tests", "name": "Eva"} {
					guest.do(chromedp.SendKeys(chromedp.CSS("#guestbook [name="+field+"]"), text))
				}
				guest.click("#guestbook [value='Sign up']")
				guest.do(chromedp.SendKeys(chromedp.CSS("#guestbook textarea"), "Good <b>day</b>"))
				guest.click("#guestbook form button")
				guest.wantEntries(seeded+1, 1)
				host.wantEntries(seeded+1, 0)
				host.until("the entry as text", `document.querySelector('#guestbook li').textContent === 'Eva: Good <b>day</b>'`)
				guest.reload()
				guest.wantEntries(seeded+1, 1)
				guest.click("#guestbook li button")
				host.wantEntries(seeded, 0)
				guest.wantQuiet()
				host.wantQuiet()
			})
		}
	}
}

// wantEntries waits until the guestbook has so many entries, of which the visitor may delete some.
func (p *tab) wantEntries(all, deletable int) {
	p.t.Helper()
	p.until("the entries", fmt.Sprintf("document.querySelectorAll('#guestbook li').length === %d && document.querySelectorAll('#guestbook li button').length === %d", all, deletable))
}

// ask sends the agent a message and waits until its run has ended.
func (p *project) ask(text string) {
	p.t.Helper()
	var chats struct{ Items []core.Chat }
	p.call(http.StatusOK, http.MethodGet, p.path("/chats"), nil, &chats)
	body := toJSON(p.t, map[string]any{"chatId": chats.Items[0].ID, "text": text})
	response := p.send(http.MethodPost, "/chat/"+string(p.ID)+"/messages", "application/json", strings.NewReader(body))
	defer response.Body.Close()
	if events, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(events), `"reason":"done"`) {
		p.t.Fatalf("got %s, %v, want the run done", events, err)
	}
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
