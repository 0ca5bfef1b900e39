package sitehost_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

// claim gives the project a domain in a state.
func (s *studio) claim(name string, status core.DomainStatus) core.ID {
	s.t.Helper()
	domain := core.Domain{ID: core.NewID(), ProjectID: s.project, Name: name, Status: status, Token: "x", CreatedAt: core.At(time.Now())}
	s.must(s.store.Tables().Domains.Create(s.t.Context(), domain))
	return domain.ID
}

// tell lets followers of the project know that its record changed.
func (s *studio) tell() {
	s.t.Helper()
	s.must(s.bus.Publish(s.t.Context(), core.Notice{Kind: core.NoticeProject, ProjectID: s.project}))
}

func TestDomains(t *testing.T) {
	t.Run("that are active serve the site, however they are spelt", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		s.claim("shop.example.com", core.DomainActive)
		for _, host := range []string{"shop.example.com", "SHOP.Example.com", "shop.example.com.", "shop.example.com:8443", "shop.example.com.:80"} {
			if got := s.get(host, "/robots.txt"); got.StatusCode != http.StatusOK || got.body != "User-agent: *" {
				t.Errorf("%s: got %d %q, want the site's file", host, got.StatusCode, got.body)
			}
		}
		if got := s.get("shop.example.com", "/some/route", "Accept", "text/html"); !strings.Contains(got.body, "home") {
			t.Errorf("got %q, want the application for a route of its own", got.body)
		}
	})

	t.Run("are looked up once for a page", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		s.claim("shop.example.com", core.DomainActive)
		for _, path := range []string{"/", "/robots.txt", "/some/route"} {
			before := len(s.finder.SiteAtCalls())
			s.get("shop.example.com", path, "Accept", "text/html")
			if got := len(s.finder.SiteAtCalls()) - before; got != 1 {
				t.Errorf("%s: got %d look-ups, want 1", path, got)
			}
		}
	})

	t.Run("that are not active are left to the API", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		s.claim("dns.example.com", core.DomainPendingDNS)
		s.claim("proof.example.com", core.DomainPendingVerification)
		s.claim("error.example.com", core.DomainError)
		s.claim("shop.example.com", core.DomainActive)
		for _, host := range []string{
			"dns.example.com", "proof.example.com", "error.example.com", "www.shop.example.com", "example.com", "shop.example.comx",
			"xshop.example.com", "shop.example.com.evil.test", "shop%2eexample.com", "shop.example.com,x",
		} {
			if got := s.get(host, "/robots.txt"); got.body != "the API" && got.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: got %d %q, want the API", host, got.StatusCode, got.body)
			}
		}
	})

	t.Run("never reach the API, and never see its cookies", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		s.claim("shop.example.com", core.DomainActive)
		for _, path := range []string{"/auth/me", "/projects", "/healthz", "/metrics", "/openapi.json"} {
			got := s.get("shop.example.com", path, "Cookie", "app_access_token=x", "Authorization", "Bearer x")
			if got.body == "the API" || got.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s: got %q %q, want neither the API nor a cookie", path, got.body, got.Header.Get("Set-Cookie"))
			}
		}
		if got := s.ask(http.MethodPost, "shop.example.com", "/auth/login"); got.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("got %d, want only reading", got.StatusCode)
		}
	})

	t.Run("of a project without a site say so", func(t *testing.T) {
		s := newStudio(t)
		s.claim("shop.example.com", core.DomainActive)
		got := s.get("shop.example.com", "/")
		if got.StatusCode != http.StatusNotFound || !strings.Contains(got.body, "<h1>") {
			t.Errorf("got %d %q, want a page with status 404", got.StatusCode, got.body)
		}
		s.mustPublish()
		if got := s.get("shop.example.com", "/robots.txt"); got.StatusCode != http.StatusOK {
			t.Errorf("got %d once it is published, want 200", got.StatusCode)
		}
		s.must(s.publish.Unpublish(t.Context(), s.owner, s.project))
		if got := s.get("shop.example.com", "/robots.txt"); got.StatusCode != http.StatusNotFound {
			t.Errorf("got %d once it is not, want 404", got.StatusCode)
		}
	})

	t.Run("follow their claim and their project at once", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		id := s.claim("shop.example.com", core.DomainActive)
		want := func(says string, status int) {
			t.Helper()
			if got := s.get("shop.example.com", "/robots.txt"); got.StatusCode != status || (got.body == "the API") != (status == http.StatusOK && says == "the API") {
				t.Errorf("%s: got %d %q, want %d", says, got.StatusCode, got.body, status)
			}
		}
		mark := func(at *core.Time) {
			t.Helper()
			_, err := s.store.Tables().Projects.Update(t.Context(), s.project, func(p *core.Project) error {
				p.DeletedAt = at
				return nil
			})
			s.must(err)
			s.tell()
		}
		want("active", http.StatusOK)
		mark(new(core.Time(1)))
		want("of a deleted project", http.StatusNotFound)
		mark(nil)
		want("of a restored project", http.StatusOK)
		s.must(s.store.Tables().Domains.Delete(t.Context(), id))
		s.tell()
		want("the API", http.StatusOK)
	})

	t.Run("that are not primary lead to the one that is", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		s.claim("shop.example.com", core.DomainActive)
		s.claim("www.example.com", core.DomainActive)
		primary := func(name string) {
			t.Helper()
			_, err := s.store.Tables().Projects.Update(t.Context(), s.project, func(p *core.Project) error {
				p.CustomDomain = &name
				return nil
			})
			s.must(err)
			s.tell()
		}
		wantMove := func(from, to string) {
			t.Helper()
			for _, path := range []string{"/", "/robots.txt?a=b&c=%2F", "/a%2Fb/%C3%BC"} {
				got := s.get(from, path)
				if got.StatusCode != http.StatusPermanentRedirect || got.Header.Get("Location") != to+path || got.Header.Get("Cache-Control") != "no-cache" {
					t.Errorf("%s%s: got %d %q %q, want a redirect to %s that is asked for again", from, path, got.StatusCode, got.Header.Get("Location"), got.Header.Get("Cache-Control"), to)
				}
			}
		}
		primary("shop.example.com")
		wantMove("www.example.com", "http://shop.example.com")
		if got := s.get("shop.example.com", "/robots.txt"); got.StatusCode != http.StatusOK {
			t.Errorf("got %d at the primary domain, want the site", got.StatusCode)
		}
		if got := s.ask(http.MethodHead, "www.example.com", "/robots.txt"); got.StatusCode != http.StatusPermanentRedirect {
			t.Errorf("HEAD: got %d, want a redirect", got.StatusCode)
		}
		primary("www.example.com")
		wantMove("shop.example.com", "http://www.example.com")
		s.must(s.publish.Unpublish(t.Context(), s.owner, s.project))
		if got := s.get("shop.example.com", "/"); got.StatusCode != http.StatusNotFound {
			t.Errorf("got %d of a site that is offline, want 404", got.StatusCode)
		}
	})

	t.Run("that cannot be looked up stay the API's", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		s.claim("shop.example.com", core.DomainActive)
		s.must(s.store.Close())
		if got := s.get("shop.example.com", "/"); got.body != "the API" {
			t.Errorf("got %d %q, want the API, which says what is wrong", got.StatusCode, got.body)
		}
	})
}
