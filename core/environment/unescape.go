package environment

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// controls are the characters of single-letter escapes.
var controls = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v', '0': 0}

// unescaped undoes the escapes of JavaScript and JSON strings anywhere in a text.
// It does not parse strings, because replacing escapes outside of them does no
// harm.
func unescaped(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for {
		at := bytes.IndexByte(text, '\\')
		if at < 0 || at+1 == len(text) {
			return append(out, text...)
		}
		out = append(out, text[:at]...)
		text = text[at+1:]
		switch control, known := controls[text[0]]; {
		case known:
			out, text = append(out, control), text[1:]
		case text[0] == '\n': // the string goes on in the next line
			text = text[1:]
		case text[0] == 'x' || text[0] == 'u':
			var r rune
			r, text = escapedRune(text)
			out = utf8.AppendRune(out, r)
		default:
			out, text = append(out, text[0]), text[1:]
		}
	}
}

// escapedRune reads xHH, uHHHH, u{H…}, or a surrogate pair of two uHHHH. With
// invalid digits it returns the letter.
func escapedRune(text []byte) (rune, []byte) {
	first, rest, ok := codeUnit(text)
	if !ok {
		return rune(text[0]), text[1:]
	}
	if !utf16.IsSurrogate(first) || len(rest) < 2 || rest[0] != '\\' || rest[1] != 'u' {
		return first, rest
	}
	second, after, ok := codeUnit(rest[1:])
	if whole := utf16.DecodeRune(first, second); ok && whole != utf8.RuneError {
		return whole, after
	}
	return first, rest
}

func codeUnit(text []byte) (unit rune, rest []byte, ok bool) {
	start, end := 1, 3
	if text[0] == 'u' {
		end = 5
		if len(text) > 1 && text[1] == '{' {
			start, end = 2, bytes.IndexByte(text, '}')
		}
	}
	if end < start || end > len(text) {
		return 0, text, false
	}
	value, err := strconv.ParseUint(string(text[start:end]), 16, 31)
	if err != nil || value > utf8.MaxRune {
		return 0, text, false
	}
	if start == 2 {
		end++
	}
	return rune(value), text[end:], true
}
