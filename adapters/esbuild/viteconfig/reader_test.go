package viteconfig_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/adapters/esbuild/viteconfig"
	"github.com/atelierhq/atelier/adapters/internal/jsmachine"
	"github.com/atelierhq/atelier/ports/build"
)

// patient limits suit a machine that runs many tests at once.
var patient = jsmachine.Limits{Memory: 64 << 20, Time: time.Minute}

// read reads the configuration of a project with these files.
func read(t *testing.T, files map[string]string) build.ViteConfig {
	t.Helper()
	sources := fstest.MapFS{}
	for name, text := range files {
		sources[name] = &fstest.MapFile{Data: []byte(text)}
	}
	got, err := viteconfig.New(patient).Read(t.Context(), project.NewSources(sources), map[string]string{"VITE_SAID": "aloud"})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// settingsOf reads an object, and wants it to be followed in both modes.
func settingsOf(t *testing.T, imports, object string) build.ViteSettings {
	t.Helper()
	got := read(t, map[string]string{"vite.config.ts": imports + "\nexport default " + object, "package.json": `{"dependencies": {"real": "1"}}`})
	if got.Unsupported != "" || len(got.Diagnostics) > 0 || !reflect.DeepEqual(got.Preview, got.Site) {
		t.Fatalf("%s: got %+v, want the same settings in both modes", object, got)
	}
	return got.Preview
}

func TestAliasesAreFollowed(t *testing.T) {
	const paths = `import path, { resolve } from "path"; import { fileURLToPath, URL } from "node:url";`
	for value, want := range map[string]build.ViteAlias{
		`{ "@": path.resolve(__dirname, "./src") }`:                               {Find: "@", Path: "src"},
		`{ "@": fileURLToPath(new URL("./src", import.meta.url)) }`:               {Find: "@", Path: "src"},
		`{ "@": new URL("./src/", import.meta.url).pathname }`:                    {Find: "@", Path: "src"},
		`{ "@assets": resolve(import.meta.dirname, "attached", "..", "assets") }`: {Find: "@assets", Path: "assets"},
		`{ "~": path.join(process.cwd(), "src") }`:                                {Find: "~", Path: "src"},
		`{ "@": path.resolve(__dirname, ".") }`:                                   {Find: "@"},
		`{ "figma:asset/a.svg": path.resolve(__dirname, "./src/a.svg") }`:         {Find: "figma:asset/a.svg", Path: "src/a.svg"},
		`{ "@/": "/src/" }`:                                                            {Find: "@", Path: "src"},
		`[{ find: "@", replacement: "./src" }]`:                                        {Find: "@", Path: "src"},
		`[{ find: /^~(.*)$/, replacement: "/src/$1" }]`:                                {Find: "^~(.*)$", Pattern: true, Path: "src/${1}"},
		`[{ find: /^@\//, replacement: path.resolve("src") + "/" }]`:                   {Find: `^@\/`, Pattern: true, Path: "src/"},
		`{ "slot@1.1.0": "real", real: path.resolve(__dirname, "node_modules/real") }`: {Find: "slot@1.1.0", Package: "real"},
	} {
		if got := settingsOf(t, paths, "{ resolve: { alias: "+value+" } }").Aliases; len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %+v, want %+v", value, got, want)
		}
	}
}

