package esbuild_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/tailwind"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// styled is a project whose only style sheet uses Tailwind.
func styled(css, app string, more sources) sources {
	all := sources{"src/main.tsx": "import './index.css'\nimport './app'\n", "src/index.css": css, "src/app.ts": app}
	for name, text := range more {
		all[name] = text
	}
	return all
}

// styles returns all that a project's style sheets became: in a preview they are
// texts of scripts.
func styles(t *testing.T, mode build.Mode, s sources) string {
	t.Helper()
	files := result(t, request(mode, s))
	if mode == build.ModeSite {
		return ending(files, ".css")
	}
	return styleText(t, ending(files, ".js"))
}

// styleText returns the style sheets that the scripts of a preview hold.
func styleText(t *testing.T, script string) string {
	t.Helper()
	all := ""
	for _, match := range styleCall.FindAllStringSubmatch(script, -1) {
		var css string
		if err := json.Unmarshal([]byte(match[1]), &css); err != nil {
			t.Fatalf("got %q, want a string: %v", match[1], err)
		}
		all += css
	}
	return all
}

var styleCall = regexp.MustCompile(`\.style\(import\.meta\.url, ("(?:[^"\\]|\\.)*")`)

func TestTailwindStylesTheClassesThatSourcesName(t *testing.T) {
	s := styled("@import \"tailwindcss\";\n@theme { --color-brand: #123456; }\n", "document.body.className = 'bg-brand hover:p-4 dark:w-[17px] unknown-class'", nil)
	for _, mode := range bothModes {
		css := styles(t, mode, s)
		wantIn(t, string(mode), css, "bg-brand", `hover\:p-4`, `dark\:w-\[17px\]`, "17px", "--color-brand")
		wantNotIn(t, string(mode), css, ".unknown-class", ".p-5", "@import", "@theme")
	}
}

func TestTailwindsImportsComeFromProjectAndPackages(t *testing.T) {
	dir := modules(t, map[string]string{
		"tw-extra/package.json":   `{"name": "tw-extra", "exports": {".": {"style": "./dist/extra.css", "default": "./no.js"}}}`,
		"tw-extra/dist/extra.css": "@import './more.css'; @utility from-extra { color: red; }",
		"tw-extra/dist/more.css":  ".more { background: url(./more.png); }",
		"tw-extra/dist/more.png":  "PNG",
		"plug/package.json":       `{"name": "plug", "main": "index.js"}`,
		"plug/index.js":           "const plugin = require('tailwindcss/plugin'); const util = require('util'); module.exports = plugin(({ addUtilities }) => addUtilities({ '.from-plugin': { color: 'blue' } }))",
	})
	s := styled("@import 'tailwindcss' prefix(tw);\n@import 'tw-extra';\n@import './parts/a.css';\n@import '@/styles/b.css';\n@import url('https://example.com/late.css');\n@plugin 'plug';\n@plugin './own.js' { size: 3 }\n",
		"'tw:p-4 tw:from-extra tw:from-plugin tw:own-3'", sources{
			"tsconfig.json":    `{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}`,
			"src/parts/a.css":  ".part { background: url(../img/a.png); @apply tw:m-1; }",
			"src/styles/b.css": ".aliased { color: green }",
			"src/img/a.png":    "PNG of a",
			"src/own.js":       "import plugin from 'tailwindcss/plugin'\nimport { color } from './color'\nexport default plugin.withOptions((options) => ({ addUtilities }) => addUtilities({ ['.own-' + options.size]: { color } }))",
			"src/color.ts":     "export const color: string = 'orange'",
		})
	for _, mode := range bothModes {
		req := request(mode, s)
		req.Packages, req.PackagesKey = dir, "1"
		files := result(t, req)
		css := ending(files, ".css")
		if mode == build.ModePreview {
			css = styleText(t, ending(files, ".js"))
		}
		wantIn(t, string(mode), css, `.tw\:p-4`, `.tw\:from-extra`, `.tw\:from-plugin`, `.tw\:own-3`, "orange", ".part", ".aliased", ".more", "/assets/a-", "/assets/more-")
		if at, layer := strings.Index(css, "https://example.com/late.css"), strings.Index(css, "@layer"); at < 0 || at > layer {
			t.Errorf("mode %s: got %q, want the other host's sheet first", mode, css)
		}
	}
}

