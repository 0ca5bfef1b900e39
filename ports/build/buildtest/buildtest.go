// Package buildtest tests a build.Builder and a build.SyntaxChecker against their port.
package buildtest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// RunBuilder tests a builder against the port. open returns a new one.
func RunBuilder(t *testing.T, open func(t *testing.T) build.Builder) {
	clauses := []struct {
		name string
		test func(t *testing.T, open func(t *testing.T) build.Builder)
	}{
		{"a page comes out with its style and its script", givesAPage},
		{"files are sorted and named once", sortsFiles},
		{"public files move to the root", movesPublicFiles},
		{"settings and hidden files never come out", hidesSettings},
		{"a broken source is a diagnostic with its place", reportsPlaces},
		{"columns count characters", countsCharacters},
		{"diagnostics come without files", withDiagnosticsHasNoFiles},
		{"a project without a page has a diagnostic", needsAPage},
		{"functions come out apart from pages", makesFunctions},
		{"a mistake in a function is a diagnostic", reportsFunctions},
		{"the same request gives the same result", isDeterministic},
		{"a later request sees the change", seesChanges},
		{"a source that cannot be read fails the builder", cannotRead},
		{"a cancelled context ends the build", honoursCancel},
		{"builds at the same time do not disturb each other", runsInParallel},
		{"a project without a configuration of Vite has none", hasNoViteConfig},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.test(t, open) })
	}
}

// project returns a small project with changes applied. An empty change removes a file.
func project(changes map[string]string) fstest.MapFS {
	sources := map[string]string{
		"index.html": `<!doctype html><html lang="en"><head><title>Shop</title>` +
			`<link rel="stylesheet" href="/src/style.css"></head>` +
			`<body><h1>Shop</h1><script type="module" src="/src/main.ts"></script></body></html>`,
		"src/main.ts":       "import { price } from './price'\ndocument.title = price(3)\n",
		"src/price.ts":      "export const price = (n: number) => `costs ${n}`\n",
		"src/style.css":     "h1 { color: rebeccapurple }\n",
		"public/robots.txt": "User-agent: *\n",
	}
	files := make(fstest.MapFS)
	for path, text := range sources {
		files[path] = &fstest.MapFile{Data: []byte(text)}
	}
	for path, text := range changes {
		files[path] = &fstest.MapFile{Data: []byte(text)}
		if text == "" {
			delete(files, path)
		}
	}
	return files
}

var modes = [...]build.Mode{build.ModePreview, build.ModeSite}

// mustBuild builds files without diagnostics.
func mustBuild(t *testing.T, builder build.Builder, mode build.Mode, files fs.FS) map[string]build.File {
	t.Helper()
	result, err := builder.Build(t.Context(), build.Request{Mode: mode, Files: files})
	if err != nil {
		t.Fatalf("Build in mode %s: %v", mode, err)
	}
	if len(result.Diagnostics) > 0 {
		t.Fatalf("Build in mode %s: got diagnostics %+v, want none", mode, result.Diagnostics)
	}
	byPath := make(map[string]build.File)
	for _, file := range result.Files {
		byPath[file.Path] = file
	}
	return byPath
}

func givesAPage(t *testing.T, open func(t *testing.T) build.Builder) {
	for _, mode := range modes {
		files := mustBuild(t, open(t), mode, project(nil))
		if page := string(files["index.html"].Content); !strings.Contains(page, "<h1>Shop</h1>") {
			t.Errorf("mode %s: got page %q, want its heading in it", mode, page)
		}
		if files["index.html"].Immutable {
			t.Errorf("mode %s: got an immutable index.html, want one that changes", mode)
		}
		var all []byte
		for _, file := range files {
			all = append(all, file.Content...)
		}
		for _, want := range []string{"costs ", "h1"} {
			if !bytes.Contains(all, []byte(want)) {
				t.Errorf("mode %s: got no file with %q, want one", mode, want)
			}
		}
	}
}

