package sitehost_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkServing serves the same page and the same script from a published site
// and from a directory, over real connections. Compare the two of a run; times of
// different runs tell nothing.
func BenchmarkServing(b *testing.B) {
	s := newSite(b)
	script := strings.Repeat("export const answer = 42; // atelier\n", 6000)
	s.write("assets/app.js", script)
	s.mustPublish()
	page := s.get(siteHost, "/").body
	asset := assetPath(b, page)
	dir := b.TempDir()
	for path, content := range map[string]string{"index.html": page, asset: script} {
		name := filepath.Join(dir, filepath.FromSlash(path))
		s.must(os.MkdirAll(filepath.Dir(name), 0o755))
		s.must(os.WriteFile(name, []byte(content), 0o600))
	}
	directory := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer directory.Close()
	for _, c := range []struct{ name, path string }{{"page", "/"}, {"script", asset}} {
		b.Run(c.name+"/site", func(b *testing.B) { fetchAll(b, s.server.URL, c.path) })
		b.Run(c.name+"/directory", func(b *testing.B) { fetchAll(b, directory.URL, c.path) })
	}
}

func fetchAll(b *testing.B, server, path string) {
	b.RunParallel(func(pb *testing.PB) {
		transport := &http.Transport{DisableCompression: true}
		defer transport.CloseIdleConnections()
		for pb.Next() {
			req, err := http.NewRequest(http.MethodGet, server+path, nil)
			if err != nil {
				b.Error(err)
				return
			}
			req.Host = siteHost
			req.Header.Set("Accept-Encoding", "gzip, br")
			resp, err := transport.RoundTrip(req)
			if err != nil {
				b.Error(err)
				return
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
				b.Errorf("got %d, %v", resp.StatusCode, err)
			}
			resp.Body.Close()
		}
	})
}

// BenchmarkHandlers compares the two without the network.
func BenchmarkHandlers(b *testing.B) {
	s := newSite(b)
	dir := b.TempDir()
	s.must(os.WriteFile(filepath.Join(dir, "robots.txt"), []byte("User-agent: *"), 0o600))
	for name, handler := range map[string]http.Handler{"site": s.handler, "directory": http.FileServer(http.Dir(dir))} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := serve(handler, siteHost, "/robots.txt"); got.Code != http.StatusOK {
					b.Fatalf("got %d", got.Code)
				}
			}
		})
	}
}
