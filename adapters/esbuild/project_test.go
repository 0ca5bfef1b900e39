package esbuild_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/build"
)

func TestImportsFindTheirFiles(t *testing.T) {
	s := sources{
		"tsconfig.json": "{\n  // comments are fine\n  \"extends\": \"./base\",\n  \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\"], \"exact\": [\"./src/exact.ts\"], \"two/*\": [\"./none/*\", \"./src/*\"] }, },\n}",
		"base.json":     `{ "compilerOptions": { "baseUrl": "." } }`,
		"src/main.tsx": "import a from '@/a'\nimport { b } from './b.js'\nimport c from 'exact'\nimport d from 'two/d'\nimport e from '/src/e'\nimport f from './f'\nimport g from 'src/g'\n" +
			"import h from './data.json'\nconsole.log(a, b, c, d, e, f, g, h.name)\n",
		"src/a.ts": "export default 'from-a'", "src/b.ts": "export const b = 'from-b'", "src/exact.ts": "export default 'from-exact'",
		"src/d.jsx": "export default 'from-d'", "src/e.mjs": "export default 'from-e'", "src/f/index.tsx": "export default 'from-f'",
		"src/g.js": "export default 'from-g'", "src/data.json": `{"name": "from-json"}`,
	}
	for _, mode := range bothModes {
		js := ending(result(t, request(mode, s)), ".js")
		wantIn(t, string(mode), js, "from-a", "from-b", "from-exact", "from-d", "from-e", "from-f", "from-g", "from-json")
	}
}

// TestAByteOrderMarkIsNoPartOfAConfiguration: editors on Windows write one.
func TestAByteOrderMarkIsNoPartOfAConfiguration(t *testing.T) {
	for _, config := range []string{"tsconfig.json", "jsconfig.json"} {
		s := sources{
			config: "\ufeff" + `{"extends": "./base.json", "compilerOptions": {}}`, "base.json": "\ufeff" + `{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}`,
			".env": "\ufeffVITE_A=from-env\n", "src/main.tsx": "import '@/a'\nimport b from './b.json'\nconsole.log(import.meta.env.VITE_A, b)", "src/a.ts": "console.log('from-a')", "src/b.json": "\ufeff\"from-b\"",
		}
		for _, mode := range bothModes {
			wantIn(t, config+" "+string(mode), ending(result(t, request(mode, s)), ".js"), "from-a", "from-env", "from-b")
		}
	}
}

func TestAPathsOfTheApplicationsOwnConfigAreRead(t *testing.T) {
	s := sources{
		"tsconfig.json":     `{"files": [], "references": [{"path": "./tsconfig.app.json"}]}`,
		"tsconfig.app.json": `{"compilerOptions": {"paths": {"~/*": ["./src/*"]}}}`,
		"src/main.tsx":      "import '~/a'", "src/a.ts": "console.log('from-a')",
	}
	wantIn(t, "site", ending(result(t, request(build.ModeSite, s)), ".js"), "from-a")
}

func TestTheEnvironmentReachesThePage(t *testing.T) {
	s := sources{
		"src/main.tsx": "const e = import.meta.env\nconsole.log(e.VITE_A, import.meta.env.VITE_A, import.meta.env.VITE_B, import.meta.env.MODE, import.meta.env.SECRET, import.meta.env.BASE_URL)\n" +
			"if (import.meta.env.DEV) console.log('only-in-preview')\nif (import.meta.env.PROD) console.log('only-on-site')\nif (import.meta.hot) console.log('never-there')\n",
		".env":             "VITE_A=from-env # a comment\nSECRET=leaked-secret\nexport VITE_Q=\"quoted # value\"\n",
		".env.production":  "VITE_A='from-production'\n",
		".env.development": "VITE_A=`from-development`\n",
		"index.html":       strings.Replace(page, "<title>t</title>", "<title>%MODE% %VITE_A% %VITE_NONE% 100%</title>", 1),
	}
	for _, mode := range bothModes {
		req := request(mode, s)
		req.Env = map[string]string{"VITE_B": "from-request", "OTHER": "leaked-other"}
		files := result(t, req)
		js, html := ending(files, ".js"), string(files["index.html"].Content)
		wantNotIn(t, string(mode), js, "leaked-")
		wantIn(t, string(mode), js, "from-request", "quoted # value")
		if mode == build.ModeSite {
			wantIn(t, "site", js, "from-production", "only-on-site")
			wantNotIn(t, "site", js, "only-in-preview", "never-there", "from-env")
			wantIn(t, "site", html, "<title>production from-production %VITE_NONE% 100%</title>")
			continue
		}
		wantIn(t, "preview", html, "<title>development from-development %VITE_NONE% 100%</title>")
		wantIn(t, "preview", js, "only-in-preview", "from-development")
	}
}

