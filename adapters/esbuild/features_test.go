package esbuild_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/build"
)

// printed runs the scripts of a result's page with Node, each module by its address, and
// returns their output. There is no document.
func printed(t *testing.T, files map[string]build.File) string {
	t.Helper()
	dir := t.TempDir()
	for name, file := range files {
		text := regexp.MustCompile(`"/(@app|@deps|assets)/`).ReplaceAllString(string(file.Content), `"`+dir+`/$1/`)
		// A site's minifier may have used other quotes.
		text = strings.ReplaceAll(text, "`/assets/", "`"+dir+"/assets/")
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, dir, "package.json", `{"type": "module"}`)
	entry := regexp.MustCompile(`<script type="module" src="(/[^"]*main[^"]*)"`).FindSubmatch(files["index.html"].Content)
	if entry == nil {
		t.Fatalf("got the page %q, want the entry in it", files["index.html"].Content)
	}
	writeFile(t, dir, "run.mjs", fmt.Sprintf("const plain = (v) => typeof v === 'string' ? v.replaceAll(%q, '') : v\nconst log = console.log\nconsole.log = (...all) => log(...all.map(plain))\nawait import(%q)\n", dir, dir+string(entry[1])))
	command := exec.Command("node", "run.mjs")
	command.Dir = dir
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, output)
	}
	return string(output)
}

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestGlobsFindFiles(t *testing.T) {
	s := sources{
		"tsconfig.json": `{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}`,
		"src/main.tsx": `const lazy = import.meta.glob('./pages/*.ts')
import.meta.glob('./pages/*.ts')
for (const path in lazy) console.log('lazy', path, ((await lazy[path]()) as any).default)
const eager = import.meta.glob<{ default: string }>(['./pages/**/*.ts', '!./pages/b.ts'], { eager: true })
for (const path in eager) console.log('eager', path, eager[path].default)
console.log('named', import.meta.glob('/src/pages/{a,b}.ts', { import: 'name', eager: true, }))
console.log('text', import.meta.glob("@/notes/*.md", { query: '?raw', import: 'default', eager: true }))
console.log('legacy', import.meta.glob('./notes/*.md', { as: 'raw', eager: true }))
const one = import.meta.glob('./pages/a.ts', { import: 'name' })
console.log('member', await one['./pages/a.ts']())
console.log('none', import.meta.glob('./none/*'), import.meta.glob('../../*'), import.meta.glob('./*.tsx'))
// import.meta.glob(computed) in a comment
`,
		"src/pages/a.ts": "export default 'page-a'\nexport const name = 'name-a'", "src/pages/b.ts": "export default 'page-b'\nexport const name = 'name-b'",
		"src/pages/deep/c.ts": "export default 'page-c'", "src/notes/n.md": "# note", "src/pages/.hidden.ts": "export default 'hidden'",
	}
	want := `lazy ./pages/a.ts page-a
lazy ./pages/b.ts page-b
eager ./pages/a.ts page-a
eager ./pages/deep/c.ts page-c
named { '/src/pages/a.ts': 'name-a', '/src/pages/b.ts': 'name-b' }
text { '/src/notes/n.md': '# note' }
legacy { './notes/n.md': '# note' }
member name-a
none {} {} {}
`
	for _, mode := range bothModes {
		if got := printed(t, result(t, request(mode, s))); got != want {
			t.Errorf("mode %s: got\n%swant\n%s", mode, got, want)
		}
	}
}

func TestTypesAroundTheArgumentsOfAGlobMeanNothing(t *testing.T) {
	for _, arguments := range []string{
		`"./posts/*.txt", { query: "?raw", import: "default", eager: true } as const`,
		`'./posts/*.txt', { query: '?raw', import: 'default', eager: true } as any`,
		`'./posts/*.txt' as string, { query: '?raw' as const, import: 'default', eager: true as const } satisfies Options<(a: ')') => void>,`,
		`(['./posts/*.txt' as const]), ({ query: '?raw', import: 'default', eager: true /* ) */ }) as { eager: true }`,
		"(`./posts/*.txt`)!, <Options>{ query: '?raw', import: 'default', eager: true }!",
		`['./posts/*.txt', '!./posts/(b).txt'] as const, { query: '?raw', import: 'default', // )
			eager: true } as any as Options`,
	} {
		s := sources{"src/main.ts": "type Options<T = any> = T\nconsole.log(import.meta.glob(" + arguments + "), 'after')", "src/posts/a.txt": "text of a",
			"index.html": strings.Replace(page, "main.tsx", "main.ts", 1)}
		for _, mode := range bothModes {
			if got := printed(t, result(t, request(mode, s))); got != "{ './posts/a.txt': 'text of a' } after\n" {
				t.Errorf("mode %s: %s: got %q", mode, arguments, got)
			}
		}
	}
}

