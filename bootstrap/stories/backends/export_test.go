package backends_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/stock"
	"github.com/atelierhq/atelier/core"
)

// TestTheStockPocketBaseServesAnExport: people take their data along. Users sign in with their
// passwords, records and files are there, and rules hold.
func TestTheStockPocketBaseServesAnExport(t *testing.T) {
	t.Parallel()
	b := newBook(started(t).SignUp())
	picture := object{"name": "picture", "type": "file", "maxSelect": 1}
	b.save(core.BackendSchemaPath, guestbook(text, picture))
	preview := b.Preview(b.Caller)
	_, session := b.signUp(preview, "bob@example.com")
	var entry object
	b.Must(http.StatusCreated, http.MethodPost, b.of(core.DataTest, "entries", "records"), form(t, []byte("the picture"), "text", "with a picture"), &entry)

	archive := b.Do(http.MethodGet, b.Path("/export?data=test"), nil)
	data := filepath.Join(t.TempDir(), "pb_data")
	unpack(t, archive.Body, "pb_data", data)
	there := stock.Serve(t, stock.Build(t), data)
	ask := func(method, path, token string, body any) (int, object) {
		return b.at(there.URL+"/api/", method, path, token, body)
	}

	status, answer := ask(http.MethodGet, "collections/entries/records?sort=text&expand=author", "", nil)
	items, _ := answer["items"].([]any)
	if status != http.StatusOK || len(items) != 2 {
		t.Fatalf("got %d %v, want the two entries", status, answer)
	}
	if first, _ := items[0].(object); first["text"] != "from the seed" || first["expand"] == nil {
		t.Errorf("got %v, want the seed with its author", first)
	}
	status, answer = ask(http.MethodPost, "collections/users/auth-with-password", "", object{"identity": "bob@example.com", "password": userPassword})
	token, _ := answer["token"].(string)
	if status != http.StatusOK || token == "" {
		t.Fatalf("got %d %v, want Bob signed in", status, answer)
	}
	if status, answer = ask(http.MethodPost, "collections/users/auth-refresh", session, nil); status != http.StatusOK {
		t.Errorf("got %d %v, want the session to go on", status, answer)
	}
	bob, _ := answer["record"].(object)
	if status, answer = ask(http.MethodPost, "collections/entries/records", token, object{"text": "at home", "author": bob["id"]}); status != http.StatusOK {
		t.Errorf("got %d %v, want a new entry", status, answer)
	}
	seeded, _ := items[0].(object)
	if status, answer = ask(http.MethodDelete, "collections/entries/records/"+seeded["id"].(string), token, nil); status != http.StatusNotFound {
		t.Errorf("got %d %v, want another's entry kept", status, answer)
	}
	file, _ := entry["picture"].(string)
	if got := b.Fetch(there.URL + "/api/files/entries/" + entry["id"].(string) + "/" + file); string(got.Body) != "the picture" {
		t.Errorf("got %d %.100s, want the file", got.Status, got.Body)
	}
	if got := b.Fetch(there.URL + "/api/collections"); got.Status != http.StatusUnauthorized {
		t.Errorf("got %d, want the collections for superusers only", got.Status)
	}
}

// unpack writes what an archive has below a directory to another one.
func unpack(t *testing.T, archive []byte, from, to string) {
	t.Helper()
	packed, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	below, err := fs.Sub(packed, from)
	if err == nil {
		err = os.CopyFS(to, below)
	}
	if err != nil {
		t.Fatal(err)
	}
}