func TestAssetsBecomeAddresses(t *testing.T) {
	s := sources{
		"src/main.tsx": "import logo from './logo.svg'\nimport pub from '/pub.svg'\nimport text from './note.md?raw'\nimport styleText from './a.css?raw'\nimport address from './note.md?url'\nimport small from './logo.svg?inline'\nimport './a.css'\n" +
			"console.log(logo, pub, text, styleText, address, small)\n",
		"src/a.css":         ".a { background: url('./bg.png'); mask: url(/pub.svg); cursor: url(https://example.com/c.cur) }\n.b { src: url(bare.woff2?#iefix); fill: url(#gradient) }",
		"src/logo.svg":      "<svg>the logo</svg>",
		"src/bg.png":        "PNG of the background",
		"src/bare.woff2":    "font",
		"src/note.md":       "# text of the note",
		"public/pub.svg":    "<svg>public</svg>",
		"public/a/.well":    "known",
		"public/index.html": "hidden by the page",
	}
	for _, mode := range bothModes {
		files := result(t, request(mode, s))
		js, css := ending(files, ".js"), styledBy(files)
		logo := regexp.MustCompile(`assets/logo-[A-Z0-9]{8}\.svg`).FindString(js)
		if file := files[logo]; string(file.Content) != "<svg>the logo</svg>" || !file.Immutable {
			t.Errorf("mode %s: got %q as %+v, want the logo under a name of its own", mode, logo, file)
		}
		wantIn(t, string(mode), js, `"/pub.svg"`, "# text of the note", "url(bare.woff2?#iefix)", "data:image/svg+xml")
		address := regexp.MustCompile(`"/(assets/note-[A-Z0-9]{8}\.md)"`).FindStringSubmatch(js)
		if address == nil || string(files[address[1]].Content) != "# text of the note" {
			t.Errorf("mode %s: got address %q, want that of note.md", mode, address)
		}
		wantIn(t, string(mode), css, "https://example.com/c.cur", "/pub.svg", "#gradient")
		if !regexp.MustCompile(`/assets/bg-[A-Z0-9]{8}\.png`).MatchString(css) || !regexp.MustCompile(`/assets/bare-[A-Z0-9]{8}\.woff2`).MatchString(css) {
			t.Errorf("mode %s: got %q, want the addresses of bg.png and bare.woff2", mode, css)
		}
		if string(files["pub.svg"].Content) != "<svg>public</svg>" || string(files["a/.well"].Content) != "known" {
			t.Errorf("mode %s: got no public files, want them at the root", mode)
		}
		wantIn(t, string(mode), string(files["index.html"].Content), "root")
	}
}