func TestAGlobGetsNewFiles(t *testing.T) {
	s := sources{"src/main.tsx": "console.log(Object.keys(import.meta.glob('./pages/*.ts')).join())", "src/pages/a.ts": "export {}"}
	for _, mode := range bothModes {
		builder := openBuilder(t)
		if got := printed(t, resultOf(t, builder, request(mode, s))); got != "./pages/a.ts\n" {
			t.Errorf("mode %s: got %q, want the one file", mode, got)
		}
		more := maps.Clone(s)
		more["src/pages/b.ts"] = "export {}"
		if got := printed(t, resultOf(t, builder, request(mode, more))); got != "./pages/a.ts,./pages/b.ts\n" {
			t.Errorf("mode %s: got %q, want the new file too", mode, got)
		}
	}
}

func TestGlobsThatCannotBeRead(t *testing.T) {
	many := sources{"src/main.tsx": "import.meta.glob('./many/*')"}
	for i := range 2001 {
		many[fmt.Sprintf("src/many/%d.ts", i)] = ""
	}
	for _, mode := range bothModes {
		for _, call := range []string{"import.meta.glob(pattern)", "import.meta.glob(`./${x}/*`)", "import.meta.glob('./a' + x)", "import.meta.glob()", "import.meta.glob([])", "import.meta.glob('./*', options)", "import.meta.glob('./*', { import: 'a-b' })"} {
			got := diagnostics(t, request(mode, sources{"src/main.tsx": "\nconsole.log(" + call + ")"}))
			if got[0].Path != "src/main.tsx" || got[0].Line != 2 || got[0].Column != 13 || !strings.Contains(got[0].Message, "must be written out") {
				t.Errorf("mode %s: %s: got %+v, want its place", mode, call, got[0])
			}
		}
		if got := diagnostics(t, request(mode, many)); !strings.Contains(got[0].Message, "too many files") {
			t.Errorf("mode %s: got %+v, want the bound", mode, got[0])
		}
	}
}

func TestImportsWithTemplatesFindFiles(t *testing.T) {
	s := sources{
		"src/main.tsx": "const show = async (lang: string) => (await import(`./lang/${lang}.ts`)).default\n" +
			"console.log(await show('de'), await show('en'), await show('fr').catch((e) => e.message))\n" +
			"console.log((await import(`./plain`)).default)\nconst x = 'b', y = 'c'\nimport(`./lang/${x}.ts`).catch((e) => e)\nconsole.log((await import(/* why */ `./a/${x}/m-${y}.js`)).default)",
		"src/lang/de.ts": "export default 'hallo'", "src/lang/en.ts": "export default 'hello'", "src/plain.ts": "export default 'plain'", "src/a/b/m-c.js": "export default 'm-c'",
	}
	for _, mode := range bothModes {
		if got, want := printed(t, result(t, request(mode, s))), "hallo hello there is no file ./lang/fr.ts\nplain\nm-c\n"; got != want {
			t.Errorf("mode %s: got %q, want %q", mode, got, want)
		}
	}
}

func TestFilesHaveAddresses(t *testing.T) {
	s := sources{
		"src/main.tsx": "console.log(new URL('./logo.png', import.meta.url).pathname)\nconst name = 'b'\nconsole.log(new URL(`./img/${name}.png`, import.meta.url).pathname)\n" +
			"console.log(new URL('https://example.com/x.png', import.meta.url).href)\nimport init from './sum.wasm?init'\nimport wasm from './sum.wasm?url'\nconsole.log(typeof init, wasm)\n",
		"src/logo.png": "PNG", "src/img/a.png": "A", "src/img/b.png": "B", "src/sum.wasm": "\x00asm",
	}
	for _, mode := range bothModes {
		files := result(t, request(mode, s))
		lines := strings.Split(printed(t, files), "\n")
		for i, want := range []string{"PNG", "B"} {
			name := strings.TrimPrefix(lines[i], "/")
			if string(files[name].Content) != want || !files[name].Immutable {
				t.Errorf("mode %s: got %q, want the address of %s", mode, name, want)
			}
		}
		wasm, _ := strings.CutPrefix(lines[3], "function /")
		if lines[2] != "https://example.com/x.png" || string(files[wasm].Content) != "\x00asm" {
			t.Errorf("mode %s: got %q, want the address as it is, and that of the module", mode, lines[2:])
		}
	}
}

