package projects_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
)

func (f *fixture) exported(project core.ID) []byte {
	f.t.Helper()
	export, err := f.service.Export(f.ctx, f.member, project, "")
	f.must(err)
	var out bytes.Buffer
	f.must(export.Write(f.ctx, &out))
	return out.Bytes()
}

func (f *fixture) apply(project core.ID, changes ...core.FileChange) {
	f.t.Helper()
	results, err := f.pipeline.Apply(f.ctx, project, core.Author{}, changes, nil)
	f.must(err)
	for _, result := range results {
		f.must(result.Err)
	}
}

func write(path, content string) core.FileChange {
	return core.FileChange{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}
}

func TestAnArchiveHoldsTheFilesInOrder(t *testing.T) {
	f := newFixture(t)
	view, err := f.imported(packed(t, "b", "b", "a/é", "x", "a-b", "x", "dist/built.js", "x"))
	f.must(err)
	content := f.exported(view.ID)
	reader, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	f.must(err)
	var names []string
	for _, file := range reader.File {
		names = append(names, file.Name)
		if file.Mode() != fs.FileMode(0o644) || file.NonUTF8 {
			t.Errorf("%s: got mode %s, not UTF-8 %t, want 0644 and UTF-8", file.Name, file.Mode(), file.NonUTF8)
		}
	}
	if want := []string{"a-b", "a/é", "b", "dist/built.js"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q, the files of the version by path", names, want)
	}
	if again := f.exported(view.ID); !bytes.Equal(again, content) {
		t.Error("got another archive of the same files, want the same")
	}
}

func TestWhatIsExportedIsImportedAsItWas(t *testing.T) {
	f := newFixture(t)
	for _, want := range []map[string]string{
		{"index.html": "<p>", "src/a": "\x00\xff", "empty": ""},
		{"only/one/folder.txt": "x"},
	} {
		first, err := f.imported(packed(t, "start", "x"))
		f.must(err)
		for path, content := range want {
			f.apply(first.ID, write(path, content))
		}
		f.apply(first.ID, core.FileChange{Op: core.OpDelete, Path: core.MustPath("start")})
		second, err := f.imported(f.exported(first.ID))
		f.must(err)
		if got := f.contents(second.ID); !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// whole returns the files of a project's archive, which are all files of the
// project in any folder.
func (f *fixture) whole(project core.ID) map[string]string {
	f.t.Helper()
	content := f.exported(project)
	reader, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	f.must(err)
	all := map[string]string{}
	for _, entry := range reader.File {
		opened, err := entry.Open()
		f.must(err)
		text, err := io.ReadAll(opened)
		f.must(err)
		all[entry.Name] = string(text)
	}
	return all
}

// TestEveryProjectMakesTheRoundTrip exports awkward files and imports them again.
func TestEveryProjectMakesTheRoundTrip(t *testing.T) {
	crowd, zeros := map[string]string{}, map[string]string{}
	for i := range 5001 {
		crowd[fmt.Sprintf("f%d", i)] = ""
	}
	for i := range 40 {
		zeros[fmt.Sprintf("z%d", i)] = strings.Repeat("\x00", fileLimit)
	}
	for name, want := range map[string]map[string]string{
		"folders that are not listed": {"build/a": "1", "dist/b": "2", "node_modules/c/index.js": "3", "src/node_modules/d": "4", ".next/e": "5"},
		"a monorepo":                  {"package.json": `{"workspaces": ["apps/*"]}`, "apps/web/package.json": "{}", "apps/web/index.html": "<h1>", "yarn.lock": ""},
		"a backend":                   {core.BackendSchemaPath: "{}", core.BackendSeedPath: "{}", "functions/package.json": `{"dependencies": {"firebase-functions": "6"}}`},
		"what systems leave behind":   {".DS_Store": "1", "__MACOSX/a": "2", "a": "3"},
		"many files":                  crowd,
		"much of nothing":             zeros,
		"nothing":                     {},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			first, err := f.imported(packed(t, "start", "x"))
			f.must(err)
			var changes []core.FileChange
			for path, content := range want {
				changes = append(changes, write(path, content))
			}
			f.apply(first.ID, append(changes, core.FileChange{Op: core.OpDelete, Path: core.MustPath("start")})...)
			second, err := f.imported(f.exported(first.ID))
			f.must(err)
			if got := f.whole(second.ID); !maps.Equal(got, want) {
				t.Errorf("got %d files %.200v, want %d", len(got), slices.Sorted(maps.Keys(got)), len(want))
			}
		})
	}
}

// TestBothSpellingsMakeTheRoundTrip has names that no write may bring, but that older projects have.
func TestBothSpellingsMakeTheRoundTrip(t *testing.T) {
	f := newFixture(t)
	first, err := f.imported(packed(t, "README.md", "1", "src/a", "3"))
	f.must(err)
	tree, err := f.trees.Open(f.ctx, first.ID)
	f.must(err)
	for _, done := range tree.Apply(f.ctx, []core.FileChange{write("Readme.md", "2"), write("SRC/a", "4")}) {
		f.must(done.Err)
	}
	_, err = f.pipeline.Reconcile(f.ctx, first.ID)
	f.must(err)
	second, err := f.imported(f.exported(first.ID))
	f.must(err)
	if got, want := f.whole(second.ID), map[string]string{"README.md": "1", "Readme.md": "2", "src/a": "3", "SRC/a": "4"}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAFileThatGoesDuringAnExportIsLeftOut(t *testing.T) {
	f := newFixture(t)
	view, err := f.imported(packed(t, "a", "x", "b", "x", "c", "x"))
	f.must(err)
	export, err := f.service.Export(f.ctx, f.member, view.ID, "")
	f.must(err)
	f.apply(view.ID, core.FileChange{Op: core.OpDelete, Path: core.MustPath("b")}, write("c", "changed"))
	f.apply(view.ID, core.FileChange{Op: core.OpDelete, Path: core.MustPath("a")}, write("a/x", "now a folder"))
	var out bytes.Buffer
	f.must(export.Write(f.ctx, &out))
	again, err := f.imported(out.Bytes())
	f.must(err)
	if got, want := f.contents(again.ID), map[string]string{"c": "changed"}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAnExportEndsWithItsReader(t *testing.T) {
	f := newFixture(t)
	view := f.create("Shop")
	export, err := f.service.Export(f.ctx, f.member, view.ID, "")
	f.must(err)
	if export.Name != "shop.zip" {
		t.Errorf("got %q, want the slug as the name", export.Name)
	}
	if err := export.Write(f.ctx, brokenWriter{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want the writer's error", err)
	}
	ended, cancel := context.WithCancel(f.ctx)
	cancel()
	if err := export.Write(ended, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

// brokenWriter is a lost connection.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestReadersOfAPublicProjectExportIt(t *testing.T) {
	f := newFixture(t)
	view := f.create("Shop")
	_, err := f.service.Export(f.ctx, f.stranger, view.ID, "")
	f.wantCode(err, core.CodeNotFound)
	_, err = f.service.Change(f.ctx, f.member, view.ID, projects.Patch{Visibility: given("public")})
	f.must(err)
	_, err = f.service.Export(f.ctx, f.stranger, view.ID, "")
	f.must(err)
	f.must(f.service.Delete(f.ctx, f.member, view.ID))
	_, err = f.service.Export(f.ctx, f.member, view.ID, "")
	f.wantCode(err, core.CodeNotFound)
}
