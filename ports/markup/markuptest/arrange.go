package markuptest

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/markup"
)

func arranges(t *testing.T, patcher markup.Patcher) {
	const (
		list   = "const A = () => (\n  <main>\n    <h1 id=\"a\">A</h1>\n    <p>B</p>\n    <p>\n      C\n    </p>\n  </main>\n)\n"
		inline = "const A = () => <p><b>x</b> <i>y</i></p>\n"
		looped = "const A = ({all}) => <ul>{all.map((one) => <li key={one}>{one}</li>)}{all[0] && <li>z</li>}</ul>\n"
		page   = "<!doctype html>\n<body>\n<ul>\n  <li>a\n  <li>b\n</ul>\n<img src=a><p>c</p>\n</body>\n"
	)
	one := func(action, selector, target string) []markup.Patch {
		return []markup.Patch{{Selector: selector, Action: action, Target: target}}
	}
	first, last := "p:nth-of-type(1)", "p:nth-of-type(2)"
	for _, c := range []struct {
		name, source string
		patches      []markup.Patch
		want         string
	}{
		{"a.tsx", list, one("delete", "h1", ""), strings.Replace(list, "    <h1 id=\"a\">A</h1>\n", "", 1)},
		{"a.tsx", list, append(one("delete", "p", ""), one("delete", "h1", "")...), "const A = () => (\n  <main>\n    <p>\n      C\n    </p>\n  </main>\n)\n"},
		{"a.tsx", list, one("duplicate", "h1", ""), strings.Replace(list, "    <p>B", "    <h1>A</h1>\n    <p>B", 1)},
		{"a.tsx", list, one("before", last, "h1"), "const A = () => (\n  <main>\n    <p>\n      C\n    </p>\n    <h1 id=\"a\">A</h1>\n    <p>B</p>\n  </main>\n)\n"},
		{"a.tsx", list, one("after", "h1", first), strings.Replace(list, "    <h1 id=\"a\">A</h1>\n    <p>B</p>\n", "    <p>B</p>\n    <h1 id=\"a\">A</h1>\n", 1)},
		{"a.tsx", list, one("wrap", first, last), strings.Replace(list, "    <p>B</p>\n    <p>\n      C\n    </p>\n", "    <div>\n      <p>B</p>\n      <p>\n        C\n      </p>\n    </div>\n", 1)},
		{"a.tsx", inline, one("wrap", "b", ""), "const A = () => <p><span><b>x</b></span> <i>y</i></p>\n"},
		{"a.tsx", inline, one("before", "i", "b"), "const A = () => <p><i>y</i><b>x</b> </p>\n"},
		{"a.tsx", inline, one("delete", "p", ""), "!selector_not_found"},
		{"a.tsx", inline, one("before", "i", "p"), "!selector_not_found"},
		{"a.tsx", inline, one("before", "i", ""), "!validation_failed"},
		{"a.tsx", inline, one("explode", "i", ""), "!validation_failed"},
		{"a.tsx", inline, append(one("delete", "i", ""), markup.Patch{Selector: "b", Property: "title", Value: "x"}), "!validation_failed"},
		{"a.tsx", looped, one("delete", "li", ""), "!selector_not_found"},
		{"a.tsx", looped, one("duplicate", "li:nth-of-type(2)", ""), "!selector_not_found"},
		{"a.tsx", "const A = () => <><p>x</p><i>y</i></>\n", one("delete", "p", ""), "const A = () => <><i>y</i></>\n"},
		{"a.tsx", "const A = () => <><p>x</p><Card icon={<p />}><i>y</i></Card></>\n", one("delete", "Card > p", ""), "!selector_not_found"},
		{"a.html", page, one("after", "li", "li:nth-of-type(2)"), strings.Replace(page, "  <li>a\n  <li>b\n", "  <li>b\n  <li>a\n", 1)},
		{"a.html", page, one("delete", "img", ""), strings.Replace(page, "<img src=a>", "", 1)},
		{"a.html", page, one("wrap", "p", ""), strings.Replace(page, "<p>c</p>", "<div><p>c</p></div>", 1)},
		{"a.html", page, one("wrap", "li", ""), "!selector_not_found"},
		{"a.html", page, one("delete", "body", ""), "!selector_not_found"},
		{"a.css", "p { top: 0 }", one("delete", "p", ""), "!validation_failed"},
	} {
		edits, err := patcher.Patch(t.Context(), c.name, []byte(c.source), c.patches)
		got := "!" + string(core.CodeOf(err))
		if err == nil {
			got = string(markup.Splice([]byte(c.source), edits))
		}
		if got != c.want {
			t.Errorf("%v of\n%s\ngot  %q (%v)\nwant %q", c.patches, c.source, got, err, c.want)
		}
	}
}
