package edits

import (
	"strings"
	"testing"
	"unicode"

	"github.com/atelierhq/atelier/core"
)

func TestEditsLandWhereOldTextStandsOnce(t *testing.T) {
	for name, c := range map[string]struct {
		content, oldText, newText, want string
		how                             Fitness
	}{
		"within a line":                            {"a b c\n", "b", "x", "a x c\n", FitsExactly},
		"over lines":                               {"a\nb\nc\n", "a\nb\n", "x\n", "x\nc\n", FitsExactly},
		"a replacement is literal":                 {"price\n", "price", `$1 ${0} \1 $&`, "$1 ${0} \\1 $&\n", FitsExactly},
		"to delete":                                {"a\nb\nc\n", "b\n", "", "a\nc\n", FitsExactly},
		"Windows line endings in the file":         {"a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n", fitsLines},
		"Windows line endings in the call":         {"a\nb\nc\n", "a\r\nb", "x\r\ny", "x\ny\nc\n", fitsLines},
		"new lines get the file's ending":          {"a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n", FitsExactly},
		"a part of a line over Windows endings":    {"f(a,\r\n  b)\r\n", "(a,\n  b", "(", "f()\r\n", fitsLines},
		"old text that begins with a line break":   {"a\r\nb\r\n", "\nb", "\nx", "a\r\nx\r\n", fitsLines},
		"white space at the ends of lines":         {"if (a) {  \n\tb()\t\n}\n", "if (a) {\n\tb()\n}", "c()", "c()\n", fitsLines},
		"white space in the call":                  {"if (a) {\nb()\n}\n", "if (a) { \nb()  \n}", "c()", "c()\n", fitsLines},
		"an empty line with blanks":                {"a\n   \nb\n", "a\n\nb\n", "c\n", "c\n", fitsLines},
		"a deeper indent":                          {"{\n    if (a) {\n      b()\n    }\n}\n", "if (a) {\n  b()\n}", "if (a) {\n  c()\n\n  d()\n}", "{\n    if (a) {\n      c()\n\n      d()\n    }\n}\n", fitsIndent},
		"a lesser indent":                          {"a(\n  b,\n    c)\n", "    a(\n      b,\n        c)", "    a(\n      d)", "a(\n  d)\n", fitsIndent},
		"an indent of tabs":                        {"\t\ta {\n\t\t\tb\n\t\t}\n", "a {\n\tb\n}", "a {\n\tc\n}", "\t\ta {\n\t\t\tc\n\t\t}\n", fitsIndent},
		"an indent over Windows endings":           {"  a\r\n    b\r\n", "a\n  b\n", "x\n", "  x\r\n", fitsIndent},
		"the strictest way decides":                {"  a\nb\na\nb\n", "\na\nb", "\nx", "  a\nb\nx\n", FitsExactly},
		"a file without a final break stays so":    {"a\nb", "b", "x\n", "a\nx", FitsExactly},
		"a file keeps its final break":             {"a\nb\n", "b\n", "x", "a\nx\n", FitsExactly},
		"old text with a break that the end lacks": {"a\nb", "a\nb\n", "x\ny\n", "x\ny", fitsLines},
		"a byte order mark stays":                  {"\ufeffa\nb\n", "a\nb", "x", "\ufeffx\n", FitsExactly},
		"a byte order mark in the call":            {"\ufeffa\nb\n", "\ufeffa", "\ufeffx", "\ufeffx\nb\n", FitsExactly},
		"a byte order mark before an indent":       {"\ufeff  a\n    b\n", "a\n  b\n", "x\n", "\ufeff  x\n", fitsIndent},
		"the whole file":                           {"a\n", "a\n", "", "", FitsExactly},
	} {
		t.Run(name, func(t *testing.T) {
			got, how, err := Apply(core.MustPath("a.ts"), c.content, []Edit{{OldText: c.oldText, NewText: c.newText}})
			if err != nil || got != c.want || how != c.how {
				t.Errorf("got %q, %q, %v, want %q, %q", got, how, err, c.want, c.how)
			}
		})
	}
}

func TestEditsThatAreNotCertainDoNotLand(t *testing.T) {
	for name, c := range map[string]struct{ content, oldText, newText, want string }{
		"absent":                                  {"a\n", "b", "x", "does not occur in a.ts"},
		"nearly the same":                         {"const a = 1\n", "const a = 2", "x", "does not occur in a.ts"},
		"other case":                              {"Hello\n", "hello", "x", "does not occur in a.ts"},
		"twice":                                   {"a\nb\na\n", "a", "x", "2 times, at the lines 1, 3"},
		"overlapping itself":                      {"aaa\n", "aa", "x", "2 times, at the lines 1, 1"},
		"twice but for white space":               {"a \nb\na\t\nb\n", "a\nb", "x", "2 times, at the lines 1, 3"},
		"twice but for the indent":                {"  a\n  b\n    a\n    b\n", "a\nb\n", "x\n", "2 times, at the lines 1, 3"},
		"an indent that is not uniform":           {"  a\n   b\n", "a\nb", "x", "does not occur in a.ts"},
		"an indent of another kind":               {"\ta\n\t\tb\n", "  a\n    b", "x", "does not occur in a.ts"},
		"new text that lacks the indent":          {"a\nb\n", "  a\n  b", "x", "does not occur in a.ts"},
		"blank lines alone":                       {"a\n \n\nb\n", "\t\n", "x", "does not occur in a.ts"},
		"white space within a line":               {"a  b\n", "a b", "x", "does not occur in a.ts"},
		"nothing changes":                         {"a\n", "a", "a", "changes nothing"},
		"nothing but line endings would change":   {"a\nb\n", "a\nb", "a\r\nb", "changes nothing"},
		"an empty old text":                       {"a\n", "\ufeff", "x", "does not occur in a.ts"},
		"a part of a line with other white space": {"f(a,  \n  b)\n", "(a,\n  b", "x", "does not occur in a.ts"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := Apply(core.MustPath("a.ts"), c.content, []Edit{{OldText: c.oldText, NewText: c.newText}})
			if err == nil || !strings.Contains(err.Error(), c.want) || !core.IsCode(err, core.CodeValidationFailed) {
				t.Errorf("got %q, %v, want an error with %q", got, err, c.want)
			}
		})
	}
}

