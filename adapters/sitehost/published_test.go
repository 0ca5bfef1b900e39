package sitehost_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

const siteHost = "shop.sites.test"

// assetPath is the path of the hashed script that a page names.
func assetPath(t testing.TB, page string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, `src="/assets/`)
	name, _, _ := strings.Cut(rest, `"`)
	if !found {
		t.Fatalf("got %q, want a page that names an asset", page)
	}
	return "/assets/" + name
}

func newSite(t testing.TB) *studio {
	s := newStudio(t)
	s.mustPublish()
	return s
}

// mustBeCompressed returns a file's compressed form as soon as it is made, which the publication
// does not wait for: until then, the file itself must come.
func (s *studio) mustBeCompressed(path string) (got answer) {
	s.t.Helper()
	conformance.Eventually(s.t, "the compressed form of "+path, func() bool {
		got = s.get(siteHost, path, "Accept-Encoding", "br")
		if got.Header.Get("Content-Encoding") == "br" {
			return true
		}
		if got.StatusCode != http.StatusOK || got.Header.Get("Content-Length") != fmt.Sprint(len(got.body)) {
			s.t.Fatalf("%s: got %d with %d bytes, want the file", path, got.StatusCode, len(got.body))
		}
		return false
	})
	return got
}

func TestPublishedFiles(t *testing.T) {
	s := newSite(t)
	asset := assetPath(t, s.get(siteHost, "/").body)
	for _, c := range []struct{ path, kind, control, body string }{
		{"/", "text/html; charset=utf-8", "no-cache", ""},
		{"/index.html", "text/html; charset=utf-8", "no-cache", ""},
		{asset, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", s.source("assets/app.js")},
		{"/logo.png", "image/png", "no-cache", s.source("public/logo.png")},
		{"/robots.txt", "text/plain; charset=utf-8", "no-cache", "User-agent: *"},
		{"/docs/", "text/html; charset=utf-8", "no-cache", "<html>docs</html>"},
		{"/notes/a%20b%20%C3%BC.txt", "text/plain; charset=utf-8", "no-cache", "spaces"},
		{"/robots.txt?x=1", "text/plain; charset=utf-8", "no-cache", "User-agent: *"},
	} {
		got := s.get(siteHost, c.path)
		header := got.Header
		if got.StatusCode != http.StatusOK || header.Get("Content-Type") != c.kind || header.Get("Cache-Control") != c.control || c.body != "" && got.body != c.body {
			t.Errorf("%s: got %d %v %.40q, want %+.40v", c.path, got.StatusCode, header, got.body, c)
		}
		if header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Etag") == "" || header.Get("Set-Cookie") != "" {
			t.Errorf("%s: got headers %v, want nosniff, an ETag and no cookie", c.path, header)
		}
		head := s.ask(http.MethodHead, siteHost, c.path)
		if head.StatusCode != http.StatusOK || head.body != "" || head.Header.Get("Content-Length") != fmt.Sprint(len(got.body)) || head.Header.Get("Etag") != header.Get("Etag") {
			t.Errorf("%s: got %d %v for HEAD, want what GET says, without the body", c.path, head.StatusCode, head.Header)
		}
	}
}

