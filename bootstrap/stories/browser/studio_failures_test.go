package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
)

func failureStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"failures of a provider are told by their cause": providersFail,
		"a chat that was not summarized does not say so": nothingIsSummarized,
	}
}

// providersFail asks a provider that refuses in the ways that providers do.
func providersFail(t *testing.T, c *chromium, s *service) {
	answer := make(chan func(http.ResponseWriter), 1)
	refuse := func(status int, kind, text string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			if status == http.StatusTooManyRequests {
				w.Header().Set("Retry-After", "40")
			}
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"error":{"message":%q,"type":%q}}`, text, kind)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
			return
		}
		act := <-answer
		answer <- act
		act(w)
	}))
	t.Cleanup(server.Close)
	u := s.signUp(t)
	u.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(u.workspace)+"/ai-providers",
		map[string]string{"kind": "openai", "name": "Moody", "baseUrl": server.URL + "/v1", "apiKey": "k", "defaultModel": "m"}, nil)
	made := u.create("static-html")
	p := c.workbench(t, made)

	answer <- refuse(http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided")
	p.ask("first")
	p.sees("The provider refused the API key.")
	p.until("the way to the providers", fmt.Sprintf(`document.querySelector('.turn:last-of-type .banner a[href="/workspaces/%s/providers"]') !== null`, made.WorkspaceID))
	p.lacks("button", "Try again")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.snapshot("refused " + shape.name)
	}
	p.show(1440, 900, "light")

	<-answer
	answer <- refuse(http.StatusTooManyRequests, "rate_limit_exceeded", "Slow down")
	p.ask("second")
	p.until("that it tries again", `/^Rate limited\. Trying again in \d+ s/.test(document.querySelector('.quiet--retry')?.textContent ?? '')`)
	p.press("button", "Stop the agent")
	p.sees("Stopped.")
	p.until("no word of trying again", `document.querySelector('.quiet--retry') === null`)

	<-answer
	answer <- refuse(http.StatusServiceUnavailable, "server_error", "Overloaded")
	p.ask("third")
	p.until("that it tries again", `document.querySelector('.quiet--retry')?.textContent.startsWith('The provider reported an error.') === true`)
	p.sees("The provider reported an error.")
	p.until("another try", named("button", "Try again")+" !== null")

	<-answer
	server.CloseClientConnections()
	server.Listener.Close()
	p.ask("fourth")
	p.until("that it tries again", `document.querySelector('.quiet--retry')?.textContent.startsWith('Can’t reach the provider.') === true`)
	p.wantQuiet()
}

// nothingIsSummarized shows a log in which the context was only looked at.
func nothingIsSummarized(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	made := u.create("static-html")
	p := c.enterAs(t, u, "/dashboard")
	at := `"createdAt":"2026-01-01T00:00:00.000Z"`
	events := strings.Join([]string{
		`{"type":"user.message","seq":1,"text":"looked at","attachments":[],"by":"x",` + at + `}`,
		`{"type":"session.compaction_start","seq":2,` + at + `}`, `{"type":"session.compaction_complete","seq":3,"tokensBefore":900,"tokensAfter":900,` + at + `}`,
		`{"type":"session.task_complete","seq":4,"reason":"done",` + at + `}`,
		`{"type":"user.message","seq":5,"text":"summed up","attachments":[],"by":"x",` + at + `}`,
		`{"type":"session.compaction_start","seq":6,` + at + `}`, `{"type":"session.compaction_complete","seq":7,"tokensBefore":900,"tokensAfter":90,` + at + `}`,
		`{"type":"session.task_complete","seq":8,"reason":"done",` + at + `}`,
	}, ",")
	send(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `(() => {
		const ask = window.fetch;
		window.fetch = (path, options) => (String(path).includes('/messages?') ? Promise.resolve(Response.json({ items: [` + events + `], nextCursor: null })) : ask(path, options));
	})()`})
	p.visit(s.url + made.path(""))
	p.sees("summed up")
	turn := func(n int) string {
		return fmt.Sprintf(`document.querySelectorAll('.turn')[%d].textContent.includes('Summarized')`, n)
	}
	p.until("what was summarised", turn(1))
	if evaluate[bool](p, turn(0)) {
		t.Error("got Summarized where nothing was, want nothing said")
	}
}
