package esbuild_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/ports/build"
)

// about is the manifest of a preview.
type about struct {
	Files string
	Pages map[string]struct {
		HTML           string
		Entries, Links []string
	}
	Modules map[string]struct {
		Version     string
		Replaceable bool
	}
}

func manifestOf(t *testing.T, files map[string]build.File) about {
	t.Helper()
	var a about
	if err := json.Unmarshal(files["@app/modules.json"].Content, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// changes builds sources before and after an edit, and returns the addresses of the
// modules whose versions differ.
func changes(t *testing.T, builder build.Builder, req build.Request, s, edit sources) (changed []string, before, after about) {
	t.Helper()
	req.Files = s.files()
	before = manifestOf(t, resultOf(t, builder, req))
	edited := maps.Clone(s)
	maps.Copy(edited, edit)
	req.Files = edited.files()
	after = manifestOf(t, resultOf(t, builder, req))
	for address, module := range after.Modules {
		if before.Modules[address].Version != module.Version {
			changed = append(changed, address)
		}
	}
	return changed, before, after
}

var versioned = regexp.MustCompile(`"(/@app/[^"?]+)\?v=([0-9a-f]{8})"`)

var counterApp = sources{
	"src/main.tsx":        "import { createRoot } from 'react-dom/client'\nimport App from './App'\nimport './main.css'\ncreateRoot(document.body).render(<App />)\n",
	"src/App.tsx":         "import { Counter } from './Counter'\nexport default function App() { return <Counter /> }\n",
	"src/Counter.tsx":     "import { useState } from 'react'\nimport { label } from './label'\nimport styles from './card.module.css'\nexport const Counter = () => { const [n] = useState(0); return <b className={styles.card}>{label}{n}</b> }\n",
	"src/label.ts":        "export const label = 'one'\n",
	"src/main.css":        "b { color: red }\n",
	"src/card.module.css": ".card { color: blue }\n",
}

func TestASaveChangesFewVersions(t *testing.T) {
	req := reactRequest(t, build.ModePreview, counterApp)
	builder := openBuilder(t)
	for name, c := range map[string]struct {
		edit sources
		want []string
	}{
		"a component":                      {sources{"src/Counter.tsx": strings.Replace(counterApp["src/Counter.tsx"], "<b ", "<b title=\"x\" ", 1)}, nil},
		"a constant":                       {sources{"src/label.ts": "export const label = 'two'\n"}, []string{"/@app/src/Counter.tsx.js", "/@app/src/label.ts.js"}},
		"a style sheet":                    {sources{"src/main.css": "b { color: blue }\n"}, []string{"/@app/src/main.css.js"}},
		"the rules of a module":            {sources{"src/card.module.css": ".card { color: red }\n"}, []string{"/@app/src/card.module.css.js"}},
		"the names of a module":            {sources{"src/card.module.css": ".card { color: red }\n.b { top: 0 }"}, []string{"/@app/src/card.module.css.js", "/@app/src/Counter.tsx.js"}},
		"the entry":                        {sources{"src/main.tsx": counterApp["src/main.tsx"] + "console.log(1)\n"}, []string{"/@app/src/main.tsx.js"}},
		"only the text of a source":        {sources{"src/label.ts": "export const label = 'one' // one\n"}, []string{}},
		"a boundary that is no longer one": {sources{"src/Counter.tsx": counterApp["src/Counter.tsx"] + "export const size = 1\n"}, []string{"/@app/src/Counter.tsx.js", "/@app/src/App.tsx.js"}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want == nil {
				c.want = []string{"/@app/src/Counter.tsx.js"}
			}
			changed, before, after := changes(t, builder, req, counterApp, c.edit)
			got, want := make(map[string]bool), make(map[string]bool)
			for _, address := range changed {
				got[address] = true
			}
			for _, address := range c.want {
				want[address] = true
			}
			if !maps.Equal(got, want) {
				t.Errorf("got new versions of %v, want of %v", got, want)
			}
			if before.Files != after.Files || before.Pages["index.html"].HTML != after.Pages["index.html"].HTML {
				t.Error("got other files or another page, want them as they were")
			}
		})
	}
}

func TestTheManifestSaysWhatCanBeReplaced(t *testing.T) {
	a := manifestOf(t, result(t, reactRequest(t, build.ModePreview, counterApp)))
	for address, want := range map[string]bool{
		"/@app/src/main.tsx.js": false, "/@app/src/App.tsx.js": true, "/@app/src/Counter.tsx.js": true, "/@app/src/label.ts.js": false,
		"/@app/src/main.css.js": true, "/@app/src/card.module.css.js": true, "/@app/~jsx/react/jsx-dev-runtime.js": false,
	} {
		if got := a.Modules[address]; got.Replaceable != want || len(got.Version) != 8 {
			t.Errorf("got %+v for %s, want replaceable %v", got, address, want)
		}
	}
	if got := a.Pages["index.html"].Entries; len(got) != 1 || got[0] != "/@app/src/main.tsx.js" {
		t.Errorf("got entries %q, want main.tsx", got)
	}
}

func TestWhatAPageCannotFollowChangesTheManifest(t *testing.T) {
	s := maps.Clone(counterApp)
	s["public/a.txt"], s["index.html"] = "one", page
	builder, req := openBuilder(t), reactRequest(t, build.ModePreview, s)
	req.Env = map[string]string{"VITE_A": "1"}
	_, before, after := changes(t, builder, req, s, sources{"public/a.txt": "two"})
	if before.Files == after.Files {
		t.Error("got the same for another public file, want another")
	}
	_, before, after = changes(t, builder, req, s, sources{"index.html": strings.Replace(page, "<title>t", "<title>u", 1)})
	if before.Pages["index.html"].HTML == after.Pages["index.html"].HTML {
		t.Error("got the same for another page, want another")
	}
	req.Env = map[string]string{"VITE_A": "2"}
	if got := manifestOf(t, resultOf(t, builder, req)); got.Files == before.Files {
		t.Error("got the same for another environment, want another")
	}
}

func TestModulesAreImportedUnderOneAddress(t *testing.T) {
	s := maps.Clone(counterApp)
	s["src/Other.tsx"] = "import { label } from './label'\nimport { Counter } from './Counter'\nexport const Other = () => <i>{label}<Counter /></i>\n"
	s["src/App.tsx"] = "import { Counter } from './Counter'\nimport { Other } from './Other'\nimport { label } from '/src/label.ts'\nexport default function App() { return <b>{label}<Counter /><Other /></b> }\n"
	builder, req := openBuilder(t), reactRequest(t, build.ModePreview, s)
	for range 3 {
		s["src/Other.tsx"] += "// more\n"
		s["src/label.ts"] = strings.Replace(s["src/label.ts"], "one", "one more", 1)
		req.Files = s.files()
		files := resultOf(t, builder, req)
		wantComplete(t, build.ModePreview, files)
		a := manifestOf(t, files)
		for name, file := range files {
			for _, match := range versioned.FindAllStringSubmatch(string(file.Content), -1) {
				if strings.HasSuffix(name, ".js") && a.Modules[match[1]].Version != match[2] {
					t.Errorf("got %s?v=%s in %s, want the version %s", match[1], match[2], name, a.Modules[match[1]].Version)
				}
			}
			if strings.HasPrefix(name, "@app/") && file.Immutable {
				t.Errorf("got %s for ever, want it asked for", name)
			}
		}
	}
}

func TestAMissingExportIsAMistake(t *testing.T) {
	s := sources{
		"src/main.tsx":  "import { there, gone as g } from './barrel'\nimport none from './values'\nimport * as all from './values'\nconsole.log(there, g, none, all.whatever)\n",
		"src/barrel.ts": "export * from './values'\nexport * from './barrel'\nexport { Shape, there as again } from './values'\n",
		"src/values.ts": "export const there = 1\nexport interface Shape { a: 1 }\n",
	}
	got := diagnostics(t, request(build.ModePreview, s))
	if len(got) != 2 || got[0].Message != `No matching export in "src/barrel.ts" for import "gone"` || got[0].Path != "src/main.tsx" || got[0].Line != 1 || got[0].Column != 17 || got[1].Line != 2 {
		t.Errorf("got %+v, want both imports at their places", got)
	}
	s["src/main.tsx"] = "import { there, again } from './barrel'\nconsole.log(there, again)\n"
	for _, mode := range bothModes {
		if got := printed(t, result(t, request(mode, s))); got != "1 1\n" {
			t.Errorf("mode %s: got %q, want the page to run without the type", mode, got)
		}
	}
}

func TestABarrelOfBarrelsIsLinkedSoon(t *testing.T) {
	s := sources{"src/main.tsx": "import { gone } from './b0'\nconsole.log(gone)", "src/b40.ts": "export const there = 1"}
	for i := range 40 {
		next := "./b" + string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10))
		next = strings.Replace(next, "./b0", "./b", 1)
		s["src/b"+strings.TrimPrefix(string(rune('0'+i/10))+string(rune('0'+i%10)), "0")+".ts"] = "export * from '" + next + "'\nexport * from '" + next + ".ts'\nexport * from '/src/" + next[2:] + "'\n"
	}
	s["src/b0.ts"] = "export * from './b1'"
	if got := diagnostics(t, request(build.ModePreview, s)); !strings.Contains(got[0].Message, "No matching export") {
		t.Errorf("got %+v, want the missing export", got)
	}
}