func TestPublishedRoutes(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		path, accept string
		status       int
	}{
		{"/cart", "text/html,*/*;q=0.8", http.StatusOK},
		{"/cart/items/7", "", http.StatusOK},
		{"/cart/", "*/*", http.StatusOK},
		{"/cart", "application/json", http.StatusNotFound},
		{"/cart", "text/html;q=0", http.StatusNotFound},
		{"/cart.js", "text/html", http.StatusNotFound},
		{"/assets/00000000-app.js", "*/*", http.StatusNotFound},
		{"/favicon.ico", "text/html", http.StatusNotFound},
	} {
		headers := []string{}
		if c.accept != "" {
			headers = append(headers, "Accept", c.accept)
		}
		got := s.get(siteHost, c.path, headers...)
		if got.StatusCode != c.status || c.status == http.StatusOK != strings.Contains(got.body, "home") {
			t.Errorf("%s, Accept %q: got %d %.60q, want %d", c.path, c.accept, got.StatusCode, got.body, c.status)
		}
		if c.status == http.StatusOK && got.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: got %q, want no-cache", c.path, got.Header.Get("Cache-Control"))
		}
	}

	t.Run("lead to a directory with its slash", func(t *testing.T) {
		got := s.get(siteHost, "/docs?a=1&b=%2F")
		if got.StatusCode != http.StatusFound || got.Header.Get("Location") != "/docs/?a=1&b=%2F" {
			t.Errorf("got %d to %q, want 302 to /docs/?a=1&b=%%2F", got.StatusCode, got.Header.Get("Location"))
		}
	})

	t.Run("never name what lies outside or begins with a dot", func(t *testing.T) {
		for _, path := range []string{
			"/../index.html", "/..", "/%2e%2e/index.html", "/docs/../index.html", "/docs/%2e%2e/%2e%2e/etc/passwd", "/./index.html", "/docs//", "/.git/config", "/.env", "/docs/.env", "/%2eenv", "/a%5C..%5Cb", "/index.html%00", "/.well-known/../x",
		} {
			if got := s.get(siteHost, path); got.StatusCode != http.StatusNotFound || got.Header.Get("Location") != "" {
				t.Errorf("%s: got %d %q, want 404", path, got.StatusCode, got.Header.Get("Location"))
			}
		}
		for _, path := range []string{"//index.html", "//docs", "//evil.example/", "", "docs", "*", "/docs\\"} {
			if got := serve(s.handler, siteHost, path); got.Code != http.StatusNotFound || got.Header().Get("Location") != "" {
				t.Errorf("%s: got %d %q, want 404", path, got.Code, got.Header().Get("Location"))
			}
		}
	})

	t.Run("end at the site's own page when it has one", func(t *testing.T) {
		s.write("404.html", "<h1>lost</h1>")
		s.mustPublish()
		for _, path := range []string{"/cart", "/cart.js", "/.env"} {
			if got := s.get(siteHost, path); got.StatusCode != http.StatusNotFound || got.body != "<h1>lost</h1>" {
				t.Errorf("%s: got %d %q, want 404 with the site's page", path, got.StatusCode, got.body)
			}
		}
	})
}

func TestPublishedMethods(t *testing.T) {
	s := newSite(t)
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"} {
		if got := s.ask(method, siteHost, "/"); got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: got %d, Allow %q, want 405 and GET, HEAD", method, got.StatusCode, got.Header.Get("Allow"))
		}
	}
}

func TestPublishedConditions(t *testing.T) {
	s := newSite(t)
	plain := s.get(siteHost, "/").Header.Get("Etag")
	packed := s.get(siteHost, "/", "Accept-Encoding", "br").Header.Get("Etag")
	if plain == packed {
		t.Errorf("got %s for both representations, want two tags", plain)
	}
	for tags, status := range map[string]int{
		plain:                        http.StatusNotModified,
		packed:                       http.StatusNotModified,
		"W/" + plain:                 http.StatusNotModified,
		`"other", ` + plain + `,"x"`: http.StatusNotModified,
		"*":                          http.StatusNotModified,
		`"other"`:                    http.StatusOK,
		`""`:                         http.StatusOK,
		strings.Trim(plain, `"`):     http.StatusOK,
	} {
		got := s.get(siteHost, "/", "If-None-Match", tags)
		if got.StatusCode != status || status == http.StatusNotModified && (got.body != "" || got.Header.Get("Etag") == "" || got.Header.Get("Vary") == "") {
			t.Errorf("%s: got %d %v, want %d", tags, got.StatusCode, got.Header, status)
		}
	}
	s.write("index.html", s.source("index.html")+"<!-- two -->")
	s.mustPublish()
	if got := s.get(siteHost, "/", "If-None-Match", plain); got.StatusCode != http.StatusOK || !strings.Contains(got.body, "two") {
		t.Errorf("got %d after another publish, want 200 with the new page", got.StatusCode)
	}
}

