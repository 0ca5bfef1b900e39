package browser

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func logStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"the logs say what pages asked for, and why a function failed": readLogs,
	}
}

const stockFunction = `export default async (req: Request, ctx: any) => {
  console.log("counting", "the stock");
  console.warn("the stock is low");
  if (req.method === "POST") throw new Error("there is no stock of <b>hats</b>");
  return new Response("3");
};`

// visit sends a request of a page's and expects a status.
func (p *project) visit(status int, method, address, body string) {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := p.http.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != status {
		p.t.Fatalf("%s %s: got %d, %v, want %d", method, address, response.StatusCode, err, status)
	}
}

func readLogs(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).create("static-html")
	project.save("backend/schema.json", guestbookSchema)
	project.save("backend/seed.json", guestbookSeed)
	project.save("functions/stock.ts", stockFunction)
	origin := project.preview()
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "Logs")
	p.sees("Nothing has happened yet")
	p.looks("logs empty", axe)

	project.visit(http.StatusOK, http.MethodGet, origin+"/_data/collections/entries/records?sort=-created&filter=text%3D'secret'", "")
	project.visit(http.StatusOK, http.MethodGet, origin+"/_fn/stock", "")
	project.visit(http.StatusInternalServerError, http.MethodPost, origin+"/_fn/stock", "{}")
	project.visit(http.StatusBadRequest, http.MethodPost, origin+"/_data/collections/users/records", "{}")
	// Nobody has to load them.
	p.until("four entries", `document.querySelectorAll('.call').length === 4`)
	p.sees("Failed to create record")
	p.misses("secret")
	p.click(".logs__kinds button:nth-child(3)")
	p.until("two runs", `document.querySelectorAll('.call').length === 2`)
	p.press("checkbox", "Only errors")
	p.until("one run", `document.querySelectorAll('.call').length === 1`)
	p.tabTo("500")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("the error with its stack, as text", `document.querySelector('.call__text')?.textContent.includes('no stock of <b>hats</b>\n') === true`)
	p.until("the console", `document.querySelectorAll('.call__said').length === 2 && document.querySelector('.call__said--warn').textContent.includes('the stock is low')`)
	p.looks("logs error", axe)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("the error folded", `document.querySelector('.call__text') === null`)
	p.click(".logs__kinds button:nth-child(2)")
	p.press("button", "400")
	p.misses("Console")
	p.press("checkbox", "Only errors")
	p.click(".logs__kinds button:nth-child(1)")
	p.until("four entries", `document.querySelectorAll('.call').length === 4`)
	p.looks("logs", axe)
	p.wantQuiet()
}
