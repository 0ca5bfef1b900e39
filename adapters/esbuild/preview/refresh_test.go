package preview

import (
	"slices"
	"strings"
	"testing"
)

func TestOutlineFindsTheTopLevel(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		starts []string
		code   string // expected code without strings, comments and the like
	}{
		"functions":             {"function a() {\n  return 1;\n}\nvar b = 2;\n", []string{"function a", "var b"}, "return 1"},
		"a string":              {"var a = \"{ ( use'\";\nvar b = '\\'}';\n", []string{"var a", "var b"}, "var b = '   ';"},
		"a template":            {"var a = `\n}\nvar no = {`;\nvar b = 1;\n", []string{"var a", "var b"}, "var b"},
		"a template in another": {"var a = `x ${f(`}${1}`)} {`;\nvar b;\n", []string{"var a", "var b"}, "f("},
		"an object in one":      {"var a = `${{ b: 1 }.b}\n{`;\nvar c;\n", []string{"var a", "var c"}, "{ b: 1 }"},
		"regular expressions":   {"var a = /[/{]\\/(/;\nvar b = x / 2 / (3);\nvar c = [/}/, / a\"/];\nvar d;\n", []string{"var a", "var b", "var c", "var d"}, "x / 2 / (3)"},
		"one behind a bracket":  {"if (a)\n  /{/.test(b);\nvar c = (1) / 2;\nvar d;\n", []string{"if", "var c", "var d"}, "(1) / 2"},
		"one behind a word":     {"function a() {\n  return /{/;\n}\nvar b;\n", []string{"function a", "var b"}, "return"},
		"an assignment":         {"a /= 2;\nvar b = `${a /= 3}`;\nvar c;\n", []string{"a", "var b", "var c"}, "a /= 3"},
		"comments":              {"// {\nvar a; /* ( \n { */\nvar b;\n", []string{"// {", "var a", "var b"}, "var b"},
		"a call over lines":     {"var a = memo(\n  function x() {\n  }\n);\nvar b;\n", []string{"var a", "var b"}, "memo("},
		"what never ends":       {"var a = \"x\nvar b = `${", []string{"var a"}, "var a"},
	} {
		read := outline([]byte(c.script))
		var starts []string
		for i, start := range read.starts {
			starts = append(starts, c.script[start:])
			if i < len(c.starts) && !strings.HasPrefix(c.script[start:], c.starts[i]) {
				t.Errorf("%s: got statement %d at %q, want %q", name, i, c.script[start:], c.starts[i])
			}
		}
		if len(starts) != len(c.starts) {
			t.Errorf("%s: got statements %q, want %q", name, starts, c.starts)
		}
		if !strings.Contains(string(read.code), c.code) || len(read.code) != len(c.script) {
			t.Errorf("%s: got %q, want %q in it, and the same length", name, read.code, c.code)
		}
	}
}

func FuzzOutlineKeepsPlaces(f *testing.F) {
	for _, seed := range []string{"var a = `${`", "/[/", "a / b", "`}`${}", "'\\", "/*", "}})("} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		read := outline(script)
		if len(read.code) != len(script) || !slices.IsSorted(read.starts) {
			t.Fatalf("got %d bytes, statements at %d of %q, want every place kept", len(read.code), read.starts, script)
		}
		readRefresh(read, []string{"default"}, true)
		readLinkage(script, read)
	})
}

