package esbuild_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/ports/build"
)

const secret = "s3cret-of-the-host"

// host makes files that no project may reach, and works in their directory.
func host(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"secret.txt":                             secret,
		"secret.js":                              "export default '" + secret + "'",
		"secret.json":                            `{"a": "` + secret + `"}`,
		"secret.css":                             "." + secret + " { color: red }",
		"tsconfig.json":                          `{"compilerOptions": {"jsxImportSource": "` + secret + `"}}`,
		"a.js.map":                               `{"version": 3, "sources": ["` + secret + `"], "sourcesContent": ["` + secret + `"], "mappings": "AAAA", "names": []}`,
		"pages/secret.js":                        "export default '" + secret + "'",
		"node_modules/host-package/index.js":     "module.exports = '" + secret + "'",
		"node_modules/host-package/package.json": manifest("host-package", "1.0.0", nil),
	} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

// wantNoSecret builds and checks that the output contains nothing of the host's files.
func wantNoSecret(t *testing.T, builder build.Builder, name string, req build.Request) {
	t.Helper()
	built, err := builder.Build(t.Context(), req)
	if err != nil {
		t.Errorf("%s, mode %s: got %v, want a result", name, req.Mode, err)
	}
	for _, file := range built.Files {
		text := string(file.Content)
		if _, coded, found := strings.Cut(text, "sourceMappingURL=data:application/json;base64,"); found {
			sourceMap, err := base64.StdEncoding.DecodeString(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(coded), "*/")))
			if err != nil {
				t.Errorf("%s, mode %s: got an invalid source map: %v", name, req.Mode, err)
			}
			text += string(sourceMap)
		}
		if strings.Contains(text, secret) || strings.Contains(text, "root:x:0") {
			t.Errorf("%s, mode %s: got a file of the host in %s", name, req.Mode, file.Path)
		}
	}
	for _, d := range built.Diagnostics {
		if strings.Contains(name, "computed") && strings.Contains(d.Message, "outside the project and its packages") {
			t.Errorf("%s, mode %s: got %+v, want no file of the host even looked at", name, req.Mode, d)
		}
		if strings.Contains(d.Message, secret) || strings.Contains(d.Message, "secret.js\"") && !strings.Contains(name, "secret") || strings.Contains(d.Message, "root:x:0") {
			t.Errorf("%s, mode %s: got a file of the host in %+v", name, req.Mode, d)
		}
	}
}

func TestSourcesNeverReachTheHost(t *testing.T) {
	dir, builder := host(t), openBuilder(t)
	up := strings.Repeat("../", 20)
	var paths []string
	for _, target := range []string{dir + "/secret", "/etc/passwd"} {
		paths = append(paths, target, up+target, "file://"+target, "./"+up+target[1:], "//"+target, "\\"+target, "data:text/javascript,import%20x%20from%20'"+target+"'")
	}
	for _, target := range paths {
		for _, ext := range []string{"", ".js", ".txt?raw", "?url"} {
			q := fmt.Sprintf("%q", target+ext)
			for name, s := range map[string]sources{
				"import " + q:         {"src/main.tsx": "import x from " + q + "\nconsole.log(x)"},
				"import() " + q:       {"src/main.tsx": "import(" + q + ").then(console.log)"},
				"export " + q:         {"src/main.tsx": "export * from " + q},
				"require " + q:        {"src/main.tsx": "console.log(require(" + q + "))"},
				"import = " + q:       {"src/main.tsx": "import x = require(" + q + ")\nconsole.log(x)"},
				"new URL " + q:        {"src/main.tsx": "console.log(new URL(" + q + ", import.meta.url))"},
				"@import " + q:        {"src/main.tsx": "import './a.css'", "src/a.css": "@import " + q + ";"},
				"url " + q:            {"src/main.tsx": "import './a.css'", "src/a.css": "a { background: url(" + q + ") }"},
				"composes " + q:       {"src/main.tsx": "import a from './a.module.css'\nconsole.log(a)", "src/a.module.css": ".a { composes: b from " + q + " }"},
				"script " + q:         {"index.html": "<script type=module src=" + q + "></script>"},
				"style " + q:          {"index.html": "<link rel=stylesheet href=" + q + ">"},
				"image " + q:          {"index.html": "<img src=" + q + ">"},
				"alias " + q:          {"tsconfig.json": `{"compilerOptions": {"paths": {"@/*": [` + q + `, "` + up + `*"]}}}`, "src/main.tsx": "import x from '@/x'\nconsole.log(x)"},
				"baseUrl " + q:        {"tsconfig.json": `{"compilerOptions": {"baseUrl": ` + q + `}}`, "src/main.tsx": "import x from 'secret'\nconsole.log(x)"},
				"extends " + q:        {"tsconfig.json": `{"extends": ` + q + `}`, "src/main.tsx": "console.log(<a/>)"},
				"jsx source " + q:     {"tsconfig.json": `{"compilerOptions": {"jsxImportSource": ` + q + `}}`, "src/main.tsx": "console.log(<a/>)"},
				"jsx pragma " + q:     {"src/main.tsx": "/** @jsxImportSource " + target + " */\nconsole.log(<a/>)"},
				"reference " + q:      {"src/main.tsx": "/// <reference path=" + q + " />\nconsole.log(1)"},
				"source map " + q:     {"src/main.tsx": "console.log(1)\n//# sourceMappingURL=" + target + ext},
				"css source map " + q: {"src/main.tsx": "import './a.css'", "src/a.css": "a { color: red }\n/*# sourceMappingURL=" + target + ext + " */"},
			} {
				for _, mode := range bothModes {
					wantNoSecret(t, builder, name, request(mode, s))
				}
			}
		}
	}
}

