// Package worktreetest tests a place for trees, worktree.Trees, against its port.
package worktreetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Harness is an empty place for trees.
type Harness struct {
	Trees worktree.Trees
	// Hide makes the place behave like a disk that is not mounted until restore
	// is called.
	Hide func() (restore func())
	// Dir returns the directory of a project's tree, in which a test plants what no
	// port call can make. It is nil when there is none, and the clauses about
	// links and other oddities do not apply.
	Dir func(project core.ID) string
}

type clause struct {
	name string
	test func(t *testing.T, h Harness)
}

// Run tests a place for trees against the port. open returns a new one.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	clauses := slices.Concat(lifeClauses(), readClauses(), changeClauses(), copyClauses())
	if open(t).Dir != nil {
		clauses = append(clauses, oddityClauses()...)
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.test(t, open(t)) })
	}
}

func lifeClauses() []clause {
	return []clause{
		{"a tree is made once", madeOnce},
		{"a tree that was never made is not found", notFound},
		{"a removed tree is gone with all that was in it", removed},
		{"removing a missing tree is no error", removedTwice},
		{"the list of trees ascends", listed},
		{"trees are kept apart", keptApart},
		{"a missing disk is unavailable, not empty", hidden},
		{"an ended context ends every call", endedContext},
		{"nothing changes under a lock that was lost", lostLock},
	}
}

func readClauses() []clause {
	return []clause{
		{"a file reads as it was written", reads},
		{"a directory cannot be opened as a file", opensNoDirectory},
		{"an open file stays as it was", openFileStays},
		{"a file and a directory are described", describes},
		{"a walk ascends byte by byte", walkAscends},
		{"a walk passes over what tools make", walkSkipsGenerated},
		{"a walk stops at the visitor's error", walkStops},
		{"all that a tree holds is weighed", weighed},
		{"the view is a well-behaved fs.FS", viewBehaves},
		{"the view is live", viewIsLive},
	}
}

func madeOnce(t *testing.T, h Harness) {
	project := core.NewID()
	Create(t, h, project)
	conformance.WantCode(t, "creating it again", h.Trees.Create(t.Context(), project), core.CodeConflict)
}

func notFound(t *testing.T, h Harness) {
	for _, project := range []core.ID{core.NewID(), "", "..", "../x", ".atelier"} {
		_, err := h.Trees.Open(t.Context(), project)
		conformance.WantCode(t, fmt.Sprintf("opening %q", project), err, core.CodeNotFound)
	}
}

func removed(t *testing.T, h Harness) {
	project := core.NewID()
	tree := Create(t, h, project)
	WriteFile(t, tree, "src/a.txt", "a")
	WriteFile(t, tree, "node_modules/x/y.js", "y")
	if err := h.Trees.Remove(t.Context(), project); err != nil {
		t.Fatalf("remove: got %v, want nil", err)
	}
	_, err := h.Trees.Open(t.Context(), project)
	conformance.WantCode(t, "opening it", err, core.CodeNotFound)
	_, err = tree.Stat(t.Context(), core.MustPath("src/a.txt"))
	conformance.WantCode(t, "a file of a tree opened before", err, core.CodeNotFound)
	results := tree.Apply(t.Context(), []core.FileChange{Writing("b.txt", "b")})
	conformance.WantCode(t, "a write to a tree opened before", results[0].Err, core.CodeNotFound)
	wantPaths(t, Create(t, h, project))
}

