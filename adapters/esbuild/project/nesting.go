package project

import (
	"fmt"
	"strings"
)

// maxNesting bounds how deep a source of a project may nest. esbuild's parser calls
// itself for every level, and from about 200,000 on overflows the stack, which ends
// the process: no recover helps against that.
const maxNesting = 100_000

// unsuspicious is a source that is too small for that, in bytes.
const unsuspicious = maxNesting

// signs are the characters, and isLevel the words, one of which every level of nesting
// has at least, so that their number bounds the depth from above, whatever stands in
// strings and comments.
const signs = "([{<!~?=.:`@+-"

func isLevel(word string) bool {
	switch word {
	case "typeof", "void", "delete", "new", "await", "yield", "else", "do", "keyof", "unique", "readonly", "infer", "asserts", "extends":
		return true
	}
	return false
}

// TooDeep says what is wrong with a source that might nest too deep, and where the
// first level is that is one too many; "" when nothing is.
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
