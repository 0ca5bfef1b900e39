package filter

import (
	"strings"
	"unicode/utf8"
)

// token is a part of a filter's text: an operand, or the text of a sign.
type token struct {
	// sign is an operator, && or ||, a parenthesis or a comma, and empty for an operand.
	sign string
	// operand is one without arguments; called says that a parenthesis follows its name.
	operand Operand
	called  bool
	at      int
}

// scanner splits a text into tokens.
type scanner struct {
	text string
	at   int
}

// next returns the next token, and false at the end.
func (s *scanner) next() (token, bool, error) {
	s.skip()
	if s.at >= len(s.text) {
		return token{}, false, nil
	}
	c, found := s.text[s.at], token{at: s.at}
	var err error
	switch {
	case c == '(' || c == ')' || c == ',':
		found.sign = s.take(func(b byte) bool { return b == c }, 1)
	case strings.IndexByte("=?!><~", c) >= 0:
		found.sign = s.take(func(b byte) bool { return strings.IndexByte("=?!><~", b) >= 0 }, 3)
	case c == '&' || c == '|':
		found.sign = s.take(func(b byte) bool { return b == '&' || b == '|' }, 2)
	case c == '\'' || c == '"':
		found.operand, err = s.quoted(c)
	case c == '-' || isDigit(c):
		found.operand, err = s.number()
	case isLetter(c) || strings.IndexByte("@_#", c) >= 0:
		found.operand, err = s.name()
		found.called = s.at < len(s.text) && s.text[s.at] == '('
	default:
		r, _ := utf8.DecodeRuneInString(s.text[s.at:])
		err = wrong(s.at, "%q does not belong in a filter", r)
	}
	return found, true, err
}

// skip drops white space and comments, which go from // to the end of the line.
func (s *scanner) skip() {
	for s.at < len(s.text) {
		switch {
		case strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0:
			s.at++
		case strings.HasPrefix(s.text[s.at:], "//"):
			line, _, _ := strings.Cut(s.text[s.at:], "\n")
			s.at += len(line)
		default:
			return
		}
	}
}

// take returns the bytes that belong to a token, at most so many.
func (s *scanner) take(belongs func(byte) bool, most int) string {
	start := s.at
	for s.at < len(s.text) && s.at-start < most && belongs(s.text[s.at]) {
		s.at++
	}
	return s.text[start:s.at]
}

func (s *scanner) number() (Operand, error) {
	start := s.at
	if s.text[s.at] == '-' {
		s.at++
	}
	digits := s.take(isDigit, len(s.text))
	whole := digits != ""
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		whole = whole && s.take(isDigit, len(s.text)) != ""
	}
	text := s.text[start:s.at]
	if !whole {
		return Operand{}, wrong(start, "%s is not a number", text)
	}
	return numberOf(text, start)
}

// name reads a path of names, with modifiers.
func (s *scanner) name() (Operand, error) {
	start := s.at
	s.at++
	s.take(func(b byte) bool { return isLetter(b) || isDigit(b) || strings.IndexByte("_.:", b) >= 0 }, len(s.text))
	text := s.text[start:s.at]
	if last := text[len(text)-1]; last == '.' || last == ':' || text == "@" || text == "#" || text == "_" {
		return Operand{}, wrong(start, "%s is not a name", text)
	}
	return Operand{Kind: Name, Text: text}, nil
}

// quoted reads a text up to its closing quote.
func (s *scanner) quoted(quote byte) (Operand, error) {
	var text strings.Builder
	start := s.at
	for s.at++; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		switch {
		case c == quote:
			s.at++
			return Operand{Kind: Text, Text: text.String()}, nil
		case c == '\\' && s.at+1 < len(s.text):
			s.at++
			text.WriteString(unescape(s.text[s.at]))
		default:
			text.WriteByte(c)
		}
	}
	return Operand{}, wrong(start, "the quoted text has no end")
}

// unescape returns what a character after a backslash means.
func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '\\', '\'', '"':
		return string(c)
	}
	return "\\" + string([]byte{c})
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
