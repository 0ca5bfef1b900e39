package project

import (
	"bytes"

	"github.com/atelierhq/atelier/core"
)

// PlainJSON turns JSON with comments and trailing commas, as tsconfig.json may
// be, into plain JSON. What it removes becomes spaces, so that offsets stay, and so does
// a byte order mark.
func PlainJSON(text []byte) []byte {
	plain := append([]byte(nil), text...)
	for i := range len(text) - len(core.WithoutMark(text)) {
		plain[i] = ' '
	}
	comma := -1
	for i := 0; i < len(plain); i++ {
		switch c := plain[i]; {
		case c == '"':
			i = stringEnd(plain, i)
			comma = -1
		case c == '/' && i+1 < len(plain) && (plain[i+1] == '/' || plain[i+1] == '*'):
			i = blankComment(plain, i)
		case c == ',':
			comma = i
		case (c == ']' || c == '}') && comma >= 0:
			plain[comma] = ' '
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return plain
}

// stringEnd returns the offset of the quote that ends the string at start, or the
// length of the text.
func stringEnd(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}

// blankComment overwrites the comment at start and returns the offset of its last
// byte.
func blankComment(text []byte, start int) int {
	end, length := bytes.IndexByte(text[start:], '\n'), 0
	if text[start+1] == '*' {
		end, length = bytes.Index(text[start+2:], []byte("*/")), 4
	}
	stop := len(text)
	if end >= 0 {
		stop = start + end + length
	}
	for i := start; i < stop; i++ {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
	return stop - 1
}
