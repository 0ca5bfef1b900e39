package sitehost_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/publish"
)

func TestPagesSayWhatTheSettingsSay(t *testing.T) {
	s := newSite(t)
	s.mustPublish()
	before := s.get(siteHost, "/")
	s.change(publish.SettingsChange{
		Title: new("Linden & Co"), Description: new("Bread"), Image: new("/bread.png"), Favicon: new("/f.svg"), Language: new("de"), Robots: new(core.RobotsNoIndex),
	})
	for _, encoding := range []string{"identity", "gzip", "br"} {
		for range 2 { // also from memory
			got := s.get(siteHost, "/", "Accept-Encoding", encoding)
			page := got.decoded(t)
			for _, want := range []string{
				"<title>Linden &amp; Co</title>", `<meta name="description" content="Bread">`, `<meta property="og:image" content="http://shop.sites.test/bread.png">`,
				`<link rel="icon" href="/f.svg">`, `<meta name="robots" content="noindex">`,
			} {
				if strings.Count(page, want) != 1 {
					t.Errorf("%s: got %s, want %s in it once", encoding, page, want)
				}
			}
			if got.Header.Get("Etag") == before.Header.Get("Etag") {
				t.Errorf("%s: got the entity tag of the page of before", encoding)
			}
			if again := s.get(siteHost, "/", "If-None-Match", got.Header.Get("Etag")); again.StatusCode != http.StatusNotModified {
				t.Errorf("%s: got %d, want 304", encoding, again.StatusCode)
			}
			if got := s.get(siteHost, "/", "If-None-Match", before.Header.Get("Etag")); got.StatusCode != http.StatusOK {
				t.Errorf("%s: got %d for the tag of before, want 200", encoding, got.StatusCode)
			}
		}
	}
	changed := s.get(siteHost, "/").Header.Get("Etag")
	s.change(publish.SettingsChange{Title: new(""), Description: new(""), Image: new(""), Favicon: new(""), Language: new(""), Robots: new(core.RobotsIndex)})
	if after := s.get(siteHost, "/", "If-None-Match", changed); after.StatusCode != http.StatusOK || after.body != before.body {
		t.Errorf("got %d %s, want the page of before", after.StatusCode, after.body)
	}
}

// remove deletes a file of the project.
func (s *studio) remove(path string) {
	s.t.Helper()
	_, err := s.pipeline.Apply(s.t.Context(), s.project, core.Author{}, []core.FileChange{{Op: core.OpDelete, Path: core.MustPath(path)}}, nil)
	s.must(err)
}

func TestSearchEnginesAreToldWhatToDo(t *testing.T) {
	s := newSite(t)
	s.write("public/über uns.html", "<p>us</p>")
	s.write("public/404.html", "<p>lost</p>")
	s.remove("public/robots.txt")
	s.mustPublish()
	robots, sitemap := s.get(siteHost, "/robots.txt"), s.get(siteHost, "/sitemap.xml")
	if !strings.Contains(robots.body, "Allow: /\nSitemap: http://shop.sites.test/sitemap.xml") {
		t.Errorf("got %s, want the sitemap", robots.body)
	}
	for _, want := range []string{"<loc>http://shop.sites.test/</loc>", "<loc>http://shop.sites.test/%C3%BCber%20uns.html</loc>"} {
		if !strings.Contains(sitemap.body, want) {
			t.Errorf("got %s, want %s", sitemap.body, want)
		}
	}
	if strings.Contains(sitemap.body, "404") || sitemap.Header.Get("Content-Type") != "application/xml" {
		t.Errorf("got %s %s, want no page for unknown addresses", sitemap.Header.Get("Content-Type"), sitemap.body)
	}
	s.change(publish.SettingsChange{Robots: new(core.RobotsNoIndex)})
	if got := s.get(siteHost, "/robots.txt"); !strings.Contains(got.body, "Disallow: /\n") {
		t.Errorf("got %s, want all disallowed", got.body)
	}
	if got := s.get(siteHost, "/sitemap.xml"); got.StatusCode != http.StatusNotFound {
		t.Errorf("got %d, want no sitemap", got.StatusCode)
	}
	s.write("public/robots.txt", "User-agent: mine\n")
	s.mustPublish()
	if got := s.get(siteHost, "/robots.txt"); got.body != "User-agent: mine\n" {
		t.Errorf("got %s, want the site's own", got.body)
	}
}

func TestTheChosenPageIsShownAtUnknownAddresses(t *testing.T) {
	s := newSite(t)
	s.write("public/lost.html", "<h1>lost</h1>")
	s.mustPublish()
	s.change(publish.SettingsChange{NotFound: new("/lost.html")})
	got := s.get(siteHost, "/nowhere", "Accept", browser)
	if got.StatusCode != http.StatusNotFound || got.body != "<h1>lost</h1>" {
		t.Errorf("got %d %s, want the chosen page", got.StatusCode, got.body)
	}
	s.change(publish.SettingsChange{NotFound: new("/gone.html")})
	if got := s.get(siteHost, "/nowhere", "Accept", browser); got.StatusCode != http.StatusOK {
		t.Errorf("got %d for a page that the site lacks, want the start page as before", got.StatusCode)
	}
	s.change(publish.SettingsChange{NotFound: new("/lost.html"), Title: new("Shop")})
	if got := s.get(siteHost, "/nowhere", "Accept", browser); got.StatusCode != http.StatusNotFound || !strings.Contains(got.body, "<title>Shop</title>") {
		t.Errorf("got %d %s, want the chosen page with its head", got.StatusCode, got.body)
	}
}
