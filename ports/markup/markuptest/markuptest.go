// Package markuptest tests a markup.Patcher against its port.
package markuptest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/markup"
)

// Run tests a patcher against the port.
func Run(t *testing.T, patcher markup.Patcher) {
	for _, clause := range []struct {
		name string
		test func(t *testing.T, patcher markup.Patcher)
	}{
		{"a style sheet gets declarations", patchesStyles},
		{"HTML gets texts, attributes and styles", patchesHTML},
		{"JSX gets texts, attributes and styles", patchesJSX},
		{"selectors name the first element in the source", findsElements},
		{"data-loc is the place of the element", findsPlaces},
		{"a property becomes a class where that is asked for", writesClasses},
		{"a class is written in the dialect of the project", writesDialects},
		{"a text that comes from a literal is changed there", setsLiterals},
		{"elements are moved, copied, wrapped and deleted", arranges},
		{"the same patches again change nothing", patchesOnce},
		{"of patches for the same property the last one counts", takesTheLast},
		{"selectors are resolved against the source as it is", resolvesFirst},
		{"what would run code or end its place is refused", refusesCode},
		{"a patch that matches nothing refuses all", missesNothing},
		{"other files, large ones and broken ones are refused", refusesFiles},
		{"a cancelled context ends the call", honoursCancel},
	} {
		t.Run(clause.name, func(t *testing.T) { clause.test(t, patcher) })
	}
}

// patch is a source with one patch and the outcome; want begins with "!" for
// an error's code.
type patch struct{ source, selector, property, value, want string }

func wantPatches(t *testing.T, patcher markup.Patcher, name string, cases []patch) {
	t.Helper()
	for _, c := range cases {
		edits, err := patcher.Patch(t.Context(), name, []byte(c.source), []markup.Patch{{Selector: c.selector, Property: c.property, Value: c.value}})
		got := "!" + string(core.CodeOf(err))
		if err == nil {
			got = string(markup.Splice([]byte(c.source), edits))
		}
		if got != c.want {
			t.Errorf("%s, %s, %s=%q:\n%s\ngot  %q (%v)\nwant %q", name, c.selector, c.property, c.value, c.source, got, err, c.want)
		}
	}
}

func patchesStyles(t *testing.T, patcher markup.Patcher) {
	wantPatches(t, patcher, "a.css", []patch{
		{"a { color: red; }\n", "a", "color", "blue", "a { color: blue; }\n"},
		{"a{color:red}", "a", "color", "blue", "a{color:blue}"},
		{"a{color:red}", "a", "width", "1px", "a{color:red; width: 1px}"},
		{"a { color: red; }", "a", "width", "1px", "a { color: red; width: 1px; }"},
		{"a {\n  color: red;\n}\n", "a", "backgroundColor", "#fff", "a {\n  color: red;\n  background-color: #fff;\n}\n"},
		{"a {\r\n\tcolor: red; /* why */\r\n}\r\n", "a", "width", "1px", "a {\r\n\tcolor: red; /* why */\r\n\twidth: 1px;\r\n}\r\n"},
		{"a {\n  color: red\n}\n", "a", "width", "1px", "a {\n  color: red;\n  width: 1px;\n}\n"},
		{"a {}", "a", "width", "1px", "a { width: 1px; }"},
		{"a { }", "a", "width", "1px", "a { width: 1px; }"},
		{"@media print {\n  a {\n  }\n}\n", "a", "width", "1px", "@media print {\n  a {\n    width: 1px;\n  }\n}\n"},
		{"\ufeffa { color: /* x */ red /* y */; }", "a", "color", "blue", "\ufeffa { color: /* x */ blue /* y */; }"},
		{"a { color: red; color: green !important; }", "a", "color", "blue", "a { color: red; color: blue; }"},
		{"a { color: red } a { width: 1px } a { height: 1px }", "a", "width", "2px", "a { color: red } a { width: 2px } a { height: 1px }"},
		{"a { color: red } a { width: 1px }", "a", "height", "2px", "a { color: red; height: 2px } a { width: 1px }"},
		{"@media print { a { color: red } } a { width: 1px }", "a", "color", "blue", "@media print { a { color: red } } a { width: 1px; color: blue }"},
		{"@media print { a { color: red } }", "a", "color", "blue", "@media print { a { color: blue } }"},
		{"@layer base { a { color: red } } @keyframes x { from { color: red } }", "a", "color", "blue", "@layer base { a { color: blue } } @keyframes x { from { color: red } }"},
		{"@keyframes x { from { color: red } }", "from", "color", "blue", "!selector_not_found"},
		{".a { color: red; &:hover { color: green } .b { top: 0 } }", ".a:hover", "color", "blue", ".a { color: red; &:hover { color: blue } .b { top: 0 } }"},
		{".a { color: red; .b { top: 0 } }", ".a .b", "top", "1px", ".a { color: red; .b { top: 1px } }"},
		{"h1 ,\n  .a  >  b /* c */ { top: 0 }", "h1, .a>b", "top", "1px", "h1 ,\n  .a  >  b /* c */ { top: 1px }"},
		{"h1, h2 { top: 0 }", "h1", "top", "1px", "!selector_not_found"},
		{":root { --a: { b: c }; --B: 1px }", ":root", "--B", "2px", ":root { --a: { b: c }; --B: 2px }"},
		{`a { background: url(data:x;y) } a::before { content: "};" }`, "a::before", "content", `"{;"`, `a { background: url(data:x;y) } a::before { content: "{;" }`},
		{"a { background: none }", "a", "background", "url(data:image/png;base64,AA==)", "a { background: url(data:image/png;base64,AA==) }"},
		{"a { color: red }", "a", "color", "red", "a { color: red }"},
		{"a { color: }", "a", "color", "red", "a { color: red }"},
		{".md\\:x:hover { @apply font-bold; }", ".md\\:x:hover", "color", "red", ".md\\:x:hover { @apply font-bold; color: red; }"},
		{"a { color: red }", "a", "textContent", "x", "!validation_failed"},
		{"a { color: red }", "a", "co lor", "x", "!validation_failed"},
	})
}