func removedTwice(t *testing.T, h Harness) {
	if err := h.Trees.Remove(t.Context(), core.NewID()); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

func listed(t *testing.T, h Harness) {
	listed, err := h.Trees.List(t.Context())
	if err != nil || len(listed) != 0 {
		t.Errorf("before any was made: got %v, %v, want none", listed, err)
	}
	var want []core.ID
	for range 5 {
		project := core.NewID()
		Create(t, h, project)
		want = append(want, project)
	}
	listed, err = h.Trees.List(t.Context())
	if err != nil || !slices.Equal(listed, want) {
		t.Errorf("got %v, %v, want %v", listed, err, want)
	}
}

func keptApart(t *testing.T, h Harness) {
	one, two := Create(t, h, core.NewID()), Create(t, h, core.NewID())
	WriteFile(t, one, "a.txt", "one")
	WriteFile(t, two, "a.txt", "two")
	wantContent(t, one, "a.txt", "one")
	wantContent(t, two, "a.txt", "two")
}

func hidden(t *testing.T, h Harness) {
	project := core.NewID()
	WriteFile(t, Create(t, h, project), "a.txt", "a")
	if err := h.Trees.Check(t.Context()); err != nil {
		t.Errorf("check of a disk that is there: got %v, want nil", err)
	}
	restore := h.Hide()
	_, err := h.Trees.Open(t.Context(), project)
	conformance.WantCode(t, "opening a tree", err, core.CodeUnavailable)
	_, err = h.Trees.List(t.Context())
	conformance.WantCode(t, "listing trees", err, core.CodeUnavailable)
	conformance.WantCode(t, "check", h.Trees.Check(t.Context()), core.CodeUnavailable)
	conformance.WantCode(t, "creating a tree", h.Trees.Create(t.Context(), core.NewID()), core.CodeUnavailable)
	conformance.WantCode(t, "removing a tree", h.Trees.Remove(t.Context(), project), core.CodeUnavailable)
	restore()
	tree, err := h.Trees.Open(t.Context(), project)
	if err != nil {
		t.Fatalf("open after it came back: got %v, want nil", err)
	}
	wantContent(t, tree, "a.txt", "a")
	WriteFile(t, tree, "b.txt", "b")
}

func endedContext(t *testing.T, h Harness) {
	project := core.NewID()
	tree := Create(t, h, project)
	WriteFile(t, tree, "a.txt", "a")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	path := core.MustPath("a.txt")
	_, openErr := tree.Open(ended, path)
	_, statErr := tree.Stat(ended, path)
	_, findErr := h.Trees.Open(ended, project)
	applyErr := tree.Apply(ended, []core.FileChange{Writing("a.txt", "b")})[0].Err
	walkErr := tree.Walk(ended, func(worktree.Info) error { return nil })
	for i, err := range []error{openErr, statErr, findErr, applyErr, walkErr} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("call %d: got %v, want context.Canceled", i, err)
		}
	}
	wantContent(t, tree, "a.txt", "a")
}

func reads(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	for name, content := range map[string]string{
		"empty.txt": "", "a/b/c/d.bin": "\x00\xff\r\n", "Grüße 世界.md": "ü", "big": strings.Repeat("0123456789abcdef", 1<<16),
		".env": "x", ".gitignore": "dist", "a.b.c/..d": "dots",
	} {
		WriteFile(t, tree, name, content)
		wantContent(t, tree, name, content)
	}
	_, err := tree.Open(t.Context(), core.MustPath("absent.txt"))
	conformance.WantCode(t, "opening what is not there", err, core.CodeNotFound)
	_, err = tree.Open(t.Context(), core.MustPath(".env/below"))
	conformance.WantCode(t, "opening below a file", err, core.CodeNotFound)
}

func opensNoDirectory(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	WriteFile(t, tree, "src/a.txt", "a")
	_, err := tree.Open(t.Context(), core.MustPath("src"))
	conformance.WantCode(t, "a directory", err, core.CodeNotFound)
	_, err = tree.Open(t.Context(), core.ProjectPath{})
	conformance.WantCode(t, "the root", err, core.CodeNotFound)
}

