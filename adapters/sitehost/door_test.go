package sitehost_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/sitehost"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// change changes the settings of the site.
func (s *studio) change(change publish.SettingsChange) {
	s.t.Helper()
	_, err := publish.NewSettings(s.publish).Change(s.t.Context(), s.owner, s.project, change)
	s.must(err)
}

func (s *studio) protect() {
	s.t.Helper()
	s.change(publish.SettingsChange{Access: new(core.SitePassword), Password: new("open sesame, please")})
}

// signIn sends the password, and returns the cookie of the answer.
func (s *studio) signIn(password, to string) (answer, string) {
	s.t.Helper()
	form := url.Values{"password": {password}, "to": {to}}
	got := s.send(http.MethodPost, siteHost, "/_site/sign-in", strings.NewReader(form.Encode()), "Content-Type", "application/x-www-form-urlencoded")
	cookie, _, _ := strings.Cut(got.Header.Get("Set-Cookie"), ";")
	return got, cookie
}

const browser = "text/html,application/xhtml+xml"

// wantNothingOf fails if an answer has anything of the site.
func wantNothingOf(t *testing.T, name string, got answer) {
	t.Helper()
	for _, secret := range []string{"hello", "spaces", "<p>deep", "console.log", "Linden"} {
		if strings.Contains(got.decoded(t), secret) {
			t.Errorf("%s: got %q of the site", name, secret)
		}
	}
	if control := got.Header.Get("Cache-Control"); control != "no-store" {
		t.Errorf("%s: got Cache-Control %q, want no-store", name, control)
	}
}

func TestNoByteOfASiteWithAPasswordReachesAStranger(t *testing.T) {
	s := newSite(t)
	s.write("404.html", "<h1>hello, lost</h1>")
	s.mustPublish()
	asset := assetPath(t, s.get(siteHost, "/").body)
	s.change(publish.SettingsChange{Title: new("Linden Bakery")})
	s.protect()
	for _, path := range []string{"/", "/index.html", asset, "/notes/a%20b%20%C3%BC.txt", "/sub/deep/page.htm", "/missing", "/missing.js", "/robots.txt", "/sitemap.xml", "/404.html", "/_site/enter", "/_site/sign-in", "/_data/api/health", "/_fn/hello"} {
		for _, headers := range [][]string{nil, {"Accept", browser}, {"Range", "bytes=0-3"}, {"If-None-Match", "*"}, {"Cookie", "atelier-site=AAAA"}, {"Authorization", "Bearer x"}} {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions} {
				got := s.ask(method, siteHost, path, headers...)
				if got.StatusCode != http.StatusUnauthorized && got.StatusCode != http.StatusUnsupportedMediaType {
					t.Errorf("%s %s %v: got %d, want 401", method, path, headers, got.StatusCode)
				}
				wantNothingOf(t, method+" "+path, got)
			}
		}
	}
}

func TestThePasswordOpensTheSite(t *testing.T) {
	s := newSite(t)
	s.mustPublish()
	page := s.get(siteHost, "/").body
	s.protect()
	asked := s.get(siteHost, "/about?x=1", "Accept", browser)
	if asked.StatusCode != http.StatusUnauthorized || !strings.Contains(asked.body, `value="/about?x=1"`) || !strings.Contains(asked.body, `type="password"`) {
		t.Errorf("got %d %s, want a form that leads to /about?x=1", asked.StatusCode, asked.body)
	}
	refused, cookie := s.signIn("wrong", "/about?x=1")
	if refused.StatusCode != http.StatusUnauthorized || cookie != "" || !strings.Contains(refused.body, `value="/about?x=1"`) {
		t.Errorf("got %d with the cookie %q, want 401 without one", refused.StatusCode, cookie)
	}
	entered, cookie := s.signIn("open sesame, please", "/about?x=1")
	if entered.StatusCode != http.StatusSeeOther || entered.Header.Get("Location") != "/about?x=1" {
		t.Errorf("got %d to %s, want 303 to /about?x=1", entered.StatusCode, entered.Header.Get("Location"))
	}
	if attributes := entered.Header.Get("Set-Cookie"); !strings.Contains(attributes, "HttpOnly") || !strings.Contains(attributes, "SameSite=Lax") || strings.Contains(attributes, "Domain") {
		t.Errorf("got %s, want a cookie of this host that no script reads", attributes)
	}
	for range 2 { // also from memory
		got := s.get(siteHost, "/", "Cookie", cookie)
		if got.StatusCode != http.StatusOK || got.body != page || got.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("got %d %q with %s, want the page for this browser alone", got.StatusCode, got.body, got.Header.Get("Cache-Control"))
		}
	}
	asset := s.get(siteHost, assetPath(t, page), "Cookie", cookie)
	if control := asset.Header.Get("Cache-Control"); asset.StatusCode != http.StatusOK || !strings.HasPrefix(control, "private, ") {
		t.Errorf("got %d with %s, want an asset that only this browser keeps", asset.StatusCode, control)
	}
	// The site of another project is of the same site for browsers, which send the cookie along.
	if policy := asset.Header.Get("Cross-Origin-Resource-Policy"); policy != "same-origin" {
		t.Errorf("got the policy %q, want no other page to load the asset", policy)
	}
	if data := s.get(siteHost, "/_data/api/health", "Cookie", cookie); data.StatusCode == http.StatusUnauthorized {
		t.Errorf("got %d for the backend, want it reachable", data.StatusCode)
	}
	s.change(publish.SettingsChange{Password: new("another password")})
	if got := s.get(siteHost, "/", "Cookie", cookie); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("got %d with the cookie of an old password, want 401", got.StatusCode)
	}
}