func TestPublishedRanges(t *testing.T) {
	s := newSite(t)
	logo := s.source("public/logo.png")
	tag := s.get(siteHost, "/logo.png").Header.Get("Etag")
	for _, c := range []struct {
		rang, condition string
		status          int
		body            string
	}{
		{"bytes=0-3", "", http.StatusPartialContent, logo[:4]},
		{"bytes=-5", "", http.StatusPartialContent, logo[len(logo)-5:]},
		{"bytes=2000-", "", http.StatusPartialContent, logo[2000:]},
		{"bytes=0-3", tag, http.StatusPartialContent, logo[:4]},
		{"bytes=0-3", `"other"`, http.StatusOK, logo},
		{"bytes=9000-", "", http.StatusRequestedRangeNotSatisfiable, ""},
		{"lines=1-2", "", http.StatusRequestedRangeNotSatisfiable, ""},
	} {
		headers := []string{"Range", c.rang, "Accept-Encoding", "br"}
		if c.condition != "" {
			headers = append(headers, "If-Range", c.condition)
		}
		got := s.get(siteHost, "/logo.png", headers...)
		if got.StatusCode != c.status || c.body != "" && got.body != c.body || got.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: got %d with %d bytes, want %d with %d", c.rang, got.StatusCode, len(got.body), c.status, len(c.body))
		}
	}
}

func TestPublishedEncodings(t *testing.T) {
	s := newSite(t)
	s.mustBeCompressed("/")
	for accepted, want := range map[string]string{
		"gzip, deflate, br":      "br",
		"gzip":                   "gzip",
		"GZIP;q=0.5":             "gzip",
		"br;q=0, gzip":           "gzip",
		"br;q=0.000, gzip; q=0":  "",
		"identity":               "",
		"":                       "",
		"deflate, zstd":          "",
		"brotli, gzipped":        "",
		" br ; q=1.0 , gzip;q=1": "br",
	} {
		got := s.get(siteHost, "/", "Accept-Encoding", accepted)
		if got.Header.Get("Content-Encoding") != want || got.Header.Get("Vary") != "Accept-Encoding" || !strings.Contains(got.decoded(t), "home") {
			t.Errorf("%q: got %q, Vary %q, want %q and the page", accepted, got.Header.Get("Content-Encoding"), got.Header.Get("Vary"), want)
		}
		if want != "" && len(got.body) > 500 {
			t.Errorf("%q: got %d bytes, want fewer", accepted, len(got.body))
		}
	}
	if got := s.get(siteHost, "/logo.png", "Accept-Encoding", "br"); got.Header.Get("Content-Encoding") != "" || got.Header.Get("Vary") != "" {
		t.Errorf("got %v for an image, want it as it is", got.Header)
	}

	t.Run("are sent as soon as they are made", func(t *testing.T) {
		big := `"` + strings.Repeat("atelier ", 100_000) + `"`
		s.write("public/big.json", big)
		s.mustPublish()
		if got := s.mustBeCompressed("/big.json"); got.decoded(t) != big {
			t.Errorf("got %d bytes, want the file", len(got.body))
		}
	})
}

