package builds

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/core"
)

// planned plans a project of these files.
func planned(t *testing.T, files map[string]string) Plan {
	t.Helper()
	sources := tree{}
	for name, content := range files {
		sources[name] = &fstest.MapFile{Data: []byte(content)}
	}
	builder, err := esbuild.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := NewMaker(Deps{Sources: sources, Environment: &bench{}, Builder: builder}).Plan(t.Context(), core.NewID())
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestTheRuntimeOfAProject(t *testing.T) {
	const reactConfig = `import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import path from "node:path"
export default defineConfig({ plugins: [react()], resolve: { alias: { '@': path.resolve("./src") } } })`
	for name, c := range map[string]struct {
		files  map[string]string
		want   Runtime
		reason string
	}{
		"no package.json":          {map[string]string{"index.html": ""}, RuntimeStatic, "no package.json"},
		"nothing asked for":        {map[string]string{"package.json": `{}`}, RuntimeGo, ""},
		"unreadable":               {map[string]string{"package.json": `{`}, RuntimeGo, ""},
		"React":                    {map[string]string{"package.json": `{"dependencies":{"react":"19","react-dom":"19"}}`, "vite.config.ts": reactConfig}, RuntimeGo, ""},
		"Tailwind":                 {map[string]string{"package.json": `{"devDependencies":{"tailwindcss":"4","vite":"8"}}`, "vite.config.js": "import tw from '@tailwindcss/vite'\nimport {componentTagger} from \"lovable-tagger\"\nexport default { plugins: [tw(), componentTagger()] }"}, RuntimeGo, ""},
		"a foreign plugin":         {map[string]string{"package.json": `{}`, "vite.config.ts": "import { VitePWA } from 'vite-plugin-pwa'\nexport default { plugins: [VitePWA()] }"}, RuntimeNode, "vite.config.ts imports vite-plugin-pwa"},
		"a plugin by require":      {map[string]string{"package.json": `{}`, "vite.config.cjs": "const x = require('unplugin-icons/vite')"}, RuntimeNode, "unplugin-icons/vite"},
		"a plugin by import()":     {map[string]string{"package.json": `{}`, "vite.config.mjs": "export default async () => ({plugins: [(await import('unocss/vite')).default()]})"}, RuntimeNode, "unocss/vite"},
		"a plugin with effects":    {map[string]string{"package.json": `{}`, "vite.config.mjs": "import 'dotenv/config'"}, RuntimeNode, "dotenv/config"},
		"a plugin of its own":      {map[string]string{"package.json": `{}`, "vite.config.ts": "export default { plugins: [{ name: 'x', transform(code) { return code } }] }"}, RuntimeNode, "a plugin of its own (x)"},
		"only in a comment":        {map[string]string{"package.json": `{}`, "vite.config.ts": reactConfig + "\n// import x from 'vite-plugin-x'\n/* require('y') */ const url = 'http://a//b'"}, RuntimeGo, ""},
		"after a comment's look":   {map[string]string{"package.json": `{}`, "vite.config.ts": "const glob = '/*'; import x from 'vite-plugin-x' /* */; export default { plugins: [x()] }"}, RuntimeNode, "vite-plugin-x"},
		"Vue":                      {map[string]string{"package.json": `{"dependencies":{"vue":"3"}}`}, RuntimeNode, "asks for vue"},
		"Svelte":                   {map[string]string{"package.json": `{"devDependencies":{"svelte":"5"}}`}, RuntimeNode, "asks for svelte"},
		"Next":                     {map[string]string{"package.json": `{"dependencies":{"next":"16","react":"19"}}`}, RuntimeNode, "asks for next"},
		"a scope":                  {map[string]string{"package.json": `{"devDependencies":{"@angular/core":"21"}}`}, RuntimeNode, "@angular/core"},
		"Sass":                     {map[string]string{"package.json": `{"dependencies":{"react":"19"},"devDependencies":{"sass":"1"}}`}, RuntimeNode, "sass"},
		"PostCSS as usual":         {map[string]string{"package.json": `{"devDependencies":{"tailwindcss":"3","autoprefixer":"10","postcss":"8"}}`, "postcss.config.js": `export default { plugins: { "tailwindcss": {}, 'autoprefixer': {} } }`}, RuntimeGo, ""},
		"PostCSS with a plugin":    {map[string]string{"package.json": `{"devDependencies":{"postcss-nested":"6"}}`, "postcss.config.mjs": `export default { plugins: { "postcss-nested": {} } }`}, RuntimeNode, "postcss.config.mjs uses postcss-nested"},
		"PostCSS in .postcssrc":    {map[string]string{"package.json": `{"devDependencies":{"postcss-nested":"6"}}`, ".postcssrc.json": `{"plugins": {"postcss-nested": {}}}`}, RuntimeNode, "postcss-nested"},
		"Create React App":         {map[string]string{"package.json": `{"dependencies":{"react":"18","react-scripts":"5.0.1"}}`}, RuntimeGo, ""},
		"… with CRACO":             {map[string]string{"package.json": `{"dependencies":{"@craco/craco":"7","react-scripts":"5.0.1"}}`}, RuntimeNode, "@craco/craco"},
		"other builders' plugins":  {map[string]string{"package.json": `{}`, "vite.config.ts": "import x from '@replit/vite-plugin-cartographer'\nimport y from \"@dyad-sh/react-vite-component-tagger\"\nimport svgr from 'vite-plugin-svgr'\nexport default {}"}, RuntimeGo, ""},
		"a root of its own":        {map[string]string{"package.json": `{}`, "vite.config.ts": "import path from 'path'\nexport default { root: path.resolve(import.meta.dirname, \"client\"),\n }"}, RuntimeNode, "vite.config.ts sets root to client"},
		"a root that is the usual": {map[string]string{"package.json": `{}`, "vite.config.ts": "export default {\n  root: './',\n  base: '/x' }"}, RuntimeGo, ""},
		"a server of its own":      {map[string]string{"package.json": `{"scripts":{"dev":"NODE_ENV=development tsx server/index.ts"},"devDependencies":{"vite":"7"}}`}, RuntimeNode, "runs tsx"},
		"… behind a script":        {map[string]string{"package.json": `{"scripts":{"dev":"npm run all","all":"concurrently \"vite\" \"npm:api\""},"devDependencies":{"vite":"7"}}`}, RuntimeNode, "runs concurrently"},
		"… beside Vite":            {map[string]string{"package.json": `{"scripts":{"dev":"vite & node api.js"},"devDependencies":{"vite":"7"}}`}, RuntimeNode, "runs node"},
		"Vite alone":               {map[string]string{"package.json": `{"scripts":{"dev":"cross-env A=b npx vite --host 0.0.0.0 --port 3000","start":"node x"},"devDependencies":{"vite":"7"}}`}, RuntimeGo, ""},
		"scripts that go in turns": {map[string]string{"package.json": `{"scripts":{"dev":"npm run x","x":"npm run dev"},"devDependencies":{"vite":"7"}}`}, RuntimeGo, ""},
		"Expo":                     {map[string]string{"package.json": `{"dependencies":{"expo":"54"}}`}, RuntimeNode, "asks for expo"},
		"a proxy":                  {map[string]string{"package.json": `{}`, "vite.config.ts": "export default { server: { port: 3000, proxy: { '/api': 'http://localhost:5000' } } }"}, RuntimeNode, "vite.config.ts sets server.proxy"},
		"chosen node":              {map[string]string{"package.json": `{"atelier":{"runtime":"node"},"dependencies":{"react":"19"}}`}, RuntimeNode, "atelier.runtime"},
		"chosen go":                {map[string]string{"package.json": `{"atelier":{"runtime":"go"},"dependencies":{"vue":"3"}}`}, RuntimeGo, "atelier.runtime"},
		"chosen static":            {map[string]string{"package.json": `{"atelier":{"runtime":"static"},"dependencies":{"react":"19"}}`}, RuntimeStatic, "atelier.runtime"},
		"something else called so": {map[string]string{"package.json": `{"atelier":{"theme":"dark"},"scripts":7}`}, RuntimeGo, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := planned(t, c.files)
			if got.Runtime != c.want || !strings.Contains(got.Reason, c.reason) || c.reason == "" && got.Reason != "" {
				t.Errorf("got %s because %q, want %s because %q", got.Runtime, got.Reason, c.want, c.reason)
			}
		})
	}
}

func TestAChoiceThatIsNoneHasAPlace(t *testing.T) {
	_, err := parseManifest([]byte("{\n  \"atelier\": { \"runtime\": \"deno\" }\n}"))
	result, err := diagnosed(err)
	if err != nil || len(result.Diagnostics) != 1 || result.Diagnostics[0].Line != 2 || !strings.Contains(result.Diagnostics[0].Message, `"node", "go" or "static"`) {
		t.Errorf("got %+v, %v, want the place and what it takes", result, err)
	}
}

func FuzzDetect(f *testing.F) {
	f.Add("a & b", "npm run dev")
	f.Fuzz(func(t *testing.T, dev, other string) {
		got, why := Detect(Clues{HasManifest: true, Scripts: map[string]string{"dev": dev, "other": other}, Packages: []string{"b", "vite"}})
		if got == RuntimeNode && why == "" {
			t.Fatalf("got node for no reason")
		}
	})
}
