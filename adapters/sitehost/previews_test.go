package sitehost_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

func TestPreviewPages(t *testing.T) {
	t.Run("show the files as they are, with the client in every page", func(t *testing.T) {
		s := newStudio(t)
		host := s.previewHost()
		for _, path := range []string{"/", "/index.html", "/docs/", "/some/route"} {
			got := s.get(host, path)
			if got.StatusCode != http.StatusOK || strings.Count(got.body, `<script type="module" src="/@atelier/client.js"`) != 1 || !strings.Contains(got.body, `data-studio="http://studio.test:8080"`) {
				t.Errorf("%s: got %d %.200q, want the page with the client", path, got.StatusCode, got.body)
			}
			if got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: got %q, want no-store", path, got.Header.Get("Cache-Control"))
			}
		}
		for i := range 3 {
			s.write("public/robots.txt", strings.Repeat("x", i+1))
			if got := s.get(host, "/robots.txt"); got.body != strings.Repeat("x", i+1) {
				t.Errorf("got %q after a write, want what was written", got.body)
			}
		}
	})

	t.Run("start with the first look", func(t *testing.T) {
		s := newStudio(t)
		s.must(s.preview.Stop(t.Context(), s.owner, s.project))
		if got := s.get(s.previewHost(), "/"); got.StatusCode != http.StatusOK || !strings.Contains(got.body, "home") {
			t.Errorf("got %d, want the page", got.StatusCode)
		}
	})

	t.Run("name the build that they are of", func(t *testing.T) {
		s := newStudio(t)
		host := s.previewHost()
		build := func() string {
			_, rest, _ := strings.Cut(s.get(host, "/").body, `data-build="`)
			name, _, _ := strings.Cut(rest, `"`)
			return name
		}
		first := build()
		s.write("docs/index.html", "other")
		if second := build(); first == "" || first == second {
			t.Errorf("got %q and %q, want two names", first, second)
		}
	})

	t.Run("keep hashed files in the browser, and the rest out of every cache", func(t *testing.T) {
		s := newStudio(t)
		host := s.previewHost()
		asset := assetPath(t, s.get(host, "/").body)
		got := s.get(host, asset, "Accept-Encoding", "gzip")
		if got.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" || got.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("got %v, want it immutable and compressed", got.Header)
		}
		if got := s.get(host, "/logo.png", "Range", "bytes=0-3"); got.StatusCode != http.StatusPartialContent || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("got %d %v, want a part that is not stored", got.StatusCode, got.Header)
		}
	})

	t.Run("let browsers keep modules that they ask for again", func(t *testing.T) {
		s := newStudio(t)
		s.write("public/@app/src/main.js", "export {}")
		host := s.previewHost()
		got := s.get(host, "/@app/src/main.js?v=1")
		if got.StatusCode != http.StatusOK || got.Header.Get("Cache-Control") != "no-cache" || got.Header.Get("Etag") == "" {
			t.Errorf("got %d %v, want a module that is asked for again", got.StatusCode, got.Header)
		}
		if again := s.get(host, "/@app/src/main.js?v=2", "If-None-Match", got.Header.Get("Etag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("got %d for the same module, want 304", again.StatusCode)
		}
		s.write("public/@app/src/main.js", "export default 1")
		if again := s.get(host, "/@app/src/main.js?v=2", "If-None-Match", got.Header.Get("Etag")); again.body != "export default 1" {
			t.Errorf("got %d %q for a module that changed, want its text", again.StatusCode, again.body)
		}
	})

	t.Run("stay up while the sources are broken", func(t *testing.T) {
		s := newStudio(t)
		host := s.previewHost()
		s.write("app.js", "(")
		if got := s.get(host, "/"); got.StatusCode != http.StatusOK || !strings.Contains(got.body, "home") {
			t.Errorf("got %d, want the last good page", got.StatusCode)
		}
	})

	t.Run("say what is wrong, escaped, when nothing was ever good", func(t *testing.T) {
		s := newStudio(t)
		s.write("this&that.js", "(")
		host := s.previewHost()
		got := s.get(host, "/", "Accept", "text/html")
		if got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got.body, "The build failed") || !strings.Contains(got.body, "this&amp;that.js:1:1") {
			t.Errorf("got %d %q, want the diagnostics", got.StatusCode, got.body)
		}
		if !strings.Contains(got.body, `src="/@atelier/client.js" data-build=""`) || len(got.Header.Values("Content-Security-Policy")) != 2 {
			t.Errorf("got %v %q, want the client, under both policies", got.Header, got.body)
		}
		if got := s.get(host, "/app.js", "Accept", "application/json"); strings.Contains(got.body, "<") {
			t.Errorf("got %q for a program, want a line of text", got.body)
		}
	})

	t.Run("refuse paths that name no file", func(t *testing.T) {
		s := newStudio(t)
		host := s.previewHost()
		for _, path := range []string{"/../x", "/.env", "/.git/HEAD", "/@atelier/../x", "/missing.js"} {
			if got := s.get(host, path); got.StatusCode != http.StatusNotFound {
				t.Errorf("%s: got %d, want 404", path, got.StatusCode)
			}
		}
		if got := s.ask(http.MethodPost, host, "/"); got.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("got %d for POST, want 405", got.StatusCode)
		}
	})
}

func TestPreviewHeaders(t *testing.T) {
	s := newStudio(t)
	host := s.previewHost()
	for _, path := range []string{"/", "/logo.png", "/missing.js", "/@atelier/client.js", "/@atelier/console"} {
		got := s.get(host, path, "Cookie", "app_access_token=secret", "Authorization", "Bearer secret").Header
		if got.Get("Content-Security-Policy") != "frame-ancestors http://studio.test:8080" || got.Get("Referrer-Policy") != "no-referrer" ||
			got.Get("X-Robots-Tag") != "noindex" || got.Get("X-Content-Type-Options") != "nosniff" || got.Get("Set-Cookie") != "" {
			if path != "/missing.js" {
				t.Errorf("%s: got %v, want every header of a preview", path, got)
			}
		}
	}
}

func TestPreviewAddresses(t *testing.T) {
	s := newStudio(t)
	before := s.previewHost()
	_, err := s.store.Tables().Projects.Update(t.Context(), s.project, func(p *core.Project) error {
		p.Visibility = core.VisibilityPrivate
		return nil
	})
	s.must(err)
	for _, path := range []string{"/", "/logo.png", "/@atelier/client.js", "/@atelier/events", "/@atelier/console"} {
		if got := s.get(before, path); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d at the old address, want 404", path, got.StatusCode)
		}
	}
	if got := s.get(s.previewHost(), "/"); got.StatusCode != http.StatusOK {
		t.Errorf("got %d at the new address, want 200", got.StatusCode)
	}
	now := core.At(time.Now())
	host := s.previewHost()
	_, err = s.store.Tables().Projects.Update(t.Context(), s.project, func(p *core.Project) error { p.DeletedAt = &now; return nil })
	s.must(err)
	if got := s.get(host, "/"); got.StatusCode != http.StatusNotFound {
		t.Errorf("got %d for a deleted project, want 404", got.StatusCode)
	}
}
