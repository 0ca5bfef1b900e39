// Package sitestest tests sites.Store against its port.
package sitestest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/sites"
)

// WatchedStore is a store of published builds that is watched.
type WatchedStore interface {
	sites.Store
	sites.Checker
}

// Run tests a store of published builds against the port. open returns a new one.
func Run(t *testing.T, open func(t *testing.T) WatchedStore) {
	clauses := []struct {
		name string
		test func(t *testing.T, store sites.Store)
	}{
		{"stored files are opened, sorted by path", roundTrip},
		{"a deployment without files is one all the same", empty},
		{"a deployment is put once", putOnce},
		{"one of many writers of a deployment wins", putRace},
		{"a file that was never stored is not found", notFound},
		{"a removed deployment is gone", removed},
		{"paths that no directory could hold are refused", refusesPaths},
		{"a deployment is not bound to the caller's slices", isImmutable},
		{"a file is streamed from any place", streamed},
		{"what the list did not name is not read", readsListedOnly},
		{"forms are there once they are made, and decode to the content", packed},
		{"what deployments have in common outlives one of them", shared},
		{"an ended context ends every call", endedContext},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.test(t, open(t)) })
	}
	t.Run("a check changes nothing", func(t *testing.T) { checked(t, open(t)) })
}

func checked(t *testing.T, store WatchedStore) {
	id := core.NewID()
	conformance.Must(t, store.Put(t.Context(), id, []sites.File{file("index.html", "page")}))
	before := files(t, store, id)
	for range 2 {
		conformance.Must(t, store.Check(t.Context()))
	}
	if got := files(t, store, id); len(got) != len(before) {
		t.Errorf("got %d files after a check, want %d", len(got), len(before))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store.Check(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: got %v, want context.Canceled", err)
	}
}

func file(path, content string) sites.File {
	return sites.File{Path: path, Content: []byte(content)}
}

// files reads a whole deployment.
func files(t *testing.T, store sites.Store, id core.ID) []sites.File {
	t.Helper()
	entries, err := store.List(t.Context(), id)
	conformance.Must(t, err)
	files := make([]sites.File, len(entries))
	for i, entry := range entries {
		content, err := store.Read(t.Context(), id, entry)
		conformance.Must(t, err)
		files[i] = sites.File{Path: entry.Path, Content: content, Immutable: entry.Immutable}
		if want := sites.Describe(files[i]); entry != want {
			t.Errorf("got entry %+v, want %+v", entry, want)
		}
	}
	return files
}

func roundTrip(t *testing.T, store sites.Store) {
	put := []sites.File{
		file("index.html", "<!doctype html>"),
		{Path: "assets/app-1a2b.js", Content: []byte("\x00\xff"), Immutable: true},
		file("assets.txt", ""),
		file("deep/er/and/deeper/Grüße.txt", "x"),
		file("manifest.json", "the site's own"),
		file("files", "a name like any other"),
	}
	id := core.NewID()
	conformance.Must(t, store.Put(t.Context(), id, put))
	got := files(t, store, id)
	if len(got) != len(put) {
		t.Fatalf("got %d files, want %d", len(got), len(put))
	}
	for i, want := range []sites.File{put[2], put[1], put[3], put[5], put[0], put[4]} {
		if got[i].Path != want.Path || !bytes.Equal(got[i].Content, want.Content) || got[i].Immutable != want.Immutable {
			t.Errorf("file %d: got %+v, want %+v", i, got[i], want)
		}
	}
}

func empty(t *testing.T, store sites.Store) {
	id := core.NewID()
	conformance.Must(t, store.Put(t.Context(), id, nil))
	if got, err := store.List(t.Context(), id); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v, want no files", got, err)
	}
}

func putOnce(t *testing.T, store sites.Store) {
	id := core.NewID()
	conformance.Must(t, store.Put(t.Context(), id, []sites.File{file("a", "first")}))
	err := store.Put(t.Context(), id, []sites.File{file("a", "second")})
	conformance.WantCode(t, "the second put", err, core.CodeConflict)
	if got := files(t, store, id); string(got[0].Content) != "first" {
		t.Errorf("got %v, want what was put first", got)
	}
}