func TestSourceMapsOfTheHostAreNotFollowed(t *testing.T) {
	dir := host(t)
	for _, address := range []string{"file://" + dir + "/a.js.map", dir + "/a.js.map", strings.Repeat("../", 20) + dir[1:] + "/a.js.map", "a.js.map"} {
		for _, mark := range []string{"//# ", "//@ ", "//#\t", "//#  "} {
			s := sources{"src/main.tsx": "import './b.css'\nconsole.log(1)\n" + mark + "sourceMappingURL=" + address, "src/b.css": "a { color: red }\n/*# sourceMappingURL=" + address + " */"}
			wantNoSecret(t, openBuilder(t), mark+address, request(build.ModePreview, s))
		}
	}
}

// esbuild lists directories for imports whose path is only partly known.
func TestComputedImportsListNoDirectory(t *testing.T) {
	dir, builder := host(t), openBuilder(t)
	packages := modules(t, fakeReact())
	up := strings.Repeat("../", 20) + dir[1:] + "/pages/"
	for _, form := range []string{
		"import(`%s${x}.js`)", "import('%s' + x)", "import(`%s${x}`)", "import(('%s' + x))", "import(/* c */ '%s' + x)", "import( // c\n '%s' + x)",
		"import\n('%s' + x)", "import/* c */('%s' + x)", "import//\u2028('%s' + x)", "import// c\n('%s' + x)", "import<!-- c\n('%s' + x)", "import\n--> c\n('%s' + x)", "import(<!-- c\n'%s' + x)", "import\u00a0('%s' + x)", "import\ufeff('%s' + x)",
		"import.defer('%s' + x)", "import.source('%s' + x)", "import . defer ('%s' + x)", "import(x ? '%s' + x : 'y')", "import(`%s`+x)", "import('\\x2e/%s' + x)", "import('\\u002e./%s' + x)",
		"const d = '%s'; import(d + x)", "const d = '%s'; import(`${d}${x}`)", "enum D { A = '%s' } import(`${D.A}${x}`)", "enum D { A = '%s' } import(D.A + x)",
		"require('%s' + x)", "require(`%s${x}`)", "require.resolve('%s' + x)", "require/* c */('%s' + x)", "(require)('%s' + x)", "require?.('%s' + x)", "\\u0072equire('%s' + x)", "req\\u{75}ire('%s' + x)",
		"const d = '%s'; class A extends import(d) {}", "const d = '%s'; class A extends /*;*/ import(d) {}", "const d = '%s'; class A extends // };async\nimport(d) {}", "const d = '%s'; class A extends // ;\rimport(d) {}",
		"const d = '%s';import(d)\n{ x }", "const d = '%s';import(d) // {\n{ x }", "const d = '%s';import(d)\u2028{ x }", "const d = '%s'; let async\nasync\nimport(d)\n{ x }", "const d = '%s', { import(d) { return import(d) } } = {}", "const d = '%s';import(d){ x }",
		"const d = '%s'; console.log(<a>{x}import(d){import(d)}</a>)", "const d = '%s'; console.log(`${x};import(d){${import(d)}}`)", "const d = '%s';require(d)\n{ x }", "const d = '%s'; class A extends require(d) {}",
		"module.require('%s' + x)", "const r = require; r('%s' + x)", "import.meta.glob('%s*.js')", "new Worker(new URL('%s' + x, import.meta.url))",
	} {
		for _, prefix := range []string{"./pages/", up} {
			text := "let x = location.hash\n" + fmt.Sprintf(form, prefix) + "\n"
			for _, mode := range bothModes {
				req := request(mode, sources{"src/main.tsx": text})
				wantNoSecret(t, builder, "computed "+form+" "+prefix, req)
				req.Packages, req.PackagesKey = packages, "k"
				wantNoSecret(t, builder, "computed "+form+" "+prefix+" beside packages", req)
			}
		}
	}
}

