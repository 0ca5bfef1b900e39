package codeintel

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/languageserver"
)

func TestManyCompletionsAreThoseThatFit(t *testing.T) {
	var found languageserver.Completions
	for i := range maxItems {
		found.Items = append(found.Items, languageserver.Completion{Label: fmt.Sprint("other", i)})
	}
	at := languageserver.Place{Document: languageserver.Document{Text: "a\n𝒳.useS"}, Line: 2, Column: 8}
	found.Column = 4
	if got := narrow(found, at); len(got.Items) != maxItems || got.Truncated || got.Column != 4 {
		t.Errorf("got %d of them, truncated %v, want all", len(got.Items), got.Truncated)
	}
	for _, label := range []string{"unrelatedSees", "USEstate", "useState"} {
		found.Items = append(found.Items, languageserver.Completion{Label: label})
	}
	got := narrow(found, at)
	if len(got.Items) != 3 || !got.Truncated || got.Items[0].Label != "useState" || got.Items[1].Label != "USEstate" {
		t.Errorf("got %+v, want those that fit, the best first", got.Items)
	}
}

func TestHowFilesAreIndented(t *testing.T) {
	const sections = "root = true\n[*]\nindent_style = space\nindent_size = 3\n[*.{js,jsx}]\nindent_style=tab\n[*.md]\nindent_size = 7\n"
	for name, c := range map[string]struct {
		files      map[string]string
		path, text string
		want       languageserver.Style
	}{
		"nothing":          {nil, "a.ts", "x\n", languageserver.Style{IndentSize: 2}},
		"its own":          {nil, "a.ts", "/*\n * x\n */\nf() {\n    x\n}\n", languageserver.Style{IndentSize: 4}},
		"its own tabs":     {nil, "a.ts", "f() {\n\tx\n}\n", languageserver.Style{IndentSize: 4, Tabs: true}},
		"editorconfig":     {map[string]string{".editorconfig": sections}, "src/a.ts", "\tx", languageserver.Style{IndentSize: 3}},
		"its section":      {map[string]string{".editorconfig": sections}, "src/a.jsx", "x", languageserver.Style{IndentSize: 3, Tabs: true}},
		"prettier":         {map[string]string{".editorconfig": sections, ".prettierrc": `{"tabWidth": 5}`}, "a.ts", "x", languageserver.Style{IndentSize: 5}},
		"the manifest":     {map[string]string{"package.json": `{"prettier": {"useTabs": true}}`}, "a.ts", "x", languageserver.Style{IndentSize: 2, Tabs: true}},
		"nonsense":         {map[string]string{".editorconfig": "[*\nindent_size = 99\n[[*]\n", ".prettierrc": "{", "package.json": `{"prettier": "x"}`}, "a.ts", "x", languageserver.Style{IndentSize: 2}},
		"a width of zero":  {map[string]string{".prettierrc": `{"tabWidth": 0}`}, "a.ts", "x", languageserver.Style{IndentSize: 2}},
		"a name of a type": {map[string]string{".editorconfig": "[**/*.ts]\nindent_size = 8\n"}, "a.ts", "x", languageserver.Style{IndentSize: 8}},
	} {
		files := fstest.MapFS{}
		for path, text := range c.files {
			files[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := styleOf(files, languageserver.Document{Path: core.MustPath(c.path), Text: c.text}); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func TestParametersOfFunctionsNeedNoTypes(t *testing.T) {
	found := func() []languageserver.Finding {
		return []languageserver.Finding{{Code: 7006}, {Code: 2322}, {Code: 7031}}
	}
	if got := withoutParameters(core.MustPath("functions/a.ts"), found()); len(got) != 1 || got[0].Code != 2322 {
		t.Errorf("got %+v, want the mistake alone", got)
	}
	if got := withoutParameters(core.MustPath("src/functions/a.ts"), found()); len(got) != 3 {
		t.Errorf("got %+v, want all", got)
	}
}
