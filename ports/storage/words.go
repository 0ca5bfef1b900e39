package storage

import (
	"strings"
	"unicode"
)

// Words returns the words of text, as full text search sees them: runs of
// letters and digits, each folded so that two spellings that differ only in case
// are equal. Both sides of a search go through it, so every adapter finds the
// same.
func Words(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range words {
		words[i] = strings.Map(foldCase, word)
	}
	return words
}

// foldCase maps all letters that differ only in case to one of them: through the
// upper case, because σ and ς share only that.
func foldCase(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }
