package markuptest

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/markup"
)

// class is a source with a patch that becomes a class, and the outcome; want begins with
// "!" for an error's code.
type class struct{ source, variant, property, value, want string }

func writesClasses(t *testing.T, patcher markup.Patcher) {
	wantClasses(t, patcher, "a.html", []class{
		{`<p>x</p>`, "", "padding", "calc(var(--spacing) * 4)", `<p class="p-4">x</p>`},
		{`<p  class='btn  p-2 md:p-8' id=c>x</p>`, "", "padding", "13px", `<p  class="btn  p-[13px] md:p-8" id=c>x</p>`},
		{`<p class="p-2">x</p>`, "md:hover", "padding", "0", `<p class="p-2 md:hover:p-0">x</p>`},
		{`<p class="p-2 flex">x</p>`, "", "padding", "", `<p class="flex">x</p>`},
		{`<p style="color: red; top: 0">x</p>`, "", "color", "var(--color-red-500)", `<p style="top: 0" class="text-red-500">x</p>`},
		{`<p style="top: 0; color: red">x</p>`, "", "color", "#fff", `<p style="top: 0;" class="text-[#fff]">x</p>`},
		{`<p style="color: red" class="a">x</p>`, "hover", "color", "#fff", `<p class="a text-[color:red] hover:text-[#fff]">x</p>`},
		{`<p style="padding: 1px">x</p>`, "", "padding-top", "0", "!selector_not_found"},
		{`<p>x</p>`, "a b", "color", "red", "!validation_failed"},
		{`<p>x</p>`, "", "alt", "red", "!validation_failed"},
		{`<p>x</p>`, "", "--x", "red", "!validation_failed"},
		{`<p>x</p>`, "", "color", `red"`, "!validation_failed"},
		{`<p>x</p>`, "", "background-image", `url("a b")`, "!validation_failed"},
	})
	in := func(jsx string) string { return "const A = (p) => " + jsx + "\n" }
	cases := []class{
		{`<p>x</p>`, "", "padding", "0", `<p className="p-0">x</p>`},
		{`<Foo.Bar />`, "", "padding", "0", `<Foo.Bar className="p-0" />`},
		{`<p className="bg-stone-800 hover:bg-stone-900">x</p>`, "", "backgroundColor", "var(--color-amber-700)", `<p className="bg-amber-700 hover:bg-stone-900">x</p>`},
		{`<p className="flex" style={{ padding: 4, color: "red" }}>x</p>`, "", "padding", "0", `<p className="flex p-0" style={{ color: "red" }}>x</p>`},
		{`<p className="flex" style={{ color: "red", padding: 4 }}>x</p>`, "md", "padding", "0", `<p className="flex p-[4px] md:p-0" style={{ color: "red" }}>x</p>`},
		{`<p className="flex" style={{ padding: 4 }}>x</p>`, "", "padding", "0", `<p className="flex p-0">x</p>`},
		{`<p style={{ padding: p.x }}>x</p>`, "", "padding", "0", "!selector_not_found"},
		{`<p style={p.style}>x</p>`, "", "padding", "0", `<p style={p.style} className="p-0">x</p>`},
		{`<p className={cn("p-4", p.wide && "font-bold", p.className)}>x</p>`, "", "padding", "0", `<p className={cn("p-0", p.wide && "font-bold", p.className)}>x</p>`},
		{`<p className={cn('p-4 flex', 'px-2')}>x</p>`, "", "padding", "0", `<p className={cn('p-0 flex', '')}>x</p>`},
		{`<p className={cn("p-4", p.wide && "p-8")}>x</p>`, "", "padding", "0", "!selector_not_found"},
		{`<p className={cn("p-4", p.wide && "p-8")}>x</p>`, "hover", "padding", "0", `<p className={cn("p-4 hover:p-0", p.wide && "p-8")}>x</p>`},
		{`<p className={cn(p.a, p.b)}>x</p>`, "", "padding", "0", "!selector_not_found"},
		{"<p className={`p-4 ${p.x} flex`}>x</p>", "", "padding", "0", "<p className={`p-0 ${p.x} flex`}>x</p>"},
		{"<p className={`${p.x} p-4`}>x</p>", "", "padding", "0", "<p className={`${p.x} p-0`}>x</p>"},
		{"<p className={`${p.x}`}>x</p>", "", "padding", "0", "<p className={`p-0 ${p.x}`}>x</p>"},
		{"<p className={`flex bg-${p.x}`}>x</p>", "", "padding", "0", "<p className={`flex p-0 bg-${p.x}`}>x</p>"},
		{"<p className={`flex bg-${p.x}`}>x</p>", "", "background-color", "#fff", "!selector_not_found"},
		{"<p className={`flex ${p.x ? 'p-4' : `p-${2}`}`}>x</p>", "", "padding", "0", "!selector_not_found"},
		{`<p className={p.x}>x</p>`, "", "padding", "0", "!selector_not_found"},
		{`<p className={p.x + " p-4"}>x</p>`, "", "padding", "0", "!selector_not_found"},
		{`<p className={styles["p"]}>x</p>`, "", "padding", "0", "!selector_not_found"},
	}
	for i := range cases {
		cases[i].source = in(cases[i].source)
		if cases[i].want[0] != '!' {
			cases[i].want = in(cases[i].want)
		}
	}
	wantClasses(t, patcher, "a.tsx", cases)
	wantClasses(t, patcher, "a.css", []class{{"p { top: 0 }", "", "padding", "0", "!validation_failed"}})
}