func TestStylesAreLinked(t *testing.T) {
	s := sources{
		"index.html":          strings.Replace(page, "</head>", `<link rel="stylesheet" media="screen" href="/src/first.css"></head>`, 1),
		"src/main.tsx":        "import './main.css'\nimport styles from './card.module.css'\nimport('./later')\ndocument.body.className = styles.card\n",
		"src/first.css":       "@import './base.css';\n.first { color: red }",
		"src/base.css":        ".base { color: blue }",
		"src/main.css":        "@import url('https://example.com/font.css');\n.main { & .nested { color: green } }",
		"src/card.module.css": ".card { color: pink }",
		"src/later.ts":        "import './later.css'\nconsole.log('later-module')\n",
		"src/later.css":       ".later { color: gold }",
	}
	for _, mode := range bothModes {
		files := result(t, request(mode, s))
		html := string(files["index.html"].Content)
		css := ""
		for _, match := range regexp.MustCompile(`<link rel="stylesheet"[^>]* href="/([^"]+)"`).FindAllStringSubmatch(html, -1) {
			name, _, _ := strings.Cut(match[1], "?")
			css += string(files[name].Content)
		}
		if mode == build.ModePreview {
			css = styledBy(files)
		}
		wantIn(t, string(mode), css, ".first", ".base", ".main", "https://example.com/font.css", ".later")
		card := regexp.MustCompile(`\.([a-z0-9_]+) ?\{\s*color: ?pink`).FindStringSubmatch(css)
		if card == nil || !regexp.MustCompile(`"?card"?: ?"`+card[1]+`"`).MatchString(ending(files, ".js")) {
			t.Errorf("mode %s: got class %q, want the one that the module exports", mode, card)
		}
		if strings.Count(styledBy(files), "gold") != 1 {
			t.Errorf("mode %s: got %q, want each rule once", mode, styledBy(files))
		}
		wantIn(t, string(mode), html, `media="screen"`)
		wantIn(t, string(mode), ending(files, ".js"), "later-module")
	}
}

func TestASiteHasHashedNames(t *testing.T) {
	s := sources{"src/main.tsx": "import './a.css'\nconsole.log(1)\nimport('./later')", "src/a.css": "a{}\nb { color: red }", "src/later.ts": "export const x = 1"}
	first := result(t, request(build.ModeSite, s))
	hashed := regexp.MustCompile(`^assets/[a-z]+-[A-Z0-9]{8}\.(js|css)$`)
	for name, file := range first {
		if name != "index.html" && (!hashed.MatchString(name) || !file.Immutable) {
			t.Errorf("got %s, immutable %v, want a hash in its name", name, file.Immutable)
		}
	}
	s["src/main.tsx"] += "\nconsole.log(2)"
	for name := range result(t, request(build.ModeSite, s)) {
		if _, same := first[name]; same && strings.HasPrefix(name, "assets/main") && strings.HasSuffix(name, ".js") {
			t.Errorf("got %s again for other content, want another name", name)
		}
	}
}

func TestAChangedEnvironmentChangesTheNames(t *testing.T) {
	s := sources{"src/main.tsx": "console.log(import.meta.env)"}
	names := func(value string) []string {
		req := request(build.ModeSite, s)
		req.Env = map[string]string{"VITE_A": value}
		var names []string
		for name := range result(t, req) {
			names = append(names, name)
		}
		slices.Sort(names)
		return names
	}
	if a, b := names("1"), names("2"); slices.Equal(a, b) {
		t.Errorf("got names %q for both, want other names for other content", a)
	}
}

func TestAPreviewHasSourceMapsAndPlaces(t *testing.T) {
	files := result(t, reactRequest(t, build.ModePreview, reactApp))
	js := string(files["@app/src/App.tsx.js"].Content)
	wantIn(t, "preview", js, "//# sourceMappingURL=App.tsx.js.map\n", `fileName: "project:src/App.tsx"`, "lineNumber: 4")
	wantIn(t, "the source map", string(files["@app/src/App.tsx.js.map"].Content), `"/src/App.tsx"`, `"mappings":";`)
	wantIn(t, "the runtime of JSX", ending(files, ".js"), "data-loc")
	wantIn(t, "columns in UTF-16 units", js, "columnNumber: 10", "columnNumber: 26")
	if last := strings.LastIndex(js, "\n//# sourceMappingURL="); strings.Contains(js[last+1:], "import ") || strings.Count(js[last+1:], "\n") != 1 {
		t.Errorf("got code behind the source map, want it to be the last line")
	}
	for name, file := range result(t, reactRequest(t, build.ModeSite, reactApp)) {
		if bytes.Contains(file.Content, []byte("data-loc")) || bytes.Contains(file.Content, []byte("sourceMappingURL")) {
			t.Errorf("site: got places or source maps in %s, want neither", name)
		}
	}
}

