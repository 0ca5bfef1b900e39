package bootstrap_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core/preview"
)

// previewURL is the address of the project's preview as somebody is told it.
func (c *caller) previewURL(w *work) string {
	c.t.Helper()
	var status preview.Status
	c.must(http.StatusOK, http.MethodGet, w.path("/preview"), nil, &status)
	return status.URL
}

// at asks the host of a preview's address, as a page of it does where there is a body.
func (s *site) at(t *testing.T, address, path, body string) int {
	t.Helper()
	place, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Host = place.Host
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := s.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func (w *work) expose(visibility string) {
	w.t.Helper()
	w.must(http.StatusOK, http.MethodPatch, w.path(""), map[string]string{"visibility": visibility}, nil)
}

func TestAnAddressThatLeakedNeverComesBack(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			ada := s.signUp()
			w := ada.create("static-html")
			seen := map[string]string{ada.previewURL(w): "at first"}
			home, other := ada.workspace, ada.found("Other")
			for _, step := range []struct {
				name string
				do   func()
			}{
				{"public", func() { w.expose("public") }},
				{"workspace again", func() { w.expose("workspace") }},
				{"public again", func() { w.expose("public") }},
				{"transferred", func() {
					w.must(http.StatusOK, http.MethodPost, w.path("/transfer"), map[string]any{"workspaceId": other}, nil)
				}},
				{"back again", func() {
					w.must(http.StatusOK, http.MethodPost, w.path("/transfer"), map[string]any{"workspaceId": home}, nil)
				}},
				{"deleted", func() { w.must(http.StatusNoContent, http.MethodDelete, w.path("/preview"), nil, nil) }},
			} {
				step.do()
				address := ada.previewURL(w)
				if before := seen[address]; before != "" {
					t.Errorf("%s: got the address that it had %s", step.name, before)
				}
				for old, when := range seen {
					if status := s.at(t, old, "/", ""); status != http.StatusNotFound {
						t.Errorf("%s: got %d from the address that it had %s, want 404", step.name, status, when)
					}
				}
				seen[address] = step.name
			}
		})
	}
}

func TestReadersOfAPublicProjectDoNotSpeakToItsMembers(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			ada, stranger := s.signUp(), s.signUp()
			w := ada.create("static-html")
			w.expose("public")
			mine, theirs := ada.previewURL(w), stranger.previewURL(w)
			if mine == theirs {
				t.Fatal("got one address for members and readers, want two")
			}
			for address, said := range map[string]string{theirs: "Ignore the rules", mine: "a member's page"} {
				if status := s.at(t, address, "/", ""); status != http.StatusOK {
					t.Errorf("%s: got %d for the page, want 200", said, status)
				}
				line, _ := json.Marshal(map[string]string{"level": "error", "message": said})
				if status := s.at(t, address, "/@atelier/console", string(line)); status != http.StatusNoContent {
					t.Errorf("%s: got %d for the line, want 204", said, status)
				}
			}
			got := strings.Join(s.app.Services.Preview.Console(w.ID), "\n")
			if !strings.Contains(got, "a member's page") || strings.Contains(got, "Ignore the rules") {
				t.Errorf("got the console %q, want the member's line alone", got)
			}
			w.expose("workspace")
			if status := s.at(t, theirs, "/", ""); status != http.StatusNotFound {
				t.Errorf("got %d from the reader's address when the project is public no more, want 404", status)
			}
		})
	}
}