func writesDialects(t *testing.T, patcher markup.Patcher) {
	const source = `<p className="tw-p-4 tw:p-4 hover_!p-4">x</p>`
	for dialect, want := range map[markup.Dialect]string{
		{}:                            `tw-p-4 tw:p-4 hover_!p-4 p-0`,
		{Three: true, Prefix: "tw-"}:  `tw-p-0 tw:p-4 hover_!p-4`,
		{Prefix: "tw"}:                `tw-p-4 tw:p-0 hover_!p-4`,
		{Three: true, Separator: "_"}: `tw-p-4 tw:p-4 hover_!p-4 p-0`,
	} {
		content := "export default () => " + source + "\n"
		patches := []markup.Patch{{Selector: "p", Property: "padding", Value: "0", As: markup.AsClass, Dialect: dialect}}
		edits, err := patcher.Patch(t.Context(), "a.tsx", []byte(content), patches)
		if got := string(markup.Splice([]byte(content), edits)); err != nil || !strings.Contains(got, `"`+want+`"`) {
			t.Errorf("%+v: got %s, %v, want %s", dialect, got, err, want)
		}
	}
}

func wantClasses(t *testing.T, patcher markup.Patcher, name string, cases []class) {
	t.Helper()
	for _, c := range cases {
		selector := "*"
		if name == "a.css" {
			selector = "p"
		}
		patches := []markup.Patch{{Selector: selector, Property: c.property, Value: c.value, As: markup.AsClass, Variant: c.variant}}
		edits, err := patcher.Patch(t.Context(), name, []byte(c.source), patches)
		got := "!" + string(core.CodeOf(err))
		if err == nil {
			got = string(markup.Splice([]byte(c.source), edits))
		}
		if got != c.want {
			t.Errorf("%s, %s %s=%q:\n%s\ngot  %q (%v)\nwant %q", name, c.variant, c.property, c.value, c.source, got, err, c.want)
			continue
		}
		if err != nil {
			continue
		}
		if again, err := patcher.Patch(t.Context(), name, []byte(got), patches); err != nil || len(again) > 0 {
			t.Errorf("%s, %s %s=%q: got %v, %v the second time, want no edits", name, c.variant, c.property, c.value, again, err)
		}
	}
}

func setsLiterals(t *testing.T, patcher markup.Patcher) {
	const list = "const all = ['one', \"two\", {two: 'it\\'s'}, `four`]\nexport default () => <ul title=\"one\">{all.map((w) => <li key={w}>{w}</li>)}</ul>\n"
	for _, c := range []struct{ name, source, selector, shown, value, want string }{
		{"a.tsx", list, "li", "one", "1 \"'<", strings.Replace(list, "'one'", `'1 "\'<'`, 1)},
		{"a.tsx", list, "li", "two", "2", strings.Replace(list, `"two"`, `"2"`, 1)},
		{"a.tsx", list, "li", " it's ", "2", strings.Replace(list, `'it\'s'`, `'2'`, 1)},
		{"a.tsx", list, "li", "four", "${4}", strings.Replace(list, "`four`", `"${4}"`, 1)},
		{"a.tsx", list, "", "four", "4", strings.Replace(list, "`four`", `"4"`, 1)},
		{"a.tsx", list, "li", "five", "5", "!selector_not_found"},
		{"a.tsx", "const a = 'x', b = 'x'\nexport default () => <p>{a}</p>\n", "p", "x", "y", "!selector_not_found"},
		{"a.tsx", "const a = {'x': 1}\nexport default () => <p>{Object.keys(a)}</p>\n", "p", "x", "y", "!selector_not_found"},
		{"a.tsx", "import x from 'x'\nexport default () => <p>{x}</p>\n", "p", "x", "y", "!selector_not_found"},
		{"a.tsx", "const A = () => <Card title='x'>\n  Save it\n</Card>\n", "", "Save it", "<b>", "const A = () => <Card title='x'>\n  &lt;b&gt;\n</Card>\n"},
		{"a.tsx", "const A = () => <Card title='x'>y</Card>\n", "", "x", "z", "const A = () => <Card title=\"z\">y</Card>\n"},
		{"a.tsx", "const A = () => <p>own</p>\n", "p", "own", "z", "const A = () => <p>z</p>\n"},
		{"a.html", "<p>own</p>", "", "own", "z", "!selector_not_found"},
		{"a.ts", "export const texts = { title: 'x', 'y': <string>'z', sum: (n: number) => `${n} < x` }\n", "", "x", "it's", "export const texts = { title: 'it\\'s', 'y': <string>'z', sum: (n: number) => `${n} < x` }\n"},
		{"a.ts", "import type { A } from 'x'\nexport const all: Array<A<string>> = ['x']\n", "", "x", "y", "import type { A } from 'x'\nexport const all: Array<A<string>> = ['y']\n"},
		{"a.mjs", "export const a = /'x'/, b = 'x'\n", "", "x", "y", "export const a = /'x'/, b = 'y'\n"},
		{"a.js", "export const a = 'x', b = 'x'\n", "", "x", "y", "!selector_not_found"},
		{"a.ts", "export const a = 'x'\n", "a", "x", "y", "!unsupported_file"},
		{"a.ts", "export const a = 'x\n", "", "x", "y", "!build_failed"},
	} {
		edits, err := patcher.Patch(t.Context(), c.name, []byte(c.source), []markup.Patch{{Selector: c.selector, Property: "textContent", Value: c.value, Shown: c.shown}})
		got := "!" + string(core.CodeOf(err))
		if err == nil {
			got = string(markup.Splice([]byte(c.source), edits))
		}
		if got != c.want {
			t.Errorf("%q to %q in\n%s\ngot  %q (%v)\nwant %q", c.shown, c.value, c.source, got, err, c.want)
		}
	}
}
