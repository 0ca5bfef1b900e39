package esbuild

import (
	"fmt"
	"regexp"
)

// maxNesting bounds how deep a source of a project may nest. esbuild's parser calls
// itself for every level, and from about 200,000 on overflows the stack, which ends
// the process: no recover helps against that.
const maxNesting = 100_000

// unsuspicious is a source that is too small for that, in bytes.
const unsuspicious = maxNesting

// nests are the signs and words one of which every level of nesting has at least, so
// that their number bounds the depth from above, whatever stands in strings and
// comments.
var nests = regexp.MustCompile("[(\\[{<!~?=.:`@+-]|\\b(?:typeof|void|delete|new|await|yield|else|do|keyof|unique|readonly|infer|asserts|extends)\\b")

// tooDeep says what is wrong with a source that might nest too deep, and where the
// first level is that is one too many; "" when nothing is.
func tooDeep(text []byte) (problem string, at int) {
	if len(text) <= unsuspicious {
		return "", 0
	}
	if found := nests.FindAllIndex(text, maxNesting+1); len(found) > maxNesting {
		return fmt.Sprintf("the file is too large to be built: it has more than %d operators and brackets; split it, or fetch data at run time", maxNesting), found[maxNesting][0]
	}
	return "", 0
}