func TestTailwindsOlderProjectsBuildAsTheyAre(t *testing.T) {
	dir := modules(t, map[string]string{
		"tailwindcss/package.json":   `{"name": "tailwindcss", "version": "3.4.17", "main": "lib/index.js"}`,
		"tailwindcss/lib/index.js":   "throw new Error('this needs Node')",
		"tailwindcss-x/package.json": `{"name": "tailwindcss-x", "main": "index.js"}`,
		"tailwindcss-x/index.js":     "const { fontFamily } = require('tailwindcss/defaultTheme'); module.exports = require('tailwindcss/plugin')(({ addUtilities }) => addUtilities({ '.serif-x': { fontFamily: fontFamily.serif[0] } }))",
	})
	s := styled("@tailwind base;\n@tailwind components;\n@tailwind utilities;\n@layer base { body { @apply bg-ours; } }\n@layer components {\n  .btn { @apply p-4; }\n  .btn-large { @apply btn text-lg; }\n}\n",
		"'md:btn-large serif-x dark:text-ours shadow-sm border'", sources{
			"package.json":       `{"devDependencies": {"tailwindcss": "^3.4.0", "tailwindcss-x": "^1.0.0"}}`,
			"postcss.config.js":  "module.exports = { plugins: { tailwindcss: {}, autoprefixer: {} } }",
			"tailwind.config.ts": "import type { Config } from 'tailwindcss'\nimport colors from 'tailwindcss/colors'\nimport { ours } from './src/ours'\nconst path = require('path')\nexport default { darkMode: ['class'], safelist: ['rotate-12'], content: [path.join(__dirname, 'pages/**/*.html')], theme: { extend: { colors: { ours, gray: colors.zinc } } }, plugins: [require('tailwindcss-x')] } satisfies Config\n",
			"src/ours.ts":        "export const ours = '#abcdef'",
			"pages/a.html":       `<p class="skew-x-3"></p>`,
			"src/b.module.css":   ".own { @apply p-2 text-ours; }",
			"src/main.tsx":       "import './index.css'\nimport './app'\nimport styles from './b.module.css'\nconsole.log(styles)",
		})
	for _, mode := range bothModes {
		req := request(mode, s)
		req.Packages, req.PackagesKey = dir, "1"
		files := result(t, req)
		css := ending(files, ".css")
		if mode == build.ModePreview {
			css = styleText(t, ending(files, ".js"))
		}
		wantIn(t, string(mode), css, `.md\:btn-large`, ".serif-x", "ui-serif", `.dark\:text-ours`, "171 205 239", ".rotate-12", ".skew-x-3", "border-color", "cursor")
	}
}

func TestTailwindOfThePackageSetIsTakenWhenItIsAnother(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "tailwindcss"), tailwind.Copy()); err != nil {
		t.Fatal(err)
	}
	change := func(name, old, new string) {
		at := filepath.Join(dir, "node_modules", "tailwindcss", name)
		text, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	change("package.json", `"version": "`+tailwind.Version+`"`, `"version": "4.1.0"`)
	change("index.css", "--spacing: 0.25rem", "--spacing: 0.77rem")
	req := request(build.ModeSite, styled(`@import "tailwindcss";`, "'p-4'", nil))
	req.Packages, req.PackagesKey = dir, "1"
	wantIn(t, "site", ending(result(t, req), ".css"), "--spacing: .77rem")

	change("dist/lib.mjs", "import", "impart")
	req.PackagesKey = "2"
	got := diagnostics(t, req)
	if len(got) != 1 || got[0].Path != "package.json" || !strings.Contains(got[0].Message, "tailwindcss 4.1.0 is not usable") {
		t.Errorf("got %+v, want that the installed package is not usable", got)
	}
}

