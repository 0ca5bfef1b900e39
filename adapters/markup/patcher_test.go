package markup_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/markup"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/markup"
	"github.com/atelierhq/atelier/ports/markup/markuptest"
)

func TestPatcher(t *testing.T) { markuptest.Run(t, markup.New()) }

// patched applies one patch and returns the outcome, or "!" and the error's code.
func patched(t testing.TB, name, source string, patch port.Patch) string {
	t.Helper()
	edits, err := markup.New().Patch(t.Context(), name, []byte(source), []port.Patch{patch})
	if err != nil {
		return "!" + string(core.CodeOf(err))
	}
	return string(port.Splice([]byte(source), edits))
}

// Text that only a parser distinguishes from elements, and code that makes esbuild omit
// the places of elements. Each source has one <b id="x">old</b>.
func TestElementsAreToldFromTypeScript(t *testing.T) {
	const old, want = `<b id="x">old</b>`, `<b id="x">new</b>`
	for _, source := range []string{
		"const f = <T,>(x: T) => <p>{x as Map<string, T>}@</p>",
		"const f = <T extends object>(x: T): x is T => !!@",
		"const a = <Foo<string, () => void> x={1}>@</Foo>",
		"const a = <A.B.C><a-b:c-d />@</A.B.C>",
		"let n = 1 < 2 && 3 > 2 ? 4 / 2 / 1 : 5; let a = @",
		"const r = /<b id=\"x\">/g, s = `<b>${`${@}`}</b>`, u = '<i>'",
		"const a = <p {...p} key={1} {...q}><i key = 'k'/>@</p>",
		"/** @jsxRuntime classic */\n/** @jsx h */\nconst a = @",
		"if (false) { a(<i/>) } else { b(@) }",
		"enum A { B = 1 / 2 }\nabstract class C<T> { declare x: T; @dec() y = @ }",
		"const a = <>\n  {/* <b> it's } */}\n  {x.map(i => <li key={i}>don't {'}'} {`}`}</li>)}\n  {a ? @ : <></>}\n</>",
		"const a = cond && <p title='a > b' onClick={() => { if (x < 1) { return /}/ } }}>a &lt; b {'<'} @</p>",
		"let 名a = '🙂'\nlet x = '🙂é'; const a = <p>🙂@</p>",
		"let a = 1;\r\nlet b;\rlet c;\u2028let d = @",
		"\ufeffexport default () => @",
		"const a = <React.Fragment key='f'>@</React.Fragment>",
		"const a = < b id=\"y\" />, c = @",
		"function f() { return 1; @ }",
		"const a = <p a=<i/> {/* c */ ...q} /* c */ // d\n>@</p>",
		"const place = 'place'; const a = @",
		"export const a = (x: number) => x! / 2 / x; const c = @",
	} {
		source = strings.Replace(source, "@ }", old+" }", 1)
		if !strings.Contains(source, old) {
			i := strings.LastIndex(source, "@")
			source = source[:i] + old + source[i+1:]
		}
		patch := port.Patch{Selector: `b[id="x"]`, Property: "textContent", Value: "new"}
		if got, want := patched(t, "a.tsx", source, patch), strings.Replace(source, old, want, 1); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// corpus calls do with every file of the templates that can be patched.
func corpus(t testing.TB, do func(name, text string)) {
	t.Helper()
	count := 0
	err := filepath.WalkDir(filepath.Join("..", "scaffold", "templates"), func(name string, entry fs.DirEntry, err error) error {
		ext := filepath.Ext(name)
		if err != nil || entry.IsDir() || ext != ".css" && ext != ".html" && ext != ".tsx" && ext != ".jsx" {
			return err
		}
		text, err := os.ReadFile(name)
		count++
		do(filepath.ToSlash(name), string(text))
		return err
	})
	if err != nil || count < 30 {
		t.Fatalf("found %d files (%v), want the templates", count, err)
	}
}

// TestEveryElementOfTheTemplatesCanBeFound patches each element of each template by
// the place that esbuild tells React of.
func TestEveryElementOfTheTemplatesCanBeFound(t *testing.T) {
	elements := 0
	corpus(t, func(name, text string) {
		if filepath.Ext(name) != ".tsx" {
			return
		}
		for _, place := range places(t, name, text) {
			if elements++; isFragment(t, text, place) {
				continue
			}
			got := patched(t, name, text, port.Patch{Selector: `[data-loc="` + name + ":" + place + `"]`, Property: "data-probe", Value: "1"})
			without := strings.Replace(got, ` data-probe="1"`, "", 1)
			if without != text || got == text {
				t.Errorf("%s:%s: got %.300q, want one attribute more", name, place, got)
			}
		}
	})
	if elements < 100 {
		t.Errorf("found %d elements, want more", elements)
	}
}

// isFragment reports whether "<>" is at a place of an ASCII text.
func isFragment(t testing.TB, text, place string) bool {
	t.Helper()
	var line, column int
	if _, err := fmt.Sscanf(place, "%d:%d", &line, &column); err != nil {
		t.Fatal(err)
	}
	return strings.HasPrefix(strings.Split(text, "\n")[line-1][column-1:], "<>")
}

// places are the lines and columns of the elements and fragments in a file.
func places(t testing.TB, name, text string) []string {
	t.Helper()
	result := api.Transform(text, api.TransformOptions{
		Loader: api.LoaderTSX, Sourcefile: "x", JSX: api.JSXAutomatic, JSXDev: true, JSXSideEffects: true, MinifyWhitespace: true,
	})
	if len(result.Errors) > 0 {
		t.Fatalf("%s: %v", name, result.Errors)
	}
	var all []string
	for piece := range strings.SplitSeq(string(result.Code), "lineNumber:") {
		line, rest, found := strings.Cut(piece, ",columnNumber:")
		column, _, _ := strings.Cut(rest, "}")
		if !found {
			continue
		}
		all = append(all, line+":"+column)
	}
	return all
}

func TestTheTemplatesTakeEveryKindOfPatch(t *testing.T) {
	corpus(t, func(name, text string) {
		patch := port.Patch{Selector: "body, html", Property: "color", Value: "red"}
		switch {
		case strings.HasSuffix(name, ".css"):
			patch.Selector = ":root"
		case strings.HasSuffix(name, ".html"):
			patch.Selector = "html > body"
		default:
			patch.Selector = "*"
		}
		got := patched(t, name, text, patch)
		if got == "!selector_not_found" && !strings.HasSuffix(name, ".html") {
			return // a module without elements, a style sheet without that rule
		}
		if again := patched(t, name, got, patch); again != got || !strings.Contains(got, "red") {
			t.Errorf("%s: got %.300q, and again %.300q", name, got, again)
		}
	})
}

// TestHostileSourcesEnd gives sources that are nested as deeply, or are as wide, as
// their size allows. Whatever they are answered, it is soon, and within the stack.
func TestHostileSourcesEnd(t *testing.T) {
	full := func(unit string, size int) string { return strings.Repeat(unit, (size-100)/len(unit)) }
	const wide = port.MaxBytes / 4
	for _, c := range []struct{ name, source string }{
		{"a.tsx", full("<a b={", port.MaxScriptBytes)}, {"a.tsx", full("<a>", port.MaxScriptBytes)}, {"a.jsx", full("`${", port.MaxScriptBytes)},
		{"a.tsx", "x = " + full("!", port.MaxScriptBytes) + "1"}, {"a.tsx", full("[", port.MaxScriptBytes/2) + full("]", port.MaxScriptBytes/2)},
		{"a.tsx", full("(", port.MaxScriptBytes/2) + "1" + full(")", port.MaxScriptBytes/2)}, {"a.tsx", full("a=>", port.MaxScriptBytes) + "1"},
		{"a.tsx", full("<a>", port.MaxScriptBytes*3/7) + full("</a>", port.MaxScriptBytes*4/7)}, {"a.tsx", full("(", port.MaxScriptBytes)},
		{"a.tsx", "x = " + full("- ", port.MaxScriptBytes) + "1"}, {"a.tsx", full("{", port.MaxScriptBytes)}, {"a.tsx", full("x?", port.MaxScriptBytes)},
		{"a.tsx", "x = " + full("a=", port.MaxScriptBytes) + "1"}, {"a.tsx", "x = <p " + full("a ", port.MaxScriptBytes) + "/>"},
		{"a.css", full("a{", wide)}, {"a.css", full("&&{", wide/2) + full("}", wide/2)}, {"a.css", full("(", wide)},
		{"a.html", full("<b>", wide)}, {"a.html", full("<b>", wide/2) + full("<p>", wide/2)}, {"a.html", full("<b/>", wide)},
		{"a.html", full("<b>", wide/2) + full("</p>", wide/2)}, {"a.html", "<a " + full("b c", wide) + ">"},
	} {
		got := patched(t, c.name, c.source, port.Patch{Selector: strings.Repeat("* ", 31) + "i", Property: "color", Value: "red"})
		if !strings.HasPrefix(got, "!") {
			t.Errorf("%s, %.20q: got %.50q, want an error", c.name, c.source, got)
		}
	}
}

// fuzzPatch checks an accepted patch: applying it again changes nothing, and everything
// outside of the edits is unchanged.
func fuzzPatch(t *testing.T, name, source, selector, property, value string) (outcome string, taken bool) {
	patcher, patch := markup.New(), []port.Patch{{Selector: selector, Property: property, Value: value}}
	edits, err := patcher.Patch(t.Context(), name, []byte(source), patch)
	if err != nil {
		var known *core.Error
		if !errors.As(err, &known) || known.Code == core.CodeInternal {
			t.Fatalf("got %v, want an error with a code", err)
		}
		return "", false
	}
	end := 0
	for _, edit := range edits {
		if edit.Start < end || edit.End < edit.Start || edit.End > len(source) {
			t.Fatalf("got the edits %v of %d bytes", edits, len(source))
		}
		end = edit.End
	}
	outcome = string(port.Splice([]byte(source), edits))
	again, err := patcher.Patch(t.Context(), name, []byte(outcome), patch)
	moved := core.IsCode(err, core.CodeSelectorNotFound) // the patch changed what the selector asks for
	if err != nil && !moved || len(again) > 0 && err == nil && !selects(selector, property) {
		t.Fatalf("%q with %q %q %q became %q, and again: %v, %v", source, selector, property, value, outcome, again, err)
	}
	return outcome, true
}

// selects reports whether a patch of a property can change what a selector matches.
func selects(selector, property string) bool {
	return strings.ContainsAny(selector, "[#.") || property == "textContent" || strings.ContainsAny(selector, ":~+ >")
}

func FuzzStyles(f *testing.F) {
	f.Add("a { color: red }", "a", "color", "blue")
	f.Add("a{b:c;d:url(x;y)}@media x{a{}}", "a", "top", "url(a;b)")
	f.Add("a{--x:{a:b};\"}\":c}/*", "a", "--x", "\"}\"")
	f.Add("a{\r\n\tb:c/**/\r\n}", "a", "b", "d !important")
	f.Fuzz(func(t *testing.T, source, selector, property, value string) {
		outcome, taken := fuzzPatch(t, "a.css", source, selector, property, value)
		if taken && !strings.Contains(outcome, strings.TrimSpace(value)) {
			t.Fatalf("got %q without %q", outcome, value)
		}
	})
}

func FuzzHTML(f *testing.F) {
	f.Add("<p class=a>x<p>y", "p.a", "textContent", "<b>")
	f.Add("<p style='a:b'>x</p>", "p", "color", "\"x\"")
	f.Add("<svg><a/><b c=d/e></svg><!-- <p> --><script><p>", "b", "title", "'\"&")
	f.Add("<table><tr><td>a<td>b<tr><td>c</table>", "td:nth-of-type(2)", "hidden", "false")
	f.Fuzz(func(t *testing.T, source, selector, property, value string) {
		fuzzPatch(t, "a.html", source, selector, property, value)
	})
}

func FuzzJSX(f *testing.F) {
	f.Add("const a = <p className='a'>x</p>", "p", "textContent", "{<b>}\n")
	f.Add("const a = <p style={{ a: 'b', ...c }} {...d} />", "p", "color", "'\\\"")
	f.Add("let a = <T,>(x: T) => <>{/* c */ x ? <a b={`${<i/>}`} /> : /[}]/}</>", "a", "title", "x")
	f.Fuzz(func(t *testing.T, source, selector, property, value string) {
		outcome, taken := fuzzPatch(t, "a.tsx", source, selector, property, value)
		if !taken {
			return
		}
		if result := api.Transform(outcome, api.TransformOptions{Loader: api.LoaderTSX, JSX: api.JSXPreserve}); len(result.Errors) > 0 {
			t.Fatalf("%q became %q, which is broken: %v", source, outcome, result.Errors)
		}
	})
}

// BenchmarkDirectSave patches the largest component, page and style sheet of the
// templates.
func BenchmarkDirectSave(b *testing.B) {
	largest := map[string][2]string{}
	corpus(b, func(name, text string) {
		if ext := filepath.Ext(name); len(text) > len(largest[ext][1]) {
			largest[ext] = [2]string{name, text}
		}
	})
	patcher := markup.New()
	for ext, patch := range map[string]port.Patch{
		".css":  {Selector: ":root", Property: "color", Value: "red"},
		".html": {Selector: "body", Property: "className", Value: "a"},
		".tsx":  {Selector: "*", Property: "color", Value: "red"},
	} {
		name, text := largest[ext][0], []byte(largest[ext][1])
		b.Run("kind="+ext[1:], func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := patcher.Patch(b.Context(), name, text, []port.Patch{patch}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