func patchesHTML(t *testing.T, patcher markup.Patcher) {
	wantPatches(t, patcher, "a.html", []patch{
		{"<h1>Old</h1>", "h1", "textContent", "A & <b>", "<h1>A &amp; &lt;b&gt;</h1>"},
		{"<!doctype html>\r\n<H1 Class='x'>\r\n\tOld <i>text</i>\r\n</H1>\r\n", "h1.x", "textContent", "New", "<!doctype html>\r\n<H1 Class='x'>\r\n\tNew\r\n</H1>\r\n"},
		{"<h1></h1>", "h1", "textContent", "x", "<h1>x</h1>"},
		{"<p>a<p>b", "p:nth-of-type(2)", "textContent", "x", "<p>a<p>x"},
		{"<ul><li>a<li>b</ul>", "li", "textContent", "x", "<ul><li>x<li>b</ul>"},
		{"<img src=a.png alt>", "img", "src", "b \"c\".png", `<img src="b &quot;c&quot;.png" alt>`},
		{"<img src=a.png alt>", "img", "alt", "x", `<img src=a.png alt="x">`},
		{"<img/>", "img", "src", "a", `<img src="a"/>`},
		{`<p class="a  b" id=c>x</p>`, "p", "className", "d", `<p class="d" id=c>x</p>`},
		{`<p>x</p>`, "p", "class", "d", `<p class="d">x</p>`},
		{`<p CLASS=a CLASS=b>x</p>`, "p", "class", "d", `<p CLASS="d" CLASS=b>x</p>`},
		{`<input disabled><input>`, "input", "disabled", "false", `<input><input>`},
		{`<input disabled>`, "input", "disabled", "true", `<input disabled>`},
		{`<input>`, "input", "disabled", "true", `<input disabled>`},
		{`<p>x</p>`, "p", "color", "red", `<p style="color: red">x</p>`},
		{`<p style="">x</p>`, "p", "color", "red", `<p style="color: red">x</p>`},
		{`<p style="color: blue">x</p>`, "p", "color", "red", `<p style="color: red">x</p>`},
		{`<p style='top: 0;'>x</p>`, "p", "fontFamily", `"A", 'B'`, `<p style='top: 0; font-family: &quot;A&quot;, &#39;B&#39;;'>x</p>`},
		{`<p style=top:0>x</p>`, "p", "color", "red", `<p style="top:0; color: red">x</p>`},
		{`<p style="font: &quot;A&quot;">x</p>`, "p", "top", "0", `<p style="font: &quot;A&quot;; top: 0">x</p>`},
		{`<p style="top: {">x</p>`, "p", "top", "0", "!selector_not_found"},
		{"<script>let a = '<h1>'</script><!-- <h1> --><textarea><h1></textarea><h1>a</h1>", "h1", "textContent", "b", "<script>let a = '<h1>'</script><!-- <h1> --><textarea><h1></textarea><h1>b</h1>"},
		{"<script>a</script>", "script", "textContent", "b", "!selector_not_found"},
		{"<br>", "br", "textContent", "b", "!selector_not_found"},
		{"\ufeff<title>a</title>", "title", "textContent", "b", "\ufeff<title>b</title>"},
		{"<svg><g/><text>a</text></svg>", "svg > text", "textContent", "b", "<svg><g/><text>b</text></svg>"},
		{"<a href='x'>y</a>", "a", "wibble", "b", "!validation_failed"},
	})
}

