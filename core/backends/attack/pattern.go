package attack

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// sample generates a text for a regular expression, with about as many repetitions as
// length says. The text may fail to match.
func sample(pattern string, length int) string {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var text strings.Builder
	follow(&text, parsed, length)
	return text.String()
}

// maxSample bounds a sample.
const maxSample = 2000

func follow(to *strings.Builder, node *syntax.Regexp, length int) {
	if to.Len() > maxSample {
		return
	}
	switch node.Op {
	case syntax.OpLiteral:
		to.WriteString(string(node.Rune))
	case syntax.OpCharClass:
		to.WriteRune(pick(node.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		to.WriteByte('a')
	case syntax.OpCapture, syntax.OpConcat:
		for _, part := range node.Sub {
			follow(to, part, length)
		}
	case syntax.OpAlternate:
		follow(to, node.Sub[0], length)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		repeat(to, node, length)
	}
}

func repeat(to *strings.Builder, node *syntax.Regexp, length int) {
	least, most := node.Min, node.Max
	switch node.Op {
	case syntax.OpStar:
		least, most = 0, -1
	case syntax.OpPlus:
		least, most = 1, -1
	case syntax.OpQuest:
		least, most = 0, 1
	}
	times := max(least, length)
	if most >= 0 {
		times = min(times, most)
	}
	for range times {
		follow(to, node.Sub[0], length)
	}
}

// pick returns a rune of a class, preferably a letter or a digit.
func pick(ranges []rune) rune {
	for i := 0; i+1 < len(ranges); i += 2 {
		for _, wanted := range [][2]rune{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}} {
			if low, high := max(ranges[i], wanted[0]), min(ranges[i+1], wanted[1]); low <= high {
				return low + rand.N(high-low+1)
			}
		}
	}
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i+1] > ' ' {
			return max(ranges[i], '!')
		}
	}
	return ' '
}
