package esbuild_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

func TestMistakesAreSaidInTheProjectsWords(t *testing.T) {
	main := func(text string) sources { return sources{"src/main.tsx": text} }
	with := func(text, name, other string) sources { return sources{"src/main.tsx": text, name: other} }
	cases := []struct {
		name string
		s    sources
		want core.Diagnostic
	}{
		{"a syntax error", main("const a = 1\nconst é = ;\n"), core.Diagnostic{Path: "src/main.tsx", Line: 2, Column: 11, Message: `Unexpected ";"`}},
		{"JSX that is not closed", main("export const a = <div>\n"), core.Diagnostic{Path: "src/main.tsx", Line: 2, Column: 1, Message: `Unexpected end of file before a closing "div" tag`}},
		{"a file that is not there", main("\n  import './nowhere'\n"), core.Diagnostic{Path: "src/main.tsx", Line: 2, Column: 10, Message: `there is no file "./nowhere" in the project`}},
		{"a rooted file that is not there", main("import '/nowhere.ts'"), core.Diagnostic{Path: "src/main.tsx", Line: 1, Column: 8, Message: `there is no file "/nowhere.ts" in the project`}},
		{"an alias that nothing defines", main("import x from '@/pkg'\nx()"), core.Diagnostic{Path: "src/main.tsx", Line: 1, Column: 15, Message: `"@/pkg" is an alias that nothing defines: add it to compilerOptions.paths in tsconfig.json, or to resolve.alias in vite.config`}},
		{"a package that is not installed", main("import x from '@scope/pkg/deep'\nx()"), core.Diagnostic{Path: "src/main.tsx", Line: 1, Column: 15, Message: `the package "@scope/pkg" is not installed: add it to the dependencies in package.json`}},
		{"a module of Node", main("import fs from 'node:fs'\nfs()"), core.Diagnostic{Path: "src/main.tsx", Line: 1, Column: 16, Message: `"fs" is a Node.js module, which browsers do not have`}},
		{"a module of Node without its mark", main("import { cpus } from 'os'\ncpus()"), core.Diagnostic{Path: "src/main.tsx", Line: 1, Column: 22, Message: `"os" is a Node.js module, which browsers do not have`}},
		{"an export that is not there", with("import { b } from './a'\nb()", "src/a.ts", "export const a = 1"), core.Diagnostic{Path: "src/main.tsx", Line: 1, Column: 10, Message: `No matching export in "src/a.ts" for import "b"`}},
		{"invalid JSON", with("import './a.json'", "src/a.json", "{\n  \"a\": tru\n}"), core.Diagnostic{Path: "src/a.json", Line: 2, Column: 8, Message: `Unexpected "tru" in JSON`}},
		{"CSS without its end", with("import './a.css'", "src/a.css", "a {\n color: red;\n"), core.Diagnostic{Path: "src/a.css", Line: 3, Column: 1, Message: `Expected "}" to go with "{"`}},
		{"a style sheet that is not there", with("import './a.css'", "src/a.css", "@import './b.css';"), core.Diagnostic{Path: "src/a.css", Line: 1, Column: 9, Message: `there is no file "./b.css" in the project`}},
		{"a picture that is not there", with("import './a.css'", "src/a.css", "a { background: url(none.png) }"), core.Diagnostic{Path: "src/a.css", Line: 1, Column: 17, Message: `there is no file "none.png" in the project`}},
		{"a picture in a folder like a module", with("import './a.css'", "src/a.css", "a { background: url(path/none.png) }"), core.Diagnostic{Path: "src/a.css", Line: 1, Column: 17, Message: `there is no file "path/none.png" in the project`}},
		{"a picture of a package", with("import './a.css'", "src/a.css", "a { background: url(@scope/pkg/a.png) }"), core.Diagnostic{Path: "src/a.css", Line: 1, Column: 17, Message: `the package "@scope/pkg" is not installed: add it to the dependencies in package.json`}},
		{"a compiler that is not there", with("import './a.vue'", "src/a.vue", "<template/>"), core.Diagnostic{Path: "src/main.tsx", Line: 1, Column: 8, Message: ".vue files need a compiler that this builder does not have"}},
		{"a file that means nothing", with("import './a.xyz'", "src/a.xyz", "?"), core.Diagnostic{Path: "src/main.tsx", Line: 1, Column: 8, Message: `.xyz files cannot be imported as they are: add "?raw" for their text or "?url" for their address`}},
		{"a suffix that means nothing", with("import './w?wrong'", "src/w.ts", "1"), core.Diagnostic{Path: "src/main.tsx", Line: 1, Column: 8, Message: `the import suffix "?wrong" is not supported`}},
		{"a computed import", main("const x = 'a'\nimport(`./pages/${x}`)"), core.Diagnostic{Path: "src/main.tsx", Line: 2, Column: 1, Message: "the path of import() must be written out, so that the file can be found when the project is built"}},
		{"a script that is not there", sources{"index.html": "<!doctype html>\n<p>é</p> <script type=module src=/src/none.tsx></script>"}, core.Diagnostic{Path: "index.html", Line: 2, Column: 10, Message: `there is no file "src/none.tsx" in the project`}},
		{"an inline script", sources{"index.html": "<!doctype html>\n<script type=module>let a = ;</script>"}, core.Diagnostic{Path: "index.html", Line: 2, Column: 29, Message: `Unexpected ";"`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range bothModes {
				if got := diagnostics(t, request(mode, c.s)); len(got) != 1 || got[0] != c.want {
					t.Errorf("mode %s: got %+v, want only %+v", mode, got, c.want)
				}
			}
		})
	}
}

