package sitehost_test

import (
	"net/http"
	"strings"
	"testing"
)

const openSchema = `{"collections": [{"name": "notes", "listRule": "", "viewRule": "", "createRule": ""}]}`

func TestDataIsServedBesideTheSite(t *testing.T) {
	s := newStudio(t)
	for _, host := range []string{s.previewHost(), "shop.sites.test"} {
		for _, path := range []string{"/_data/collections/notes/records", "/_data", "/_fn/hello", "/_data/../_data/health"} {
			if got := s.get(host, path, "Accept", "text/html"); got.StatusCode != http.StatusNotFound {
				t.Errorf("%s%s: got %d without a backend, want 404", host, path, got.StatusCode)
			}
		}
	}
	s.write("backend/schema.json", openSchema)
	if got := s.get(s.previewHost(), "/_data/collections/notes/records"); got.StatusCode != http.StatusOK || !strings.Contains(got.body, `"items":[]`) {
		t.Errorf("got %d %s, want the test data", got.StatusCode, got.body)
	}
	if got := s.get("shop.sites.test", "/_data/collections/notes/records"); got.StatusCode != http.StatusNotFound {
		t.Errorf("got %d before the publish, want no live data", got.StatusCode)
	}
	s.mustPublish()
	if got := s.get("shop.sites.test", "/_data/collections/notes/records"); got.StatusCode != http.StatusOK || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %d %v, want the live data, in no cache", got.StatusCode, got.Header)
	}
}

func TestLinksInMailsLeadToAPage(t *testing.T) {
	s := newStudio(t)
	s.mustPublish()
	for _, host := range []string{s.previewHost(), "shop.sites.test"} {
		for _, action := range []string{"verification", "password", "email"} {
			got := s.get(host, "/_data/@confirm/"+action)
			policy := got.Header.Get("Content-Security-Policy")
			if got.StatusCode != http.StatusOK || !strings.Contains(got.body, "confirm-verification") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "script-src 'unsafe") {
				t.Errorf("%s, %s: got %d %s, want the page under its own policy", host, action, got.StatusCode, policy)
			}
			if got := s.send(http.MethodPost, host, "/_data/@confirm/"+action, nil); got.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s, %s: got %d for POST, want 405", host, action, got.StatusCode)
			}
		}
		if got := s.get(host, "/_data/@confirm/everything"); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d for an unknown action, want 404", host, got.StatusCode)
		}
	}
}