func TestAMissShowsTheNearestLines(t *testing.T) {
	var file strings.Builder
	for range 100 {
		file.WriteString("filler()\n")
	}
	file.WriteString("function total(prices) {\n  return prices.reduce(sum, 0)\n}\n")
	for range 100 {
		file.WriteString("filler()\n")
	}
	_, _, err := Apply(core.MustPath("a.ts"), file.String(), one("function total(items) {\n  return items.reduce(sum)\n}"))
	if err == nil {
		t.Fatal("got no error")
	}
	for _, want := range []string{"\n101|function total(prices) {\n102|  return prices.reduce(sum, 0)\n103|}\n", "copy exactly these lines"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	if len(err.Error()) > maxShownBytes+1000 || strings.Contains(err.Error(), "\n90|") {
		t.Errorf("got %d bytes: %v, want only the lines around", len(err.Error()), err)
	}
	_, _, err = Apply(core.MustPath("a.ts"), file.String(), one("filler()"))
	if err == nil || !strings.Contains(err.Error(), "20 times") || !strings.Contains(err.Error(), "\n4|filler()\n") || len(err.Error()) > 2000 {
		t.Errorf("got %v, want the places with their lines", err)
	}
	_, _, err = Apply(core.MustPath("a.ts"), "one\ntwo\n", one("three"))
	if err == nil || !strings.Contains(err.Error(), "nor anything like it") {
		t.Errorf("got %v, want to hear that there is nothing", err)
	}
	_, _, err = Apply(core.MustPath("a.ts"), "", one("three"))
	if err == nil || !strings.Contains(err.Error(), "nor anything like it") {
		t.Errorf("got %v for an empty file, want to hear that there is nothing", err)
	}
}

// one is an edit of one place.
func one(oldText string) []Edit { return []Edit{{OldText: oldText, NewText: "x"}} }

func FuzzEditsChangeNothingButTheirPlace(f *testing.F) {
	for _, seed := range [][3]string{
		{"a\r\n  b\r\n", "a\n  b", "x\ny"}, {"  a\n    b", "a\n  b\n", "c\n"}, {"\ufeffaaa", "aa", "b"},
		{"a \n\t\nb\n", "a\n\nb\n", ""}, {"a\n\r\nb\r", "\nb", "\r"}, {"\ta\n\n\tb\n", "\t\ta\n\n\t\tb", "\t\t"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, content, oldText, newText string) {
		found, how := findLandings(content, oldText, newText, maxLandings)
		if oldText != "" && strings.Count(content, strings.TrimPrefix(oldText, ByteOrderMark)) > 1 && len(found) == 1 {
			t.Fatalf("got one landing of %q in %q, want at least two", oldText, content)
		}
		for _, at := range found {
			if at.start < 0 || at.end < at.start || at.end > len(content) {
				t.Fatalf("got the landing %+v in %d bytes", at, len(content))
			}
			if got, want := withoutSpace(content[at.start:at.end]), withoutSpace(strings.TrimPrefix(oldText, ByteOrderMark)); got != want {
				t.Fatalf("got a landing on %q, want %q", got, want)
			}
			if got, want := withoutSpace(at.text), withoutSpace(strings.TrimPrefix(newText, ByteOrderMark)); got != want {
				t.Fatalf("got the text %q, want %q", got, want)
			}
			if how == FitsExactly && content[at.start:at.end] != strings.TrimPrefix(oldText, ByteOrderMark) {
				t.Fatalf("got %q, want %q exactly", content[at.start:at.end], oldText)
			}
		}
		after, _, err := Apply(core.MustPath("a"), content, []Edit{{OldText: oldText, NewText: newText}})
		if len(found) != 1 {
			if err == nil {
				t.Fatalf("got %q for %d landings", after, len(found))
			}
			return
		}
		want := content[:found[0].start] + found[0].text + content[found[0].end:]
		if (err == nil) != (want != content) || err == nil && after != want {
			t.Fatalf("got %q, %v, want only %+v of %q changed", after, err, found[0], content)
		}
	})
}

// withoutSpace is a text without any white space.
func withoutSpace(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}
