package splice

// progress is the matching state of a selector at an element. Bit i says that the first
// i+1 compounds match, and that the last of them matches this element, an ancestor, or a
// preceding sibling.
type progress struct{ here, above, before uint64 }

// from returns the bits from which a combinator goes on.
func (p progress) from(combinator byte, parent, sibling progress) uint64 {
	switch combinator {
	case '>':
		return parent.here
	case '+':
		return sibling.here
	case '~':
		return p.before
	}
	return p.above
}

// maxTests bounds how often a part of a selector is tested on an element, in one call.
const maxTests = 50_000_000

// search finds elements and caches the results.
type search struct {
	tree   *tree
	folded bool
	known  map[string]*element
	tests  int
}

// find returns the first element that a selector matches, nil if there is none.
func (s *search) find(text string) (*element, error) {
	if e, known := s.known[text]; known {
		return e, nil
	}
	selector, err := parseSelector(text, s.folded)
	if err != nil {
		return nil, err
	}
	if s.tests += len(selector) * len(s.tree.elements); s.tests > maxTests {
		return nil, invalid("the selectors have too many parts for a file of that size")
	}
	e := s.tree.first(selector)
	s.known[text] = e
	return e, nil
}

// first returns the first element that a selector matches, nil if there is none.
func (t *tree) first(selector []compound) *element {
	reached := make([]progress, len(t.elements))
	for i := range t.elements {
		e, mine := &t.elements[i], &reached[i]
		var parent, sibling progress
		if e.parent >= 0 {
			parent = reached[e.parent]
		}
		if e.previous >= 0 {
			sibling = reached[e.previous]
		}
		mine.above, mine.before = parent.above|parent.here, sibling.before|sibling.here
		for j, c := range selector {
			allowed := j == 0 || mine.from(c.combinator, parent, sibling)&(1<<(j-1)) != 0
			if allowed && c.matches(e) {
				mine.here |= 1 << j
			}
		}
		if mine.here&(1<<(len(selector)-1)) != 0 {
			return e
		}
	}
	return nil
}