func patchesJSX(t *testing.T, patcher markup.Patcher) {
	in := func(jsx string) string { return "export default function A(p) {\n  return " + jsx + "\n}\n" }
	cases := []patch{
		{"<h1>Old</h1>", "h1", "textContent", "A & {<b>}", "<h1>A &amp; &#123;&lt;b&gt;&#125;</h1>"},
		{"<h1>\n    Old\n  </h1>", "h1", "textContent", "New", "<h1>\n    New\n  </h1>"},
		{"<h1>Old</h1>", "h1", "textContent", "a\nb", "<h1>a&#10;b</h1>"},
		{"<h1>{'Old'}{/* c */}</h1>", "h1", "textContent", "New", "<h1>New</h1>"},
		{"<h1>{p.x} old</h1>", "h1", "textContent", "New", "!selector_not_found"},
		{"<h1><b>{p.x}</b></h1>", "h1", "textContent", "New", "!selector_not_found"},
		{"<h1><Foo/></h1>", "h1", "textContent", "New", "!selector_not_found"},
		{"<h1><>{p.x}</></h1>", "h1", "textContent", "New", "!selector_not_found"},
		{"<Foo icon={<Bar/>}>a<b>c</b></Foo>", "Foo", "textContent", "New", "<Foo icon={<Bar/>}>New</Foo>"},
		{"<h1><b>old</b> it's</h1>", "h1", "textContent", "New", "<h1>New</h1>"},
		{"<h1 />", "h1", "textContent", "New", "<h1>New</h1>"},
		{"<img />", "img", "textContent", "New", "!selector_not_found"},
		{"<div><p>it's {p.a ? <b>x</b> : `y${<i/>}`}</p><h1>a</h1></div>", "h1", "textContent", "b", "<div><p>it's {p.a ? <b>x</b> : `y${<i/>}`}</p><h1>b</h1></div>"},
		{"<>{/* it's <h1> */}<h1>a</h1></>", "h1", "textContent", "b", "<>{/* it's <h1> */}<h1>b</h1></>"},
		{"<p>{p.x.replace(/[/'{]/g, '')}<i>a</i></p>", "i", "textContent", "b", "<p>{p.x.replace(/[/'{]/g, '')}<i>b</i></p>"},
		{`<img src="a" alt='b' />`, "img", "alt", `c "d" {e}`, `<img src="a" alt="c &quot;d&quot; {e}" />`},
		{`<img src={"a"} />`, "img", "src", "b", `<img src="b" />`},
		{"<p className={`a`}>x</p>", ".a", "class", "b", `<p className="b">x</p>`},
		{"<p className={p.c}>x</p>", "p", "class", "b", "!selector_not_found"},
		{"<p class='a'>x</p>", ".a", "className", "b", `<p class="b">x</p>`},
		{"<p {...p}>x</p>", "p", "class", "b", `<p {...p} className="b">x</p>`},
		{"<p {...p} key={1}>x</p>", "p", "htmlFor", "b", `<p {...p} key={1} htmlFor="b">x</p>`},
		{"<p // why?\n  title='a' /* > */\n>x</p>", "p", "title", "b", "<p // why?\n  title=\"b\" /* > */\n>x</p>"},
		{"<input disabled />", "input", "disabled", "false", "<input disabled={false} />"},
		{"<input />", "input", "tabindex", "1", `<input tabIndex="1" />`},
		{"<Foo variant='a' />", "Foo", "variant", "b", `<Foo variant="b" />`},
		{"<Foo color='a' />", "Foo", "color", "b", `<Foo color="b" />`},
		{"<p>x</p>", "p", "color", "red", `<p style={{ color: "red" }}>x</p>`},
		{"<p>x</p>", "p", "-webkit-text-stroke", "1px", `<p style={{ WebkitTextStroke: "1px" }}>x</p>`},
		{"<p>x</p>", "p", "--a", "1px", `<p style={{ "--a": "1px" }}>x</p>`},
		{"<p style={{}}>x</p>", "p", "color", "red", `<p style={{ color: "red" }}>x</p>`},
		{"<p style={{ color: 'blue', ...p }}>x</p>", "p", "color", "red", `<p style={{ color: 'red', ...p }}>x</p>`},
		{"<p style={{ fontSize: 12, 'line-height': 1 }}>x</p>", "p", "font-size", "14px", `<p style={{ fontSize: "14px", 'line-height': 1 }}>x</p>`},
		{"<p style={{\n    top: 0, // why\n  }}>x</p>", "p", "color", "red", "<p style={{\n    top: 0,\n    color: \"red\", // why\n  }}>x</p>"},
		{"<p style={{ top: p.x }}>x</p>", "p", "top", "0", "!selector_not_found"},
		{"<p style={{ top }}>x</p>", "p", "top", "0", "!selector_not_found"},
		{"<p style={p.s}>x</p>", "p", "top", "0", "!selector_not_found"},
		{"<p>x</p>", "p", "top", "0 !important", "!validation_failed"},
	}
	for i := range cases {
		cases[i].source = in(cases[i].source)
		if !strings.HasPrefix(cases[i].want, "!") {
			cases[i].want = in(cases[i].want)
		}
	}
	wantPatches(t, patcher, "src/a.tsx", cases)
	wantPatches(t, patcher, "src/a.jsx", cases)
}

