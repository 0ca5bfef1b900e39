package storage

import (
	"strings"
	"unicode"

	"github.com/atelierhq/atelier/core"
)

// Words returns the words of text for full-text search: sequences of letters and
// digits, each folded by core.Fold. Both sides of a search use it, so every adapter
// finds the same.
func Words(text string) []string {
	return strings.FieldsFunc(core.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// SortName is the key of a name in lists that are sorted by names: keys are compared
// byte by byte. It is only empty for an empty name.
func SortName(name string) string {
	if key := core.Fold(name); key != "" {
		return key
	}
	return name
}
