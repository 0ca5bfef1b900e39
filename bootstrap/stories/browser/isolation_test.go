package browser

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/chromedp/cdproto/network"
)

// pagesOfUsersCannotAct attacks the API from pages that users made, on names that
// make it as easy as possible for them and on those of a first start.
func pagesOfUsersCannotAct(t *testing.T, c *chromium) {
	for _, name := range []string{"studio.test", "localhost"} {
		t.Run("on "+name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, name)
			evil := s.signUp(t).create("static-html")
			for kind, address := range map[string]string{"a preview": evil.preview(), "a published site": evil.publish()} {
				t.Run("from "+kind, func(t *testing.T) {
					t.Run("with requests", func(t *testing.T) { attackWithRequests(t, c, s, address) })
					t.Run("with forms", func(t *testing.T) { attackWithForms(t, c, s, address) })
					t.Run("with a cookie", func(t *testing.T) { attackWithACookie(t, c, s, evil, address) })
				})
			}
			t.Run("from the API's own origin", func(t *testing.T) { attackWithFiles(t, c, s) })
		})
	}
}

// signIn gives the tab the session cookies as the service sets them.
func (p *tab) signIn(u *user) {
	p.t.Helper()
	for _, cookie := range u.cookies {
		send(p, network.SetCookie, network.SetCookieParams{
			Name: cookie.Name, Value: cookie.Value, URL: u.url + cookie.Path, Path: cookie.Path,
			HTTPOnly: &cookie.HttpOnly, SameSite: network.CookieSameSiteLax,
		})
		if cookie.SameSite != http.SameSiteLaxMode || cookie.Domain != "" || !cookie.HttpOnly {
			p.t.Errorf("got the cookie %v, want it HttpOnly, SameSite=Lax and without a domain", cookie)
		}
	}
}

// wantSession visits the API as a person would and checks the status and the answer.
func (p *tab) wantSession(s *service, status int, says string) {
	p.t.Helper()
	s.exchanges()
	p.visit(s.url + "/auth/me")
	seen := s.exchanges()
	if !slices.ContainsFunc(seen, func(e exchange) bool { return e.path == "/auth/me" && e.status == status }) {
		p.t.Errorf("got %+v, want /auth/me to answer %d", seen, status)
	}
	if text := p.text(); !strings.Contains(text, says) {
		p.t.Errorf("got %.200s, want %q in it", text, says)
	}
}

//go:embed attack.js
var attackScript string

// attempt is the result of one request of a page.
type attempt struct {
	Name string `json:"name"`
	// Read is the part of the answer that the page could read, "" for nothing.
	Read string `json:"read"`
}

func attackWithRequests(t *testing.T, c *chromium, s *service, address string) {
	victim := s.signUp(t)
	work := victim.create("static-html")
	page := c.open(t)
	page.signIn(victim)
	page.wantSession(s, http.StatusOK, victim.email)

	page.visit(address)
	s.exchanges()
	attempts := evaluate[[]attempt](page, fmt.Sprintf("(%s)(%q, %q, %q)", attackScript, s.url, work.ID, victim.workspace))
	for _, a := range attempts {
		if a.Name == "" || a.Read != "" {
			t.Errorf("%s: the page read %.200q, want nothing", a.Name, a.Read)
		}
	}
	page.wantRefused(s, address)
	victim.wantUnharmed(t, work)
	page.wantSession(s, http.StatusOK, victim.email)
}

// wantRefused checks that every call from address that would change something is refused.
// On one site the browser sends the session along, so the refusal must be for the origin;
// across sites it sends none.
func (p *tab) wantRefused(s *service, address string) {
	p.t.Helper()
	seen := s.exchanges()
	calls := posts(seen)
	if len(calls) < 3 {
		p.t.Fatalf("got %+v, want the page's calls to have reached the service", seen)
	}
	var withSession int
	for _, e := range calls {
		// Forms of a page that sends no referrer have the origin "null".
		if e.origin != address && e.origin != "null" {
			p.t.Errorf("%s: got the origin %q, want %q", e.path, e.origin, address)
		}
		switch {
		case e.withCookie:
			withSession++
			if e.status != http.StatusForbidden || e.code != core.CodeCrossOrigin {
				p.t.Errorf("%s: got %d %s, want %s", e.path, e.status, e.code, core.CodeCrossOrigin)
			}
		case e.status < 400:
			p.t.Errorf("%s: got %d without a session, want it refused", e.path, e.status)
		}
	}
	if sameSite := strings.Contains(s.url, "studio.test"); (withSession > 0) != sameSite {
		p.t.Errorf("got %d calls with the session, want some: %t", withSession, sameSite)
	}
	for _, e := range seen {
		if e.method != http.MethodPost && e.method != http.MethodGet && e.method != http.MethodOptions {
			p.t.Errorf("got %s %s sent, want the browser to have asked first and got no", e.method, e.path)
		}
	}
}

// wantUnharmed checks that the account is unchanged.
func (u *user) wantUnharmed(t *testing.T, work *project) {
	t.Helper()
	var list struct{ Items []core.Project }
	u.call(http.StatusOK, http.MethodGet, "/projects", nil, &list)
	if len(list.Items) != 1 || list.Items[0].ID != work.ID || list.Items[0].PublishedAt != nil || list.Items[0].Name != work.Name {
		t.Errorf("got the projects %+v, want the one there was, unpublished", list.Items)
	}
}