func findsElements(t *testing.T, patcher markup.Patcher) {
	const page = `<main id="m"><section><p>1</p><p class="a b" data-x="y z">2</p></section><section><p>3</p><i lang="en-US">4</i></section></main>`
	for _, c := range []struct{ selector, want string }{
		{"p", "1"}, {"main p.a", "2"}, {"#m > section:nth-of-type(2) > p", "3"}, {"main > p", "!selector_not_found"},
		{".b.a", "2"}, {"[data-x]", "2"}, {`[data-x="y z"]`, "2"}, {"[data-x~=z]", "2"}, {"[data-x^='y' i]", "2"}, {"[lang|=en]", "4"},
		{"p + p", "2"}, {"p ~ i", "4"}, {"section:last-of-type i:last-child", "4"}, {"p:nth-child(2n)", "2"}, {"section:nth-of-type(odd) p:first-child", "1"},
		{"*:nth-of-type(3)", "!selector_not_found"}, {"p:hover", "!validation_failed"}, {"p,i", "!validation_failed"}, {"p >", "!validation_failed"},
		{"", "!validation_failed"}, {"[data-x", "!validation_failed"}, {strings.Repeat("a ", 40) + "a", "!validation_failed"},
	} {
		for name, source := range map[string]string{"a.html": page, "a.jsx": "export default () => " + strings.ReplaceAll(page, "class=", "className=")} {
			want := c.want
			if !strings.HasPrefix(want, "!") {
				want = strings.Replace(source, ">"+want+"<", ">new<", 1)
			}
			wantPatches(t, patcher, name, []patch{{source, c.selector, "textContent", "new", want}})
		}
	}
	wantPatches(t, patcher, "a.html", []patch{{`<b class="md:x w-1/2">a</b>`, `.md\:x.w-1\/2`, "title", "t", `<b class="md:x w-1/2" title="t">a</b>`}})
}