func TestWorkersAreBundled(t *testing.T) {
	s := sources{
		"src/main.tsx": "import Counter from './count?worker'\nimport Inline from './count?worker&inline'\nimport address from './count?worker&url'\nimport Shared from './count?sharedworker'\n" +
			"const w = new Worker(new URL('./work.ts', import.meta.url), { type: 'module' })\nconst old = new Worker(new URL(\"./classic.js\", import.meta.url))\nconsole.log(Counter, Inline, address, Shared, w, old)\n",
		"src/count.ts":   "import { add } from './add'\nimport { useThing } from 'esm-lib'\nself.postMessage([add(1), import.meta.env.MODE, useThing])",
		"src/work.ts":    "import { add } from './add'\nself.onmessage = (e) => self.postMessage(add(e.data) + 'module-work')\nnew Worker(new URL('./classic.js', import.meta.url))",
		"src/classic.js": "import { add } from './add'\nself.postMessage('classic-work' + add(1))",
		"src/add.ts":     "export const add = (n: number) => n + 4711",
	}
	for _, mode := range bothModes {
		files := result(t, reactRequest(t, mode, s))
		var workers []string
		for name, file := range files {
			if strings.HasPrefix(name, "assets/") && strings.Contains(string(file.Content), "4711") && !strings.HasPrefix(name, "assets/main-") {
				workers = append(workers, name)
				if strings.Contains(name, "classic") && strings.Contains(string(file.Content), "export") || !file.Immutable {
					t.Errorf("mode %s: got %s as %.200s, want a script for ever", mode, name, file.Content)
				}
			}
		}
		if len(workers) != 3 {
			t.Errorf("mode %s: got workers %q, want count, work and classic", mode, workers)
		}
		wantIn(t, string(mode), ending(files, ".js"), "createObjectURL", "SharedWorker", "esm-lib-thing", "type:")
	}
}

func TestWorkersThatStartOneAnotherAreRefused(t *testing.T) {
	s := sources{"src/main.tsx": "import './a?worker'", "src/a.ts": "import W from './b?worker'\nconsole.log(W)", "src/b.ts": "import W from './a?worker'\nconsole.log(W)"}
	for _, mode := range bothModes {
		if got := diagnostics(t, request(mode, s)); !strings.Contains(got[0].Message, "in a cycle") {
			t.Errorf("mode %s: got %+v, want the cycle", mode, got)
		}
	}
}

func TestMistakesInAWorkerHaveTheirPlace(t *testing.T) {
	s := sources{"src/main.tsx": "new Worker(new URL('./w.ts', import.meta.url), { type: 'module' })", "src/w.ts": "\nconst a = [1, 2)\n"}
	for _, mode := range bothModes {
		if got := diagnostics(t, request(mode, s)); got[0].Path != "src/w.ts" || got[0].Line != 2 {
			t.Errorf("mode %s: got %+v, want src/w.ts:2", mode, got)
		}
	}
}

func TestConfigsThatExtendOneAnotherAreRefused(t *testing.T) {
	wide := `{"extends": [` + strings.TrimSuffix(strings.Repeat(`"./wide.json",`, 1000), ",") + `]}`
	for name, s := range map[string]sources{
		"itself":       {"tsconfig.json": `{"extends": "./tsconfig.json"}`},
		"in a cycle":   {"tsconfig.json": `{"extends": "./a"}`, "a.json": `{"extends": "./b.json"}`, "b.json": `{"extends": "./a.json"}`},
		"many at once": {"tsconfig.json": `{"extends": "./wide"}`, "wide.json": wide},
	} {
		s["src/main.tsx"] = "console.log(1)"
		for _, mode := range bothModes {
			if got := diagnostics(t, request(mode, s)); !strings.HasSuffix(got[0].Path, ".json") || !strings.Contains(got[0].Message, "extends") {
				t.Errorf("mode %s, %s: got %+v, want a diagnostic about extends", mode, name, got)
			}
		}
	}
}

