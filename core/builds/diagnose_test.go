package builds

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestDiagnose(t *testing.T) {
	for name, c := range map[string]struct {
		said string
		want []core.Diagnostic
	}{
		"Vite, with what its compiler found": {
			said: `6:47:51 PM [vite] (client) hmr update /src/App.tsx
6:47:51 PM [vite] Internal server error: Transform failed with 2 errors:

[PARSE_ERROR] Type argument list cannot be empty.
    ╭─[ src/App.tsx:10:11 ]
    │
 10 │       <h1 <>Vite + React</h1>
    │           ─┬
    │            ╰──
────╯

[PARSE_ERROR] Unexpected token
    ╭─[ src/App.tsx:10:18 ]
────╯

  Plugin: vite:oxc
  File: /app/src/App.tsx
      at transformWithOxc (file:///app/node_modules/vite/dist/node/chunks/node.js:7673:19)`,
			want: []core.Diagnostic{
				{Path: "src/App.tsx", Line: 10, Column: 11, Message: "Type argument list cannot be empty."},
				{Path: "src/App.tsx", Line: 10, Column: 18, Message: "Unexpected token"},
			},
		},
		"Vite, told twice, with a frame": {
			said: `6:51:46 PM [vite] (client) Pre-transform error: Failed to resolve import "./Nothing.module.css" from "src/App.tsx". Does the file exist?
  Plugin: vite:import-analysis
  File: /app/src/App.tsx:3:19
  1  |  import { useState } from "react";
  3  |  import styles from "./Nothing.module.css";
     |                      ^
6:51:46 PM [vite] Internal server error: Failed to resolve import "./Nothing.module.css" from "src/App.tsx". Does the file exist?
  Plugin: vite:import-analysis
  File: /app/src/App.tsx:3:19`,
			want: []core.Diagnostic{{Path: "src/App.tsx", Line: 3, Column: 19, Message: `Failed to resolve import "./Nothing.module.css" from "src/App.tsx". Does the file exist?`}},
		},
		"TypeScript": {
			said: `src/App.tsx(5,1): error TS1435: Unknown keyword or identifier. Did you mean 'export'?
src/App.tsx(5,7): error TS1005: 'export' expected.`,
			want: []core.Diagnostic{
				{Path: "src/App.tsx", Line: 5, Column: 1, Message: "TS1435: Unknown keyword or identifier. Did you mean 'export'?"},
				{Path: "src/App.tsx", Line: 5, Column: 7, Message: "TS1005: 'export' expected."},
			},
		},
		"TypeScript, for people": {
			said: `src/App.vue:5:1 - error TS2322: Type 'string' is not assignable to type 'number'.

5 count.value = 'x'
  ~~~~~`,
			want: []core.Diagnostic{{Path: "src/App.vue", Line: 5, Column: 1, Message: "TS2322: Type 'string' is not assignable to type 'number'."}},
		},
		"Svelte's development server": {
			said: `6:49:42 PM [vite] (ssr) Error when evaluating SSR module /src/routes/+page.svelte: /app/src/routes/+page.svelte:1:24 ` + "`<h2>` was left open" + `
https://svelte.dev/e/element_unclosed
  Plugin: vite-plugin-svelte:compile
  File: /app/src/routes/+page.svelte:1:24
   1 |  <h1>Welcome to SvelteKit<h2>
                                 ^
[500] GET /`,
			want: []core.Diagnostic{{Path: "src/routes/+page.svelte", Line: 1, Column: 24, Message: "`<h2>` was left open"}},
		},
		"Rolldown, with the place first": {
			said: `✗ Build failed in 290ms
error during build:
Build failed with 1 error:

[plugin vite:vue] /app/src/App.vue:7:1
RolldownError: Element is missing end tag.
    at createRollupError (file:///app/node_modules/@vitejs/plugin-vue/dist/index.js:40:13)
SyntaxError: Element is missing end tag.
    at createCompilerError (file:///app/node_modules/@vue/compiler-core/dist/compiler-core.cjs.js:1:1)
  errors: [Getter/Setter]
}`,
			want: []core.Diagnostic{{Path: "src/App.vue", Line: 7, Column: 1, Message: "Element is missing end tag."}},
		},
		"Rolldown, with the place twice": {
			said: `error during build:
[plugin vite-plugin-svelte:compile] /app/src/routes/+page.svelte:2:4
RolldownError: /app/src/routes/+page.svelte:2:4 Expected whitespace
https://svelte.dev/e/expected_whitespace
 2 |  {#if}<p>Visit</p>`,
			want: []core.Diagnostic{{Path: "src/routes/+page.svelte", Line: 2, Column: 4, Message: "Expected whitespace"}},
		},
		"Rolldown, with its frame": {
			said: `[UNRESOLVED_IMPORT] Could not resolve './Nothing.module.css' in src/App.tsx
   ╭─[ src/App.tsx:3:20 ]
   │
 3 │ import styles from "./Nothing.module.css";
   │ Help: 'src/App.tsx' is imported by the following path:
   │         - src/App.tsx`,
			want: []core.Diagnostic{{Path: "src/App.tsx", Line: 3, Column: 20, Message: "Could not resolve './Nothing.module.css' in src/App.tsx"}},
		},
		"esbuild": {
			said: `✘ [ERROR] Expected "}" but found end of file

    src/main.ts:14:1:
      14 │ }
         ╵  ^
src/other.ts:3:7: ERROR: Unexpected ";"`,
			want: []core.Diagnostic{
				{Path: "src/main.ts", Line: 14, Column: 1, Message: `Expected "}" but found end of file`},
				{Path: "src/other.ts", Line: 3, Column: 7, Message: `Unexpected ";"`},
			},
		},
		"Rollup": {
			said: `[vite:css] [sass] expected "{".
src/App.vue (5:1): Element is missing end tag.
file: /app/src/App.vue:5:1`,
			want: []core.Diagnostic{{Path: "src/App.vue", Line: 5, Column: 1, Message: "Element is missing end tag."}},
		},
		"an error without a place": {
			said: "failed to load config from /app/vite.config.ts\nError: Cannot find module 'nothing'",
			want: []core.Diagnostic{{Message: "Cannot find module 'nothing'"}},
		},
		"nothing wrong": {
			said: `  VITE v8.3.8  ready in 604 ms
  ➜  Local:   http://127.0.0.1:5173/
6:47:51 PM [vite] (client) page reload src/main.tsx
dist/index.html   0.45 kB │ gzip: 0.29 kB
✓ built in 1.20s`,
		},
		"a mistake of a package": {
			said: `node_modules/foo/index.js:3:4: ERROR: no`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Diagnose(strings.Split(c.said, "\n"))
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func FuzzDiagnoseIsBounded(f *testing.F) {
	f.Add("src/a.ts:1:2: ERROR: x\n", 30)
	f.Fuzz(func(t *testing.T, said string, times int) {
		lines := strings.Split(strings.Repeat(said, min(max(times, 0), 50)), "\n")
		got := Diagnose(lines)
		if len(got) > maxDiagnostics {
			t.Fatalf("got %d diagnostics, want %d at most", len(got), maxDiagnostics)
		}
		for _, one := range got {
			if len(one.Message) > maxMessageBytes || one.Line < 0 || one.Column < 0 {
				t.Fatalf("got %+v, want it bounded", one)
			}
		}
	})
}
