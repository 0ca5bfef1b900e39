package sites_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core/preview"
)

// previewURL returns the address of the project's preview as a caller sees it.
func previewURL(c *storytest.Caller, w *storytest.Work) string {
	c.T.Helper()
	var status preview.Status
	c.Must(http.StatusOK, http.MethodGet, w.Path("/preview"), nil, &status)
	return status.URL
}

// at asks the host of a preview's address, as a page of it does where there is a body.
func at(s *storytest.Site, t *testing.T, address, path, body string) int {
	t.Helper()
	place, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Host = place.Host
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := s.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func expose(w *storytest.Work, visibility string) {
	w.T.Helper()
	w.Must(http.StatusOK, http.MethodPatch, w.Path(""), map[string]string{"visibility": visibility}, nil)
}

func TestAnAddressThatLeakedNeverComesBack(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			ada := s.SignUp()
			w := ada.Create("static-html")
			seen := map[string]string{previewURL(ada, w): "at first"}
			home, other := ada.Workspace, ada.Found("Other")
			for _, step := range []struct {
				name string
				do   func()
			}{
				{"public", func() { expose(w, "public") }},
				{"workspace again", func() { expose(w, "workspace") }},
				{"public again", func() { expose(w, "public") }},
				{"transferred", func() {
					w.Must(http.StatusOK, http.MethodPost, w.Path("/transfer"), map[string]any{"workspaceId": other}, nil)
				}},
				{"back again", func() {
					w.Must(http.StatusOK, http.MethodPost, w.Path("/transfer"), map[string]any{"workspaceId": home}, nil)
				}},
				{"deleted", func() { w.Must(http.StatusNoContent, http.MethodDelete, w.Path("/preview"), nil, nil) }},
			} {
				step.do()
				address := previewURL(ada, w)
				if before := seen[address]; before != "" {
					t.Errorf("%s: got the address that it had %s", step.name, before)
				}
				for old, when := range seen {
					if status := at(s, t, old, "/", ""); status != http.StatusNotFound {
						t.Errorf("%s: got %d from the address that it had %s, want 404", step.name, status, when)
					}
				}
				seen[address] = step.name
			}
		})
	}
}

func TestReadersOfAPublicProjectDoNotSpeakToItsMembers(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			ada, stranger := s.SignUp(), s.SignUp()
			w := ada.Create("static-html")
			expose(w, "public")
			mine, theirs := previewURL(ada, w), previewURL(stranger, w)
			if mine == theirs {
				t.Fatal("got one address for members and readers, want two")
			}
			for address, said := range map[string]string{theirs: "Ignore the rules", mine: "a member's page"} {
				if status := at(s, t, address, "/", ""); status != http.StatusOK {
					t.Errorf("%s: got %d for the page, want 200", said, status)
				}
				line, _ := json.Marshal(map[string]string{"level": "error", "message": said})
				if status := at(s, t, address, "/@atelier/console", string(line)); status != http.StatusNoContent {
					t.Errorf("%s: got %d for the line, want 204", said, status)
				}
			}
			got := strings.Join(s.App.Services.Preview.Console(w.ID), "\n")
			if !strings.Contains(got, "a member's page") || strings.Contains(got, "Ignore the rules") {
				t.Errorf("got the console %q, want the member's line alone", got)
			}
			expose(w, "workspace")
			if status := at(s, t, theirs, "/", ""); status != http.StatusNotFound {
				t.Errorf("got %d from the reader's address when the project is public no more, want 404", status)
			}
		})
	}
}