func TestPublishedLargeFiles(t *testing.T) {
	s := newStudio(t)
	film := strings.Repeat("0123456789", 600_000)
	s.write("public/film.mp4", film)
	s.mustPublish()
	whole := s.get(siteHost, "/film.mp4", "Accept-Encoding", "br")
	if whole.StatusCode != http.StatusOK || whole.body != film || whole.Header.Get("Content-Type") != "video/mp4" || whole.Header.Get("Etag") == "" {
		t.Errorf("got %d with %d bytes, %v, want the film", whole.StatusCode, len(whole.body), whole.Header)
	}
	part := s.get(siteHost, "/film.mp4", "Range", "bytes=5999990-")
	if part.StatusCode != http.StatusPartialContent || part.body != "0123456789" {
		t.Errorf("got %d %q, want the last ten bytes", part.StatusCode, part.body)
	}
	if known := s.get(siteHost, "/film.mp4", "If-None-Match", whole.Header.Get("Etag")); known.StatusCode != http.StatusNotModified {
		t.Errorf("got %d for a known film, want 304", known.StatusCode)
	}
	head := s.ask(http.MethodHead, siteHost, "/film.mp4")
	if head.body != "" || head.Header.Get("Content-Length") != fmt.Sprint(len(film)) {
		t.Errorf("got %d bytes, %v for HEAD, want the length only", len(head.body), head.Header)
	}
}

func TestPublishedLife(t *testing.T) {
	t.Run("ends and begins with the record", func(t *testing.T) {
		s := newSite(t)
		s.must(s.publish.Unpublish(t.Context(), s.owner, s.project))
		if got := s.get(siteHost, "/"); got.StatusCode != http.StatusNotFound {
			t.Errorf("got %d after unpublishing, want 404", got.StatusCode)
		}
		s.mustPublish()
		if got := s.get(siteHost, "/"); got.StatusCode != http.StatusOK {
			t.Errorf("got %d after publishing again, want 200", got.StatusCode)
		}
	})

	t.Run("keeps assets of earlier deployments, and no other file of theirs", func(t *testing.T) {
		s := newSite(t)
		asset := assetPath(t, s.get(siteHost, "/").body)
		s.write("assets/app.js", "two")
		for _, path := range []string{"public/sub/deep/page.htm"} {
			changes := []core.FileChange{{Op: core.OpDelete, Path: core.MustPath(path)}}
			_, err := s.pipeline.Apply(t.Context(), s.project, core.Author{}, changes, nil)
			s.must(err)
		}
		s.mustPublish()
		if got := s.get(siteHost, asset); got.StatusCode != http.StatusOK || got.body != s.source("assets/app.js") {
			t.Errorf("got %d for the old asset, want it", got.StatusCode)
		}
		if got := s.get(siteHost, assetPath(t, s.get(siteHost, "/").body)); got.body != "two" {
			t.Errorf("got %q for the new asset, want two", got.body)
		}
		if got := s.get(siteHost, "/sub/deep/page.htm"); got.StatusCode != http.StatusNotFound {
			t.Errorf("got %d for a file that is gone, want 404", got.StatusCode)
		}
	})

	t.Run("says to try again when the files cannot be read", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		deployments, err := s.publish.Deployments(t.Context(), s.owner, s.project)
		s.must(err)
		s.must(s.sites.Remove(t.Context(), deployments[0].ID))
		if got := s.get(siteHost, "/"); got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
			t.Errorf("got %d, want 503 with Retry-After", got.StatusCode)
		}
	})
}

func TestNotices(t *testing.T) {
	s := newStudio(t)
	got := s.get("nobody.sites.test", "/", "Accept", "text/html")
	header := got.Header
	if header.Get("Cache-Control") != "no-store" || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") ||
		header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(got.body, "publish it") {
		t.Errorf("got %v %q, want a page that tells what to do and can do nothing else", header, got.body)
	}
	if got := s.get("nobody.sites.test", "/a.js", "Accept", "application/json"); strings.Contains(got.body, "<") || got.StatusCode != http.StatusNotFound {
		t.Errorf("got %d %q for a program, want a line of text", got.StatusCode, got.body)
	}
	if head := s.ask(http.MethodHead, "nobody.sites.test", "/"); head.body != "" || head.StatusCode != http.StatusNotFound {
		t.Errorf("got %d %q for HEAD, want 404 without a body", head.StatusCode, head.body)
	}
}
