package regexsearch

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// minLiteralBytes is the shortest literal worth searching for: shorter ones occur in
	// almost every line.
	minLiteralBytes = 2
	// maxLiteralBytes is the searched length of a literal. More would not be more
	// selective, and costs more on repetitive text.
	maxLiteralBytes = 64
	// maxLiterals is how many literals are searched for at the same time. Each costs a
	// pass over the text.
	maxLiterals = 8
)

// literal is a text that occurs in a match. A folded literal is in lower case and matches
// all its cases.
type literal struct {
	text   string
	folded bool
}

// required returns literals of which at least one occurs in every match, or none if there
// are no such literals. Of several choices it returns the one whose shortest literal is
// longest.
func required(tree *syntax.Regexp) []literal {
	switch tree.Op {
	case syntax.OpLiteral:
		return literalsOf(tree)
	case syntax.OpPlus:
		return required(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return required(tree.Sub[0])
		}
	case syntax.OpConcat:
		var best []literal
		for _, sub := range tree.Sub {
			if choice := required(sub); shortest(choice) > shortest(best) {
				best = choice
			}
		}
		return best
	case syntax.OpAlternate:
		var all []literal
		for _, sub := range tree.Sub {
			choice := required(sub)
			if all = append(all, choice...); len(choice) == 0 || len(all) > maxLiterals {
				return nil
			}
		}
		return all
	}
	return nil
}

func shortest(literals []literal) int {
	if len(literals) == 0 {
		return 0
	}
	return len(slices.MinFunc(literals, func(a, b literal) int { return len(a.text) - len(b.text) }).text)
}

// literalsOf takes the longest part of a literal whose bytes occur literally in every
// match. It excludes the replacement character, which matches invalid UTF-8, and letters
// whose case folds to a letter beyond ASCII.
func literalsOf(tree *syntax.Regexp) []literal {
	folded := tree.Flags&syntax.FoldCase != 0
	best := ""
	for part := range strings.FieldsFuncSeq(string(tree.Rune), func(r rune) bool {
		return r == utf8.RuneError || folded && !foldsWithinASCII(r)
	}) {
		if len(part) > len(best) {
			best = part
		}
	}
	if len(best) < minLiteralBytes {
		return nil
	}
	if folded {
		best = strings.ToLower(best)
	}
	return []literal{{best[:min(len(best), maxLiteralBytes)], folded}}
}

func foldsWithinASCII(r rune) bool {
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		if other >= utf8.RuneSelf {
			return false
		}
	}
	return r < utf8.RuneSelf
}

// commonBytes lists the most frequent bytes of source text, the most frequent first.
const commonBytes = " etaoinrslcdpumfhg.,()\"'-/=;:{}bvyw_0<>\t1xk\nTSCAEIRPNLDjqz"

// rareness ranks a byte by its rarity.
func rareness(c byte) int {
	if at := strings.IndexByte(commonBytes, c); at >= 0 {
		return at
	}
	return len(commonBytes)
}

// probe searches for a literal by one of its bytes, in one case.
type probe struct {
	literal literal
	char    byte
	// offset is the position of the byte in the literal.
	offset int
}

// probes searches for each literal by its rarest byte.
func probes(literals []literal) []probe {
	var list []probe
	for _, l := range literals {
		offset := 0
		for i := range len(l.text) {
			if rareness(l.text[i]) > rareness(l.text[offset]) {
				offset = i
			}
		}
		p := probe{l, l.text[offset], offset}
		list = append(list, p)
		if upper := byte(unicode.ToUpper(rune(p.char))); l.folded && upper != p.char {
			list = append(list, probe{l, upper, offset})
		}
	}
	return list
}

// find returns the offset of the literal's first occurrence, not before from, or the
// length of the block.
func (p *probe) find(block []byte, from int) int {
	for at := from + p.offset; at < len(block); at++ {
		next := bytes.IndexByte(block[at:], p.char)
		if next < 0 {
			break
		}
		at += next
		if p.standsAt(block[at-p.offset:]) {
			return at - p.offset
		}
	}
	return len(block)
}

func (p *probe) standsAt(block []byte) bool {
	text := p.literal.text
	if len(block) < len(text) {
		return false
	}
	if !p.literal.folded {
		return string(block[:len(text)]) == text
	}
	for i := range len(text) {
		c := block[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != text[i] {
			return false
		}
	}
	return true
}

// finder finds the literals of a pattern in one block after the other.
type finder struct {
	probes []probe
	// found is, for each probe, the first occurrence after the last requested offset.
	found []int
}

func newFinder(probes []probe) finder { return finder{probes, make([]int, len(probes))} }

// reset begins a block.
func (f *finder) reset() {
	for i := range f.found {
		f.found[i] = -1
	}
}

// next returns the offset of the first literal, not before from, or the length of the
// block. Within a block, from must not decrease.
func (f *finder) next(block []byte, from int) int {
	first := len(block)
	for i := range f.probes {
		if f.found[i] < from {
			f.found[i] = f.probes[i].find(block, from)
		}
		first = min(first, f.found[i])
	}
	return first
}
