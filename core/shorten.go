package core

import (
	"strings"
	"unicode/utf8"
)

const ellipsis = "…"

// Shorten cuts a text to at most limit bytes, which are at least 3, without splitting a rune. A
// text that is cut ends with an ellipsis.
func Shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-len(ellipsis)], "") + ellipsis
}

// ShortenChars cuts a text to at most limit characters. A text that is cut ends with an
// ellipsis.
func ShortenChars(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + ellipsis
}
