package esbuild_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/build"
)

// configured returns a request that follows the project's configuration of Vite.
func configured(t *testing.T, builder build.Builder, mode build.Mode, s sources) build.Request {
	t.Helper()
	req := request(mode, s)
	var err error
	if req.Vite, err = builder.ViteConfig(t.Context(), req.Files, nil); err != nil || req.Vite.Unsupported != "" {
		t.Fatalf("got %+v, %v, want a configuration that is followed", req.Vite, err)
	}
	return req
}

func TestAConfigurationOfViteIsFollowed(t *testing.T) {
	s := sources{
		"vite.config.ts": `import { defineConfig, loadEnv } from 'vite'
import path from 'path'
export default defineConfig(({ mode }) => ({
  resolve: { alias: [{ find: '@', replacement: path.resolve(__dirname, 'src') }, { find: /^~(.*)$/, replacement: '/src/lib/$1' }] },
  define: { __VERSION__: JSON.stringify('v1.2.3'), 'process.env.API_KEY': JSON.stringify(loadEnv(mode, '.', '').API_KEY), 'import.meta.env.EXTRA': '"extra"' },
  envPrefix: 'OPEN_', envDir: 'settings',
}))`,
		".env": "API_KEY=of-the-file", "settings/.env": "OPEN_A=open-a\nCLOSED=closed",
		"src/main.tsx": "import a from '@/a'\nimport b from '~b'\nconsole.log(a, b, __VERSION__, process.env.API_KEY, import.meta.env.OPEN_A, import.meta.env.EXTRA, import.meta.env.CLOSED)",
		"src/a.ts":     "export default 'from-a'", "src/lib/b.ts": "export default 'from-b'",
	}
	builder := openBuilder(t)
	for _, mode := range bothModes {
		wantIn(t, string(mode), ending(resultOf(t, builder, configured(t, builder, mode, s)), ".js"), "from-a", "from-b", "v1.2.3", "of-the-file", "open-a", "extra")
	}
	// A preview's modules change with the definitions.
	s["vite.config.ts"] = strings.ReplaceAll(s["vite.config.ts"], "v1.2.3", "v4.5.6")
	wantIn(t, "afterwards", ending(resultOf(t, builder, configured(t, builder, build.ModePreview, s)), ".js"), "v4.5.6")
}

// TestAnyDefinitionBuilds has names and values that esbuild could refuse.
func TestAnyDefinitionBuilds(t *testing.T) {
	builder := openBuilder(t)
	for name, value := range map[string]string{
		"if": "1", "a.class": "2", "class": "3", "this": "4", "constructor": "5", "__proto__.x": "6", "é": "7", "a": "if", "b": "this", "c": "x.if", "d": "undefined", "e": "NaN", "f": "[]", "g": "1e999", "h": `"\ud800"`, "import.meta": "9", "await": "1",
	} {
		req := request(build.ModeSite, sources{"vite.config.js": "export default { define: { " + strconv.Quote(name) + ": " + strconv.Quote(value) + " } }", "src/main.tsx": "console.log(a, b)"})
		config, err := builder.ViteConfig(t.Context(), req.Files, nil)
		if req.Vite = config; err == nil && config.Unsupported == "" {
			_, err = builder.Build(t.Context(), req)
		}
		if err != nil {
			t.Errorf("%s as %s: %v", name, value, err)
		}
	}
}

func TestCompilerOptionsWinOverAConfigurationOfVite(t *testing.T) {
	builder := openBuilder(t)
	req := configured(t, builder, build.ModeSite, sources{
		"vite.config.js": "export default { resolve: { alias: { '@': '/other' } } }", "tsconfig.json": `{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}`,
		"src/main.tsx": "import '@/a'", "src/a.ts": "console.log('from-src')", "other/a.ts": "console.log('from-other')",
	})
	wantIn(t, "site", ending(resultOf(t, builder, req), ".js"), "from-src")
}

