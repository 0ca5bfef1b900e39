package versions

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core/merge"
	"github.com/atelierhq/atelier/ports/vcs"
)

// contextLines is how many lines of context a patch shows on each side of a change.
const contextLines = 3

// noBlob is the id of a missing file.
const noBlob = "0000000000000000000000000000000000000000"

// shownFile is a changed file with both contents; nil means no file.
type shownFile struct {
	vcs.Difference
	before, after []byte
}

// binarySample is how much of a file git checks to tell text from binary data.
const binarySample = 8000

// isBinary reports whether the file is shown without its lines: if it is binary to git,
// and also if it is not UTF-8, because JSON cannot hold anything else.
func (f shownFile) isBinary() bool {
	for _, content := range [][]byte{f.before, f.after} {
		if bytes.IndexByte(content[:min(len(content), binarySample)], 0) >= 0 || !utf8.Valid(content) {
			return true
		}
	}
	return false
}

// writeTo appends the file's part of a patch, and returns the numbers of added and
// deleted lines.
func (f shownFile) writeTo(patch *bytes.Buffer) (additions, deletions int) {
	f.writeHeader(patch)
	if f.Before != nil && f.After != nil && f.Before.ID == f.After.ID {
		return 0, 0
	}
	old, new := f.names()
	if f.isBinary() {
		fmt.Fprintf(patch, "Binary files %s and %s differ\n", old, new)
		return 0, 0
	}
	oldLines, newLines, hunks := merge.Lines(f.before, f.after)
	if len(hunks) == 0 {
		return 0, 0
	}
	fmt.Fprintf(patch, "--- %s%s\n+++ %s%s\n", old, tabBehind(old), new, tabBehind(new))
	for _, h := range hunks {
		additions, deletions = additions+h.NewTo-h.NewFrom, deletions+h.To-h.From
	}
	for len(hunks) > 0 {
		n := neighbours(hunks)
		writeHunks(patch, oldLines, newLines, hunks[:n])
		hunks = hunks[n:]
	}
	return additions, deletions
}

// names returns the file's names on both sides, in the form of a patch.
func (f shownFile) names() (old, new string) {
	old, new = quoted("a/"+f.Path.String()), quoted("b/"+f.Path.String())
	if f.Before == nil {
		old = "/dev/null"
	}
	if f.After == nil {
		new = "/dev/null"
	}
	return old, new
}

// writeHeader writes git's lines about a file.
func (f shownFile) writeHeader(patch *bytes.Buffer) {
	path := f.Path.String()
	fmt.Fprintf(patch, "diff --git %s %s\n", quoted("a/"+path), quoted("b/"+path))
	switch {
	case f.Before == nil:
		fmt.Fprintf(patch, "new file mode %s\nindex %s..%s\n", modeOf(*f.After), noBlob, f.After.ID)
		return
	case f.After == nil:
		fmt.Fprintf(patch, "deleted file mode %s\nindex %s..%s\n", modeOf(*f.Before), f.Before.ID, noBlob)
		return
	}
	if f.Before.Executable != f.After.Executable {
		fmt.Fprintf(patch, "old mode %s\nnew mode %s\n", modeOf(*f.Before), modeOf(*f.After))
	}
	if f.Before.ID == f.After.ID {
		return
	}
	fmt.Fprintf(patch, "index %s..%s", f.Before.ID, f.After.ID)
	if f.Before.Executable == f.After.Executable {
		patch.WriteString(" " + modeOf(*f.After))
	}
	patch.WriteByte('\n')
}

func modeOf(blob vcs.Blob) string {
	if blob.Executable {
		return "100755"
	}
	return "100644"
}

// quoted returns a name as git writes it in patches: names beyond plain ASCII are in
// quotes, with those bytes in octal.
func quoted(name string) string {
	var b strings.Builder
	plain := true
	for _, c := range []byte(name) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
			plain = false
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
			plain = false
		default:
			b.WriteByte(c)
		}
	}
	if plain {
		return name
	}
	return `"` + b.String() + `"`
}

// tabBehind ends a name that contains a space with a tab, so that programs do not read
// the part after the space as a time.
func tabBehind(name string) string {
	if strings.Contains(name, " ") {
		return "\t"
	}
	return ""
}

// neighbours counts the first hunks that are so close that their contexts touch.
func neighbours(hunks []merge.Hunk) int {
	n := 1
	for n < len(hunks) && hunks[n].From-hunks[n-1].To <= 2*contextLines {
		n++
	}
	return n
}

// writeHunks writes neighbouring hunks as one, with the context around them.
func writeHunks(patch *bytes.Buffer, old, new [][]byte, hunks []merge.Hunk) {
	first, last := hunks[0], hunks[len(hunks)-1]
	before := min(contextLines, first.From)
	behind := min(contextLines, len(old)-last.To)
	from, to := first.From-before, last.To+behind
	newFrom, newTo := first.NewFrom-before, last.NewTo+behind
	fmt.Fprintf(patch, "@@ -%s +%s @@\n", span(from, to), span(newFrom, newTo))
	at := from
	for _, h := range hunks {
		writeLines(patch, ' ', old[at:h.From])
		writeLines(patch, '-', old[h.From:h.To])
		writeLines(patch, '+', new[h.NewFrom:h.NewTo])
		at = h.To
	}
	writeLines(patch, ' ', old[at:to])
}

// span writes a range of lines in the form of hunks: the first, from 1, and their
// number, unless it is 1. An empty range has the line before.
func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeLines(patch *bytes.Buffer, sign byte, lines [][]byte) {
	for _, line := range lines {
		patch.WriteByte(sign)
		patch.Write(line)
		if line[len(line)-1] != '\n' {
			patch.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
