package storage

import (
	"strings"
	"unicode"

	"github.com/atelierhq/atelier/core"
)

// Words returns the words of text, as full text search sees them: runs of
// letters and digits, each as core.Fold has it. Both sides of a search go through it,
// so every adapter finds the same.
func Words(text string) []string {
	return strings.FieldsFunc(core.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// SortName is the key of a name in lists that are sorted by names: keys are compared
// byte by byte. It is never empty for a name that is not.
func SortName(name string) string {
	if key := core.Fold(name); key != "" {
		return key
	}
	return name
}