func TestDefinitionsAreFollowed(t *testing.T) {
	got := settingsOf(t, `import pkg from "./package.json"; import { readFileSync } from "fs"`, `{ define: {
		__VERSION__: JSON.stringify("1.2"), "process.env": {}, __FLAG__: true, __NONE__: undefined, global: "globalThis", __MADE__: { a: [1] },
		__DEPENDENCY__: JSON.stringify(pkg.dependencies.real), __READ__: JSON.stringify(JSON.parse(readFileSync("./package.json", "utf8")).dependencies.real) } }`).Define
	want := map[string]string{
		"__VERSION__": `"1.2"`, "process.env": "{}", "__FLAG__": "true", "__NONE__": "undefined", "global": "globalThis", "__MADE__": `{"a":[1]}`,
		"__DEPENDENCY__": `"1"`, "__READ__": `"1"`,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAConfigurationKnowsItsModeAndItsFiles(t *testing.T) {
	got := read(t, map[string]string{
		"vite.config.mts": `import { defineConfig, loadEnv } from "vite"
import react from "@vitejs/plugin-react-swc"
import { componentTagger } from "lovable-tagger"
export default defineConfig(async ({ mode, command }) => {
  const env = loadEnv(mode, process.cwd(), "")
  return { plugins: [react(), mode === "development" && componentTagger(), command === "build" && Promise.resolve([])].filter(Boolean),
    define: { "process.env.API_KEY": JSON.stringify(env.API_KEY), said: JSON.stringify(env.VITE_SAID), node: JSON.stringify(process.env.NODE_ENV) } }
})`,
		".env": "API_KEY=of both", ".env.production": "API_KEY=of the site",
	})
	for mode, key := range map[build.Mode]string{build.ModePreview: "of both", build.ModeSite: "of the site"} {
		want := map[string]string{"process.env.API_KEY": `"` + key + `"`, "said": `"aloud"`, "node": `"` + project.ModeNames[mode] + `"`}
		if got := got.Of(mode).Define; !maps.Equal(got, want) {
			t.Errorf("in mode %s: got %q, want %q", mode, got, want)
		}
	}
}

func TestOtherSettingsAreFollowed(t *testing.T) {
	got := settingsOf(t, `import react from "@vitejs/plugin-react"`, `{ plugins: [react({ jsxImportSource: "@emotion/react" })], envPrefix: ["VITE_", "PUBLIC_"], envDir: "./env" }`)
	if got.JSXSource != "@emotion/react" || !slices.Equal(got.EnvPrefixes, []string{"VITE_", "PUBLIC_"}) || got.EnvDir != "env" {
		t.Errorf("got %+v", got)
	}
}

// TestWhatChangesNoPageIsNothing has the shapes of configurations that other builders write.
func TestWhatChangesNoPageIsNothing(t *testing.T) {
	for name, config := range map[string]string{
		"Lovable":                             `import { defineConfig } from "vite"; import react from "@vitejs/plugin-react-swc"; import path from "path"; export default defineConfig(({ mode }) => ({ server: { host: "::", port: 8080 }, plugins: [react()].filter(Boolean) }))`,
		"Bolt":                                `export default { optimizeDeps: { exclude: ["lucide-react"] }, build: { outDir: "out", sourcemap: true, rollupOptions: { output: { manualChunks: { a: ["b"] } }, onwarn() {} } } }`,
		"Replit":                              `import react from "@vitejs/plugin-react"; import overlay from "@replit/vite-plugin-runtime-error-modal"; export default { plugins: [react(), overlay(), ...(process.env.NODE_ENV !== "production" && process.env.REPL_ID !== undefined ? [await import("@replit/vite-plugin-cartographer").then((m) => m.cartographer())] : [])] }`,
		"a waiting top":                       `const map = await import("@replit/vite-plugin-cartographer").then((m) => m.cartographer()); export default { plugins: [map] }`,
		"Vitest":                              `import { defineConfig, mergeConfig } from "vitest/config"; export default mergeConfig({ base: "./" }, defineConfig({ test: { globals: true, environment: "jsdom" }, publicDir: "public", root: "." }))`,
		"CommonJS":                            `module.exports = { plugins: [require("@vitejs/plugin-react")()], css: { postcss: { plugins: [require("tailwindcss"), require("autoprefixer")()] } } }`,
		"pages":                               `import { resolve } from "path"; export default { build: { rollupOptions: { input: { main: resolve(__dirname, "index.html"), admin: "admin/index.html" } } } }`,
		"compiler":                            `import react from "@vitejs/plugin-react"; export default { plugins: [react({ babel: { plugins: [["babel-plugin-react-compiler", {}]] } })], esbuild: { drop: ["console"], loader: "jsx", include: /src/ } }`,
		"a plugin of one mode without effect": `export default { plugins: [{ name: "x", apply: "serve" }, null, [false]] }`,
		"a helper":                            `import helper from "./helper"; export default helper`,
	} {
		got := read(t, map[string]string{"vite.config.js": config, "helper.ts": "const config: object = {}; export default config"})
		if !reflect.DeepEqual(got.Preview, got.Site) || got.Unsupported != "" || len(got.Diagnostics) > 0 || len(got.Preview.Aliases)+len(got.Preview.EnvPrefixes) > 0 {
			t.Errorf("%s: got %+v, want nothing", name, got)
		}
	}
}

func TestWhatTheBuilderCannotFollowIsNamed(t *testing.T) {
	const react = `import react from "@vitejs/plugin-react"; `
	for config, want := range map[string]string{
		`import pwa from "vite-plugin-pwa"; export default { plugins: [pwa()] }`:                                     "imports vite-plugin-pwa",
		`import "dotenv/config"; export default {}`:                                                                  "imports dotenv/config",
		`import { execSync } from "child_process"; export default { define: { x: execSync("id") } }`:                 "imports child_process",
		`export default { plugins: [{ name: "own", transform: (code) => code }] }`:                                   "has a plugin of its own (own)",
		`export default { plugins: [Promise.resolve([{ load() {} }])] }`:                                             "has a plugin of its own",
		`export default ({ command }) => ({ plugins: [command === "build" && { name: "late", closeBundle() {} }] })`: "has a plugin of its own (late)",
		`export default { root: "client" }`:                                                                          "sets root to client",
		`export default { root: "../x" }`:                                                                            "sets root to ../x",
		`export default { publicDir: "static" }`:                                                                     "sets publicDir",
		`export default { server: { proxy: { "/api": "http://localhost" } } }`:                                       "sets server.proxy",
		`export default { build: { lib: { entry: "src/main.ts" } } }`:                                                "sets build.lib",
		`export default { build: { rollupOptions: { external: ["react"] } } }`:                                       "sets build.rollupOptions.external",
		`export default { build: { rollupOptions: { input: "src/main.tsx" } } }`:                                     "sets build.rollupOptions.input to src/main.tsx",
		`export default { css: { preprocessorOptions: { scss: { additionalData: "x" } } } }`:                         "sets css.preprocessorOptions",
		`export default { css: { modules: { localsConvention: "camelCase" } } }`:                                     "sets css.modules.localsConvention",
		`export default { esbuild: { jsxFactory: "h" } }`:                                                            "sets esbuild.jsxFactory",
		`export default { assetsInclude: ["**/*.glb"] }`:                                                             "sets assetsInclude",
		`export default { appType: "mpa" }`:                                                                          "sets appType",
		`export default { resolve: { alias: { react: "preact/compat" } } }`:                                          "sets resolve.alias from react to the package preact/compat",
		`export default { resolve: { alias: [{ find: /x/i, replacement: "/y" }] } }`:                                 "sets resolve.alias with the flags i",
		`export default { resolve: { alias: [{ find: /(?=x)/, replacement: "/y" }] } }`:                              "sets resolve.alias with the pattern (?=x)",
		`export default { resolve: { conditions: ["custom"] } }`:                                                     "sets resolve.conditions",
		`export default { define: { __NOW__: "Date.now()" } }`:                                                       "sets define.__NOW__",
		`export default { define: { "a-b": "1" } }`:                                                                  "sets define.a-b",
		react + `export default { plugins: [react({ babel: { plugins: ["macros"] } })] }`:                            "sets @vitejs/plugin-react.babel.plugins (macros)",
		react + `export default { plugins: [react({ jsxRuntime: "classic" })] }`:                                     "sets @vitejs/plugin-react.jsxRuntime",
		`import svgr from "vite-plugin-svgr"; export default { plugins: [svgr({ include: "**/*.svg" })] }`:           "sets vite-plugin-svgr",
		`export default { experimental: { renderBuiltUrl: () => "" } }`:                                              "sets experimental",
		`export default 7`: "exports no configuration",
		`export default () => { throw new Error("not today") }`: "cannot be read here: not today",
		`export default () => new Promise(() => {})`:            "cannot be read here: it waits forever",
	} {
		got := read(t, map[string]string{"vite.config.ts": config})
		if !strings.HasPrefix(got.Unsupported, "vite.config.ts "+want) || !reflect.DeepEqual(got.Preview, build.ViteSettings{}) {
			t.Errorf("%s: got %+v, want %q", config, got, want)
		}
	}
}

func TestConfigurationsOfPostCSS(t *testing.T) {
	for _, c := range []struct{ name, config, want string }{
		{"postcss.config.js", `export default { plugins: { tailwindcss: {}, autoprefixer: {}, ...(process.env.NODE_ENV === "production" ? { cssnano: {} } : {}) } }`, ""},
		{"postcss.config.mjs", `const config = { plugins: ["@tailwindcss/postcss"] }; export default config`, ""},
		{"postcss.config.cjs", `module.exports = { plugins: [require("tailwindcss")("./tailwind.config.js"), require("autoprefixer")] }`, ""},
		{".postcssrc.json", `{ "plugins": { "tailwindcss": {}, "postcss-import": {} } }`, ""},
		{".postcssrc", `{ "plugins": { "autoprefixer": {} } }`, ""},
		{"package.json", `{ "postcss": { "plugins": { "tailwindcss": {}, "off": false } } }`, ""},
		{"postcss.config.js", `module.exports = { plugins: { "postcss-nested": {} } }`, "postcss.config.js uses postcss-nested"},
		{"postcss.config.js", `module.exports = ({ env }) => ({ plugins: env === "production" ? ["postcss-preset-env"] : [] })`, "postcss.config.js uses postcss-preset-env"},
		{"postcss.config.js", `import nested from "postcss-nested"; export default { plugins: [nested] }`, "postcss.config.js imports postcss-nested"},
		{"postcss.config.js", `export default { plugins: [{ postcssPlugin: "own", Once() {} }] }`, "postcss.config.js has a plugin of its own in plugins"},
		{"postcss.config.js", `export default { plugins: { tailwindcss: { config: "./other.js" } } }`, "postcss.config.js sets another configuration of Tailwind"},
		{"postcss.config.js", `export default { parser: "sugarss", plugins: {} }`, "postcss.config.js sets parser"},
		{"postcss.config.js", `throw new Error("not today")`, "postcss.config.js cannot be read here: not today"},
		{".postcssrc", "plugins:\n  - autoprefixer", ".postcssrc is neither JavaScript nor JSON"},
		{"package.json", `{ "postcss": { "plugins": { "postcss-nested": {} } } }`, "package.json uses postcss-nested"},
	} {
		for _, vite := range []string{"", "export default {}"} {
			files := map[string]string{c.name: c.config}
			if vite != "" {
				files["vite.config.ts"] = vite
			}
			if got := read(t, files); got.Unsupported != c.want && (c.want == "" || !strings.HasPrefix(got.Unsupported, c.want)) || len(got.Diagnostics) > 0 {
				t.Errorf("%s: %s: got %+v, want %q", c.name, c.config, got, c.want)
			}
		}
	}
	got := read(t, map[string]string{"vite.config.ts": "export default { css: { postcss: { plugins: [] } } }", "postcss.config.js": `module.exports = { plugins: { "postcss-nested": {} } }`})
	if got.Unsupported != "" {
		t.Errorf("with the plugins of Vite: got %+v, want nothing of the file", got)
	}
}

func TestMistakesInAConfigurationHaveTheirPlaces(t *testing.T) {
	got := read(t, map[string]string{"vite.config.ts": "export default {\n  plugins: [\n}"})
	if len(got.Diagnostics) != 1 || got.Diagnostics[0].Path != "vite.config.ts" || got.Diagnostics[0].Line != 3 || got.Unsupported != "" {
		t.Errorf("got %+v, want the place", got)
	}
	got = read(t, map[string]string{"vite.config.ts": `import x from "./none"; export default x`})
	if len(got.Diagnostics) != 1 || !strings.Contains(got.Diagnostics[0].Message, `"./none"`) {
		t.Errorf("got %+v, want the missing file", got)
	}
}

// TestAnAnswerChangesWithItsSources reads a configuration again after a change to it, and to what it
// imports and reads.
func TestAnAnswerChangesWithItsSources(t *testing.T) {
	reader := viteconfig.New(patient)
	files := map[string]string{"vite.config.js": `import x from "./x.json"; import fs from "fs"; export default { define: { x: String(x), y: String(fs.existsSync("y")) } }`, "x.json": "1"}
	for _, change := range []struct{ name, text, x, y string }{{"none", "", "1", "false"}, {"x.json", "2", "2", "false"}, {"y", "", "2", "true"}} {
		files[change.name] = change.text
		sources := fstest.MapFS{}
		for name, text := range files {
			sources[name] = &fstest.MapFile{Data: []byte(text)}
		}
		got, err := reader.Read(t.Context(), project.NewSources(sources), nil)
		if err != nil || got.Preview.Define["x"] != change.x || got.Preview.Define["y"] != change.y {
			t.Errorf("after a change to %s: got %+v, %v, want %+v", change.name, got, err, change)
		}
	}
}

// TestAConfigurationReachesNothing has configurations that fight back.
func TestAConfigurationReachesNothing(t *testing.T) {
	for config, want := range map[string]string{
		`export default { plugins: [require("fs").readdirSync("/")] }`:                                          "not a function",
		`import { readFileSync } from "fs"; export default { define: { x: readFileSync("/etc/passwd") } }`:      "there is no file",
		`import { readFileSync } from "fs"; export default { define: { x: readFileSync("../../etc/passwd") } }`: "there is no file",
		`export default { define: { x: String(process.env.PATH) } }`:                                            "",
		`export default { define: { x: String(globalThis.require) } }`:                                          "",
		`export default fetch("http://localhost")`:                                                              "fetch",
		`export default new Worker("x")`:                                                                        "Worker",
		`export default { define: { x: process.exit(0) } }`:                                                     "not a function",
		`export default process.binding("fs")`:                                                                  "not a function",
		`export default import("https://example.com/x.js")`:                                                     "imports https://example.com/x.js",
		`export default import("/etc/passwd")`:                                                                  "imports /etc/passwd",
		`import x from "../../etc/passwd"; export default x`:                                                    "",
		`export default import(globalThis.name)`:                                                                "cannot be read here",
		`import { spawn } from "node:child_process"; export default spawn`:                                      "imports node:child_process",
		`import net from "net"; export default net`:                                                             "imports net",
		`import os from "os"; export default os`:                                                                "imports os",
		`import vm from "vm"; export default vm`:                                                                "imports vm",
		`import x from "real"; export default x`:                                                                "imports real",
		`const x = () => x(); export default x()`:                                                               "nests too deeply",
		`export default { define: { x: "y".repeat(1e9) } }`:                                                     "memory",
		`const all = []; for (;;) all.push(new Array(1e6).fill(1))`:                                             "memory",
		`export default { define: { x: "\"" + "y".repeat(1e6) + "\"" } }`:                                       "more than 256 KB",
		`const x = {}; x.define = x; export default x`:                                                          "",
		`const x = []; x.push(x); export default { plugins: x }`:                                                "cannot be read here",
		`export default { get define() { throw 1 } }`:                                                           "cannot be read here",
		`export default new Proxy({}, { ownKeys() { throw new Error("a trap") } })`:                             "a trap",
		`JSON.stringify = () => "{"; export default {}`:                                                         "cannot be read here",
		`globalThis.viteResult = () => "7"; export default {}`:                                                  "cannot be read here",
		`globalThis.viteRead = () => {}; export default {}`:                                                     "waits forever",
		`throw null`: "cannot be read here",
		`export default { define: { "if": "1", "a.class": "2" } }`:                         "",
		`export default { define: { constructor: "x", __proto__: { a: "1" } } }`:           "",
		`export default { resolve: { alias: { __proto__: "/src" } } }`:                     "",
		`export default { resolve: { alias: [{ find: /(a+)+$/, replacement: "/src" }] } }`: "",
		`export default { envPrefix: "", envDir: "../.." }`:                                "",
		`Object.prototype.plugins = [{ name: "x", load() {} }]; export default {}`:         "",
		`Array.prototype.map = () => [7]; export default { plugins: [] }`:                  "",
		`Promise.prototype.then = () => {}; export default {}`:                             "",
	} {
		got := read(t, map[string]string{"vite.config.mjs": config})
		if want != "" && !strings.Contains(got.Unsupported, want) {
			t.Errorf("%s: got %+v, want %q", config, got, want)
		}
		for name, value := range got.Preview.Define {
			if strings.Contains(value, "/bin") || strings.Contains(value, "root:") {
				t.Errorf("%s: got %s for %s", config, value, name)
			}
		}
	}
}

func TestAnEndlessConfigurationEnds(t *testing.T) {
	reader, sources := viteconfig.New(jsmachine.Limits{Memory: 64 << 20, Time: time.Second}), fstest.MapFS{"vite.config.js": {Data: []byte("for (;;);")}}
	for range 2 {
		got, err := reader.Read(t.Context(), project.NewSources(sources), nil)
		if err != nil || got.Unsupported != "vite.config.js cannot be read here: this takes longer than 1s" {
			t.Errorf("got %+v, %v", got, err)
		}
	}
}
