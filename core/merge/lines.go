package merge

// Hunk says that the lines From..To of one text stand where another has its lines
// NewFrom..NewTo; lines count from 0 and ends are exclusive. Between two hunks at
// least one line is the same.
type Hunk struct{ From, To, NewFrom, NewTo int }

// Lines returns the lines of two texts, each with its end, and the hunks that make the
// one into the other, in order. The work is bounded as Merge's is.
func Lines(before, after []byte) (old, new [][]byte, hunks []Hunk) {
	old, new = linesOf(before), linesOf(after)
	numbers := map[string]int{}
	for _, h := range diff(numberLines(numbers, old), numberLines(numbers, new)) {
		hunks = append(hunks, Hunk{h.from, h.to, h.newFrom, h.newTo})
	}
	return old, new, hunks
}
