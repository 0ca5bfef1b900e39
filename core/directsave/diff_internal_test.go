package directsave

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/markup"
)

// replace is the edit that replaces old by text.
func replace(before, old, text string) markup.Edit {
	at := strings.Index(before, old)
	return markup.Edit{Start: at, End: at + len(old), Text: text}
}

func TestDiffIsUnified(t *testing.T) {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "line %02d\n", i+1)
	}
	lines := b.String()
	for _, c := range []struct {
		name, before string
		edits        []markup.Edit
		want         string
	}{
		{"one line", "a\nb\nc\n", []markup.Edit{replace("a\nb\nc\n", "b", "x")}, "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"no newline at the end", "a\nb", []markup.Edit{replace("a\nb", "b", "x")}, "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+x\n\\ No newline at end of file\n"},
		{"added lines", "a\nb\n", []markup.Edit{{Start: 1, End: 1, Text: "\nx\ny"}}, "@@ -1,2 +1,4 @@\n-a\n+a\n+x\n+y\n b\n"},
		{"two edits of a line", "abc\n", []markup.Edit{{Start: 0, End: 1, Text: "x"}, {Start: 2, End: 3, Text: "z"}}, "@@ -1,1 +1,1 @@\n-abc\n+xbz\n"},
		{"an edit of many lines", "a\nb\nc\nd\n", []markup.Edit{{Start: 2, End: 5, Text: "x"}}, "@@ -1,4 +1,3 @@\n a\n-b\n-c\n+x\n d\n"},
		{"an empty file", "", []markup.Edit{{Text: "x\n"}}, "@@ -0,0 +1,1 @@\n+x\n"},
		{"hunks", lines, []markup.Edit{replace(lines, "02", "2\nnew"), replace(lines, "08", "8"), replace(lines, "25", "25!")},
			"@@ -1,11 +1,12 @@\n line 01\n-line 02\n+line 2\n+new\n line 03\n line 04\n line 05\n line 06\n line 07\n-line 08\n+line 8\n line 09\n line 10\n line 11\n" +
				"@@ -22,7 +23,7 @@\n line 22\n line 23\n line 24\n-line 25\n+line 25!\n line 26\n line 27\n line 28\n"},
	} {
		if got, want := diff(core.MustPath("a/b"), c.before, c.edits), "--- a/a/b\n+++ b/a/b\n"+c.want; got != want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

func TestALongDiffIsCut(t *testing.T) {
	before := strings.Repeat(strings.Repeat("x", 99)+"\n", MaxDiffBytes/100)
	got := diff(core.MustPath("a"), before, []markup.Edit{{End: len(before), Text: "y\n"}})
	if len(got) > MaxDiffBytes || !strings.HasSuffix(got, "x\n") {
		t.Errorf("got %d bytes, want at most %d and whole lines", len(got), MaxDiffBytes)
	}
}
