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

// foldCase maps every rune that differs from r only in case to one of them. The
// smallest of them stands for all, so that σ, ς and Σ are one.
func foldCase(r rune) rune {
	if r < unicode.MaxASCII {
		return unicode.ToLower(r)
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return unicode.ToLower(least)
}
