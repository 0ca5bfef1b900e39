package tools

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// IsText reports whether content is text, without a NUL byte.
func IsText(content []byte) bool {
	return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0
}

// CutText cuts text to at most limit bytes, between characters.
func CutText(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit], true
}

// CutMiddle removes the middle of a text that is longer than limit, and says so there.
func CutMiddle(text string, limit int, why string) string {
	if len(text) <= limit {
		return text
	}
	note := fmt.Sprintf("\n[… %d of %d bytes %s …]\n", len(text)-max(limit, 0), len(text), why)
	keep := max(limit-len(note), 0)
	head, _ := CutText(text, keep*2/3)
	tail := len(text) - keep/3
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return head + note + text[tail:]
}
