package core

import (
	"strings"
	"unicode"
)

// Fold returns a text in the form in which people compare it: without case, and
// without the marks that are commonly left out, so that zurich is Zürich and strasse
// is Straße. Marks of scripts other than Latin, Greek and Cyrillic stay, because they
// make different letters. The result is composed; it may be empty.
func Fold(text string) string {
	lower := strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, strings.ToValidUTF8(text, "\ufffd"))
	if isASCII(lower) {
		return lower
	}
	var kept []rune
	isMarked := false
	for _, r := range decompose([]rune(letters.Replace(lower))) {
		if combining(r) == 0 {
			isMarked = unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
		} else if isMarked {
			continue
		}
		kept = append(kept, r)
	}
	return string(compose(kept))
}
