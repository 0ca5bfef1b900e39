package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

func webhookStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"a webhook is made, tried, read and turned off": aWebhookIsMade,
		"webhooks speak three languages":                webhooksSpeak,
	}
}

// aWebhookIsMade: an admin makes a webhook, sees its secret once, sends a test, reads the log of a
// receiver that fails, sends once more, changes the secret and turns it off.
func aWebhookIsMade(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	var failing atomic.Bool
	var ids atomic.Pointer[string]
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("webhook-id")
		ids.Store(&id)
		if failing.Load() {
			w.WriteHeader(http.StatusGone)
		}
		_, _ = io.WriteString(w, "<b>thanks</b>")
	}))
	t.Cleanup(receiver.Close)
	u := s.signUp(t)
	u.create("blank")
	p := c.enterAs(t, u, "/workspaces/"+string(u.workspace)+"/webhooks")
	p.wantHeading("Webhooks")
	p.sees("No webhooks yet")
	p.everywhere("webhooks none", axe)

	p.press("button", "New webhook")
	p.fill("Address", receiver.URL+"/hook")
	p.fill("Description", "Team <b>chat</b>")
	p.press("button", "Create")
	p.sees("Choose at least one event.")
	for _, event := range []string{"The agent is done", "Site published", "Members changed"} {
		p.press("checkbox", event)
	}
	p.everywhere("webhook form", axe)
	p.press("button", "Create")
	p.sees("It’s shown only once")
	p.until("a secret", `document.querySelector('.copyable code').textContent.startsWith('whsec_')`)
	p.everywhere("webhook secret", axe)
	first := evaluate[string](p, `document.querySelector('.copyable code').textContent`)
	p.press("button", "Done")
	p.sees("The agent is done · Site published · Members changed")
	p.until("no secret", `!document.body.innerText.includes('whsec_')`)

	p.press("button", "More actions for Team <b>chat</b>")
	p.press("menuitem", "Send test")
	p.sees("Delivered")
	p.sees("Answer 200")
	p.until("the details", `(() => { document.querySelector('details').open = true; return document.body.innerText.includes('<b>thanks</b>') && document.body.innerText.includes('webhook.test') })()`)
	if id := *ids.Load(); !evaluate[bool](p, fmt.Sprintf("document.body.innerText.includes(%q)", id)) {
		t.Errorf("the log lacks the id %q that the receiver got", id)
	}
	p.everywhere("webhook log", axe)
	sent := *ids.Load()
	failing.Store(true)
	p.press("button", "Redeliver")
	p.sees("Failed")
	p.sees("Answer 410")
	if again := *ids.Load(); again != sent {
		t.Errorf("got the id %q, want %q again", again, sent)
	}
	p.press("button", "Close")
	p.reload()
	p.sees("Off: address is gone")
	p.everywhere("webhook gone", axe)

	failing.Store(false)
	p.press("button", "More actions for Team")
	p.press("menuitem", "Turn on")
	p.sees("is on.")
	p.press("button", "More actions for Team")
	p.press("menuitem", "New secret")
	p.sees("24 hours")
	p.press("button", "New secret")
	p.until("another secret", fmt.Sprintf(`(document.querySelector('.copyable code')?.textContent ?? %[1]q) !== %[1]q`, first))
	p.press("button", "Done")
	p.press("button", "More actions for Team")
	p.press("menuitem", "Edit")
	p.pick("Project", "My blank")
	p.until("no members of a project", named("checkbox", "Members changed")+"?.disabled === true")
	p.press("button", "Save")
	p.misses("Members changed")
	p.press("button", "More actions for Team")
	p.press("menuitem", "Delete")
	p.press("button", "Delete")
	p.sees("No webhooks yet")

	member := s.signUp(t)
	u.call(http.StatusNotFound, http.MethodGet, "/workspaces/"+string(member.workspace)+"/webhooks", nil, nil)
	p.wantQuiet()
}

// webhooksSpeak: the page, its form and its log in German and Spanish, on a phone and on a desk.
func webhooksSpeak(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	u := s.signUp(t)
	path := "/workspaces/" + string(u.workspace) + "/webhooks"
	var made struct{ ID string }
	u.call(http.StatusCreated, http.MethodPost, path, map[string]any{"url": "http://localhost:9/" + strings.Repeat("long", 60), "events": []string{"run.finished", "finding.created"}}, &made)
	u.call(http.StatusAccepted, http.MethodPost, path+"/"+made.ID+"/test", nil, nil)
	for language, words := range map[string][3]string{"de": {"Neuer Webhook", "Zustellungen", "Der Server ist nicht erreichbar"}, "es": {"Nuevo webhook", "Entregas", "No se puede conectar con el servidor"}} {
		p := c.enterAs(t, u, path)
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`localStorage.setItem('atelier.language', %q)`, language)))
		p.reload()
		p.press("button", words[0])
		p.sees("https://")
		p.everywhere("webhook form "+language, axe)
		p.press("button", map[string]string{"de": "Abbrechen", "es": "Cancelar"}[language])
		p.press("button", words[1])
		p.sees(words[2])
		p.everywhere("webhook log "+language, axe)
		p.wantQuiet()
	}
}
