package project

import (
	"fmt"
	"strings"
)

// maxNesting bounds the nesting of a project's source. esbuild's parser recurses for
// every level, and from about 200,000 levels on overflows the stack. That ends the
// process, and recover does not help.
const maxNesting = 100_000

// unsuspicious is the size in bytes of a source that is too small for that.
const unsuspicious = maxNesting

// signs are the characters and isLevel the words that nesting needs: every level has at
// least one of them. So their number bounds the depth from above, whatever strings and
// comments contain.
const signs = "([{<!~?=.:`@+-"

func isLevel(word string) bool {
	switch word {
	case "typeof", "void", "delete", "new", "await", "yield", "else", "do", "keyof", "unique", "readonly", "infer", "asserts", "extends":
		return true
	}
	return false
}

// TooDeep returns the fault of a source that might nest too deep, and where the
// first excess level is. It returns "" if the source is fine.
func TooDeep(text []byte) (problem string, at int) {
	if len(text) <= unsuspicious {
		return "", 0
	}
	levels := 0
	for at < len(text) {
		length, level := token(text[at:])
		if level {
			levels++
		}
		if levels > maxNesting {
			return fmt.Sprintf("the file is too large to be built: it has more than %d operators and brackets; split it, or fetch data at run time", maxNesting), at
		}
		at += length
	}
	return "", 0
}

// token returns the length of the word or the character that a text begins with, and
// whether it may begin a level.
func token(text []byte) (length int, level bool) {
	for length < len(text) && isWordByte(text[length]) {
		length++
	}
	if length > 0 {
		return length, isLevel(string(text[:length]))
	}
	return 1, strings.IndexByte(signs, text[0]) >= 0
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
