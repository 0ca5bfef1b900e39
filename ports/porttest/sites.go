package porttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sites"
)

// TestSites holds a store of published builds to the port. open returns a new one.
func TestSites(t *testing.T, open func(t *testing.T) sites.Store) {
	clauses := []struct {
		name string
		test func(t *testing.T, store sites.Store)
	}{
		{"what was put is opened, sorted by path", siteRoundTrip},
		{"a deployment without files is one all the same", siteEmpty},
		{"a deployment is put once", sitePutOnce},
		{"one of many writers of a deployment wins", sitePutRace},
		{"what was never put is not found", siteNotFound},
		{"a removed deployment is gone", siteRemoved},
		{"paths that no directory could hold are refused", siteRefusesPaths},
		{"a deployment is not bound to the caller's slices", siteIsImmutable},
		{"an ended context ends every call", siteEndedContext},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.test(t, open(t)) })
	}
}

func siteFile(path, content string) sites.File {
	return sites.File{Path: path, Content: []byte(content)}
}

func siteRoundTrip(t *testing.T, store sites.Store) {
	put := []sites.File{
		siteFile("index.html", "<!doctype html>"),
		{Path: "assets/app-1a2b.js", Content: []byte("\x00\xff"), Immutable: true},
		siteFile("assets.txt", ""),
		siteFile("deep/er/and/deeper/Grüße.txt", "x"),
		siteFile("manifest.json", "the site's own"),
		siteFile("files", "a name like any other"),
	}
	id := core.NewID()
	filesMust(t, store.Put(t.Context(), id, put))
	got, err := store.Open(t.Context(), id)
	if err != nil || len(got) != len(put) {
		t.Fatalf("got %d files, %v, want %d", len(got), err, len(put))
	}
	for i, want := range []sites.File{put[2], put[1], put[3], put[5], put[0], put[4]} {
		if got[i].Path != want.Path || !bytes.Equal(got[i].Content, want.Content) || got[i].Immutable != want.Immutable {
			t.Errorf("file %d: got %+v, want %+v", i, got[i], want)
		}
	}
}

func siteEmpty(t *testing.T, store sites.Store) {
	id := core.NewID()
	filesMust(t, store.Put(t.Context(), id, nil))
	if got, err := store.Open(t.Context(), id); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v, want no files", got, err)
	}
}

func sitePutOnce(t *testing.T, store sites.Store) {
	id := core.NewID()
	filesMust(t, store.Put(t.Context(), id, []sites.File{siteFile("a", "first")}))
	err := store.Put(t.Context(), id, []sites.File{siteFile("a", "second")})
	filesWantCode(t, "the second put", err, core.CodeConflict)
	if got, err := store.Open(t.Context(), id); err != nil || string(got[0].Content) != "first" {
		t.Errorf("got %v, %v, want what was put first", got, err)
	}
}

func sitePutRace(t *testing.T, store sites.Store) {
	id := core.NewID()
	var won atomic.Int32
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			err := store.Put(t.Context(), id, []sites.File{siteFile("a", fmt.Sprint(w)), siteFile("b", fmt.Sprint(w))})
			switch {
			case err == nil:
				won.Add(1)
			case !core.IsCode(err, core.CodeConflict):
				t.Errorf("writer %d: got %v, want a conflict", w, err)
			}
		})
	}
	writers.Wait()
	got, err := store.Open(t.Context(), id)
	if err != nil || won.Load() != 1 || len(got) != 2 || !bytes.Equal(got[0].Content, got[1].Content) {
		t.Errorf("got %d winners and %v, %v, want one writer's files", won.Load(), got, err)
	}
}

func siteNotFound(t *testing.T, store sites.Store) {
	for _, id := range []core.ID{core.NewID(), "", "..", ".atelier"} {
		_, err := store.Open(t.Context(), id)
		filesWantCode(t, fmt.Sprintf("opening %q", id), err, core.CodeNotFound)
	}
}

func siteRemoved(t *testing.T, store sites.Store) {
	id, other := core.NewID(), core.NewID()
	filesMust(t, store.Put(t.Context(), id, []sites.File{siteFile("a/b", "x")}))
	filesMust(t, store.Put(t.Context(), other, []sites.File{siteFile("a/b", "x")}))
	filesMust(t, store.Remove(t.Context(), id))
	_, err := store.Open(t.Context(), id)
	filesWantCode(t, "opening it", err, core.CodeNotFound)
	if err := store.Remove(t.Context(), id); err != nil {
		t.Errorf("removing it again: got %v, want nil", err)
	}
	if got, err := store.Open(t.Context(), other); err != nil || len(got) != 1 {
		t.Errorf("another deployment: got %v, %v, want it whole", got, err)
	}
	filesMust(t, store.Put(t.Context(), id, []sites.File{siteFile("a", "again")}))
}

func siteRefusesPaths(t *testing.T, store sites.Store) {
	long := string(bytes.Repeat([]byte("x"), 256))
	for _, paths := range [][]string{
		{""}, {"."}, {"/a"}, {"../a"}, {"a/../b"}, {"a//b"}, {"a/"}, {"a\x00b"}, {"bad\xff"}, {long}, {"a", "a"}, {"a", "a/b"}, {"a/b/c", "a"},
	} {
		id := core.NewID()
		var files []sites.File
		for _, path := range paths {
			files = append(files, siteFile(path, "x"))
		}
		filesWantCode(t, fmt.Sprintf("%.40q", paths), store.Put(t.Context(), id, files), core.CodeInvalidPath)
		_, err := store.Open(t.Context(), id)
		filesWantCode(t, "the refused deployment", err, core.CodeNotFound)
	}
}

func siteIsImmutable(t *testing.T, store sites.Store) {
	id := core.NewID()
	content := []byte("before")
	filesMust(t, store.Put(t.Context(), id, []sites.File{{Path: "a", Content: content}}))
	copy(content, "after!")
	got, err := store.Open(t.Context(), id)
	filesMust(t, err)
	copy(got[0].Content, "opened")
	got, err = store.Open(t.Context(), id)
	if err != nil || string(got[0].Content) != "before" {
		t.Errorf("got %q, %v, want %q", got[0].Content, err, "before")
	}
}

func siteEndedContext(t *testing.T, store sites.Store) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	id := core.NewID()
	_, openErr := store.Open(ended, id)
	for i, err := range []error{openErr, store.Put(ended, id, nil), store.Remove(ended, id)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("call %d: got %v, want context.Canceled", i, err)
		}
	}
}