func findsPlaces(t *testing.T, patcher markup.Patcher) {
	const page = "<div>\r\n\t<p>'🙂é</p><b>x</b>\n</div>"
	for _, c := range []struct{ place, want string }{
		{"src/a.%:2:2", "<p>new</p>"}, {"src/a.%:2:13", "<b>new</b>"}, {"src/a.%:2:12", "!selector_not_found"},
		{"src/b.%:2:2", "!selector_not_found"}, {"src/a.%:9:1", "!selector_not_found"},
	} {
		for ext, before := range map[string]string{"html": "", "jsx": "export default () => ", "tsx": "\ufeffexport default () => "} {
			source := before + page
			want := c.want
			if !strings.HasPrefix(want, "!") {
				old := map[byte]string{'p': "<p>'🙂é</p>", 'b': "<b>x</b>"}[want[1]]
				want = strings.Replace(source, old, want, 1)
			}
			selector := `[data-loc="` + strings.ReplaceAll(c.place, "%", ext) + `"]`
			wantPatches(t, patcher, "src/a."+ext, []patch{{source, selector, "textContent", "new", want}})
		}
	}
	wantPatches(t, patcher, "a.jsx", []patch{{"\ufeff<p>a</p>", `[data-loc="a.jsx:1:1"]`, "textContent", "b", "\ufeff<p>b</p>"}})
}

// somePatches are for sources with one element a of class b, and a rule a.
func somePatches(name string) []markup.Patch {
	if strings.HasSuffix(name, ".css") {
		return []markup.Patch{{Selector: "a", Property: "color", Value: "red"}, {Selector: "a", Property: "top", Value: "0"}}
	}
	return []markup.Patch{
		{Selector: "a.b", Property: "color", Value: "red"}, {Selector: "a", Property: "class", Value: "b c"}, {Selector: "a", Property: "top", Value: "0"},
		{Selector: "a", Property: "title", Value: "<&\">"}, {Selector: "a", Property: "textContent", Value: " x & y"}, {Selector: "a", Property: "hidden", Value: "true"},
	}
}

func sources() map[string]string {
	return map[string]string{
		"a.css": "a {\n  width: 1px\n}", "a.html": `<a class="b">x</a>`, "a.jsx": `<a className="b" />`, "a.tsx": "let x = <a\n  className='b'\n>x</a>",
	}
}

func mustPatch(t *testing.T, patcher markup.Patcher, name, source string, patches ...markup.Patch) string {
	t.Helper()
	edits, err := patcher.Patch(t.Context(), name, []byte(source), patches)
	if err != nil {
		t.Fatalf("%s: %v for %q", name, err, source)
	}
	return string(markup.Splice([]byte(source), edits))
}

func patchesOnce(t *testing.T, patcher markup.Patcher) {
	for name, source := range sources() {
		once := mustPatch(t, patcher, name, source, somePatches(name)...)
		if twice := mustPatch(t, patcher, name, once, somePatches(name)...); twice != once || once == source {
			t.Errorf("%s: got %q, want %q", name, twice, once)
		}
	}
}

func takesTheLast(t *testing.T, patcher markup.Patcher) {
	for name, source := range sources() {
		one := mustPatch(t, patcher, name, source, markup.Patch{Selector: "a", Property: "backgroundColor", Value: "blue"})
		both := mustPatch(t, patcher, name, source,
			markup.Patch{Selector: "a", Property: "background-color", Value: "red"}, markup.Patch{Selector: "a", Property: "backgroundColor", Value: "blue"})
		if one != both || !strings.Contains(one, "blue") {
			t.Errorf("%s: got %q, want %q", name, both, one)
		}
	}
}

func resolvesFirst(t *testing.T, patcher markup.Patcher) {
	got := mustPatch(t, patcher, "a.html", "<p class=a>x</p><p>y</p>",
		markup.Patch{Selector: "p + p", Property: "textContent", Value: "z"},
		markup.Patch{Selector: ".a", Property: "class", Value: "b"}, markup.Patch{Selector: ".a", Property: "title", Value: "t"},
		markup.Patch{Selector: `[data-loc="a.html:1:17"]`, Property: "id", Value: "i"})
	if want := `<p class="b" title="t">x</p><p id="i">z</p>`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	_, err := patcher.Patch(t.Context(), "a.html", []byte("<p><b>x</b></p>"), []markup.Patch{
		{Selector: "p", Property: "textContent", Value: "z"}, {Selector: "b", Property: "title", Value: "z"}})
	if !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("got %v for an element that another patch removes, want %s", err, core.CodeValidationFailed)
	}
}