func TestPackagesNeverReachTheHost(t *testing.T) {
	dir := host(t)
	for _, target := range []string{dir + "/secret.js", strings.Repeat("../", 20) + dir[1:] + "/secret.js", "file://" + dir + "/secret.js", strings.Repeat("../", 20) + "etc/passwd", "/etc/passwd", "host-package"} {
		q := fmt.Sprintf("%q", target)
		for name, text := range map[string]string{
			"import":     "import x from " + q + "\nexport default x",
			"require":    "module.exports = require(" + q + ")",
			"import()":   "export default () => import(" + q + ")",
			"glob":       "module.exports = (x) => require(" + q + " + x)",
			"glob up":    "module.exports = (x) => require('./' + " + q + " + x)",
			"source map": "module.exports = 1\n//# sourceMappingURL=" + target,
		} {
			files := map[string]string{"evil/package.json": manifest("evil", "1.0.0", nil), "evil/index.js": text}
			for _, mode := range bothModes {
				req := request(mode, sources{"src/main.tsx": "import x from 'evil'\nconsole.log(x)"})
				req.Packages, req.PackagesKey = modules(t, files), "k"
				wantNoSecret(t, openBuilder(t), name+" "+target, req)
			}
		}
		for name, fields := range map[string]map[string]any{
			"main":    {"main": target},
			"browser": {"browser": map[string]string{"./index.js": target}},
			"exports": {"exports": map[string]string{".": target}},
			"imports": {"imports": map[string]string{"#x": target}},
		} {
			files := map[string]string{"evil/package.json": manifest("evil", "1.0.0", fields), "evil/index.js": "module.exports = require('#x')"}
			for _, mode := range bothModes {
				req := request(mode, sources{"src/main.tsx": "import x from 'evil'\nconsole.log(x)"})
				req.Packages, req.PackagesKey = modules(t, files), "k"
				wantNoSecret(t, openBuilder(t), "package.json "+name+" "+target, req)
			}
		}
	}
}

func TestPackagesAboveTheDirectoryAreNotFound(t *testing.T) {
	dir := host(t)
	inside := filepath.Join(dir, "deep", "packages")
	writeModules(t, inside, map[string]string{"lib/package.json": manifest("lib", "1.0.0", nil), "lib/index.js": "module.exports = require('host-package')"})
	for _, mode := range bothModes {
		for _, text := range []string{"import x from 'host-package'\nconsole.log(x)", "import x from 'lib'\nconsole.log(x)"} {
			req := request(mode, sources{"src/main.tsx": text})
			req.Packages, req.PackagesKey = inside, "k"
			wantNoSecret(t, openBuilder(t), text, req)
			if got := diagnostics(t, req); len(got) == 0 {
				t.Errorf("mode %s, %s: got no diagnostics, want that the package is missing", mode, text)
			}
		}
	}
}

// A link in the tree is the tree's concern: the builder sees only what the file system
// returns.
func TestLinksOfATreeAreNotFollowedByTheBuilder(t *testing.T) {
	dir := host(t)
	tree := t.TempDir()
	for name, text := range map[string]string{"index.html": page, "src/main.tsx": "import x from './link'\nimport y from './up/secret'\nconsole.log(x, y)"} {
		at := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for at, target := range map[string]string{"src/link.js": dir + "/secret.js", "src/up": dir, "public": dir} {
		if err := os.Symlink(target, filepath.Join(tree, at)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, mode := range bothModes {
		built, err := openBuilder(t).Build(t.Context(), build.Request{Mode: mode, Files: root.FS()})
		if err == nil && len(built.Diagnostics) == 0 {
			t.Errorf("mode %s: got %d files, want a failure", mode, len(built.Files))
		}
		for _, file := range built.Files {
			if strings.Contains(string(file.Content), secret) {
				t.Errorf("mode %s: got a file of the host in %s", mode, file.Path)
			}
		}
	}
}

func FuzzBuildContainsEverySource(f *testing.F) {
	f.Add("import x from '../../../etc/passwd'", "@import '/etc/passwd'; a { background: url(/etc/passwd) }", `{"extends": "/etc/passwd"}`, "<script type=module src=/etc/passwd></script>")
	f.Add("import(`./${x}`)", ".a { composes: b from './c.css' }", `{"compilerOptions": {"paths": {"*": ["../*"]}}}`, "<script type=module>import '/x'</script>")
	f.Fuzz(func(t *testing.T, script, style, config, html string) {
		files := fstest.MapFS{
			"index.html": {Data: []byte(page + html)}, "src/main.tsx": {Data: []byte("import './a.css'\n" + script)},
			"src/a.css": {Data: []byte(style)}, "tsconfig.json": {Data: []byte(config)},
		}
		for _, mode := range bothModes {
			built, err := openBuilder(t).Build(t.Context(), build.Request{Mode: mode, Files: files})
			if err != nil {
				t.Fatalf("mode %s: %v", mode, err)
			}
			for _, file := range built.Files {
				if strings.Contains(string(file.Content), "root:x:0") {
					t.Errorf("mode %s: got a file of the host in %s", mode, file.Path)
				}
			}
		}
	})
}
