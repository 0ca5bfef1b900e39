package pocketbase

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// album returns a place for pictures with its open application.
func album(t *testing.T) (*Engine, backend.Place, *application) {
	t.Helper()
	engine, _ := openRoom(t, 2, time.Hour)
	place, everybody := backend.Place{Project: core.NewID(), Env: core.DataLive}, ""
	err := engine.Apply(t.Context(), place, backend.Schema{Collections: []backend.Collection{{
		ID: "pbc_pictures", Name: "pictures", Type: backend.Base, Rules: backend.Rules{Create: &everybody, Update: &everybody, List: &everybody},
		Fields: []backend.Field{
			{ID: "f_title", Name: "title", Type: "text"},
			{ID: "f_file", Name: "file", Type: "file", Options: map[string]json.RawMessage{"maxSelect": json.RawMessage("3")}},
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	set, done, err := engine.places.use(place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(done)
	set.gate.RLock()
	defer set.gate.RUnlock()
	app, err := set.open()
	if err != nil {
		t.Fatal(err)
	}
	return engine, place, app
}

// upload sends a form with files, and returns the status and the id of the record.
func upload(t *testing.T, engine *Engine, place backend.Place, method, path string, files ...string) (int, string) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	errs := []error{form.WriteField("title", "a title")}
	for _, name := range files {
		part, err := form.CreateFormFile("file", name)
		if err == nil {
			_, err = part.Write([]byte("content of " + name))
		}
		errs = append(errs, err)
	}
	if err := errors.Join(append(errs, form.Close())...); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, "/api/collections/pictures/records"+path, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	w := httptest.NewRecorder()
	engine.Serve(w, r, place, backend.Identity{})
	var record struct{ ID string }
	_ = json.Unmarshal(w.Body.Bytes(), &record)
	return w.Code, record.ID
}

// TestFilesAreDurableBeforeTheirRecord looks at what is synced while the record does not exist yet.
func TestFilesAreDurableBeforeTheirRecord(t *testing.T) {
	engine, place, app := album(t)
	var synced []string
	app.sync = func(path string) error {
		if n, err := app.CountRecords("pictures"); err != nil || n > 0 && len(synced) < 7 {
			t.Errorf("got %d records and %v while %s was synced, want none", n, err, path)
		}
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() && !strings.HasSuffix(path, attributesSuffix) {
			content, err := os.ReadFile(path)
			if err != nil || !strings.HasPrefix(string(content), "content of ") {
				t.Errorf("got %q and %v, want the whole file", content, err)
			}
		}
		synced = append(synced, path)
		return durable.SyncDir(path)
	}
	status, id := upload(t, engine, place, http.MethodPost, "", "one.txt", "two.txt")
	if status != http.StatusOK {
		t.Fatalf("got %d, want a record", status)
	}
	dir := filepath.Join(app.files, "pbc_pictures", id)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Fatalf("got %v and %v, want two files with their attributes", entries, err)
	}
	want := []string{dir, filepath.Dir(dir), app.files, filepath.Dir(app.files)}
	for _, entry := range entries {
		want = append(want, filepath.Join(dir, entry.Name()))
	}
	for _, path := range want {
		if !slices.Contains(synced, path) {
			t.Errorf("%s was not synced, but %v", path, synced)
		}
	}
	if last := synced[len(synced)-4:]; !slices.Equal(last, want[:4]) {
		t.Errorf("got %v last, want the directories from below: %v", last, want[:4])
	}
	synced = slices.Grow(synced[:0], 16)
	if status, _ := upload(t, engine, place, http.MethodPatch, "/"+id); status != http.StatusOK || len(synced) > 0 {
		t.Errorf("a change without files: got %d and %v synced, want nothing", status, synced)
	}
}

func TestFilesThatAreNotDurableLeaveNoRecord(t *testing.T) {
	engine, place, app := album(t)
	app.sync = func(string) error { return errors.New("the disk is away") }
	if status, _ := upload(t, engine, place, http.MethodPost, "", "one.txt"); status != http.StatusServiceUnavailable {
		t.Errorf("got %d, want 503", status)
	}
	if n, err := app.CountRecords("pictures"); err != nil || n > 0 {
		t.Errorf("got %d records and %v, want none", n, err)
	}
	app.sync = durable.SyncDir
	status, id := upload(t, engine, place, http.MethodPost, "", "one.txt")
	if status != http.StatusOK {
		t.Fatalf("got %d, want a record", status)
	}
	app.sync = func(string) error { return errors.New("the disk is away") }
	if status, _ := upload(t, engine, place, http.MethodPatch, "/"+id, "two.txt"); status != http.StatusServiceUnavailable {
		t.Errorf("got %d, want 503", status)
	}
	files, err := filepath.Glob(filepath.Join(app.files, "*", "*", "*.txt"))
	if err != nil || len(files) != 1 || !strings.Contains(files[0], "one") {
		t.Errorf("got the files %v and %v, want the one of the record", files, err)
	}
}