// TestPackagesByOtherNamesAreFollowed has the imports of Figma Make.
func TestPackagesByOtherNamesAreFollowed(t *testing.T) {
	packages := modules(t, map[string]string{
		"slot/package.json": `{"name": "slot", "version": "1.1.0", "module": "index.js"}`, "slot/index.js": "export const slot = 'from-slot'",
		"slot/part.js": "export const part = 'from-part'",
	})
	s := sources{
		"vite.config.ts": "export default { resolve: { alias: { 'slot@1.1.0': 'slot', 'figma:asset/a.txt': '/src/a.ts' } } }",
		"src/main.tsx":   "import { slot } from 'slot@1.1.0'\nimport { part } from 'slot@1.1.0/part'\nimport a from 'figma:asset/a.txt'\nconsole.log(slot, part, a)", "src/a.ts": "export default 'from-a'",
	}
	builder := openBuilder(t)
	for mode, want := range map[build.Mode][]string{build.ModePreview: {"slot_index", "slot_part", "from-a"}, build.ModeSite: {"from-slot", "from-part", "from-a"}} {
		req := configured(t, builder, mode, s)
		req.Packages, req.PackagesKey = packages, "slot"
		wantIn(t, string(mode), ending(resultOf(t, builder, req), ".js"), want...)
	}
}

func TestImportsOfAPackageAreFollowed(t *testing.T) {
	s := sources{
		"package.json": `{"imports": {"#lib/*": "./src/lib/*", "#main": {"browser": "./src/web.ts", "default": "./src/node.ts"}}}`,
		"src/main.tsx": "import a from '#lib/a'\nimport b from '#main'\nconsole.log(a, b)", "src/lib/a.ts": "export default 'from-a'", "src/web.ts": "export default 'from-web'",
	}
	for _, mode := range bothModes {
		wantIn(t, string(mode), ending(result(t, request(mode, s)), ".js"), "from-a", "from-web")
	}
}

func TestPackagesInFoldersOfTheProjectAreFollowed(t *testing.T) {
	s := sources{
		"package.json": `{"dependencies": {"@r/ui": "file:packages/ui", "plain": "link:./packages/plain", "far": "file:../far", "tgz": "file:x.tgz"}}`,
		"src/main.tsx": "import { a } from '@r/ui'\nimport { b } from '@r/ui/parts/b'\nimport c from 'plain'\nimport d from 'plain/d'\nconsole.log(a, b, c, d)",
		"packages/ui/package.json": `{"name": "@r/ui", "exports": {".": {"types": "./dist/index.d.ts", "import": "./dist/index.js"}, "./*": "./src/*.tsx", "./parts/*": "./src/parts/*/index.ts"},
			"dependencies": {"inner": "file:../inner"}}`,
		"packages/ui/src/index.ts": "export { a } from 'inner'", "packages/ui/src/parts/b/index.ts": "export const b = 'from-b'",
		"packages/inner/package.json": `{"name": "inner", "main": "lib.js"}`, "packages/inner/lib.js": "export const a = 'from-inner'",
		"packages/plain/index.js": "export default 'from-plain'", "packages/plain/d.js": "export default 'from-d'",
	}
	for _, mode := range bothModes {
		wantIn(t, string(mode), ending(result(t, request(mode, s)), ".js"), "from-inner", "from-b", "from-plain", "from-d")
	}
}

