package merge

// hunk says that the base's lines from..to were replaced by the other text's lines
// newFrom..newTo; ends are exclusive. Between two hunks at least one line is the
// same.
type hunk struct{ from, to, newFrom, newTo int }

// diff returns the hunks that turn a base's lines into another text's, in order. Lines
// are compared by their numbers (numberLines).
func diff(base, other []int) []hunk {
	c := comparison{base: base, other: other, gone: make([]bool, len(base)), came: make([]bool, len(other))}
	c.compare(0, len(base), 0, len(other))
	return c.hunks()
}

// comparison marks the base's lines that are not in the other text, and the other
// text's that are not in the base.
type comparison struct {
	base, other []int
	gone, came  []bool
}

// compare compares base[from:to] with other[newFrom:newTo].
func (c *comparison) compare(from, to, newFrom, newTo int) {
	for from < to && newFrom < newTo && c.base[from] == c.other[newFrom] {
		from, newFrom = from+1, newFrom+1
	}
	for from < to && newFrom < newTo && c.base[to-1] == c.other[newTo-1] {
		to, newTo = to-1, newTo-1
	}
	if from < to && newFrom < newTo {
		x, y, found := newBisection(c.base[from:to], c.other[newFrom:newTo]).split()
		if found {
			c.compare(from, from+x, newFrom, newFrom+y)
			c.compare(from+x, to, newFrom+y, newTo)
			return
		}
	}
	for i := from; i < to; i++ {
		c.gone[i] = true
	}
	for i := newFrom; i < newTo; i++ {
		c.came[i] = true
	}
}

func (c *comparison) hunks() []hunk {
	var hunks []hunk
	for i, j := 0, 0; i < len(c.gone) || j < len(c.came); {
		h := hunk{from: i, newFrom: j}
		for i < len(c.gone) && c.gone[i] {
			i++
		}
		for j < len(c.came) && c.came[j] {
			j++
		}
		if h.to, h.newTo = i, j; h.to > h.from || h.newTo > h.newFrom {
			hunks = append(hunks, h)
			continue
		}
		i, j = i+1, j+1
	}
	return hunks
}

// maxDistance bounds the search for common lines: texts that differ in more than twice
// as many lines, without a common end, count as completely different. It keeps the
// search for one place below five million steps.
const maxDistance = 2000

// bisection finds a place on a shortest edit path, after Myers, "An O(ND) Difference
// Algorithm and Its Variations" (1986), section 4b. It searches from both ends at once
// until the paths meet, and keeps only the furthest point of each diagonal.
type bisection struct {
	a, b []int
	// forward and backward have, for diagonal k at index zero+k, how many lines of a
	// the furthest path has consumed from that end, -1 for none.
	forward, backward []int
	zero              int
}

func newBisection(a, b []int) *bisection {
	limit := min((len(a)+len(b)+1)/2, maxDistance)
	s := &bisection{a: a, b: b, zero: limit + 1, forward: make([]int, 2*limit+3), backward: make([]int, 2*limit+3)}
	for i := range s.forward {
		s.forward[i], s.backward[i] = -1, -1
	}
	s.forward[s.zero+1], s.backward[s.zero+1] = 0, 0
	return s
}

// split returns how many lines of both texts are before the place, or false if the
// texts have nothing in common or differ too much.
func (s *bisection) split() (x, y int, found bool) {
	delta := len(s.a) - len(s.b)
	same := func(x, y int) bool { return s.a[x] == s.b[y] }
	sameFromEnd := func(x, y int) bool { return s.a[len(s.a)-1-x] == s.b[len(s.b)-1-y] }
	for d := range s.zero {
		for k := -d; k <= d; k += 2 {
			x := s.advance(s.forward, k, d, same)
			if met, there := s.at(s.backward, delta-k); delta%2 != 0 && there && x >= len(s.a)-met && s.inside(x, x-k) {
				return x, x - k, true
			}
		}
		for k := -d; k <= d; k += 2 {
			x := s.advance(s.backward, k, d, sameFromEnd)
			if met, there := s.at(s.forward, delta-k); delta%2 == 0 && there && met >= len(s.a)-x && s.inside(met, met-(delta-k)) {
				return met, met - (delta - k), true
			}
		}
	}
	return 0, 0, false
}

// advance extends the furthest path on diagonal k by one step, and then along all
// equal lines.
func (s *bisection) advance(ways []int, k, d int, same func(x, y int) bool) int {
	at := s.zero + k
	var x int
	if k == -d || k != d && ways[at-1] < ways[at+1] {
		x = ways[at+1]
	} else {
		x = ways[at-1] + 1
	}
	y := x - k
	for y >= 0 && x < len(s.a) && y < len(s.b) && same(x, y) {
		x, y = x+1, y+1
	}
	ways[at] = x
	return x
}

// at returns the furthest point on diagonal k, if there is one.
func (s *bisection) at(ways []int, k int) (int, bool) {
	at := s.zero + k
	if at < 0 || at >= len(ways) || ways[at] < 0 {
		return 0, false
	}
	return ways[at], true
}

// inside reports whether a place is within both texts and makes both parts smaller
// than the whole.
func (s *bisection) inside(x, y int) bool {
	return x >= 0 && x <= len(s.a) && y >= 0 && y <= len(s.b) && x+y > 0 && x+y < len(s.a)+len(s.b)
}
