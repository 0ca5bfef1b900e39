package sitehost_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
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

// TestDataOfASiteThatIsTakenDownIsNotServed: neither records nor functions. Its preview is.
func TestDataOfASiteThatIsTakenDownIsNotServed(t *testing.T) {
	s := newStudio(t)
	s.write("backend/schema.json", openSchema)
	s.mustPublish()
	takedown := core.Takedown{ProjectID: s.project, Slug: "shop", Reason: "It asks for passwords.", TakenBy: core.NewID()}
	if err := s.store.Tables().Takedowns.Create(t.Context(), takedown); err != nil {
		t.Fatal(err)
	}
	s.mustPublish() // so that the site is read again
	for _, path := range []string{"/_data/collections/notes/records", "/_data/realtime", "/_fn/hello", "/_data/@confirm/verification"} {
		if got := s.get("shop.sites.test", path); got.StatusCode != http.StatusUnavailableForLegalReasons {
			t.Errorf("%s: got %d, want 451", path, got.StatusCode)
		}
	}
	if got := s.get(s.previewHost(), "/_data/collections/notes/records"); got.StatusCode != http.StatusOK {
		t.Errorf("got %d in the preview, want its test data", got.StatusCode)
	}
}

// TestRefusalsOfTheServiceAreInTheClientsForm: PocketBase's, with the service's code beside it.
func TestRefusalsOfTheServiceAreInTheClientsForm(t *testing.T) {
	s := newStudio(t)
	for name, c := range map[string]struct{ host, method, path string }{
		"no data":              {s.previewHost(), http.MethodGet, "/_data/collections/notes/records"},
		"no such function":     {s.previewHost(), http.MethodPost, "/_fn/hello"},
		"a preview that moved": {"s-0123456789abcdef01234567.preview.sites.test", http.MethodPatch, "/_data/collections/notes/records/1"},
		"no site":              {"nobody.sites.test", http.MethodPost, "/_data/collections/notes/records"},
		"no deployment":        {"shop.sites.test", http.MethodPost, "/_data/collections/notes/records"},
	} {
		r := httptest.NewRequest(c.method, "https://"+c.host+c.path, nil)
		r.Header.Set("Accept", "*/*")
		recorder := httptest.NewRecorder()
		s.handler.ServeHTTP(recorder, r)
		var refusal struct {
			Status         int
			Message, Error string
			Data           map[string]any
		}
		if err := json.Unmarshal(recorder.Body.Bytes(), &refusal); err != nil || recorder.Code != http.StatusNotFound || refusal.Status != http.StatusNotFound || refusal.Error != string(core.CodeNotFound) || refusal.Message == "" || refusal.Data == nil {
			t.Errorf("%s: got %d %s, %v, want 404 with %s", name, recorder.Code, recorder.Body, err, core.CodeNotFound)
		}
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