func putRace(t *testing.T, store sites.Store) {
	id := core.NewID()
	var won atomic.Int32
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			err := store.Put(t.Context(), id, []sites.File{file("a", fmt.Sprint(w)), file("b", fmt.Sprint(w))})
			switch {
			case err == nil:
				won.Add(1)
			case !core.IsCode(err, core.CodeConflict):
				t.Errorf("writer %d: got %v, want a conflict", w, err)
			}
		})
	}
	writers.Wait()
	got := files(t, store, id)
	if won.Load() != 1 || len(got) != 2 || !bytes.Equal(got[0].Content, got[1].Content) {
		t.Errorf("got %d winners and %v, want one writer's files", won.Load(), got)
	}
}

func notFound(t *testing.T, store sites.Store) {
	for _, id := range []core.ID{core.NewID(), "", "..", ".atelier"} {
		_, listErr := store.List(t.Context(), id)
		_, readErr := store.Read(t.Context(), id, entry("a", "x"))
		_, streamErr := store.Stream(t.Context(), id, entry("a", "x"))
		_, _, packedErr := store.Packed(t.Context(), id, entry("a", "x"), sites.Gzip)
		for i, err := range []error{listErr, readErr, streamErr, packedErr, store.Pack(t.Context(), id)} {
			conformance.WantCode(t, fmt.Sprintf("call %d for %q", i, id), err, core.CodeNotFound)
		}
	}
}

func removed(t *testing.T, store sites.Store) {
	id, other := core.NewID(), core.NewID()
	conformance.Must(t, store.Put(t.Context(), id, []sites.File{file("a/b", "x")}))
	conformance.Must(t, store.Put(t.Context(), other, []sites.File{file("a/b", "x")}))
	conformance.Must(t, store.Remove(t.Context(), id))
	_, err := store.List(t.Context(), id)
	conformance.WantCode(t, "opening it", err, core.CodeNotFound)
	if err := store.Remove(t.Context(), id); err != nil {
		t.Errorf("removing it again: got %v, want nil", err)
	}
	if got := files(t, store, other); len(got) != 1 {
		t.Errorf("another deployment: got %v, want it whole", got)
	}
	conformance.Must(t, store.Put(t.Context(), id, []sites.File{file("a", "again")}))
}

func refusesPaths(t *testing.T, store sites.Store) {
	long := string(bytes.Repeat([]byte("x"), 256))
	for _, paths := range [][]string{
		{""}, {"."}, {"/a"}, {"../a"}, {"a/../b"}, {"a//b"}, {"a/"}, {"a\x00b"}, {"bad\xff"}, {long}, {"a", "a"}, {"a", "a/b"}, {"a/b/c", "a"},
	} {
		id := core.NewID()
		var files []sites.File
		for _, path := range paths {
			files = append(files, file(path, "x"))
		}
		conformance.WantCode(t, fmt.Sprintf("%.40q", paths), store.Put(t.Context(), id, files), core.CodeInvalidPath)
		_, err := store.List(t.Context(), id)
		conformance.WantCode(t, "the refused deployment", err, core.CodeNotFound)
	}
}

func isImmutable(t *testing.T, store sites.Store) {
	id := core.NewID()
	content := []byte("before")
	conformance.Must(t, store.Put(t.Context(), id, []sites.File{{Path: "a", Content: content}}))
	copy(content, "after!")
	copy(files(t, store, id)[0].Content, "opened")
	if got := files(t, store, id); string(got[0].Content) != "before" {
		t.Errorf("got %q, want %q", got[0].Content, "before")
	}
}

func entry(path, content string) sites.Entry { return sites.Describe(file(path, content)) }

