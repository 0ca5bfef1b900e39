package buildtest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// RunSyntaxChecker tests a checker against the port. open returns a new one.
func RunSyntaxChecker(t *testing.T, open func(t *testing.T) build.SyntaxChecker) {
	clauses := []struct {
		name string
		test func(t *testing.T, open func(t *testing.T) build.SyntaxChecker)
	}{
		{"a sound source has no diagnostics", syntaxTakesSoundSources},
		{"a source that ends too early is broken in every kind", syntaxFindsCutSources},
		{"a diagnostic has its place in characters", syntaxReportsPlaces},
		{"a byte order mark counts as nothing", syntaxSkipsByteOrderMark},
		{"a file of another kind has no diagnostics", syntaxTakesOtherKinds},
		{"a cancelled context ends the check", syntaxHonoursCancel},
		{"checks at the same time do not disturb each other", syntaxInParallel},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.test(t, open) })
	}
}

func mustCheck(t *testing.T, checker build.SyntaxChecker, name, text string) []core.Diagnostic {
	t.Helper()
	found, err := checker.Syntax(t.Context(), name, []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return found
}

// soundSources has one of each kind by name.
func soundSources() map[string]string {
	return map[string]string{
		"a.js":            "#!/usr/bin/env node\nimport x from './x'\nexport default () => <p>{x}</p>\n",
		"a.jsx":           "export default function A({ ...rest }) {\n  return <div {...rest}>it&apos;s</div>\n}\n",
		"a.mjs":           "const a = /[)]/.test('(') ? `${1}` : await import('./b')\nexport { a }\n",
		"a.cjs":           "module.exports = { a: 1 }\n",
		"a.ts":            "class A {\n  constructor(@Inject() private readonly a: Map<string, number[]>) {}\n}\nexport const b = <T>(x: T) => x as unknown\n",
		"a.mts":           "export type A = { [K in keyof B]?: B[K] }\n",
		"a.tsx":           "export const A = <T,>(p: { x: T }) => <><b>{String(p.x)}</b>{/* fine */}</>\n",
		"a.d.ts":          "/// <reference types=\"vite/client\" />\n",
		"a.css":           "@import './b.css';\n:root { --a: {} }\na { &:hover { background: url(//x.y/z) } }\n@media (width > 3px) { a { b: c } }\n",
		"a.module.css":    ".a { composes: b from './c.css' }\n",
		"tailwind.css":    "@tailwind base;\n.a { @apply font-bold; }\n",
		"a.json":          "{\"a\": [1, null, \"\\\"{\"]}\n",
		"a.jsonc":         "// why\n{ \"a\": 1, /* b */ }\n",
		"tsconfig.json":   "{\n  // strict\n  \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\"] }, },\n}\n",
		"src/INDEX.HTML":  "<!doctype html><p>1 < 2<br><ul><li>a<li>b</ul><img src=a><script>if (a < b) '<div>'</script>\n",
		"page.html":       "<!DOCTYPE html>\n<html>\n<head><title>a < b</title><style>a > b {}</style></head>\n<body><!-- <div> -->\n<svg><path d=\"M0\"/></svg></body></html>\n",
		"no-end-tags.htm": "<title>t</title><h1>a</h1><p>b",
		"empty.ts":        "", "empty.css": "", "empty.html": "",
	}
}

func syntaxTakesSoundSources(t *testing.T, open func(t *testing.T) build.SyntaxChecker) {
	checker := open(t)
	for name, text := range soundSources() {
		if found := mustCheck(t, checker, name, text); len(found) > 0 {
			t.Errorf("%s: got %+v, want none", name, found)
		}
	}
}

func syntaxFindsCutSources(t *testing.T, open func(t *testing.T) build.SyntaxChecker) {
	checker := open(t)
	for _, c := range []struct{ name, text string }{
		{"a.js", "export function a() {\n  return 1\n"},
		{"a.jsx", "export default () => (\n  <div>"},
		{"a.ts", "export const a = [1, 2"},
		{"a.tsx", "export function A() {\n  return <p title={"},
		{"a.mjs", "const a = `b"},
		{"a.cts", "export const a = 1\n/* and then"},
		{"a.css", "a { color: red;"},
		{"a.module.css", "a { color: red }\n@media (width > 3px) {\n  a { b: c }\n"},
		{"b.css", "a { color: red }\n/* and then"},
		{"a.json", "{\"a\": 1,"},
		{"empty.json", ""},
		{"a.jsonc", "{ // a\n  \"a\": ["},
		{"tsconfig.json", "{ \"compilerOptions\": {"},
		{"a.html", "<p>a</p><!-- and then"},
		{"b.html", "<p>a</p><div class=\"b"},
		{"c.html", "<p>a</p></div"},
		{"d.html", "<p>a</p><script>\nconst a = 1\n"},
		{"e.html", "<head><title>Shop"},
		{"f.html", "<html><body><main><section><p>a</p></section>\n"},
		{"g.html", "<!doctype ht"},
		{"h.htm", "<style>a { b: c }"},
	} {
		found := mustCheck(t, checker, c.name, c.text)
		if len(found) == 0 {
			t.Errorf("%s: got no diagnostic for %q, want one", c.name, c.text)
			continue
		}
		lines := strings.Count(c.text, "\n") + 1
		if d := found[0]; d.Path != c.name || d.Line < 1 || d.Line > lines || d.Column < 1 || d.Message == "" {
			t.Errorf("%s: got %+v, want a place in it and a message", c.name, d)
		}
	}
}

func syntaxReportsPlaces(t *testing.T, open func(t *testing.T) build.SyntaxChecker) {
	checker := open(t)
	for _, c := range []struct {
		name, text   string
		line, column int
	}{
		{"src/a.ts", "export const a = 1\nexport const b = ['é', '日', '🙂')\n", 2, 32},
		{"a.css", "a { b: c }\n/* é */ }\n", 2, 9},
		{"a.json", "{\"é\": 1 \"b\": 2}\n", 1, 9},
		{"a.html", "<p>é</p>\n<p>é</p> <section>\n", 2, 10},
	} {
		found := mustCheck(t, checker, c.name, c.text)
		if len(found) == 0 || found[0].Path != c.name || found[0].Line != c.line || found[0].Column != c.column {
			t.Errorf("got %+v, want %s:%d:%d", found, c.name, c.line, c.column)
		}
	}
}

func syntaxSkipsByteOrderMark(t *testing.T, open func(t *testing.T) build.SyntaxChecker) {
	checker := open(t)
	for name, text := range soundSources() {
		if found := mustCheck(t, checker, name, "\ufeff"+text); len(found) > 0 {
			t.Errorf("%s: got %+v, want none", name, found)
		}
	}
	if found := mustCheck(t, checker, "a.json", "\ufeff{]"); len(found) == 0 || found[0].Column != 2 {
		t.Errorf("got %+v, want column 2", found)
	}
}

func syntaxTakesOtherKinds(t *testing.T, open func(t *testing.T) build.SyntaxChecker) {
	checker := open(t)
	for _, name := range []string{"README.md", "icon.svg", "LICENSE", ".env", "a.vue", "json", "a.png"} {
		if found := mustCheck(t, checker, name, "{ ( <div \x00\xff"); len(found) > 0 {
			t.Errorf("%s: got %+v, want none", name, found)
		}
	}
}

func syntaxHonoursCancel(t *testing.T, open func(t *testing.T) build.SyntaxChecker) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found, err := open(t).Syntax(ctx, "a.ts", []byte("(")); !errors.Is(err, context.Canceled) || len(found) > 0 {
		t.Errorf("got %+v, %v, want only %v", found, err, context.Canceled)
	}
}

func syntaxInParallel(t *testing.T, open func(t *testing.T) build.SyntaxChecker) {
	checker := open(t)
	var group sync.WaitGroup
	for name, text := range soundSources() {
		group.Go(func() {
			if found, err := checker.Syntax(t.Context(), name, []byte(text)); err != nil || len(found) > 0 {
				t.Errorf("%s: got %+v, %v, want neither", name, found, err)
			}
		})
		group.Go(func() {
			if found, err := checker.Syntax(t.Context(), name+".css", []byte("a {")); err != nil || len(found) != 1 {
				t.Errorf("%s.css: got %+v, %v, want one diagnostic", name, found, err)
			}
		})
	}
	group.Wait()
}
