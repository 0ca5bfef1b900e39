package edits

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestSeveralEditsAreMadeInOrder(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		edits   []Edit
		want    string
	}{
		"apart":                          {"a\nb\nc\n", []Edit{{OldText: "c", NewText: "z"}, {OldText: "a", NewText: "x"}}, "x\nb\nz\n"},
		"one on another's result":        {"a\n", []Edit{{OldText: "a", NewText: "b\nc"}, {OldText: "b\n", NewText: ""}}, "c\n"},
		"there and partly back":          {"a b\n", []Edit{{OldText: "a", NewText: "x"}, {OldText: "x b", NewText: "a c"}}, "a c\n"},
		"all places":                     {"aXbXc\n", []Edit{{OldText: "X", NewText: "--", All: true}}, "a--b--c\n"},
		"all places, of which is one":    {"aXb\n", []Edit{{OldText: "X", NewText: "", All: true}}, "ab\n"},
		"all places that overlap":        {"aaa\n", []Edit{{OldText: "aa", NewText: "b", All: true}}, "ba\n"},
		"all places, more than 20":       {strings.Repeat("x\n", 50), []Edit{{OldText: "x", NewText: "y", All: true}}, strings.Repeat("y\n", 50)},
		"all places by lines":            {"f( \n1)\nf(\t\n1)\n", []Edit{{OldText: "f(\n1)", NewText: "g(\n2)", All: true}}, "g(\n2)\ng(\n2)\n"},
		"all places, each its indent":    {"  a\n  b\n    a\n    b\n", []Edit{{OldText: "a\nb\n", NewText: "c\n", All: true}}, "  c\n    c\n"},
		"all places in Windows's lines":  {"a\r\nb\r\na\r\nb\r\n", []Edit{{OldText: "a\nb", NewText: "c\nd", All: true}}, "c\r\nd\r\nc\r\nd\r\n"},
		"what holds itself is made once": {"a\na\n", []Edit{{OldText: "a", NewText: "aa", All: true}}, "aa\naa\n"},
	} {
		if got, _, err := Apply(core.MustPath("a.ts"), c.content, c.edits); err != nil || got != c.want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestSeveralEditsAreAllMadeOrNone(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		edits   []Edit
		want    []string
	}{
		"the second is absent":       {"b\nconst total = 1\n", []Edit{{OldText: "b", NewText: "x"}, {OldText: "const total = 2", NewText: "y"}}, []string{"edit 2 of 2: " + Misfit, "2|const total = 1", "None of the edits was made"}},
		"the first is ambiguous":     {"a\na\n", []Edit{{OldText: "a", NewText: "x"}, {OldText: "b", NewText: "y"}}, []string{"edit 1 of 2: " + Misfit, "2 times", "replaceAll"}},
		"the first takes the second": {"a b\n", []Edit{{OldText: "a b", NewText: "x"}, {OldText: "b", NewText: "y"}}, []string{"edit 2 of 2", "None of the edits"}},
		"together they do nothing":   {"a\n", []Edit{{OldText: "a", NewText: "b"}, {OldText: "b", NewText: "a"}}, []string{"together they leave a.ts as it was"}},
		"it is made already":         {"const total = 200\nb\n", []Edit{{OldText: "const total = 1", NewText: "const total = 200"}}, []string{Misfit, "newText does, so the edit seems to be made already"}},
		"all of nothing":             {"a\n", []Edit{{OldText: "b", NewText: "x", All: true}}, []string{Misfit}},
		"all change nothing":         {"a\na\n", []Edit{{OldText: "a", NewText: "a", All: true}}, []string{"changes nothing"}},
		"more than a file may have":  {strings.Repeat("a", 2000), []Edit{{OldText: "a", NewText: strings.Repeat("b", 4<<10), All: true}}, []string{"too many places"}},
	} {
		got, _, err := Apply(core.MustPath("a.ts"), c.content, c.edits)
		if !core.IsCode(err, core.CodeValidationFailed) || got != "" {
			t.Errorf("%s: got %q, %v, want a refusal", name, got, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q in it", name, err, want)
			}
		}
	}
}
