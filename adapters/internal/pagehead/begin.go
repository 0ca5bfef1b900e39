package pagehead

import (
	"bytes"
	"strings"
)

// Begin returns the offset after the opening tag of the head; else of the document; else
// after the doctype; else of the first thing that is neither a comment nor blank.
func Begin(page []byte) int {
	at := 0
	for {
		rest := page[at:]
		trimmed := bytes.TrimLeft(rest, " \t\r\n\f\ufeff")
		start := at + len(rest) - len(trimmed)
		var end int
		switch {
		case bytes.HasPrefix(trimmed, []byte("<!--")):
			end = bytes.Index(trimmed, []byte("-->")) + len("-->")
			if end < len("<!---->") {
				return at
			}
		case isTag(trimmed, "<!doctype"), isTag(trimmed, "<html"), isTag(trimmed, "<head"):
			end = tagEnd(trimmed)
		}
		if end == 0 {
			return at
		}
		at = start + end
		if isTag(trimmed, "<head") {
			return at
		}
	}
}

func isTag(text []byte, name string) bool {
	if len(text) <= len(name) || !strings.EqualFold(string(text[:len(name)]), name) {
		return false
	}
	return strings.IndexByte(" \t\r\n\f/>", text[len(name)]) >= 0
}

// tagEnd returns the offset after a tag's ">", or 0. It skips a ">" in quotes.
func tagEnd(text []byte) int {
	var quote byte
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return 0
}
