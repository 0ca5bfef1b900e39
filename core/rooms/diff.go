package rooms

import (
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core/merge"
	"github.com/atelierhq/atelier/ports/replica"
)

// Diff returns edits that turn one text into another. They are few and small, so that
// other people's cursors stay where they are. Diff first compares whole lines. Within
// two differing ranges it then skips the common beginning and end; ranges with the same
// number of lines are compared line by line. Edits split no character. Both texts must
// be valid UTF-8; the work is bounded like that of merge.Lines.
func Diff(before, after string) []replica.Edit {
	old, written, hunks := merge.Lines([]byte(before), []byte(after))
	oldAt, newAt := offsets(old), offsets(written)
	var edits []replica.Edit
	for _, h := range hunks {
		step := max(h.To-h.From, h.NewTo-h.NewFrom)
		if h.To-h.From == h.NewTo-h.NewFrom {
			step = 1
		}
		for line, other := h.From, h.NewFrom; line < h.To || other < h.NewTo; line, other = line+step, other+step {
			from, to := oldAt[line], oldAt[min(h.To, line+step)]
			e := trimmed(from, before[from:to], after[newAt[other]:newAt[min(h.NewTo, other+step)]])
			if e.Delete > 0 || e.Insert != "" {
				edits = append(edits, e)
			}
		}
	}
	return edits
}

// offsets returns the offset at which each line begins, and that at which the last one
// ends.
func offsets(lines [][]byte) []int {
	at := make([]int, len(lines)+1)
	for i, line := range lines {
		at[i+1] = at[i] + len(line)
	}
	return at
}

// trimmed returns the edit that replaces a part of a text by another, without their
// common beginning and end.
func trimmed(at int, old, written string) replica.Edit {
	whole, head := old, 0
	for head < len(old) && head < len(written) && old[head] == written[head] {
		head++
	}
	for head > 0 && !(isBoundary(old, head) && isBoundary(written, head)) {
		head--
	}
	old, written = old[head:], written[head:]
	tail := 0
	for tail < len(old) && tail < len(written) && old[len(old)-1-tail] == written[len(written)-1-tail] {
		tail++
	}
	for tail > 0 && !isBoundary(old, len(old)-tail) {
		tail--
	}
	head, removed, inserted := slid(whole, head, old[:len(old)-tail], written[:len(written)-tail])
	return replica.Edit{At: at + head, Delete: removed, Insert: inserted}
}

// slid moves an insertion or a deletion to where people see it. The same change can
// have several places: a tag inserted before another tag shares its beginning, so it
// could also be inserted after that. slid takes the last place that splits the fewest
// words and brackets, so that two insertions side by side stay whole.
func slid(text string, at int, removed, inserted string) (int, int, string) {
	moving := removed + inserted
	if removed != "" && inserted != "" || moving == "" {
		return at, len(removed), inserted
	}
	least, leastAt, leastMoving := tears(text, at, at+len(removed), moving), at, moving
	for at > 0 && least > 0 && text[at-1] == moving[len(moving)-1] {
		moving = moving[len(moving)-1:] + moving[:len(moving)-1]
		at--
		if !utf8.RuneStart(moving[0]) || !isBoundary(text, at) || !isBoundary(text, at+len(removed)) {
			continue
		}
		if now := tears(text, at, at+len(removed), moving); now < least {
			least, leastAt, leastMoving = now, at, moving
		}
	}
	if removed != "" {
		return leastAt, len(removed), ""
	}
	return leastAt, 0, leastMoving
}

// tears counts the words and the brackets that a change from one place of the text to
// another would split.
func tears(text string, from, to int, moving string) int {
	first, last := moving[0], moving[len(moving)-1]
	count := 0
	if from > 0 && isWord(text[from-1]) && isWord(first) {
		count++
	}
	if to < len(text) && isWord(text[to]) && isWord(last) {
		count++
	}
	if strings.IndexByte(")]}>", first) >= 0 {
		count++
	}
	if strings.IndexByte("([{<", last) >= 0 {
		count++
	}
	return count
}

func isWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b >= utf8.RuneSelf
}

// isBoundary reports whether a place in a text is between two characters.
func isBoundary(text string, at int) bool { return at >= len(text) || utf8.RuneStart(text[at]) }
