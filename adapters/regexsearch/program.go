package regexsearch

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// program is a compiled pattern. It is immutable.
//
// Characters that no instruction distinguishes form a class, so that the automaton needs
// only one transition for all of them.
type program struct {
	instructions []syntax.Inst
	start        uint16
	// first holds the first character of each class, in ascending order. A class extends
	// to the next one.
	first []rune
	// ascii is the class of each character below utf8.RuneSelf.
	ascii [utf8.RuneSelf]uint16
	// words means that the pattern tests word boundaries.
	words bool
}

func newProgram(tree *syntax.Regexp) (*program, error) {
	compiled, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	p := &program{instructions: compiled.Inst, start: uint16(compiled.Start)}
	// The end of a line is a class of its own, because it counts as one even if an
	// instruction treats it like other characters.
	bounds := []rune{0, '\n', '\n' + 1}
	for i := range p.instructions {
		bounds = p.appendBounds(bounds, &p.instructions[i])
	}
	slices.Sort(bounds)
	p.first = slices.Compact(bounds)
	for c := range p.ascii {
		p.ascii[c] = p.search(rune(c))
	}
	return p, nil
}

// appendBounds adds the characters at which the result of an instruction changes.
func (p *program) appendBounds(bounds []rune, inst *syntax.Inst) []rune {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1:
		if len(inst.Rune) == 1 {
			return appendFolds(bounds, inst.Rune[0])
		}
		for i := 0; i < len(inst.Rune); i += 2 {
			bounds = append(bounds, inst.Rune[i], inst.Rune[i+1]+1)
		}
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(inst.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
			p.words = true
			bounds = append(bounds, '0', '9'+1, 'A', 'Z'+1, '_', '_'+1, 'a', 'z'+1)
		}
	}
	return bounds
}

// appendFolds adds a character with its other cases: each is a class of its own.
func appendFolds(bounds []rune, r rune) []rune {
	bounds = append(bounds, r, r+1)
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		bounds = append(bounds, other, other+1)
	}
	return bounds
}

func (p *program) search(r rune) uint16 {
	i, found := slices.BinarySearchFunc(p.first, r, cmp.Compare)
	if !found {
		i--
	}
	return uint16(i)
}