func TestTheSignInLeadsNowhereElse(t *testing.T) {
	s := newSite(t)
	s.mustPublish()
	s.protect()
	for _, to := range []string{"", "//evil.example", "https://evil.example/", `/\evil.example`, "javascript:alert(1)", "/a\r\nb", "/_site/sign-in", "/_site/enter?x"} {
		if got, _ := s.signIn("open sesame, please", to); got.Header.Get("Location") != "/" {
			t.Errorf("%q: got %s, want /", to, got.Header.Get("Location"))
		}
	}
}

func TestPasswordsAreNotGuessed(t *testing.T) {
	s := newSite(t)
	s.mustPublish()
	s.protect()
	for range 10 {
		s.signIn("wrong", "/")
	}
	if got, cookie := s.signIn("open sesame, please", "/"); got.StatusCode != http.StatusTooManyRequests || cookie != "" || got.Header.Get("Retry-After") == "" {
		t.Errorf("got %d with the cookie %q, want 429", got.StatusCode, cookie)
	}
}

func TestFormsThatAreNone(t *testing.T) {
	s := newSite(t)
	s.mustPublish()
	s.protect()
	for _, body := range []string{"%zz", strings.Repeat("a", 9<<10)} {
		got := s.send(http.MethodPost, siteHost, "/_site/sign-in", strings.NewReader(body), "Content-Type", "application/x-www-form-urlencoded")
		if got.StatusCode != http.StatusBadRequest {
			t.Errorf("got %d, want 400", got.StatusCode)
		}
	}
}

func TestMembersEnterASiteOfTheirWorkspace(t *testing.T) {
	s := newSite(t)
	s.mustPublish()
	page := s.get(siteHost, "/").body
	s.change(publish.SettingsChange{Access: new(core.SiteWorkspace)})
	sent := s.get(siteHost, "/about?x=1", "Accept", browser)
	if want := "http://studio.test:8080/enter/" + string(s.project) + "?to=%2Fabout%3Fx%3D1"; sent.StatusCode != http.StatusSeeOther || sent.Header.Get("Location") != want {
		t.Errorf("got %d to %s, want 303 to %s", sent.StatusCode, sent.Header.Get("Location"), want)
	}
	wantNothingOf(t, "redirect", sent)
	if got := s.get(siteHost, "/"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("got %d for a program, want 401", got.StatusCode)
	}
	address, err := s.guard.Pass(t.Context(), s.owner, s.project, "/about?x=1")
	s.must(err)
	path := strings.TrimPrefix(address, "http://shop.sites.test")
	entered := s.get(siteHost, path, "Accept", browser)
	cookie, _, _ := strings.Cut(entered.Header.Get("Set-Cookie"), ";")
	if entered.StatusCode != http.StatusSeeOther || entered.Header.Get("Location") != "/about?x=1" || cookie == "" {
		t.Errorf("got %d to %s, want 303 to /about?x=1 with a cookie", entered.StatusCode, entered.Header.Get("Location"))
	}
	if got := s.get(siteHost, "/", "Cookie", cookie); got.StatusCode != http.StatusOK || got.body != page {
		t.Errorf("got %d, want the page", got.StatusCode)
	}
	if again := s.get(siteHost, path, "Accept", browser); again.Header.Get("Set-Cookie") != "" {
		t.Error("got a cookie for a pass that was used")
	}
}

