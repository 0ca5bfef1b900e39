package sitehost_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestEveryAnswerNamesItsRequest(t *testing.T) {
	s := newStudio(t)
	s.mustPublish()
	seen := map[string]bool{}
	for _, host := range []string{siteHost, s.previewHost(), "nobody.sites.test", "nobody.preview.sites.test"} {
		for _, path := range []string{"/", "/robots.txt", "/missing.png", "/@atelier/nothing"} {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
				got := s.send(method, host, path, nil)
				ids := got.Header["X-Request-Id"]
				if len(ids) != 1 || len(ids[0]) != 32 || seen[ids[0]] {
					t.Errorf("%s %s%s: got the ids %q, want one of its own", method, host, path, ids)
					continue
				}
				seen[ids[0]] = true
			}
		}
		if got := s.get(host, "/", "X-Request-Id", "of-the-client").Header.Get("X-Request-Id"); got != "of-the-client" {
			t.Errorf("%s: got %q, want the client's own", host, got)
		}
		if got := s.get(host, "/", "X-Request-Id", strings.Repeat("x", 101)).Header.Get("X-Request-Id"); len(got) != 32 {
			t.Errorf("%s: got %q, want one that a log can hold", host, got)
		}
	}
}