func TestCompilerOptionsOfPackagesAreFollowed(t *testing.T) {
	store := t.TempDir()
	writeModules(t, filepath.Join(store, "preset"), map[string]string{
		"@scope/preset/tsconfig.json": `{"extends": "../../beside/base"}`,
		"beside/base.json":            `{"extends": "friend/tsconfig.json", "compilerOptions": {"paths": {"@/*": ["${configDir}/src/*"]}}}`,
		"friend/tsconfig.json":        "\ufeff" + `{"compilerOptions": {"baseUrl": "${configDir}/lib"}} // said`,
	})
	packages := modules(t, map[string]string{"plain/tsconfig.json": `{"compilerOptions": {"experimentalDecorators": true}}`})
	if err := os.Mkdir(filepath.Join(packages, "node_modules", "@scope"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(store, "preset", "node_modules", "@scope", "preset"), filepath.Join(packages, "node_modules", "@scope", "preset")); err != nil {
		t.Fatal(err)
	}
	s := sources{
		"package.json": `{"devDependencies": {"@r/config": "file:config"}}`, "config/vite/base.json": `{"compilerOptions": {"useDefineForClassFields": false}}`,
		"tsconfig.json": `{"extends": ["@scope/preset/tsconfig.json", "plain", "@r/config/vite/base"]}`,
		"src/main.tsx":  "import a from '@/a'\nimport b from 'b'\nimport decorate from './decorate'\n@decorate class A { x = a }\nconsole.log(b, A)", "src/a.ts": "export default 'from-a'", "lib/b.ts": "export default 'from-b'",
		"src/decorate.ts": "export default (...all: unknown[]) => console.log(all.length)",
	}
	builder := openBuilder(t)
	for _, mode := range bothModes {
		req := request(mode, s)
		req.Packages, req.PackagesKey = packages, "options"
		built, err := builder.Build(t.Context(), req)
		if err != nil || len(built.Diagnostics) > 0 || len(built.Warnings) > 0 {
			t.Fatalf("mode %s: got %+v, %+v, %v, want neither diagnostics nor warnings", mode, built.Diagnostics, built.Warnings, err)
		}
		files := resultOf(t, builder, req)
		wantIn(t, string(mode), ending(files, ".js"), "from-a", "from-b", "this.x")
		if got := printed(t, files); !strings.HasPrefix(got, "1\n") {
			t.Errorf("mode %s: got %q, want a decorator as TypeScript had them first, with one argument", mode, got)
		}
	}
}

func TestCompilerOptionsThatCannotBeReadAreWarnedOf(t *testing.T) {
	s := sources{
		"tsconfig.json": `{"extends": ["@tsconfig/none/tsconfig.json", "here/none.json", "./none", "./torn.json", "/etc/passwd", "here/../../../../etc/passwd"]}`,
		"torn.json":     "{", "src/main.tsx": "console.log('from-main')",
	}
	for _, mode := range bothModes {
		req := request(mode, s)
		req.Packages, req.PackagesKey = modules(t, map[string]string{"here/package.json": "{}"}), "options"
		built, err := openBuilder(t).Build(t.Context(), req)
		if err != nil || len(built.Diagnostics) > 0 || len(built.Files) == 0 || len(built.Warnings) != 6 {
			t.Fatalf("mode %s: got %+v, %v, want pages with six warnings", mode, built, err)
		}
		// However many there are, the warnings stay few.
		s := sources{"tsconfig.json": `{"extends": ["` + strings.Repeat(`x", "`, 10_000) + `x"]}`, "src/main.tsx": ""}
		if many, err := openBuilder(t).Build(t.Context(), request(mode, s)); err != nil || len(many.Files) == 0 || len(many.Warnings) > 100 {
			t.Errorf("mode %s: got %d warnings, %v, want a few", mode, len(many.Warnings), err)
		}
		for i, want := range []string{`add "@tsconfig/none" to the devDependencies`, `"here/none.json"`, `"./none"`, `"./torn.json"`, `"/etc/passwd"`, `etc/passwd"`} {
			if got := built.Warnings[i]; got.Path != "tsconfig.json" || !strings.Contains(got.Message, want) {
				t.Errorf("mode %s: got %+v, want one about tsconfig.json with %s", mode, got, want)
			}
		}
	}
}

func TestCreateReactAppHasItsPage(t *testing.T) {
	s := sources{
		"public/index.html": "<!doctype html><html><head><link rel=\"icon\" href=\"%PUBLIC_URL%/i.svg\"></head><BODY><div id=\"root\"></div></BODY></html>", "public/i.svg": "<svg/>",
		"src/index.js": "console.log(process.env.REACT_APP_A, process.env.PUBLIC_URL + '/i', process.env.NOTHING, process.env.NODE_ENV, global.x, <b/>)",
		".env":         "REACT_APP_A=from-env\nSECRET=leaked",
	}
	for _, mode := range bothModes {
		req := reactRequest(t, mode, s)
		own := s.files()
		delete(own, "index.html")
		req.Files = own
		files := result(t, req)
		html, js := string(files["index.html"].Content), ending(files, ".js")
		wantIn(t, string(mode), html, `href="/i.svg"`, `<script type="module" src="/`, "</BODY>")
		wantIn(t, string(mode), js, "from-env", "globalThis")
		wantNotIn(t, string(mode), js+html, "leaked", "PUBLIC_URL%")
	}
}

func TestAnApplicationElsewhereIsNamed(t *testing.T) {
	files := sources{"apps/web/index.html": "<h1>", "apps/web/package.json": "{}", "docs/index.html": "<h1>"}.files()
	delete(files, "index.html")
	got := diagnostics(t, build.Request{Mode: build.ModePreview, Files: files})
	const want = `there is no file "index.html" in the project: there is an application in apps/web, whose files belong at the project's root`
	if len(got) != 1 || got[0].Path != "index.html" || got[0].Message != want {
		t.Errorf("got %+v, want %q", got, want)
	}
}

func TestTheProcessOfNodeKeepsItsEnvironment(t *testing.T) {
	for _, mode := range bothModes {
		files := result(t, request(mode, sources{"src/main.tsx": "const { HOME, VITE_A } = process.env\nconsole.log(typeof HOME, process.env.VITE_A, VITE_A)", ".env": "VITE_A=a"}))
		if got := printed(t, files); got != "string a undefined\n" {
			t.Errorf("mode %s: got %q, want Node's own environment, and the constants", mode, got)
		}
	}
}

func TestPicturesAreComponents(t *testing.T) {
	s := sources{
		"src/main.tsx": "import logo, { ReactComponent as Logo } from './logo.svg'\nimport { ReactComponent } from './logo.svg';\nimport Third from './logo.svg?react'\nconsole.log(logo, <Logo/>, <ReactComponent/>, <Third/>)",
		"src/logo.svg": `<svg xmlns="http://www.w3.org/2000/svg"><path d="M1 1"/></svg>`,
	}
	for _, mode := range bothModes {
		js := ending(result(t, reactRequest(t, mode, s)), ".js")
		wantIn(t, string(mode), js, "DOMParser", "M1 1", "dangerouslySetInnerHTML")
	}
}

func TestFilesThatAreNoModulesCanBeRequired(t *testing.T) {
	s := sources{
		"src/main.tsx": "const a = require('./a.png'), b = require(\"./b.json\").name, c = require('./a.png').default\nconsole.log(a === c, typeof a, b)\ntry { require('./c') } catch (error) { console.log(error.message) }",
		"src/a.png":    "picture", "src/b.json": `{"name": "from-json"}`, "src/c.ts": "",
	}
	for _, mode := range bothModes {
		want := "true string from-json\nrequire is not defined in the browser: import \"./c\" instead\n"
		if got := printed(t, result(t, request(mode, s))); got != want {
			t.Errorf("mode %s: got %q, want %q", mode, got, want)
		}
	}
}

// TestModulesOfNodeWorkAsInNode compares the replacements with the real ones.
func TestModulesOfNodeWorkAsInNode(t *testing.T) {
	const script = `import path, { join, basename } from 'path'
import * as posix from 'node:path/posix'
import EventEmitter, { once } from 'node:events'
import util, { promisify } from 'util'
import url from 'url'
import qs from 'querystring'
const say = (...all) => console.log(JSON.stringify(all))
for (const p of ['/a/b/../c.tar.gz', 'a//b/', './x', '..', '/', '', '.hidden', '../../a']) {
  say(path.normalize(p), path.dirname(p), path.basename(p), path.extname(p), path.isAbsolute(p), path.parse(p), path.format(path.parse(p)))
}
say(join('a', '..', '..', 'b'), join('/', 'x', '/y/'), path.resolve('/a', '../b', './c'), path.relative('/a/b/c', '/a/d'), path.relative('/a', '/a'), basename('x.ts', '.ts'), posix.sep)
const bus = new EventEmitter(), heard = []
bus.once('a', (x) => heard.push(x)); bus.on('a', (x) => heard.push(-x)); bus.prependListener('a', () => heard.push('first'))
say(bus.emit('a', 1), bus.emit('a', 2), bus.emit('b'), heard, bus.listenerCount('a'), bus.eventNames())
try { bus.emit('error', new Error('thrown')) } catch (error) { say(error.message) }
setTimeout(() => bus.emit('later', 7)); say(await once(bus, 'later'))
say(await promisify((x, done) => done(null, x * 2))(4), util.format('%s is %d%%', 'x', 5, 'more'), util.isDeepStrictEqual({ a: [1] }, { a: [1] }), util.isDeepStrictEqual({ a: 1 }, { a: 2 }))
say(url.fileURLToPath('file:///a%20b'), url.pathToFileURL('/a b').href, url.resolve('/one/two', 'three'), qs.parse('a=1&b=2&a=3'), qs.stringify({ a: [1, 2], b: 'x y' }))
`
	want := nodeSays(t, script)
	for _, mode := range bothModes {
		if got := printed(t, result(t, request(mode, sources{"src/main.tsx": script}))); got != want {
			t.Errorf("mode %s: got\n%s\nwant, as Node says,\n%s", mode, got, want)
		}
	}
	for _, name := range []string{"fs", "node:crypto", "path/win32", "util/types"} {
		got := diagnostics(t, request(build.ModePreview, sources{"src/main.tsx": "import x from '" + name + "'\nx()"}))
		if len(got) != 1 || !strings.Contains(got[0].Message, "which browsers do not have") {
			t.Errorf("%s: got %+v, want that browsers have none", name, got)
		}
	}
}
