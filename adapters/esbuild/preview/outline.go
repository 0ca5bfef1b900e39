package preview

import (
	"bytes"
	"strings"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
)

// scriptOutline is a script as esbuild prints it, with the structure of its top level.
type scriptOutline struct {
	// code is the script with blanks instead of the content of strings, regular
	// expressions, comments and template texts. Offsets stay the same.
	code []byte
	// starts are the offsets at which top-level statements begin, each at the beginning
	// of a line.
	starts []int
}

// outline scans a script. esbuild's formatting makes this easy: blanks surround a
// division, a top-level statement begins a line, and a script is always complete.
func outline(script []byte) scriptOutline {
	s := scanner{text: script, code: bytes.Clone(script)}
	s.scan()
	return scriptOutline{s.code, s.starts}
}

// statement is a top-level statement without strings and comments.
func (o scriptOutline) statement(i int) string {
	end := len(o.code)
	if i+1 < len(o.starts) {
		end = o.starts[i+1]
	}
	return string(o.code[o.starts[i]:end])
}

// scanner makes one pass over a script.
type scanner struct {
	text, code []byte
	at         int
	// depth counts open brackets. templates are the depths at which a template continues
	// after the bracket that closes its expression.
	depth     int
	templates []int
	// value means that the last token can be divided.
	value  bool
	starts []int
}

func (s *scanner) scan() {
	for s.at < len(s.text) {
		c := s.text[s.at]
		if s.depth == 0 && (s.at == 0 || s.text[s.at-1] == '\n') && !strings.ContainsRune("\n \t})];", rune(c)) {
			s.starts = append(s.starts, s.at)
		}
		s.step(c)
	}
}

func (s *scanner) step(c byte) {
	switch {
	case c == '"' || c == '\'':
		s.quoted(c)
	case c == '`':
		s.at++
		s.template()
	case c == '/' && s.follows('/'):
		s.blank(s.lineEnd())
	case c == '/' && s.follows('*'):
		s.blank(s.at + 2 + project.EndOf(s.text[s.at+2:], "*/"))
	case c == '/' && !s.divides():
		s.expression()
	case isWord(c):
		s.word()
	case strings.IndexByte("([{", c) >= 0:
		s.depth++
		s.at++
		s.value = false
	case strings.IndexByte(")]}", c) >= 0:
		s.close()
	default:
		s.at++
		s.value = s.value && strings.IndexByte(" \n\t", c) >= 0
	}
}

func (s *scanner) follows(c byte) bool { return s.at+1 < len(s.text) && s.text[s.at+1] == c }

// divides reports whether this slash is a division.
func (s *scanner) divides() bool {
	return s.value && s.at > 0 && s.text[s.at-1] == ' ' && (s.follows(' ') || s.follows('='))
}

func (s *scanner) lineEnd() int {
	if i := bytes.IndexByte(s.text[s.at:], '\n'); i >= 0 {
		return s.at + i
	}
	return len(s.text)
}

// blank writes blanks up to end and moves there. Line breaks stay.
func (s *scanner) blank(end int) {
	for ; s.at < min(end, len(s.text)); s.at++ {
		if s.text[s.at] != '\n' {
			s.code[s.at] = ' '
		}
	}
}

// quoted skips a string. Its quotes stay.
func (s *scanner) quoted(quote byte) {
	end := s.at + 1
	for end < len(s.text) && s.text[end] != quote {
		if s.text[end] == '\\' {
			end++
		}
		end++
	}
	s.at++
	s.blank(end)
	s.at = min(s.at+1, len(s.text))
	s.value = true
}

// template skips the text of a template up to its end or to an expression.
func (s *scanner) template() {
	end := s.at
	for end < len(s.text) && s.text[end] != '`' {
		switch {
		case s.text[end] == '\\':
			end++
		case s.text[end] == '$' && end+1 < len(s.text) && s.text[end+1] == '{':
			s.blank(end)
			s.at = end + 2
			s.depth++
			s.templates = append(s.templates, s.depth)
			s.value = false
			return
		}
		end++
	}
	s.blank(end)
	s.at = min(s.at+1, len(s.text))
	s.value = true
}

// close reads a closing bracket, after which a template may continue.
func (s *scanner) close() {
	last := len(s.templates) - 1
	if last >= 0 && s.templates[last] == s.depth && s.text[s.at] == '}' {
		s.templates = s.templates[:last]
		s.depth--
		s.at++
		s.template()
		return
	}
	s.depth = max(0, s.depth-1)
	s.at++
	s.value = true
}

// expression skips a regular expression.
func (s *scanner) expression() {
	end, class := s.at+1, false
	for end < len(s.text) && s.text[end] != '\n' && (class || s.text[end] != '/') {
		switch s.text[end] {
		case '\\':
			end++
		case '[':
			class = true
		case ']':
			class = false
		}
		end++
	}
	s.at++
	s.blank(end)
	s.at = min(s.at+1, len(s.text))
	s.value = true
}

// operators are the words after which a slash is no division.
var operators = []string{"return", "typeof", "case", "do", "else", "in", "instanceof", "of", "new", "void", "delete", "throw", "await", "yield", "default", "extends"}

func (s *scanner) word() {
	start := s.at
	for s.at < len(s.text) && isWord(s.text[s.at]) {
		s.at++
	}
	word := string(s.text[start:s.at])
	s.value = true
	for _, operator := range operators {
		if word == operator {
			s.value = false
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
