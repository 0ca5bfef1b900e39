// Package merge is a three-way merge of texts, line by line.
package merge

import (
	"bytes"
	"slices"
)

// Conflict is a place where both texts changed the base differently. From and To are
// lines of ours, counted from 1, To inclusive. If ours has no line there, To is
// From-1 and the change was before From.
type Conflict struct{ From, To int }

// Merge is a three-way merge: it returns the base with the changes of both texts.
// Lines keep their ends, including CRLF and a missing end of the last line. Changes
// of the same or neighbouring lines are conflicts, unless they are equal; with
// conflicts the first result is nil.
//
// The work is bounded: texts that differ in several thousand lines without a common
// line in between count as completely changed, which can only cause more conflicts.
func Merge(base, ours, theirs []byte) ([]byte, []Conflict) {
	switch {
	case bytes.Equal(base, theirs), bytes.Equal(ours, theirs):
		return slices.Clone(ours), nil
	case bytes.Equal(base, ours):
		return slices.Clone(theirs), nil
	}
	m := newMerger(base, ours, theirs)
	m.run()
	if len(m.conflicts) > 0 {
		return nil, m.conflicts
	}
	return m.merged, nil
}

// Labels name the two texts of a merge in conflict markers.
type Labels struct{ Ours, Theirs string }

// Mark reports whether a text still has the first or last line of a conflict that Marked wrote with
// these labels.
func (l Labels) Mark(text []byte) bool {
	for line := range bytes.Lines(text) {
		switch string(bytes.TrimRight(line, "\r\n")) {
		case oursMark + l.Ours, theirsMark + l.Theirs:
			return true
		}
	}
	return false
}

// oursMark and theirsMark begin the first and the last line of a conflict.
const (
	oursMark   = "<<<<<<< "
	theirsMark = ">>>>>>> "
)

// Marked is Merge, but keeps both texts where they conflict, with the markers of git around them.
// The second result is the number of conflicts.
func Marked(base, ours, theirs []byte, labels Labels) ([]byte, int) {
	merged, conflicts := Merge(base, ours, theirs)
	if len(conflicts) == 0 {
		return merged, 0
	}
	m := newMerger(base, ours, theirs)
	m.labels = &labels
	m.run()
	return m.merged, len(m.conflicts)
}

func newMerger(base, ours, theirs []byte) *merger {
	numbers := map[string]int{}
	m := &merger{base: linesOf(base), ours: linesOf(ours), theirs: linesOf(theirs)}
	numbered := numberLines(numbers, m.base)
	m.a = diff(numbered, numberLines(numbers, m.ours))
	m.b = diff(numbered, numberLines(numbers, m.theirs))
	return m
}

// linesOf splits a text after every line feed.
func linesOf(text []byte) [][]byte { return slices.Collect(bytes.Lines(text)) }

// numberLines returns a number for each line, the same for equal lines.
func numberLines(numbers map[string]int, lines [][]byte) []int {
	numbered := make([]int, len(lines))
	for i, line := range lines {
		number, known := numbers[string(line)]
		if !known {
			number = len(numbers)
			numbers[string(line)] = number
		}
		numbered[i] = number
	}
	return numbered
}

// merger goes through the base once. a and b are the remaining hunks of ours and
// theirs, and at is the next line of the base.
type merger struct {
	base, ours, theirs [][]byte
	a, b               []hunk
	at                 int
	merged             []byte
	conflicts          []Conflict
	// labels are nil if conflicts are not marked.
	labels *Labels
}

func (m *merger) run() {
	for len(m.a) > 0 || len(m.b) > 0 {
		a, b, from, to := m.next()
		m.take(m.base[m.at:from])
		switch {
		case len(b) == 0:
			m.take(lined(m.ours, a, from, to))
		case len(a) == 0:
			m.take(lined(m.theirs, b, from, to))
		default:
			m.settle(a, b, from, to)
		}
		m.at = to
	}
	m.take(m.base[m.at:])
}

// next removes the next overlapping or adjacent hunks from both lists, and returns
// them with the lines of the base that they cover together.
func (m *merger) next() (a, b []hunk, from, to int) {
	from = len(m.base)
	for _, list := range [][]hunk{m.a, m.b} {
		if len(list) > 0 && list[0].from <= from {
			from = list[0].from
		}
	}
	to = from
	i, j := 0, 0
	for {
		switch {
		case i < len(m.a) && m.a[i].from <= to:
			to = max(to, m.a[i].to)
			i++
		case j < len(m.b) && m.b[j].from <= to:
			to = max(to, m.b[j].to)
			j++
		default:
			a, b, m.a, m.b = m.a[:i], m.b[:j], m.a[i:], m.b[j:]
			return a, b, from, to
		}
	}
}

// settle takes the change of both texts if they are equal, else notes a conflict.
func (m *merger) settle(a, b []hunk, from, to int) {
	ours := lined(m.ours, a, from, to)
	theirs := lined(m.theirs, b, from, to)
	if slices.EqualFunc(ours, theirs, bytes.Equal) {
		m.take(ours)
		return
	}
	first := a[0].newFrom - (a[0].from - from) + 1
	m.conflicts = append(m.conflicts, Conflict{From: first, To: first + len(ours) - 1})
	if m.labels != nil {
		m.mark(oursMark + m.labels.Ours)
		m.take(ours)
		m.mark("=======")
		m.take(theirs)
		m.mark(theirsMark + m.labels.Theirs)
	}
}

// mark adds a line of its own.
func (m *merger) mark(line string) {
	if n := len(m.merged); n > 0 && m.merged[n-1] != '\n' {
		m.merged = append(m.merged, '\n')
	}
	m.merged = append(append(m.merged, line...), '\n')
}

// lined returns the lines of a text with the given hunks that correspond to the
// base's lines from..to.
func lined(text [][]byte, hunks []hunk, from, to int) [][]byte {
	first, last := hunks[0], hunks[len(hunks)-1]
	return text[first.newFrom-(first.from-from) : last.newTo+(to-last.to)]
}

func (m *merger) take(lines [][]byte) {
	for _, line := range lines {
		m.merged = append(m.merged, line...)
	}
}
