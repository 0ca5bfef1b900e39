package esbuild_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/build/buildtest"
)

func TestBuilder(t *testing.T) { buildtest.RunBuilder(t, openBuilder) }

func openBuilder(t *testing.T) build.Builder {
	t.Helper()
	builder, err := esbuild.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return builder
}

func TestNewRefusesADirectoryThatIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := esbuild.New(file); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
}

// sources is a project by path. Unless the project has its own page, there is one that
// loads src/main.tsx.
type sources map[string]string

const page = `<!doctype html><html lang="en"><head><title>t</title></head><body><div id="root"></div><script type="module" src="/src/main.tsx"></script></body></html>`

func (s sources) files() fstest.MapFS {
	files := fstest.MapFS{"index.html": {Data: []byte(page)}}
	for name, text := range s {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

var bothModes = []build.Mode{build.ModePreview, build.ModeSite}

// request is one for a project without packages.
func request(mode build.Mode, s sources) build.Request {
	return build.Request{Mode: mode, Files: s.files()}
}

// result builds a request with a new builder, without diagnostics.
func result(t *testing.T, req build.Request) map[string]build.File {
	t.Helper()
	return resultOf(t, openBuilder(t), req)
}

func resultOf(t *testing.T, builder build.Builder, req build.Request) map[string]build.File {
	t.Helper()
	built, err := builder.Build(t.Context(), req)
	if err != nil {
		t.Fatalf("mode %s: %v", req.Mode, err)
	}
	if len(built.Diagnostics) > 0 {
		t.Fatalf("mode %s: got diagnostics %+v, want none", req.Mode, built.Diagnostics)
	}
	files := make(map[string]build.File)
	for _, file := range built.Files {
		files[file.Path] = file
	}
	return files
}

// diagnostics builds a request that has mistakes.
func diagnostics(t *testing.T, req build.Request) []core.Diagnostic {
	t.Helper()
	built, err := openBuilder(t).Build(t.Context(), req)
	if err != nil {
		t.Fatalf("mode %s: %v", req.Mode, err)
	}
	if len(built.Diagnostics) == 0 {
		t.Fatalf("mode %s: got no diagnostics, want some", req.Mode)
	}
	return built.Diagnostics
}

// ending joins the content of all files with an extension, but the dependencies
// of a preview.
func ending(files map[string]build.File, ext string) string {
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ext) && !strings.HasPrefix(name, "@deps/") {
			all.Write(files[name].Content)
			all.WriteString("\n")
		}
	}
	return all.String()
}

var putStyle = regexp.MustCompile(`(?m)^globalThis\.__atelier\?\.style\(import\.meta\.url, (".*")\);$`)

// styledBy joins all style sheets: files, and those that modules insert into the page.
func styledBy(files map[string]build.File) string {
	all := ending(files, ".css")
	for _, match := range putStyle.FindAllStringSubmatch(ending(files, ".js"), -1) {
		var text string
		if json.Unmarshal([]byte(match[1]), &text) == nil {
			all += text + "\n"
		}
	}
	return all
}

func wantIn(t *testing.T, what, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%s: got %q, want %q in it", what, text, want)
		}
	}
}

func wantNotIn(t *testing.T, what, text string, unwanted ...string) {
	t.Helper()
	for _, u := range unwanted {
		if strings.Contains(text, u) {
			t.Errorf("%s: got %q, want no %q in it", what, text, u)
		}
	}
}

// modules writes node_modules to a directory and returns a request's Packages.
// Paths are below node_modules.
func modules(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	writeModules(t, dir, files)
	return dir
}

