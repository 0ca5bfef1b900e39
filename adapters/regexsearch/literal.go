package regexsearch

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLiterals is how many literals are searched for at the same time. Each costs a pass over
// the text.
const maxLiterals = 8

// literal is a text that occurs in a match. A folded one occurs in any case.
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
		return literalOf(tree)
	case syntax.OpCapture, syntax.OpPlus:
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

// literalOf takes the longest part of a literal whose bytes occur literally in every
// match. It excludes the replacement character, which matches invalid UTF-8, and letters
// whose case folds to a letter beyond ASCII.
func literalOf(tree *syntax.Regexp) []literal {
	folded := tree.Flags&syntax.FoldCase != 0
	best := ""
	for part := range strings.FieldsFuncSeq(string(tree.Rune), func(r rune) bool {
		return r == utf8.RuneError || folded && !foldsWithinASCII(r)
	}) {
		if len(part) > len(best) {
			best = part
		}
	}
	if best == "" {
		return nil
	}
	return []literal{{best, folded}}
}

func foldsWithinASCII(r rune) bool {
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		if other >= utf8.RuneSelf {
			return false
		}
	}
	return r < utf8.RuneSelf
}

// literals are the required literals of a pattern. If one of them is folded, all are in lower
// case, and are searched for in lower case.
type literals struct {
	texts  [][]byte
	folded bool
}

func newLiterals(list []literal) literals {
	folded := slices.ContainsFunc(list, func(l literal) bool { return l.folded })
	found := literals{folded: folded}
	for _, l := range list {
		text := []byte(l.text)
		if folded {
			text = appendLower(nil, text)
		}
		found.texts = append(found.texts, text)
	}
	return found
}

// appendLower appends a text with its ASCII letters in lower case.
func appendLower(to, text []byte) []byte {
	to = append(to, text...)
	lower := to[len(to)-len(text):]
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return to
}

// finder finds literals in one block after the other.
type finder struct {
	literals literals
	block    []byte
	// lowered is memory for a block in lower case.
	lowered []byte
	// found has the place of each literal's first occurrence after the last requested offset.
	found []int
}

// begin begins a block.
func (f *finder) begin(block []byte) {
	f.block = block
	if f.literals.folded {
		f.lowered = appendLower(f.lowered[:0], block)
		f.block = f.lowered
	}
	f.found = slices.Repeat([]int{-1}, len(f.literals.texts))
}

// next returns the offset of the first literal, not before from, or the length of the
// block. Within a block, from must not decrease.
func (f *finder) next(from int) int {
	first := len(f.block)
	for i, text := range f.literals.texts {
		if f.found[i] < from {
			f.found[i] = len(f.block)
			if at := bytes.Index(f.block[from:], text); at >= 0 {
				f.found[i] = from + at
			}
		}
		first = min(first, f.found[i])
	}
	return first
}