func sortsFiles(t *testing.T, open func(t *testing.T) build.Builder) {
	for _, mode := range modes {
		result, err := open(t).Build(t.Context(), build.Request{Mode: mode, Files: project(nil)})
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, file := range result.Files {
			paths = append(paths, file.Path)
			if !fs.ValidPath(file.Path) {
				t.Errorf("mode %s: got path %q, want a relative one", mode, file.Path)
			}
		}
		if !slices.IsSorted(paths) || len(slices.Compact(slices.Clone(paths))) != len(paths) {
			t.Errorf("mode %s: got %q, want each once in ascending order", mode, paths)
		}
	}
}

func movesPublicFiles(t *testing.T, open func(t *testing.T) build.Builder) {
	for _, mode := range modes {
		files := mustBuild(t, open(t), mode, project(nil))
		if got := string(files["robots.txt"].Content); got != "User-agent: *\n" {
			t.Errorf("mode %s: got robots.txt %q, want the file of public/", mode, got)
		}
	}
}

func hidesSettings(t *testing.T, open func(t *testing.T) build.Builder) {
	secret := "s3cret-4711"
	sources := project(map[string]string{
		".env":              "VITE_NAME=shop\nTOKEN=" + secret + "\n",
		".env.production":   "TOKEN=" + secret + "\n",
		".npmrc":            "//registry/:_authToken=" + secret + "\n",
		"node_modules/a.js": "/* " + secret + " */",
		"dist/old.js":       "/* " + secret + " */",
	})
	for _, mode := range modes {
		for path, file := range mustBuild(t, open(t), mode, sources) {
			if bytes.Contains(file.Content, []byte(secret)) {
				t.Errorf("mode %s: got %s with a secret of the project in it, want no file with it", mode, path)
			}
		}
	}
}

func reportsPlaces(t *testing.T, open func(t *testing.T) build.Builder) {
	cases := []struct {
		name, path, text string
		line, column     int
	}{
		{"a wrong bracket in a script", "src/price.ts", "export const a = 1\nexport const price = [1, 2)\n", 2, 27},
		{"a wrong brace in a component", "src/price.ts", "export function price() {\n  return (1}\n}\n", 2, 12},
		{"a comma too few in JSON", "src/data.json", "{\"a\": 1 \"b\": 2}\n", 1, 9},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			changes := map[string]string{
				"src/main.ts":   "import data from './data.json'\nimport { price } from './price'\nconsole.log(data, price)\n",
				"src/data.json": "{}",
			}
			changes[c.path] = c.text
			for _, mode := range modes {
				got := diagnostics(t, open(t), mode, project(changes))
				if got[0].Path != c.path || got[0].Line != c.line || got[0].Column != c.column || got[0].Message == "" {
					t.Errorf("mode %s: got %+v, want %s:%d:%d with a message", mode, got[0], c.path, c.line, c.column)
				}
			}
		})
	}
}

func countsCharacters(t *testing.T, open func(t *testing.T) build.Builder) {
	sources := project(map[string]string{"src/price.ts": "export const price = ['é', '日', '🙂')\n"})
	for _, mode := range modes {
		got := diagnostics(t, open(t), mode, sources)
		if got[0].Line != 1 || got[0].Column != 36 {
			t.Errorf("mode %s: got %+v, want line 1, column 36", mode, got[0])
		}
	}
}

// diagnostics builds files that have mistakes.
func diagnostics(t *testing.T, builder build.Builder, mode build.Mode, files fs.FS) []core.Diagnostic {
	t.Helper()
	result, err := builder.Build(t.Context(), build.Request{Mode: mode, Files: files})
	if err != nil {
		t.Fatalf("Build in mode %s: got %v, want diagnostics", mode, err)
	}
	if len(result.Diagnostics) == 0 {
		t.Fatalf("Build in mode %s: got no diagnostics, want some", mode)
	}
	return result.Diagnostics
}

func withDiagnosticsHasNoFiles(t *testing.T, open func(t *testing.T) build.Builder) {
	for _, mode := range modes {
		sources := project(map[string]string{"src/price.ts": "export const price = ["})
		result, err := open(t).Build(t.Context(), build.Request{Mode: mode, Files: sources})
		if err != nil || len(result.Diagnostics) == 0 || len(result.Files) != 0 {
			t.Errorf("mode %s: got %d files, diagnostics %+v, error %v, want diagnostics only", mode, len(result.Files), result.Diagnostics, err)
		}
	}
}

