package backendtest

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// withAlbum is the guestbook with a collection of pictures that everybody may see.
func withAlbum() backend.Schema {
	schema := guestbook()
	schema.Collections = append(schema.Collections, backend.Collection{
		ID: "pbc_album", Name: "album", Type: backend.Base,
		Fields: []backend.Field{{ID: "f_picture", Name: "picture", Type: "file", Options: options{"maxSelect": raw(1), "maxSize": raw(1 << 20)}}},
		Rules:  backend.Rules{List: rule(""), View: rule(""), Create: rule("@request.auth.id != ''")},
	})
	return schema
}

// upload adds the album to the schema, puts a file into it, and returns the file's path.
func (s *suite) upload(t *testing.T, content string) string {
	t.Helper()
	s.apply(t, withAlbum())
	got := s.owner().put(t, content)
	if got.status != http.StatusOK {
		t.Fatalf("the upload answered %d %v", got.status, got.body)
	}
	return "files/album/" + got.text("id") + "/" + got.text("picture")
}

// put uploads a file to the album.
func (c caller) put(t *testing.T, content string) answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("picture", "a note.txt")
	conformance.Must(t, err)
	_, err = part.Write([]byte(content))
	conformance.Must(t, err)
	conformance.Must(t, form.Close())
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/collections/album/records", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return c.send(t, r)
}

// download reads a file as a guest.
func (s *suite) download(t *testing.T, path string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/"+path, nil)
	w := httptest.NewRecorder()
	s.engine.Serve(w, r, s.place, backend.Identity{})
	if w.Code != http.StatusOK {
		t.Fatalf("GET %s answered %d %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

func keepsFiles(t *testing.T, s *suite) {
	path := s.upload(t, "hello")
	if got := s.download(t, path); got != "hello" {
		t.Errorf("the file reads %q", got)
	}
	stats, err := s.engine.Stats(t.Context(), s.place)
	conformance.Must(t, err)
	if stats.FileBytes < 5 {
		t.Errorf("the files have %d bytes", stats.FileBytes)
	}
	s.guest().must(t, http.StatusNotFound, "GET", "files/album/../../data.db", nil)
}

func protectedFiles(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	author, _ := s.signUp(t, "anna@example.com")
	s.upload(t, "for everybody")
	schema := withAlbum()
	schema.Collections[2].Fields[0].Options["protected"] = raw(true)
	schema.Collections[2].Rules.View = rule("@request.auth.id != ''")
	s.apply(t, schema)
	got := author.put(t, "secret")
	if got.status != http.StatusOK {
		t.Fatalf("the upload answered %d %v", got.status, got.body)
	}
	path := "files/album/" + got.text("id") + "/" + got.text("picture")
	s.guest().must(t, http.StatusNotFound, "GET", path, nil)
	author.must(t, http.StatusNotFound, "GET", path, nil) // a token of a session is not one of files
	s.guest().must(t, http.StatusNotFound, "GET", path+"?token="+author.token, nil)
	s.guest().must(t, http.StatusUnauthorized, "POST", "files/token", nil)
	token := author.must(t, http.StatusOK, "POST", "files/token", nil).text("token")
	if got := s.download(t, path+"?token="+token); got != "secret" {
		t.Errorf("the file reads %q", got)
	}
	stolen := caller{s: s, place: s.place, token: token}
	stolen.must(t, http.StatusUnauthorized, "POST", "files/token", nil)
	record := "collections/album/records/" + got.text("id")
	s.owner().must(t, http.StatusNoContent, "DELETE", record, nil)
	s.guest().must(t, http.StatusNotFound, "GET", path+"?token="+token, nil)
}

func limitsFiles(t *testing.T, s *suite) {
	s.upload(t, strings.Repeat("x", 70<<10))
	if got := s.owner().put(t, strings.Repeat("x", 70<<10)); got.status != http.StatusRequestEntityTooLarge || got.text("message") == "" {
		t.Errorf("a file too many answered %d %v", got.status, got.body)
	}
	stats, err := s.engine.Stats(t.Context(), s.place)
	conformance.Must(t, err)
	if stats.FileBytes > 100<<10 {
		t.Errorf("the files have %d bytes", stats.FileBytes)
	}
	s.owner().must(t, http.StatusOK, "GET", "collections/album/records", nil)
}
