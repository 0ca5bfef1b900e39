package pocketbase

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// holder returns an engine of several, which holds the data of a project.
func holder(t *testing.T, shared string, project core.ID, token int64) *Engine {
	t.Helper()
	engine, err := New(Config{Dir: t.TempDir(), Shared: shared, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	if err := engine.Hold(t.Context(), project, token); err != nil {
		t.Fatal(err)
	}
	return engine
}

// note creates a record.
func note(t *testing.T, engine *Engine, place backend.Place) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/collections/notes/records", strings.NewReader(`{"text":"kept"}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	engine.Serve(w, r, place, backend.Identity{})
	if w.Code != http.StatusOK {
		t.Fatalf("got %d %s, want a record", w.Code, w.Body)
	}
}

// rest closes a place as if nobody had used it for a while.
func rest(t *testing.T, engine *Engine, place backend.Place) {
	t.Helper()
	set, done, err := engine.places.use(place)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if err := set.close(); err != nil {
		t.Fatal(err)
	}
}

// TestADatabaseAtRestIsNotCopied closes and opens shared data whose holder stays, which is the same
// file then. A snapshot that is restored, and another holder, are other databases.
func TestADatabaseAtRestIsNotCopied(t *testing.T) {
	shared, everybody := t.TempDir(), ""
	place := backend.Place{Project: core.NewID(), Env: core.DataLive}
	engine := holder(t, shared, place.Project, 1)
	schema := backend.Schema{Collections: []backend.Collection{{
		ID: "pbc_notes", Name: "notes", Type: backend.Base, Rules: backend.Rules{Create: &everybody},
		Fields: []backend.Field{{ID: "f_text", Name: "text", Type: "text"}},
	}}}
	if err := engine.Apply(t.Context(), place, schema); err != nil {
		t.Fatal(err)
	}
	database := filepath.Join(engine.config.Dir, string(place.Project), "live", "data", "data.db")
	opened := func() os.FileInfo {
		t.Helper()
		info, err := os.Stat(database)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	counts := func(at *Engine, want int64) {
		t.Helper()
		if stats, err := at.Stats(t.Context(), place); err != nil || stats.Records != want {
			t.Errorf("got %d records and %v, want %d", stats.Records, err, want)
		}
	}
	note(t, engine, place)
	first := opened()
	for n := range 3 {
		rest(t, engine, place)
		note(t, engine, place)
		counts(engine, int64(n)+2)
		if !os.SameFile(first, opened()) {
			t.Fatal("the database was copied")
		}
	}
	snapshot := core.NewID()
	if _, err := engine.Snapshot(t.Context(), place, snapshot); err != nil {
		t.Fatal(err)
	}
	note(t, engine, place)
	if err := engine.Restore(t.Context(), place, snapshot); err != nil {
		t.Fatal(err)
	}
	counts(engine, 4)
	note(t, engine, place)
	rest(t, engine, place)

	next := holder(t, shared, place.Project, 2)
	counts(next, 5)
	note(t, next, place)
	rest(t, next, place)
	last := holder(t, shared, place.Project, 3)
	counts(last, 6)
}

// TestSharedDataIsFoundWhereverItIs opens it under the names that holders give it.
func TestSharedDataIsFoundWhereverItIs(t *testing.T) {
	shared, project := t.TempDir(), core.NewID()
	dir := filepath.Join(shared, string(project))
	at := func(env core.DataEnv, want string) *os.Root {
		t.Helper()
		root, err := OpenShared(shared, project, env)
		if want == "" {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v, want that there is nothing", err)
			}
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = root.Close() })
		if content, err := root.ReadFile("content"); err != nil || string(content) != want {
			t.Errorf("got %q and %v, want %q", content, err, want)
		}
		return root
	}
	put := func(path, content string) {
		t.Helper()
		path = filepath.Join(dir, path, "content")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	at(core.DataLive, "")
	put("live", "alone")
	early := at(core.DataLive, "alone")
	at(core.DataTest, "")
	if err := takeOver(dir, 4); err != nil {
		t.Fatal(err)
	}
	at(core.DataLive, "alone")
	put("3/live", "left by an earlier holder")
	put("4/test", "test")
	at(core.DataTest, "test")
	if err := takeOver(dir, 12); err != nil {
		t.Fatal(err)
	}
	at(core.DataLive, "alone")
	if content, err := early.ReadFile("content"); err != nil || string(content) != "alone" {
		t.Errorf("got %q and %v of what was opened before, want the same", content, err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "12", "test")); err != nil {
		t.Fatal(err)
	}
	at(core.DataTest, "")
}

// TestAKilledSnapshotLeavesNothing leaves behind what a process does that is killed while it copies.
func TestAKilledSnapshotLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	place := backend.Place{Project: core.NewID(), Env: core.DataLive}
	open := func() *Engine {
		engine, err := New(Config{Dir: dir, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = engine.Close() })
		return engine
	}
	killed := open()
	if err := killed.Apply(t.Context(), place, backend.Schema{}); err != nil {
		t.Fatal(err)
	}
	set, done, err := killed.places.use(place)
	if err != nil {
		t.Fatal(err)
	}
	partial, err := set.dir.scratch()
	done()
	if err != nil {
		t.Fatal(err)
	}
	if err := killed.Close(); err != nil {
		t.Fatal(err)
	}
	next := open()
	if _, err := os.Stat(partial); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want the partial copy gone", err)
	}
	if _, err := next.Snapshot(t.Context(), place, core.NewID()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Dir(partial)); err != nil || len(left) != 0 {
		t.Errorf("got %v, %v; want nothing left after a snapshot", left, err)
	}
}