func writeModules(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// fakeReact is enough of React to bundle JSX against, in CommonJS form.
func fakeReact() map[string]string {
	return map[string]string{
		"react/package.json":       manifest("react", "19.0.0", map[string]any{"main": "index.js"}),
		"react/index.js":           `if (process.env.NODE_ENV === 'production') { module.exports = require('./cjs/prod.js') } else { module.exports = require('./cjs/dev.js') }`,
		"react/cjs/prod.js":        `exports.useState = function () { return ['react-production'] }`,
		"react/cjs/dev.js":         `exports.useState = function () { return ['react-development'] }`,
		"react/jsx-runtime.js":     `var React = require('react'); exports.jsx = exports.jsxs = function (type, props) { return [type, props, React.useState] }; exports.Fragment = 'fragment'`,
		"react/jsx-dev-runtime.js": `var React = require('react'); exports.jsxDEV = function (type, props) { return [type, props, React.useState] }; exports.Fragment = 'fragment'`,
		"react-dom/package.json":   manifest("react-dom", "19.0.0", map[string]any{"dependencies": map[string]string{"scheduler": "*"}}),
		"react-dom/index.js":       `exports.createPortal = function () { return 'portal-of-react-dom' }`,
		"react-dom/client.js":      `var React = require('react'), dom = require('react-dom'), s = require('scheduler'); exports.createRoot = function () { return { render: function (x) { return [x, React, dom, s.now] } } }`,
		"scheduler/package.json":   manifest("scheduler", "1.0.0", nil),
		"scheduler/index.js":       `exports.now = 'scheduler-now'`,
		"esm-lib/package.json":     manifest("esm-lib", "1.0.0", map[string]any{"type": "module", "exports": map[string]string{".": "./index.js"}, "sideEffects": false}),
		"esm-lib/index.js":         "import { useState } from 'react'\nexport const useThing = () => useState('esm-lib-thing')\nexport const unused = 'esm-lib-unused'\nexport default 'esm-lib-default'\n",
		"portals/package.json":     manifest("portals", "1.0.0", map[string]any{"type": "module", "main": "index.js"}),
		"portals/index.js":         "import { createPortal } from 'react-dom'\nexport const portal = () => createPortal('portals-lib')\n",
		"untyped/package.json":     manifest("untyped", "1.0.0", nil),
		"untyped/index.js":         `var names = ['dynamic']; names.forEach(function (n) { module.exports[n] = 'untyped-' + n })`,
		"styled/package.json":      manifest("styled", "1.0.0", map[string]any{"main": "index.js"}),
		"styled/index.js":          `require('./inside.css'); exports.styled = 'styled-lib'`,
		"styled/inside.css":        `.styled-inside { color: red }`,
		"styled/theme.css":         `.styled-theme { background: url(./bg.png) }`,
		"styled/bg.png":            `PNG`,
		"polyglot/package.json":    manifest("polyglot", "1.0.0", map[string]any{"exports": map[string]any{".": map[string]string{"import": "./index.mjs", "require": "./index.cjs"}}}),
		"polyglot/index.mjs":       `export const which = 'polyglot-esm'`,
		"polyglot/index.cjs":       `exports.which = 'polyglot-cjs'`,
		"node-only/package.json":   manifest("node-only", "1.0.0", nil),
		"node-only/index.js":       `var fs; try { fs = require('fs') } catch (e) {} exports.hasFs = !!(fs && fs.readFileSync); exports.name = 'node-only-lib'`,
		"needy/package.json":       manifest("needy", "1.0.0", nil),
		"needy/index.js":           `module.exports = require('not-installed-anywhere')`,
	}
}

func manifest(name, version string, extra map[string]any) string {
	all := map[string]any{"name": name, "version": version}
	maps.Copy(all, extra)
	text, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func reactRequest(t *testing.T, mode build.Mode, s sources) build.Request {
	t.Helper()
	return build.Request{Mode: mode, Files: s.files(), Packages: modules(t, fakeReact()), PackagesKey: "react"}
}

// reactApp renders one element.
var reactApp = sources{
	"src/main.tsx": "import { createRoot } from 'react-dom/client'\nimport App from './App'\ncreateRoot(document.body).render(<App />)\n",
	"src/App.tsx":  "import { useState } from 'react'\nexport default function App() {\n  const [text] = useState('hello')\n  return <h1 title=\"é🙂\"><b>{text}</b></h1>\n}\n",
}

func TestACancelledBuildEndsSoon(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	files := cancelingTree{sources{"src/main.tsx": "console.log(1)"}.files(), cancel}
	for _, mode := range bothModes {
		built, err := openBuilder(t).Build(ctx, build.Request{Mode: mode, Files: files})
		if err != context.Canceled || len(built.Files) > 0 {
			t.Errorf("mode %s: got %d files, %v, want %v", mode, len(built.Files), err, context.Canceled)
		}
	}
}

// cancelingTree ends the build while it reads.
type cancelingTree struct {
	fstest.MapFS
	cancel func()
}

func (f cancelingTree) ReadFile(name string) ([]byte, error) {
	if name == "src/main.tsx" {
		f.cancel()
	}
	return f.MapFS.ReadFile(name)
}

func TestAPanicOfTheFileSystemIsContained(t *testing.T) {
	for _, mode := range bothModes {
		built, err := openBuilder(t).Build(t.Context(), build.Request{Mode: mode, Files: panickingTree{sources{"src/main.tsx": ""}.files()}})
		if err == nil && len(built.Diagnostics) == 0 {
			t.Errorf("mode %s: got %d files, want a failure", mode, len(built.Files))
		}
	}
}

type panickingTree struct{ fstest.MapFS }

func (f panickingTree) ReadFile(name string) ([]byte, error) {
	if name == "src/main.tsx" {
		panic("broken")
	}
	return f.MapFS.ReadFile(name)
}