func openFileStays(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	WriteFile(t, tree, "a.txt", "before")
	file, err := tree.Open(t.Context(), core.MustPath("a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	WriteFile(t, tree, "a.txt", "afterwards")
	content, err := io.ReadAll(file)
	if err != nil || string(content) != "before" {
		t.Errorf("got %q, %v, want %q", content, err, "before")
	}
	if _, err := file.Seek(3, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(file); string(rest) != "ore" || file.Info().Size != 6 {
		t.Errorf("after a seek: got %q of %d bytes, want %q of 6", rest, file.Info().Size, "ore")
	}
}

func describes(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	written := WriteFile(t, tree, "src/a.txt", "12345")
	got, err := tree.Stat(t.Context(), core.MustPath("src/a.txt"))
	if err != nil || got != written {
		t.Errorf("file: got %+v, %v, want what the write told, %+v", got, err, written)
	}
	if got.Size != 5 || got.Dir || got.Path.String() != "src/a.txt" || got.ModifiedNano/1_000_000 != int64(got.Modified) {
		t.Errorf("file: got %+v, want 5 bytes at src/a.txt and one time", got)
	}
	for _, path := range []core.ProjectPath{core.MustPath("src"), {}} {
		if got, err := tree.Stat(t.Context(), path); err != nil || !got.Dir || got.Size != 0 || got.Path != path {
			t.Errorf("directory %q: got %+v, %v, want a directory of size 0", path, got, err)
		}
	}
	_, err = tree.Stat(t.Context(), core.MustPath("absent"))
	conformance.WantCode(t, "what is not there", err, core.CodeNotFound)
}

func walkAscends(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	wantPaths(t, tree)
	names := []string{"A", "a-b", "a.txt", "a/b", "a/c/d", "a0", "b/x", "z", "é"}
	for _, name := range []string{"z", "a/c/d", "b/x", "a.txt", "A", "a0", "é", "a-b", "a/b"} {
		WriteFile(t, tree, name, name)
	}
	wantPaths(t, tree, names...)
	err := tree.Walk(t.Context(), func(info worktree.Info) error {
		got, err := tree.Stat(t.Context(), info.Path)
		if err != nil || got != info {
			t.Errorf("walk of %s: got %+v, want what Stat tells, %+v, %v", info.Path, info, got, err)
		}
		return nil
	})
	if err != nil {
		t.Errorf("walk: got %v, want nil", err)
	}
}

func walkSkipsGenerated(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	for _, name := range []string{
		"dist/x.js", "build/x.js", ".next/x", "node_modules/p/i.js", "packages/a/node_modules/p/i.js", "src/dist/kept.js", "distance",
	} {
		WriteFile(t, tree, name, name)
	}
	wantPaths(t, tree, "distance", "src/dist/kept.js")
	wantContent(t, tree, "dist/x.js", "dist/x.js")
}

func walkStops(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	for _, name := range []string{"a", "b/c", "d"} {
		WriteFile(t, tree, name, name)
	}
	enough := errors.New("enough")
	visits := 0
	err := tree.Walk(t.Context(), func(info worktree.Info) error {
		visits++
		if info.Path.String() == "b/c" {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || visits != 2 {
		t.Errorf("got %v after %d visits, want the visitor's error after 2", err, visits)
	}
}

func viewBehaves(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	names := []string{"index.html", "src/a.ts", "src/deep/b.ts", "node_modules/p/index.js"}
	for _, name := range names {
		WriteFile(t, tree, name, "content of "+name)
	}
	view := tree.FS()
	if err := fstest.TestFS(view, names...); err != nil {
		t.Error(err)
	}
	if _, ok := view.(fs.ReadFileFS); !ok {
		t.Error("got a view without ReadFile, want fs.ReadFileFS")
	}
	if _, ok := view.(fs.ReadDirFS); !ok {
		t.Error("got a view without ReadDir, want fs.ReadDirFS")
	}
	for _, name := range []string{"../x", "/etc/passwd", "src/../index.html", "", "a\x00b"} {
		if _, err := fs.ReadFile(view, name); err == nil {
			t.Errorf("reading %q: got content, want an error", name)
		}
	}
	if _, err := fs.ReadFile(view, "src/absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: got %v, want fs.ErrNotExist", err)
	}
}

func viewIsLive(t *testing.T, h Harness) {
	tree := Create(t, h, core.NewID())
	view := tree.FS()
	WriteFile(t, tree, "a.txt", "one")
	WriteFile(t, tree, "a.txt", "second")
	if content, err := fs.ReadFile(view, "a.txt"); err != nil || string(content) != "second" {
		t.Errorf("got %q, %v, want %q", content, err, "second")
	}
}
