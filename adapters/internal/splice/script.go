package splice

import (
	"slices"
	"strings"
	"unicode/utf8"
)

func (s *jsxScan) rest() string { return s.text[s.at:] }

// code skips an expression or statements, up to one of stops outside of any bracket, or
// to the end of the text if stops is empty. parent is the surrounding element.
func (s *jsxScan) code(stops string, parent int) {
	depth := 0
	outer := s.begin
	s.begin = s.at
	defer func() { s.begin = outer }()
	s.solid = s.at
	for s.at < len(s.text) {
		c := s.text[s.at]
		if depth == 0 && strings.IndexByte(stops, c) >= 0 {
			return
		}
		if s.blank() {
			continue
		}
		switch {
		case c == '<' && s.isStart():
			s.element(parent)
		case c == '"' || c == '\'':
			s.string(c)
		case c == '`':
			s.template(parent)
		case c == '/' && s.beginsRegexp():
			s.regexp()
		default:
			if strings.IndexByte("([{", c) >= 0 {
				depth++
			} else if strings.IndexByte(")]}", c) >= 0 {
				depth--
			}
			s.at++
		}
		s.solid = s.at
	}
	if stops != "" || depth != 0 {
		s.lose()
	}
}

// blank skips white space and a comment, if any.
func (s *jsxScan) blank() bool {
	begin := s.at
	s.at = skipScriptBlank(s.text, s.at)
	return s.at > begin
}

func skipScriptBlank(text string, at int) int {
	for at < len(text) {
		rest := text[at:]
		switch {
		case rest[0] > ' ' && rest[0] < utf8.RuneSelf && rest[0] != '/':
			return at
		case strings.HasPrefix(rest, "//"):
			length := strings.IndexAny(rest, "\n\r\u2028\u2029")
			if length < 0 {
				return len(text)
			}
			at += length
		case strings.HasPrefix(rest, "/*"):
			length := strings.Index(rest[2:], "*/")
			if length < 0 {
				return len(text)
			}
			at += length + 4
		default:
			trimmed := strings.TrimLeft(rest, " \t\r\n\v\f\u00a0\ufeff\u2028\u2029")
			if len(trimmed) == len(rest) {
				return at
			}
			at += len(rest) - len(trimmed)
		}
	}
	return at
}

// string skips a string of an expression.
func (s *jsxScan) string(quote byte) {
	begin := s.at
	s.quoted(quote)
	at := span{begin, min(s.at, len(s.text))}
	s.tree.strings = append(s.tree.strings, at)
	if text, literal := literalText(at.in(s.text)); literal {
		s.noteText(text)
	}
}

func (s *jsxScan) quoted(quote byte) {
	for i := s.at + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case quote:
			s.at = i + 1
			return
		case '\n':
			s.lose()
			return
		}
	}
	s.lose()
}

func (s *jsxScan) template(parent int) {
	whole := s.at
	s.at++
	for begin := s.at; s.at < len(s.text); {
		switch {
		case s.text[s.at] == '\\':
			s.at = min(s.at+2, len(s.text))
		case s.text[s.at] == '`':
			s.noteText(s.text[begin:s.at])
			s.at++
			if begin == whole+1 {
				s.tree.strings = append(s.tree.strings, span{whole, s.at})
			}
			return
		case strings.HasPrefix(s.rest(), "${"):
			s.noteText(s.text[begin:s.at])
			s.at += 2
			s.code("}", parent)
			s.at = min(s.at+1, len(s.text))
			begin = s.at
		default:
			s.at++
		}
	}
	s.lose()
}

func (s *jsxScan) noteText(text string) {
	if s.note != nil {
		s.note(text)
	}
}

// beginsRegexp distinguishes a regular expression from a division by what precedes it.
func (s *jsxScan) beginsRegexp() bool {
	before := s.text[:s.solid]
	if before == "" {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	if isWord(last) {
		begin := len(strings.TrimRightFunc(before, isWord))
		word := before[begin:]
		isMember := begin > 0 && before[begin-1] == '.'
		return !isMember && slices.Contains(strings.Fields("return typeof case in of delete void throw new do else await yield instanceof"), word)
	}
	if s.guess && last == '}' {
		return true
	}
	return strings.ContainsRune("(,=:[!&|?{;+-*%<>~^", last) && !strings.HasSuffix(before, "++") && !strings.HasSuffix(before, "--")
}

func isWord(r rune) bool {
	return r == '_' || r == '$' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= utf8.RuneSelf && r != '\u2028' && r != '\u2029' && r != '\u00a0'
}

func (s *jsxScan) regexp() {
	class := false
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\\':
			i++
		case c == '[' || c == ']':
			class = c == '['
		case c == '/' && !class:
			s.at = i + 1
			return
		case c == '\n':
			s.lose()
			return
		}
	}
	s.lose()
}