func streamed(t *testing.T, store sites.Store) {
	id, file := core.NewID(), file("film.mp4", "0123456789")
	conformance.Must(t, store.Put(t.Context(), id, []sites.File{file}))
	stream, err := store.Stream(t.Context(), id, sites.Describe(file))
	conformance.Must(t, err)
	defer stream.Close()
	if _, err := stream.Seek(7, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(stream); err != nil || string(got) != "789" {
		t.Errorf("got %q, %v, want %q", got, err, "789")
	}
}

func readsListedOnly(t *testing.T, store sites.Store) {
	id := core.NewID()
	conformance.Must(t, store.Put(t.Context(), id, []sites.File{file("a", "one")}))
	for _, wrong := range []sites.Entry{entry("b", "one"), entry("a", "two"), entry("../a", "one"), entry("/etc/hostname", "one"), {Path: "a", Size: 3, Digest: "../../a"}} {
		if content, err := store.Read(t.Context(), id, wrong); err == nil {
			t.Errorf("%+v: got %q, want an error", wrong, content)
		}
	}
}

func packed(t *testing.T, store sites.Store) {
	long := strings.Repeat("all the same ", 100)
	files := []sites.File{file("page.html", long), file("noise.txt", noise(2000)), file("photo.png", long+"!"), file("short.css", "a{}")}
	id := core.NewID()
	conformance.Must(t, store.Put(t.Context(), id, files))
	if _, made, err := store.Packed(t.Context(), id, sites.Describe(files[0]), sites.Gzip); err != nil || made {
		t.Errorf("got %v, %v before it is made, want no form", made, err)
	}
	for range 2 {
		conformance.Must(t, store.Pack(t.Context(), id))
	}
	form, made, err := store.Packed(t.Context(), id, sites.Describe(files[0]), sites.Gzip)
	if err != nil || !made || unzipped(t, form) != long {
		t.Errorf("got %d bytes, %v, %v, want a form of the page", len(form), made, err)
	}
	if form, made, err := store.Packed(t.Context(), id, sites.Describe(files[0]), sites.Brotli); err != nil || !made || len(form) == 0 || len(form) > 200 {
		t.Errorf("got %d bytes, %v, %v, want a small form", len(form), made, err)
	}
	if form, made, err := store.Packed(t.Context(), id, sites.Describe(files[1]), sites.Gzip); err != nil || !made || len(form) != 0 {
		t.Errorf("noise: got %d bytes, %v, %v, want an empty form", len(form), made, err)
	}
	for _, file := range files[2:] {
		if _, made, err := store.Packed(t.Context(), id, sites.Describe(file), sites.Gzip); err != nil || made {
			t.Errorf("%s: got %v, %v, want no form", file.Path, made, err)
		}
	}
}

// noise is text that does not compress.
func noise(size int) string {
	var text strings.Builder
	source := rand.New(rand.NewPCG(1, 2))
	for text.Len() < size {
		text.WriteByte(byte(source.UintN(256)))
	}
	return text.String()
}

func unzipped(t *testing.T, form []byte) string {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(form))
	conformance.Must(t, err)
	content, err := io.ReadAll(reader)
	conformance.Must(t, err)
	return string(content)
}

func shared(t *testing.T, store sites.Store) {
	common := file("vendor.js", strings.Repeat("react ", 1000))
	first, second := core.NewID(), core.NewID()
	conformance.Must(t, store.Put(t.Context(), first, []sites.File{common, file("a.js", "1")}))
	conformance.Must(t, store.Pack(t.Context(), first))
	conformance.Must(t, store.Put(t.Context(), second, []sites.File{common, {Path: "copy.js", Content: common.Content}}))
	conformance.Must(t, store.Remove(t.Context(), first))
	for _, file := range files(t, store, second) {
		if !bytes.Equal(file.Content, common.Content) {
			t.Errorf("%s: got %d bytes, want the common content", file.Path, len(file.Content))
		}
	}
	conformance.Must(t, store.Pack(t.Context(), second))
	if form, made, err := store.Packed(t.Context(), second, sites.Describe(common), sites.Gzip); err != nil || !made || unzipped(t, form) != string(common.Content) {
		t.Errorf("got %d bytes, %v, %v, want a form of the common content", len(form), made, err)
	}
}

func endedContext(t *testing.T, store sites.Store) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	id := core.NewID()
	_, listErr := store.List(ended, id)
	_, readErr := store.Read(ended, id, entry("a", "x"))
	for i, err := range []error{listErr, readErr, store.Put(ended, id, nil), store.Remove(ended, id)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("call %d: got %v, want context.Canceled", i, err)
		}
	}
}