func posts(seen []exchange) []exchange {
	return slices.DeleteFunc(slices.Clone(seen), func(e exchange) bool { return e.method != http.MethodPost })
}

// attackWithForms posts as pages without scripts can: the answer takes the page's
// place.
func attackWithForms(t *testing.T, c *chromium, s *service, address string) {
	victim := s.signUp(t)
	work := victim.create("static-html")
	page := c.open(t)
	page.signIn(victim)
	s.exchanges()
	forms := []struct{ path, kind string }{
		{"/workspaces/" + string(victim.workspace) + "/projects", "text/plain"},
		{work.path("/publish"), "application/x-www-form-urlencoded"},
		{work.path("/files/bulk"), "multipart/form-data"},
		{"/auth/logout-all", "application/x-www-form-urlencoded"},
		{"/auth/logout", "application/x-www-form-urlencoded"},
	}
	for _, form := range forms {
		page.visit(address)
		evaluate[bool](page, fmt.Sprintf(`(() => {
			const form = document.createElement('form')
			Object.assign(form, { method: 'POST', action: %q, enctype: %q })
			form.append(Object.assign(document.createElement('input'), { name: '{"name":"x","a":"', value: '"}' }))
			document.body.append(form)
			form.submit()
			return true
		})()`, s.url+form.path, form.kind))
		page.until("the answer", fmt.Sprintf("location.href === %q && document.readyState === 'complete'", s.url+form.path))
	}
	page.wantRefused(s, address)
	victim.wantUnharmed(t, work)
	page.wantSession(s, http.StatusOK, victim.email)
}

// attackWithACookie puts the attacker's own session beside the victim's, for all
// hosts of the site and with the longer path that browsers send first.
func attackWithACookie(t *testing.T, c *chromium, s *service, evil *project, address string) {
	victim := s.signUp(t)
	page := c.open(t)
	page.signIn(victim)
	page.visit(address)
	host := before(s.host, ":")
	for i, path := range []string{"/", "/auth/me"} {
		page.visit(address)
		evaluate[bool](page, fmt.Sprintf("document.cookie = %q, true", fmt.Sprintf("app_access_token=%s; domain=%s; path=%s", evil.token, host, path)))
		if host == "localhost" {
			// Browsers keep the names below localhost apart.
			page.wantSession(s, http.StatusOK, victim.email)
			continue
		}
		page.wait("the cookie", func() bool { return page.sessions(s) == 2+i })
		page.wantSession(s, http.StatusUnauthorized, "unauthenticated")
	}
}

// sessions counts the tokens that the browser would send to the service. It takes them
// from pages a moment after these have set them.
func (p *tab) sessions(s *service) int {
	p.t.Helper()
	held := send(p, network.GetCookies, network.GetCookiesParams{URLs: []string{s.url + "/auth/me"}})
	return len(slices.DeleteFunc(held.Cookies, func(c *network.Cookie) bool { return c.Name != "app_access_token" }))
}

// attackWithFiles opens files of a project where the API has them, signed in.
func attackWithFiles(t *testing.T, c *chromium, s *service) {
	victim := s.signUp(t)
	work := victim.create("static-html")
	const script = `document.documentElement.setAttribute("data-ran", "1"); fetch("/auth/logout", { method: "POST" })`
	files := map[string]string{
		"evil.html":  "<!doctype html><h1>Stored page</h1><script>" + script + "</script><img src=x onerror='" + script + "'>",
		"evil.svg":   `<svg xmlns="http://www.w3.org/2000/svg"><text y="20">Stored page</text><script>` + script + `</script></svg>`,
		"evil.xml":   `<html xmlns="http://www.w3.org/1999/xhtml"><body>Stored page<script>` + script + `</script></body></html>`,
		"frame.html": `<h1>Stored page</h1><iframe src="evil.html"></iframe><meta http-equiv="refresh" content="0; url=javascript:alert(1)">`,
		"form.html":  `<h1>Stored page</h1><form method="POST" action="/auth/logout-all"><button>Go</button></form>`,
		"src/x.js":   script + "// Stored page",
	}
	for name, content := range files {
		work.save(name, content)
	}
	page := c.open(t)
	page.signIn(victim)
	s.exchanges()
	for name := range files {
		page.visit(s.url + work.path("/files/"+name))
		page.until(name, "document.documentElement.textContent.includes('Stored page')")
		if evaluate[bool](page, "document.documentElement.hasAttribute('data-ran')") {
			t.Errorf("%s: got its script run, want it not to", name)
		}
		if name != "src/x.js" && evaluate[string](page, "self.origin") != "null" {
			t.Errorf("%s: got the API's origin, want one of its own", name)
		}
		if name == "form.html" {
			page.click("button")
		}
	}
	for _, e := range s.exchanges() {
		if e.method != http.MethodGet || e.status != http.StatusOK && e.path != "/favicon.ico" {
			text, _ := json.Marshal(e.code)
			t.Errorf("got %s %s %d %s, want nothing but the files read", e.method, e.path, e.status, text)
		}
	}
	page.wantSession(s, http.StatusOK, victim.email)
}
