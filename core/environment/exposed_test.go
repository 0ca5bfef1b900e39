package environment_test

import (
	"context"
	"encoding/json"
	"html"
	"strconv"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// odd is a value with every character that some language escapes.
const odd = "sk-\"é'<&>\\/\n\t😀`${x}"

func TestAValueIsFoundInWhateverAPageWritesItAs(t *testing.T) {
	quoted := strings.ReplaceAll(strconv.QuoteToASCII(odd), `\U0001f600`, `\u{1f600}`)
	asJSON, err := json.Marshal(odd)
	if err != nil {
		t.Fatal(err)
	}
	map1, err := json.Marshal(map[string]string{"sourcesContent": "const key = " + string(asJSON)})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"as it stands":               "x" + odd + "y",
		"as JSON":                    "key = " + string(asJSON),
		"in ASCII":                   "key=" + quoted,
		"in a source map":            string(map1),
		"in HTML":                    "<p title='" + html.EscapeString(odd) + "'>",
		"in a template":              "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`", "$", "\\$").Replace(odd) + "`",
		"with lines as on Windows":   strings.ReplaceAll(odd, "\n", "\r\n"),
		"with a surrogate pair":      `"sk-\"\xe9'<&>\\/\n\t\uD83D\uDE00` + "`${x}\"",
		"with code points in braces": `"\u{73}k-\"\u{E9}'\x3c&\x3E\\\/\n\t\u{1F600}` + "`${x}\"",
		"over two lines":             "'sk-\\\n\"é\\'<&>\\\\/\\n\\t😀`${x}'",
	} {
		f := newFixture(t)
		f.put("SECRET", odd)
		f.put("VITE_A", "public value")
		got, err := f.service.Exposed(t.Context(), f.project, []build.File{
			{Path: "a.js", Content: []byte("harmless")}, {Path: "b.js", Content: []byte(content)},
		})
		f.must(err)
		if len(got) != 1 || got[0].Path != "b.js" || !strings.Contains(got[0].Message, "SECRET") || strings.Contains(got[0].Message, "sk-") {
			t.Errorf("%s: got %+v, want one for b.js that names the key and not the value", name, got)
		}
	}
}

func TestWhatIsNoSecretIsNotFound(t *testing.T) {
	f := newFixture(t)
	f.put("SHORT", "1234567")
	f.put("PADDED", "  a b c  ")
	f.put("EMPTY", "")
	f.put("VITE_PUBLIC", "public value")
	files := []build.File{{Path: "a.js", Content: []byte(`"1234567"; "  a b c  "; "public value"; "\`)}}
	got, err := f.service.Exposed(t.Context(), f.project, files)
	if err != nil || len(got) != 0 {
		t.Errorf("got %+v, %v, want none", got, err)
	}
}

func TestEveryFileAndKeyIsTold(t *testing.T) {
	f := newFixture(t)
	f.put("FIRST", "correct horse")
	f.put("SECOND", " battery staple\n")
	f.put("VITE_SAME", "correct horse")
	files := []build.File{{Path: "a", Content: []byte("correct horse battery staple")}, {Path: "b", Content: []byte("correct horse")}}
	got, err := f.service.Exposed(t.Context(), f.project, files)
	f.must(err)
	var told []string
	for _, d := range got {
		key, _, _ := strings.Cut(strings.TrimPrefix(d.Message, "the site would expose the value of "), ":")
		told = append(told, d.Path+" "+key)
	}
	if want := "a FIRST, a SECOND, b FIRST"; strings.Join(told, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(told, ", "), want)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.service.Exposed(ended, f.project, files); err == nil {
		t.Error("got nil after the caller left, want an error")
	}
	f.must(f.store.Close())
	_, err = f.service.Exposed(t.Context(), f.project, files)
	f.wantCode(err, core.CodeUnavailable)
}