func TestBoundariesExportComponentsAlone(t *testing.T) {
	for script, want := range map[string]bool{
		"function App() {\n}\nexport {\n  App as default\n};\n":                           true,
		"var A = () => 1;\nvar B = async (x = (1)) => 2;\nexport {\n  A,\n  B\n};\n":      true,
		"var A = (0, import_react.memo)(function B() {\n});\nexport {\n  A\n};\n":         true,
		"var A = React.forwardRef((p, r) => 1);\nexport {\n  A\n};\n":                     true,
		"var A = /* @__PURE__ */ memo(B);\nexport {\n  A\n};\n":                           true,
		"var A = class extends import_react.default.Component {\n};\nexport {\n  A\n};\n": true,
		"var A = class extends PureComponent {\n};\nexport {\n  A\n};\n":                  true,
		"function App() {\n}\nvar size = 1;\nexport {\n  App,\n  size\n};\n":              false,
		"function useX() {\n}\nexport {\n  useX\n};\n":                                    false,
		"function app() {\n}\nexport {\n  app as default\n};\n":                           false,
		"var Theme = (0, import_react.createContext)(1);\nexport {\n  Theme\n};\n":        false,
		"var Store = class {\n};\nexport {\n  Store\n};\n":                                false,
		"var Store = class extends Base {\n};\nexport {\n  Store\n};\n":                   false,
		"var Sizes = { a: 1 };\nexport {\n  Sizes\n};\n":                                  false,
		"var A = (1, 2);\nexport {\n  A\n};\n":                                            false,
		"var A = connect(x)(B);\nexport {\n  A\n};\n":                                     false,
		"import { A } from \"/@app/a.js\";\nexport {\n  A\n};\n":                          false,
		"export * from \"/@app/a.js\";\nfunction A() {\n}\nexport {\n  A\n};\n":           false,
		"var s = `\nfunction A() {\n}\n`;\nexport {\n  A\n};\n":                           false,
		"console.log(1);\n": false,
	} {
		var exports []string
		if match := exportClause.FindStringSubmatch(script[max(0, strings.Index(script, "export {")):]); match != nil {
			names := make(map[string]string)
			readExports(match[1], names)
			for outside := range names {
				exports = append(exports, outside)
			}
		}
		if got := readRefresh(outline([]byte(script)), exports, true).boundary; got != want {
			t.Errorf("got boundary %v for %q, want %v", got, script, want)
		}
		if readRefresh(outline([]byte(script)), exports, false).boundary {
			t.Errorf("got a boundary without React for %q, want none", script)
		}
	}
}

func TestHooksAreReadInOrder(t *testing.T) {
	script := "function Part() {\n  const [a] = (0, import_react.useState)(\"useNot()\");\n  useOwn(a);\n  React.useId();\n  reuse(1);\n  useOwn(user());\n  const use1 = use(p);\n  // useComment()\n  return useLast;\n}\n" +
		"function useOwn() {\n  return useOther();\n}\nfunction helper() {\n  useNever();\n}\n"
	parts := readRefresh(outline([]byte(script)), nil, true).parts
	if len(parts) != 2 {
		t.Fatalf("got parts %+v, want the component and the hook", parts)
	}
	if got, want := parts[0].hooks, []string{"useState", "useOwn", "useId", "useOwn"}; !slices.Equal(got, want) || !slices.Equal(parts[0].own, []string{"useOwn"}) {
		t.Errorf("got hooks %q, own %q, want %q and useOwn", got, parts[0].own, want)
	}
	if !parts[1].isHook() || !slices.Equal(parts[1].own, []string{"useOther"}) {
		t.Errorf("got %+v, want the hook with useOther", parts[1])
	}
}

func TestAComponentIsToldWithTheNamesOfItsExports(t *testing.T) {
	script := "var App_default = () => 1;\nfunction Part() {\n}\nfunction Inner() {\n}\nexport {\n  Part,\n  Part as Piece,\n  App_default as default\n};\n"
	footer := readRefresh(outline([]byte(script)), []string{"Part", "Piece", "default"}, true).footer("/@app/App.js")
	for _, want := range []string{`id: "/@app/App.js App_default", exports: ["default"]`, `id: "/@app/App.js Part", exports: ["Part", "Piece"]`, `id: "/@app/App.js Inner", exports: []`} {
		if !strings.Contains(footer, want) {
			t.Errorf("got %q, want %q in it", footer, want)
		}
	}
}

func TestModulesThatAcceptThemselvesAreFound(t *testing.T) {
	for call, want := range map[string]bool{
		"import.meta.hot.accept()": true, "import.meta.hot?.accept()": true, "import.meta.hot.accept((m) => {})": true, "import.meta.hot.accept(function (m) {})": true,
		"import.meta.hot.accept(\"./dep\", (m) => {})": false, "import.meta.hot.accept([\"./a\"], f)": false, "\"import.meta.hot.accept()\"": false, "import.meta.hot.dispose()": false,
	} {
		if got := readRefresh(outline([]byte("var x = 1;\n"+call+";\n")), []string{"x"}, false).accepts; got != want {
			t.Errorf("%s: got %v, want %v", call, got, want)
		}
	}
}