func TestADomainWithoutASiteGivesNoData(t *testing.T) {
	s := newStudio(t)
	s.write("backend/schema.json", openSchema)
	s.mustPublish()
	s.claim("shop.example.com", core.DomainActive)
	s.protect()
	want := func(says string, status int) {
		t.Helper()
		got := s.get("shop.example.com", "/_data/collections/notes/records")
		if got.StatusCode != status || strings.Contains(got.body, "items") {
			t.Errorf("%s: got %d %s, want %d without a record", says, got.StatusCode, got.body, status)
		}
	}
	want("a site with a password", http.StatusUnauthorized)
	s.must(s.publish.Unpublish(t.Context(), s.owner, s.project))
	want("a site that is offline", http.StatusNotFound)
	s.mustPublish()
	want("a site that is back", http.StatusUnauthorized)
	_, err := s.store.Tables().Projects.Update(t.Context(), s.project, func(p *core.Project) error {
		p.DeletedAt = new(core.At(time.Now()))
		return nil
	})
	s.must(err)
	s.tell()
	want("a project in the trash", http.StatusNotFound)
}

// endlessData is sitehost.Data that answers until its caller is gone.
type endlessData struct{ began chan struct{} }

// Serve implements sitehost.Data.
func (o endlessData) Serve(w http.ResponseWriter, r *http.Request, _ backend.Place) {
	w.WriteHeader(http.StatusOK)
	o.began <- struct{}{}
	<-r.Context().Done()
}

func TestAStreamEndsWithTheRightToSeeThePages(t *testing.T) {
	revoke := func(s *studio) {
		shared, err := s.looks.Shared(s.t.Context(), s.owner, s.project)
		s.must(err)
		s.must(s.looks.Revoke(s.t.Context(), s.owner, s.project, shared[0].ID))
	}
	for name, c := range map[string]struct{ before, after func(s *studio) }{
		"a link that is revoked":   {func(s *studio) { s.share() }, revoke},
		"a preview that has moved": {func(*studio) {}, func(s *studio) { s.must(s.preview.Stop(s.t.Context(), s.owner, s.project)) }},
		"a new password":           {(*studio).protect, func(s *studio) { s.change(publish.SettingsChange{Password: new("another password")}) }},
		"a site that was public":   {func(*studio) {}, (*studio).protect},
		"a site that is offline":   {func(*studio) {}, func(s *studio) { s.must(s.publish.Unpublish(s.t.Context(), s.owner, s.project)) }},
		"a member who has left":    {forMembers, func(s *studio) { s.must(s.store.Tables().Members.Remove(s.t.Context(), s.space, s.owner.UserID)) }},
		"a domain of the project":  {func(*studio) {}, (*studio).protect},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStudio(t)
			s.mustPublish()
			s.claim("shop.example.com", core.DomainActive)
			data := endlessData{make(chan struct{}, 1)}
			handler := sitehost.New(sitehost.Deps{Sites: s.finder, Files: s.sites, Previews: s.preview, Looks: s.looks, Data: data, Guard: s.guard, Log: slog.New(slog.DiscardHandler)}, sitehost.Settings{
				AppURL: &url.URL{Scheme: "http", Host: "studio.test:8080"}, AppDomain: "sites.test", PreviewDomain: "preview.sites.test", WatchEvery: time.Millisecond,
			})
			c.before(s)
			host := siteHost
			switch name {
			case "a domain of the project":
				host = "shop.example.com"
			case "a link that is revoked":
				shared, err := s.looks.Shared(t.Context(), s.owner, s.project)
				s.must(err)
				host = hostOf(shared[0])
			case "a preview that has moved":
				host = s.previewHost()
			}
			request := httptest.NewRequest(http.MethodGet, "http://"+host+"/_data/realtime", nil)
			request.Header.Set("Cookie", s.ticket())
			ended := make(chan struct{})
			go func() {
				handler.ServeHTTP(httptest.NewRecorder(), request)
				close(ended)
			}()
			<-data.began
			begun := s.asked.Load()
			conformance.Eventually(t, "the right to be asked for again and again", func() bool { return s.asked.Load() > begun+5 })
			select {
			case <-ended:
				t.Fatal("the stream ended while its caller may see the site")
			default:
			}
			c.after(s)
			conformance.Await(t, "the end of the stream", ended)
		})
	}
}

func forMembers(s *studio) { s.change(publish.SettingsChange{Access: new(core.SiteWorkspace)}) }

// ticket is a cookie with which the owner sees the site.
func (s *studio) ticket() string {
	s.t.Helper()
	entered, cookie := s.signIn("open sesame, please", "/")
	if entered.StatusCode == http.StatusSeeOther && cookie != "" {
		return cookie
	}
	address, err := s.guard.Pass(s.t.Context(), s.owner, s.project, "/")
	s.must(err)
	cookie, _, _ = strings.Cut(s.get(siteHost, strings.TrimPrefix(address, "http://shop.sites.test")).Header.Get("Set-Cookie"), ";")
	return cookie
}