func TestEveryMistakeIsReportedOnceAndInOrder(t *testing.T) {
	s := sources{"src/main.tsx": "import './b'\nimport './a'\nimport './none'\n", "src/a.ts": "let a = ;\n", "src/b.ts": "import './a'\nlet b = ;\n"}
	for _, mode := range bothModes {
		var places []string
		for _, d := range diagnostics(t, request(mode, s)) {
			places = append(places, fmt.Sprintf("%s:%d:%d", d.Path, d.Line, d.Column))
		}
		if got, want := strings.Join(places, " "), "src/a.ts:1:9 src/b.ts:2:9 src/main.tsx:3:8"; got != want {
			t.Errorf("mode %s: got %s, want %s", mode, got, want)
		}
	}
}

func TestMistakesOfPackagesNameThePackage(t *testing.T) {
	files := map[string]string{
		"broken/package.json": manifest("broken", "1.0.0", nil), "broken/index.js": "exports.a = (\n",
		"needy/package.json": manifest("needy", "1.0.0", nil), "needy/index.mjs": "import 'peer-that-is-missing'\nexport default 1", "needy/index.js": "",
	}
	files["needy/package.json"] = manifest("needy", "1.0.0", map[string]any{"main": "index.mjs"})
	for _, mode := range bothModes {
		req := request(mode, sources{"src/main.tsx": "import b from 'broken'\nb()"})
		req.Packages, req.PackagesKey = modules(t, files), "k"
		if got := diagnostics(t, req)[0]; got.Path != "node_modules/broken/index.js" || got.Line != 2 {
			t.Errorf("mode %s: got %+v, want a place in node_modules/broken/index.js", mode, got)
		}
		req.Files = sources{"src/main.tsx": "import n from 'needy'\nn()"}.files()
		got := diagnostics(t, req)[0]
		wantIn(t, string(mode), got.Message, `"peer-that-is-missing" is not installed`)
		wantIn(t, string(mode), got.Path, "node_modules/needy/index.mjs")
	}
}

func TestTooMuchIsADiagnostic(t *testing.T) {
	large := strings.Repeat("/", 4<<20+1)
	cases := map[string]sources{
		"a large module": {"src/main.tsx": "import './a'", "src/a.ts": large},
		"a large page":   {"index.html": page + large, "src/main.tsx": ""},
		"many mistakes":  {"src/main.tsx": strings.Repeat("import './none'\n", 500)},
	}
	for name, s := range cases {
		for _, mode := range bothModes {
			if got := diagnostics(t, request(mode, s)); len(got) > 100 {
				t.Errorf("%s, mode %s: got %d diagnostics, want at most 100", name, mode, len(got))
			}
		}
	}
	files := sources{"src/main.tsx": ""}.files()
	for i := range 10_001 {
		files[fmt.Sprintf("public/%d", i)] = &fstest.MapFile{}
	}
	got := diagnostics(t, build.Request{Mode: build.ModeSite, Files: files})
	wantIn(t, "many files", got[0].Message, "more than 10000 files")
}
