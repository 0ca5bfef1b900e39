package regexsearch

import (
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/search"
)

// maxInstructions bounds the size of a compiled pattern, so that the longest text can
// still be searched for. Ordinary patterns have fewer than 100.
const maxInstructions = 2 * search.MaxPatternBytes

// expression is a compiled pattern. Every match contains the literal of one of the
// probes, unless there are none. Without a program the literal is the whole pattern.
type expression struct {
	probes  []probe
	program *program
}

// compile returns core.CodeInvalidRegex for a pattern that the package regexp refuses,
// that is too long, or that repeats too much.
func compile(pattern string) (*expression, error) {
	if len(pattern) > search.MaxPatternBytes {
		return nil, core.Errorf(core.CodeInvalidRegex, "the pattern is longer than %d bytes", search.MaxPatternBytes)
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, core.Wrap(core.CodeInvalidRegex, err, "the pattern is not a regular expression in RE2 syntax: %s", reason(err))
	}
	if size(tree) > maxInstructions {
		return nil, core.Errorf(core.CodeInvalidRegex, "the pattern has too many repetitions")
	}
	tree = withoutCaptures(tree)
	literals := required(tree)
	if isWhole(tree, literals) {
		return &expression{probes: probes(literals)}, nil
	}
	program, err := newProgram(reversed(tree))
	if err != nil {
		return nil, core.Wrap(core.CodeInvalidRegex, err, "the pattern cannot be compiled")
	}
	return &expression{probes: probes(literals), program: program}, nil
}

// isWhole reports whether the pattern is one literal, which may be folded, and
// nothing else.
func isWhole(tree *syntax.Regexp, literals []literal) bool {
	return tree.Op == syntax.OpLiteral && len(literals) == 1 && len(literals[0].text) == len(string(tree.Rune)) &&
		!strings.Contains(literals[0].text, "\n")
}

// reason returns the part of a parser's error that helps the person who wrote the
// pattern.
func reason(err error) string { return strings.TrimPrefix(err.Error(), "error parsing regexp: ") }

// size returns about how many instructions the tree compiles to. It stops counting beyond
// the bound, so that nested repetitions cannot overflow it.
func size(tree *syntax.Regexp) int {
	total := 1 + len(tree.Rune)
	if tree.Op == syntax.OpCharClass {
		total = 1
	}
	for _, sub := range tree.Sub {
		total += size(sub)
	}
	if tree.Op == syntax.OpRepeat {
		total *= max(tree.Min, tree.Max, 1)
	}
	return min(total, maxInstructions+1)
}

// withoutCaptures removes capture groups, because nobody uses them.
func withoutCaptures(tree *syntax.Regexp) *syntax.Regexp {
	for tree.Op == syntax.OpCapture {
		tree = tree.Sub[0]
	}
	plain := *tree
	plain.Sub = nil
	for _, sub := range tree.Sub {
		plain.Sub = append(plain.Sub, withoutCaptures(sub))
	}
	return &plain
}

// reversed returns the tree that matches the same texts read from their ends.
func reversed(tree *syntax.Regexp) *syntax.Regexp {
	mirror := *tree
	mirror.Sub = nil
	for _, sub := range tree.Sub {
		mirror.Sub = append(mirror.Sub, reversed(sub))
	}
	switch tree.Op {
	case syntax.OpConcat:
		slices.Reverse(mirror.Sub)
	case syntax.OpLiteral:
		mirror.Rune = slices.Clone(tree.Rune)
		slices.Reverse(mirror.Rune)
	case syntax.OpBeginLine:
		mirror.Op = syntax.OpEndLine
	case syntax.OpEndLine:
		mirror.Op = syntax.OpBeginLine
	case syntax.OpBeginText:
		mirror.Op = syntax.OpEndText
	case syntax.OpEndText:
		mirror.Op = syntax.OpBeginText
	}
	return &mirror
}