func TestTailwindsMistakesHaveAPlace(t *testing.T) {
	const sheet = "@import \"tailwindcss\";\n"
	for _, c := range []struct {
		name string
		s    sources
		want core.Diagnostic
	}{
		{"an unknown class is applied", styled(sheet+".a {\n  /* no-such */ @apply p-4 no-such;\n}", "", nil),
			core.Diagnostic{Path: "src/index.css", Line: 3, Column: 28, Message: "Tailwind CSS: Cannot apply unknown utility class `no-such`"}},
		{"an unknown class is applied in a sheet that is imported", styled(sheet+"@import './é.css';", "", sources{"src/é.css": "é { @apply no-such; }"}),
			core.Diagnostic{Path: "src/é.css", Line: 1, Column: 12, Message: "Tailwind CSS: Cannot apply unknown utility class `no-such`"}},
		{"a key of the theme is unknown", styled(sheet+".a {\n  color: theme(colors.nope);\n}", "", nil),
			core.Diagnostic{Path: "src/index.css", Line: 3, Column: 10, Message: "Tailwind CSS: Could not resolve value for theme function: `theme(colors.nope)`. Consider checking if the path is correct or provide a fallback value to silence this error."}},
		{"a brace is missing", styled(sheet+".a { @apply p-4; }\n\n}", "", nil),
			core.Diagnostic{Path: "src/index.css", Line: 4, Column: 1, Message: "Tailwind CSS: Missing opening {"}},
		{"a sheet is missing", styled(sheet+"@import './none.css';", "", nil),
			core.Diagnostic{Path: "src/index.css", Line: 2, Column: 10, Message: `Tailwind CSS: there is no file "./none.css" in the project`}},
		{"a package is missing", styled(sheet+"@import 'tw-animate-css';", "", nil),
			core.Diagnostic{Path: "src/index.css", Line: 2, Column: 10, Message: `Tailwind CSS: the package "tw-animate-css" is not installed: add it to the dependencies in package.json`}},
		{"a plugin is missing", styled(sheet+"@plugin './none';", "", nil),
			core.Diagnostic{Path: "src/index.css", Line: 2, Column: 10, Message: `Tailwind CSS: there is no file "./none" in the project`}},
		{"a configuration does not parse", styled(sheet+"@config '../tailwind.config.js';", "", sources{"tailwind.config.js": "module.exports = {\n  a: b c\n}"}),
			core.Diagnostic{Path: "tailwind.config.js", Line: 2, Column: 8, Message: `Expected "}" but found "c"`}},
		{"a configuration throws", styled(sheet+"@config '../tailwind.config.js';", "", sources{"tailwind.config.js": "throw new Error('no paint')"}),
			core.Diagnostic{Path: "tailwind.config.js", Message: "Tailwind CSS: this cannot be evaluated: no paint"}},
		{"a configuration reads files", styled(sheet+"@config '../tailwind.config.js';", "", sources{"tailwind.config.js": "\nconst fs = require('fs')"}),
			core.Diagnostic{Path: "tailwind.config.js", Line: 2, Column: 20, Message: `"fs" is a Node.js module, which is not available when the configuration of Tailwind is read`}},
		{"a sheet imports itself", styled(sheet+"@import './index.css';", "", nil),
			core.Diagnostic{Path: "src/index.css", Line: 2, Column: 10, Message: `Tailwind CSS: the style sheet imports itself through "./index.css"`}},
		{"a script imports Tailwind", sources{"src/main.tsx": "import 'tailwindcss'"},
			core.Diagnostic{Path: "src/main.tsx", Line: 1, Column: 8, Message: `Tailwind CSS must be imported in a style sheet: write @import "tailwindcss" there, and import the sheet`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range bothModes {
				if got := diagnostics(t, request(mode, c.s)); len(got) != 1 || got[0] != c.want {
					t.Errorf("mode %s: got %+v, want %+v", mode, got, c.want)
				}
			}
		})
	}
}
