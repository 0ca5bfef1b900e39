package regexsearch

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/search"
)

// maxInstructions bounds the size of a compiled pattern, so that the longest text can
// still be searched for. Ordinary patterns have fewer than 100.
const maxInstructions = 2 * search.MaxPatternBytes

// pattern is a compiled pattern.
type pattern struct {
	*regexp.Regexp
	// size is about how many instructions it has.
	size     int
	required literals
}

// compile returns core.CodeInvalidRegex for a pattern that the package regexp refuses,
// that is too long, or that repeats too much.
func compile(text string) (pattern, error) {
	if len(text) > search.MaxPatternBytes {
		return pattern{}, core.Errorf(core.CodeInvalidRegex, "the pattern is longer than %d bytes", search.MaxPatternBytes)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return pattern{}, refused(err)
	}
	// Compiling takes as long as the result is large, so this comes first.
	instructions := size(tree)
	if instructions > maxInstructions {
		return pattern{}, core.Errorf(core.CodeInvalidRegex, "the pattern has too many repetitions")
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return pattern{}, refused(err)
	}
	return pattern{compiled, instructions, newLiterals(required(tree))}, nil
}

// refused tells the person who wrote a pattern what is wrong with it.
func refused(err error) error {
	reason := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	return core.Wrap(core.CodeInvalidRegex, err, "the pattern is not a regular expression in RE2 syntax: %s", reason)
}

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