func TestAnOpenPreviewWeighsLittle(t *testing.T) {
	s := maps.Clone(counterApp)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		s["src/"+name+".tsx"] = "import { useState } from 'react'\nexport const Part = () => <p>{useState(0)[0]}\n" + strings.Repeat("<b className=\"text\">Some words of the page</b>\n", 200) + "</p>\n"
		s["src/App.tsx"] = "import { Part as P" + name + " } from './" + name + "'\nconsole.log(P" + name + ")\n" + s["src/App.tsx"]
	}
	total := 0
	for name, file := range result(t, reactRequest(t, build.ModePreview, s)) {
		if !strings.HasPrefix(name, "@deps/") {
			total += len(file.Content)
		}
	}
	if total > 1<<20 {
		t.Errorf("got %d bytes, want at most 1 MB", total)
	}
}

func TestUnchangedModulesKeepTheirPlaceInMemory(t *testing.T) {
	builder, err := esbuild.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	req := reactRequest(t, build.ModePreview, counterApp)
	first := resultOf(t, builder, req)
	edited := maps.Clone(counterApp)
	edited["src/label.ts"] = "export const label = 'two'\n"
	req.Files = edited.files()
	second := resultOf(t, builder, req)
	same := func(name string) bool { return &first[name].Content[0] == &second[name].Content[0] }
	for name, want := range map[string]bool{"@app/src/main.tsx.js": true, "@app/src/App.tsx.js": false, "@app/src/main.css.js": true, "@app/src/label.ts.js": false, "@app/src/App.tsx.js.map": true} {
		if got := same(name); got != want {
			t.Errorf("%s: got the same bytes %v, want %v", name, got, want)
		}
	}
}