func TestAnAliasThatLeadsToItselfFindsNothing(t *testing.T) {
	s := sources{"tsconfig.json": `{"compilerOptions": {"paths": {"@/*": ["@/*"], "~/*": ["@/*"]}}}`, "src/main.tsx": "import '@/a'\nimport '~/a'"}
	for _, mode := range bothModes {
		if got := diagnostics(t, request(mode, s)); len(got) != 2 || got[0].Path != "src/main.tsx" {
			t.Errorf("mode %s: got %+v, want both imports refused", mode, got)
		}
	}
}

func TestHostileNamesStayNames(t *testing.T) {
	names := []string{`a'b`, `a"b`, "a b", "a%20b", "é🙂", "a&lt;b", "a$b", "a`b", "<script>", "@app", "~runtime", ".dot", "a~2eb", "[id]", "(group)", "a;b,c", "a\nb"}
	s := sources{}
	main := ""
	for i, name := range names {
		file := "src/" + name + "/x" + name + ".ts"
		s[file] = fmt.Sprintf("import './style.css'\nexport const value = 'value-%d'", i)
		s["src/"+name+"/style.css"] = fmt.Sprintf(".c%d { color: red }", i)
		quoted, _ := json.Marshal("./" + name + "/x" + name)
		main += fmt.Sprintf("import { value as v%d } from %s\nconsole.log(v%d)\n", i, quoted, i)
	}
	s["src/main.tsx"] = main
	s["public/@app/modules.json"] = "not the manifest"
	files := result(t, request(build.ModePreview, s))
	var want strings.Builder
	for i := range names {
		fmt.Fprintf(&want, "value-%d\n", i)
	}
	if got := printed(t, files); got != want.String() {
		t.Errorf("got %q, want every module's value", got)
	}
	plain := regexp.MustCompile(`^[A-Za-z0-9_@~./+-]+$`)
	for name := range files {
		if strings.HasPrefix(name, "@app/") && (!plain.MatchString(name) || strings.Contains(name, "/.")) {
			t.Errorf("got the path %q, want plain characters", name)
		}
	}
	var about struct{ Modules map[string]any }
	if err := json.Unmarshal(files["@app/modules.json"].Content, &about); err != nil || len(about.Modules) != 2*len(names)+1 {
		t.Errorf("got a manifest of %d modules, %v, want %d", len(about.Modules), err, 2*len(names)+1)
	}
}

func TestSourcesThatAreTooMuch(t *testing.T) {
	huge := sources{"src/main.tsx": "import './big'", "src/big.ts": "const a = '" + strings.Repeat("x", 50<<20) + "'"}
	for _, mode := range bothModes {
		if got := diagnostics(t, request(mode, huge)); !strings.Contains(got[0].Message, `"src/big.ts" is larger than`) {
			t.Errorf("mode %s: got %+v, want the size", mode, got)
		}
	}
	many := sources{}
	main := ""
	for i := range 10_100 {
		many[fmt.Sprintf("src/m/%d.ts", i)] = ""
		main += fmt.Sprintf("import './m/%d.ts'\n", i)
	}
	many["src/main.tsx"] = main
	if got := diagnostics(t, request(build.ModePreview, many)); !strings.Contains(got[0].Message, "more than") {
		t.Errorf("got %+v, want the bound", got[0])
	}
}

func TestLongChainsAndCirclesAreBuilt(t *testing.T) {
	s := sources{"src/main.tsx": "import { v } from './m0'\nconsole.log(v)"}
	const length = 300
	for i := range length {
		s[fmt.Sprintf("src/m%d.ts", i)] = fmt.Sprintf("export { v } from './m%d'", i+1)
	}
	s[fmt.Sprintf("src/m%d.ts", length)] = "import * as all from './m0'\nexport const v = 'the end ' + typeof all"
	for _, mode := range bothModes {
		if got := printed(t, result(t, request(mode, s))); got != "the end object\n" {
			t.Errorf("mode %s: got %q, want the value from the end of the chain", mode, got)
		}
	}
}

// nodeSays returns what a module prints in Node.
func nodeSays(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, dir, "main.mjs", script)
	output, err := exec.Command("node", filepath.Join(dir, "main.mjs")).CombinedOutput()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, output)
	}
	return string(output)
}
