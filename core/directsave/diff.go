package directsave

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/markup"
)

// MaxDiffBytes bounds a diff.
const MaxDiffBytes = 256 << 10

// contextLines is the number of lines of context around each hunk.
const contextLines = 3

// region is a range of lines that edits change, counted from 0, without to, and the
// lines that replace it.
type region struct {
	from, to int
	lines    []string
}

// diff returns the unified diff of edits, which are in the order of the text.
func diff(path core.ProjectPath, before string, edits []markup.Edit) string {
	lines := linesOf(before)
	regions := regionsOf(before, lines, edits)
	var out strings.Builder
	fmt.Fprintf(&out, "--- a/%s\n+++ b/%s\n", path, path)
	shift := 0
	for len(regions) > 0 && out.Len() <= MaxDiffBytes {
		n := 1
		for n < len(regions) && regions[n].from-regions[n-1].to <= 2*contextLines {
			n++
		}
		shift += hunk(&out, lines, regions[:n], shift)
		regions = regions[n:]
	}
	return cut(out.String())
}

// cut cuts a diff that is too long after a whole line.
func cut(text string) string {
	if len(text) <= MaxDiffBytes {
		return text
	}
	return text[:strings.LastIndexByte(text[:MaxDiffBytes], '\n')+1]
}

// linesOf splits a text into lines with their ends.
func linesOf(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// regionsOf finds the whole lines that edits change. Edits on the same line make
// one region.
func regionsOf(before string, lines []string, edits []markup.Edit) []region {
	starts := make([]int, 1, len(lines)+1)
	for i, line := range lines {
		starts = append(starts, starts[i]+len(line))
	}
	lineAt := func(offset int) int {
		line, found := slices.BinarySearch(starts, offset)
		if !found {
			line--
		}
		return max(0, min(line, len(lines)-1))
	}
	var all []region
	for len(edits) > 0 {
		r := region{from: lineAt(edits[0].Start)}
		n := 0
		for n < len(edits) && (n == 0 || lineAt(edits[n].Start) < r.to) {
			r.to = min(lineAt(edits[n].End)+1, len(lines))
			n++
		}
		r.lines = linesOf(spliced(before, span{starts[r.from], starts[r.to]}, edits[:n]))
		all = append(all, r)
		edits = edits[n:]
	}
	return all
}

// span is a range of bytes.
type span struct{ start, end int }

// spliced returns a part of a text with its edits applied.
func spliced(text string, part span, edits []markup.Edit) string {
	moved := make([]markup.Edit, len(edits))
	for i, edit := range edits {
		moved[i] = markup.Edit{Start: edit.Start - part.start, End: edit.End - part.start, Text: edit.Text}
	}
	return string(markup.Splice([]byte(text[part.start:part.end]), moved))
}

// hunk writes regions that share their context. shift is how many lines earlier
// hunks have added; hunk returns how many this one adds.
func hunk(out *strings.Builder, lines []string, regions []region, shift int) int {
	from := max(0, regions[0].from-contextLines)
	to := min(len(lines), regions[len(regions)-1].to+contextLines)
	grown := 0
	for _, r := range regions {
		grown += len(r.lines) - (r.to - r.from)
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", lineRange(from, to-from), lineRange(from+shift, to-from+grown))
	at := from
	for _, r := range regions {
		put(out, ' ', lines[at:r.from])
		put(out, '-', lines[r.from:r.to])
		put(out, '+', r.lines)
		at = r.to
	}
	put(out, ' ', lines[at:to])
	return grown
}

// lineRange counts lines from 1; an empty range has the number of the line before
// it.
func lineRange(from, count int) string {
	if count > 0 {
		from++
	}
	return fmt.Sprintf("%d,%d", from, count)
}

func put(out *strings.Builder, sign byte, lines []string) {
	for _, line := range lines {
		out.WriteByte(sign)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
