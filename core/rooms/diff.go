package rooms

import (
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core/merge"
	"github.com/atelierhq/atelier/ports/replica"
)

// Diff returns the edits that make one text into another, few and small: whole lines
// are compared first, and what two differing runs of lines begin and end with alike is
// left alone then; runs of equally many lines are taken line by line. So cursors that
// people have elsewhere stay where they are. Edits cut no character. Both texts must be
// valid UTF-8; the work is bounded as that of merge.Lines is.
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

// offsets returns where each line begins, and where the last one ends.
func offsets(lines [][]byte) []int {
	at := make([]int, len(lines)+1)
	for i, line := range lines {
		at[i+1] = at[i] + len(line)
	}
	return at
}

// trimmed returns the edit that makes a part of a text into another, without the
// characters that both begin and end with.
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
// stand at several places: a tag that is put before another one shares its beginning
// with it, and looks like one that is put in behind that. Of the places the last is
// taken that tears least, so that what two people put in side by side stays whole.
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

// tears counts the words and the brackets that a change would tear apart that begins at
// a place of the text and ends at another.
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