func TestModulesThatWereMadeSeeWhatComesLater(t *testing.T) {
	base := sources{"src/main.tsx": "import { v } from './a'\nimport './main.css'\nimport data from '@/data.json'\nconsole.log(v, data.v)\n", "src/a.js": "export const v = 'a.js'", "src/main.css": "@import './base.css';", "src/base.css": "b { top: 1px }", "tsconfig.json": `{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}`, "src/data.json": `{"v": 1}`, "other/data.json": `{"v": 2}`}
	builder := openBuilder(t)
	for _, c := range []struct {
		name string
		edit sources
		want string
	}{
		{"nothing", nil, "a.js 1 | b {\n  top: 1px;"},
		{"a file that comes before another", sources{"src/a.tsx": "export const v = 'a.tsx'"}, "a.tsx 1 | b {\n  top: 1px;"},
		{"the other file gone", nil, "a.js 1 | b {\n  top: 1px;"},
		{"a style sheet that another imports", sources{"src/base.css": "b { top: 2px }"}, "a.js 1 | b {\n  top: 2px;"},
		{"an alias", sources{"tsconfig.json": `{"compilerOptions": {"paths": {"@/*": ["./other/*"]}}}`}, "a.js 2 | b {\n  top: 1px;"},
		{"data", sources{"src/data.json": `{"v": 3}`}, "a.js 3 | b {\n  top: 1px;"},
	} {
		s := maps.Clone(base)
		maps.Copy(s, c.edit)
		files := resultOf(t, builder, request(build.ModePreview, s))
		if got := strings.TrimSpace(printed(t, files)) + " | " + styledBy(files); !strings.Contains(strings.ReplaceAll(got, "/* project:src/base.css */\n", ""), c.want) {
			t.Errorf("%s: got %q, want %q in it", c.name, got, c.want)
		}
	}
}

func TestManyPreviewsShareABuilder(t *testing.T) {
	builder, req := openBuilder(t), reactRequest(t, build.ModePreview, counterApp)
	for i := range 30 {
		s := maps.Clone(counterApp)
		s["src/label.ts"] = strings.Replace(s["src/label.ts"], "one", "label "+strings.Repeat("x", i), 1)
		req.Files = s.files()
		files := resultOf(t, builder, req)
		wantIn(t, "the preview", string(files["@app/src/label.ts.js"].Content), "label "+strings.Repeat("x", i)+`"`)
		wantComplete(t, build.ModePreview, files)
	}
}
