package merge

// Hunk says that another text has its lines NewFrom..NewTo instead of the lines
// From..To of the first; lines count from 0 and ends are exclusive. Between two hunks
// at least one line is the same.
type Hunk struct{ From, To, NewFrom, NewTo int }

// Lines returns the lines of two texts, each with its end, and the hunks that turn the
// one into the other, in order. The work is bounded like that of Merge.
func Lines(before, after []byte) (old, new [][]byte, hunks []Hunk) {
	old, new = linesOf(before), linesOf(after)
	numbers := map[string]int{}
	for _, h := range diff(numberLines(numbers, old), numberLines(numbers, new)) {
		hunks = append(hunks, Hunk{h.from, h.to, h.newFrom, h.newTo})
	}
	return old, new, hunks
}
