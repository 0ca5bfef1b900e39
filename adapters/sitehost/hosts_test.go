package sitehost_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// siteHosts are spellings of the one site's host.
var siteHosts = []string{"shop.sites.test", "shop.sites.test:8080", "SHOP.Sites.TEST", "shop.sites.test.", "shop.sites.test.:80", "shop.sites.test..", "shop.sites.test:", "shop.sites.test:65535"}

// noHosts are names below the domains that lead nowhere.
var noHosts = []string{
	"sites.test", "preview.sites.test", "www.sites.test", "nobody.sites.test", "a.shop.sites.test", "shop.shop.sites.test",
	"shop.preview.sites.test", "x.y.preview.sites.test", ".sites.test", "..sites.test", "shop..sites.test", "-.sites.test",
	"sh_op.sites.test", "shop%2e.sites.test", "shop,.sites.test", "*.sites.test", strings.Repeat("a", 64) + ".sites.test",
	"sites.test.sites.test", "018f0000-0000-7000-8000-000000000000-aaaaaaaaaaaaaaaaaaaaaaaaaa.preview.sites.test",
}

// apiHosts are the API's, and names that only look like ours.
var apiHosts = []string{
	"studio.test", "studio.test:8080", "STUDIO.test.", "127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:8080", "[::1%25lo]:80",
	"localhost", "shopsites.test", "sites.test.evil.example", "evilsites.test", "shop.sites.testing", "test",
	// With an invalid port a host belongs to nobody.
	"shop.sites.test:x", "shop.sites.test:x:1", "shop.sites.test:80:80", "shop.sites.test:65536", "shop.sites.test:-1", "shop.sites.test:+1", "shop.sites.test: 1",
}

func TestHosts(t *testing.T) {
	s := newStudio(t)
	s.mustPublish()

	t.Run("spell one site in many ways", func(t *testing.T) {
		for _, host := range siteHosts {
			if got := s.get(host, "/robots.txt"); got.StatusCode != http.StatusOK || got.body != "User-agent: *" {
				t.Errorf("%s: got %d %q, want the site's file", host, got.StatusCode, got.body)
			}
		}
	})

	t.Run("may be in the request line, without a path too", func(t *testing.T) {
		for _, target := range []string{"http://shop.sites.test", "http://shop.sites.test/", "http://shop.sites.test?a=b"} {
			if got := s.get("shop.sites.test", target); got.StatusCode != http.StatusOK || !strings.Contains(got.body, "home") {
				t.Errorf("%s: got %d %q, want the site's page", target, got.StatusCode, got.body)
			}
		}
	})

	t.Run("without a site get a page that says so, and nobody's site", func(t *testing.T) {
		for _, host := range noHosts {
			got := s.get(host, "/")
			if got.StatusCode != http.StatusNotFound || !strings.Contains(got.body, "<h1>") || strings.Contains(got.body, "home") {
				t.Errorf("%s: got %d %q, want a page with status 404", host, got.StatusCode, got.body)
			}
		}
	})

	t.Run("of the API are left to the API", func(t *testing.T) {
		for _, host := range apiHosts {
			if got := s.get(host, "/"); got.body != "the API" {
				t.Errorf("%s: got %q, want the API", host, got.body)
			}
		}
	})

	t.Run("of sites never reach the API", func(t *testing.T) {
		for _, path := range []string{"/auth/me", "/projects", "/healthz", "/metrics", "/openapi.json"} {
			for _, host := range []string{"shop.sites.test", "nobody.sites.test", s.previewHost()} {
				if got := s.get(host, path); got.body == "the API" {
					t.Errorf("%s%s: got the API", host, path)
				}
			}
		}
	})
}

func TestHostsWhenTheAPILivesBelowTheSites(t *testing.T) {
	s := newStudio(t)
	for host, want := range map[string]bool{"localhost": false, "localhost:8080": false, "a.localhost": true, "x.preview.localhost:1": true} {
		if got := s.handlerFor("http://localhost:8080", "localhost:8080", "preview.localhost:8080").Match(host); got != want {
			t.Errorf("%s: got %v, want %v", host, got, want)
		}
	}
	for host, want := range map[string]bool{"app.example.com": false, "APP.example.com.": false, "api.example.com": true, "example.com": true, "p.example.net": true} {
		if got := s.handlerFor("https://app.example.com", "example.com", "example.net").Match(host); got != want {
			t.Errorf("%s: got %v, want %v", host, got, want)
		}
	}
}

func TestAProjectOfOneHostIsNotServedOnAnother(t *testing.T) {
	s := newStudio(t)
	s.mustPublish()
	previewHost := s.previewHost()
	label, _, _ := strings.Cut(previewHost, ".")
	for _, host := range []string{label + ".sites.test", "shop.preview.sites.test", string(s.project) + ".sites.test", string(s.project) + ".preview.sites.test"} {
		if got := s.get(host, "/"); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", host, got.StatusCode)
		}
	}
	if got := s.get(strings.ToUpper(previewHost), "/robots.txt"); got.StatusCode != http.StatusOK {
		t.Errorf("got %d for the label in upper case, want 200", got.StatusCode)
	}
}

func FuzzHosts(f *testing.F) {
	for _, host := range append(append(append([]string{""}, siteHosts...), noHosts...), apiHosts...) {
		f.Add(host, "/")
	}
	f.Add("shop.sites.test", "/../../etc/passwd")
	f.Add("shop.sites.test", "//evil.example/..")
	s := newStudio(f)
	s.mustPublish()
	f.Fuzz(func(t *testing.T, host, path string) {
		if !s.handler.Match(host) {
			return
		}
		got := serve(s.handler, host, path)
		if got.Code != http.StatusOK && got.Code != http.StatusNotFound && got.Code != http.StatusFound {
			t.Fatalf("%q%q: got %d", host, path, got.Code)
		}
		if got.Code == http.StatusFound && !strings.HasPrefix(got.Header().Get("Location"), "/docs/") {
			t.Fatalf("%q%q: got a redirect to %q", host, path, got.Header().Get("Location"))
		}
		if core.CheckSlug("shop") != nil || got.Header().Get("Set-Cookie") != "" {
			t.Fatalf("%q%q: got a cookie", host, path)
		}
	})
}