func TestPagesKeepTheirText(t *testing.T) {
	html := "<!DOCTYPE html>\n<html>\n<!-- a comment with <script type=module src=/no.js> -->\n<head>\n\t<meta charset=utf-8>\n</head>\n<body class='x'   data-y=\"a>b\">\n" +
		"<pre>  <b>kept</b>\n</pre><script>var a = '</' + 'script>'; if (1 < 2) {}</script>\n<SCRIPT defer TYPE=\"module\" SRC='./src/main.tsx'></SCRIPT>\n<script type=\"module\">\n  import './src/inline'\n  console.log('inline-one')\n</script></body></html>"
	s := sources{"index.html": html, "src/main.tsx": "console.log('main')", "src/inline.ts": "console.log('imported by inline')"}
	for _, mode := range bothModes {
		files := result(t, request(mode, s))
		out := string(files["index.html"].Content)
		wantIn(t, string(mode), out, "<!-- a comment with <script type=module src=/no.js> -->", `<body class='x'   data-y="a>b">`, "<pre>  <b>kept</b>\n</pre>", "if (1 < 2) {}", `<SCRIPT defer TYPE="module" SRC="/`)
		wantNotIn(t, string(mode), out, "./src/main.tsx", "inline-one")
		wantIn(t, string(mode), ending(files, ".js"), "inline-one", "imported by inline")
	}
}

func TestAStaticSiteIsCopied(t *testing.T) {
	s := sources{
		"index.html":       `<!doctype html><link rel=stylesheet href=style.css><a href="about/">About</a><img src="img/a.png" srcset="img/b.png 2x"><script src="classic.js"></script>`,
		"about/index.html": `<!doctype html><link rel="stylesheet" href="../style.css"><script type="module" src="./about.js"></script>`,
		"about/about.js":   "import { x } from '../lib.js'\nconsole.log(x)",
		"lib.js":           "export const x = 'from-lib'",
		"style.css":        "body { color: red }",
		"classic.js":       "fetch('data.json')",
		"data.json":        `{"a": 1}`,
		"img/a.png":        "A", "img/b.png": "B",
		"package.json": `{"name": "static"}`, "README.md": "read me", "vite.config.ts": "export default {}", ".env": "A=1",
		"AGENTS.md": "be brief", ".well-known/security.txt": "Contact: mailto:a@example.com", ".well-known/.draft": "not yet", "a/.well-known/x": "elsewhere",
	}
	for _, mode := range bothModes {
		files := result(t, request(mode, s))
		for _, name := range []string{"index.html", "about/index.html", "classic.js", "data.json", "img/a.png", "img/b.png", ".well-known/security.txt"} {
			if _, found := files[name]; !found {
				t.Errorf("mode %s: got no %s, want it", mode, name)
			}
		}
		for _, name := range []string{"package.json", "README.md", "AGENTS.md", "vite.config.ts", ".env", ".well-known/.draft", "a/.well-known/x"} {
			if _, found := files[name]; found {
				t.Errorf("mode %s: got %s, want it left out", mode, name)
			}
		}
		wantIn(t, string(mode), ending(files, ".js"), "from-lib")
		wantNotIn(t, string(mode), string(files["about/index.html"].Content), "../style.css", "./about.js")
	}
}

func TestAnApplicationCopiesOnlyWhatItsPagesName(t *testing.T) {
	s := sources{
		"index.html":   strings.Replace(page, "</head>", `<link rel="icon" href="/icon.png"></head>`, 1),
		"src/main.tsx": "console.log(1)", "icon.png": "ICON", "notes.txt": "private notes", "src/unused.svg": "<svg/>", "package.json": `{}`,
	}
	for _, mode := range bothModes {
		files := result(t, request(mode, s))
		if string(files["icon.png"].Content) != "ICON" {
			t.Errorf("mode %s: got no icon.png, want it", mode)
		}
		for _, name := range []string{"notes.txt", "src/unused.svg", "package.json", "src/main.tsx"} {
			if _, found := files[name]; found {
				t.Errorf("mode %s: got %s, want it left out", mode, name)
			}
		}
	}
}