func refusesCode(t *testing.T, patcher markup.Patcher) {
	sources := sources()
	for _, value := range []string{"red; top: 0", "red } b { top: 0", "red /* x", "url(x", "'x", "x)", "{}", "red\ntop: 0", "</style>", `red\`, "", "url(javascript:x)", "a;b", "[}]"} {
		for name, source := range sources {
			wantPatches(t, patcher, name, []patch{{source, "a", "color", value, "!validation_failed"}})
		}
	}
	for _, c := range [][2]string{
		{"onclick", "x()"}, {"onClick", "x()"}, {"srcdoc", "<b>"}, {"dangerouslySetInnerHTML", "x"}, {"innerHTML", "x"}, {"style", "top: 0"},
		{"href", "javascript:x"}, {"href", " java\nscript:x"}, {"src", "\x01JavaScript:x"}, {"action", "vbscript:x"}, {"href", "data:text/html,x"},
		{"ref", "x"}, {"key", "x"}, {"a b", "x"}, {"a=b", "x"}, {"", "x"}, {"hidden", "perhaps"},
	} {
		for _, name := range []string{"a.html", "a.jsx", "a.tsx"} {
			wantPatches(t, patcher, name, []patch{{sources[name], "a", c[0], c[1], "!validation_failed"}})
		}
	}
}

func missesNothing(t *testing.T, patcher markup.Patcher) {
	for name, source := range sources() {
		edits, err := patcher.Patch(t.Context(), name, []byte(source), append(somePatches(name), markup.Patch{Selector: "nav", Property: "color", Value: "red"}))
		if !core.IsCode(err, core.CodeSelectorNotFound) || edits != nil {
			t.Errorf("%s: got %v, %v, want only %s", name, edits, err, core.CodeSelectorNotFound)
		}
	}
}

func refusesFiles(t *testing.T, patcher markup.Patcher) {
	for _, c := range []struct {
		name, source string
		want         core.Code
	}{
		{"a.scss", "a { color: red }", core.CodeUnsupportedFile}, {"a.vue", "<a/>", core.CodeUnsupportedFile}, {"a.js", "<a/>", core.CodeUnsupportedFile},
		{"css", "a { color: red }", core.CodeUnsupportedFile}, {"a.html", "<a>\xff</a>", core.CodeUnsupportedFile},
		{"a.css", "a { color: red", core.CodeBuildFailed}, {"a.css", "a { } }", core.CodeBuildFailed}, {"a.css", "a { } /* b", core.CodeBuildFailed},
		{"a.tsx", "let x = <a>", core.CodeBuildFailed}, {"a.jsx", "let x = (<a/>", core.CodeBuildFailed},
		{"a.html", "<a></a>" + strings.Repeat(" ", markup.MaxBytes), core.CodePayloadTooLarge},
		{"a.tsx", "<a></a>" + strings.Repeat(" ", markup.MaxScriptBytes), core.CodePayloadTooLarge},
	} {
		_, err := patcher.Patch(t.Context(), c.name, []byte(c.source), []markup.Patch{{Selector: "a", Property: "color", Value: "red"}})
		if got := core.CodeOf(err); got != c.want {
			t.Errorf("%s, %.20q: got %q (%v), want %q", c.name, c.source, got, err, c.want)
		}
		var failure *core.Error
		if c.want == core.CodeBuildFailed && (!errors.As(err, &failure) || len(failure.Diagnostics) == 0 || failure.Diagnostics[0].Line != 1) {
			t.Errorf("%s, %q: got %v without a place", c.name, c.source, err)
		}
	}
}

func honoursCancel(t *testing.T, patcher markup.Patcher) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, source := range sources() {
		if edits, err := patcher.Patch(ctx, name, []byte(source), somePatches(name)); !errors.Is(err, context.Canceled) || edits != nil {
			t.Errorf("%s: got %v, %v, want only %v", name, edits, err, context.Canceled)
		}
	}
}