func needsAPage(t *testing.T, open func(t *testing.T) build.Builder) {
	for _, mode := range modes {
		got := diagnostics(t, open(t), mode, project(map[string]string{"index.html": ""}))
		if got[0].Path != "index.html" || got[0].Line != 0 || got[0].Column != 0 {
			t.Errorf("mode %s: got %+v, want index.html without a place", mode, got[0])
		}
	}
}

func isDeterministic(t *testing.T, open func(t *testing.T) build.Builder) {
	for _, mode := range modes {
		first, same := open(t), mustBuild(t, open(t), mode, project(nil))
		for range 3 {
			again := mustBuild(t, first, mode, project(nil))
			if len(again) != len(same) {
				t.Fatalf("mode %s: got %d files, want %d", mode, len(again), len(same))
			}
			for path, file := range again {
				if !bytes.Equal(file.Content, same[path].Content) || file.Immutable != same[path].Immutable {
					t.Errorf("mode %s: got another %s, want the same", mode, path)
				}
			}
		}
	}
}

func seesChanges(t *testing.T, open func(t *testing.T) build.Builder) {
	for _, mode := range modes {
		builder := open(t)
		mustBuild(t, builder, mode, project(nil))
		changed := mustBuild(t, builder, mode, project(map[string]string{"src/price.ts": "export const price = (n: number) => `is free ${n}`\n"}))
		found := false
		for _, file := range changed {
			found = found || bytes.Contains(file.Content, []byte("is free "))
			if bytes.Contains(file.Content, []byte("costs ")) {
				t.Errorf("mode %s: got the old text in %s, want only the new one", mode, file.Path)
			}
		}
		if !found {
			t.Errorf("mode %s: got no file with the new text, want one", mode)
		}
	}
}

// unreadableFS fails to open one file.
type unreadableFS struct{ fstest.MapFS }

// ReadFile implements fs.ReadFileFS.
func (f unreadableFS) ReadFile(name string) ([]byte, error) {
	if name == "src/price.ts" {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("the disk is broken")}
	}
	return f.MapFS.ReadFile(name)
}

// Open implements fs.FS.
func (f unreadableFS) Open(name string) (fs.File, error) {
	if name == "src/price.ts" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("the disk is broken")}
	}
	return f.MapFS.Open(name)
}

func cannotRead(t *testing.T, open func(t *testing.T) build.Builder) {
	for _, mode := range modes {
		_, err := open(t).Build(t.Context(), build.Request{Mode: mode, Files: unreadableFS{project(nil)}})
		if !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("mode %s: got %v, want code %s", mode, err, core.CodeUnavailable)
		}
	}
}

func honoursCancel(t *testing.T, open func(t *testing.T) build.Builder) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, mode := range modes {
		result, err := open(t).Build(ctx, build.Request{Mode: mode, Files: project(nil)})
		if !errors.Is(err, context.Canceled) || len(result.Files) != 0 || len(result.Diagnostics) != 0 {
			t.Errorf("mode %s: got %d files, error %v, want only %v", mode, len(result.Files), err, context.Canceled)
		}
	}
}

func runsInParallel(t *testing.T, open func(t *testing.T) build.Builder) {
	builder := open(t)
	var group sync.WaitGroup
	for i := range 8 {
		mode := modes[i%2]
		marker := "project-" + strings.Repeat("x", i+1) + "-end"
		group.Go(func() {
			sources := project(map[string]string{"src/price.ts": "export const price = (n: number) => '" + marker + "' + n\n"})
			result, err := builder.Build(t.Context(), build.Request{Mode: mode, Files: sources})
			if err != nil || len(result.Diagnostics) > 0 {
				t.Errorf("got error %v, diagnostics %+v, want neither", err, result.Diagnostics)
				return
			}
			if !slices.ContainsFunc(result.Files, func(f build.File) bool { return bytes.Contains(f.Content, []byte(marker)) }) {
				t.Errorf("mode %s: got no file with %q, want one", mode, marker)
			}
		})
	}
	group.Wait()
}
