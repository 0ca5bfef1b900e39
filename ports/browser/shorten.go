package browser

import "strings"

// Shorten cuts a text of a page to at most limit bytes, without splitting a rune. A text that is
// cut ends with an ellipsis.
func Shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-len("…")], "") + "…"
}
