package esbuild

import (
	"bytes"
	"strings"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
)

// outlined is a script as esbuild prints it, with its top level made plain.
type outlined struct {
	// code is the script with blanks in place of what stands in strings, regular
	// expressions, comments and the texts of templates; places are the same.
	code []byte
	// starts are where statements of the top level begin, each at the beginning of a
	// line.
	starts []int
}

// outline reads a script. esbuild's own print makes this easy: a division stands
// between blanks, a statement of the top level begins a line, and a script is
// always whole.
func outline(script []byte) outlined {
	s := scanner{text: script, code: bytes.Clone(script)}
	s.scan()
	return outlined{s.code, s.starts}
}

// statement is a statement of the top level, without strings and comments.
func (o outlined) statement(i int) string {
	end := len(o.code)
	if i+1 < len(o.starts) {
		end = o.starts[i+1]
	}
	return string(o.code[o.starts[i]:end])
}

// scanner goes over a script once.
type scanner struct {
	text, code []byte
	at         int
	// depth counts open brackets; templates are the depths at which a template goes
	// on behind the bracket that closes its expression.
	depth     int
	templates []int
	// value says that what was last read can be divided.
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

// divides reports whether the slash here is a division.
func (s *scanner) divides() bool {
	return s.value && s.at > 0 && s.text[s.at-1] == ' ' && (s.follows(' ') || s.follows('='))
}

func (s *scanner) lineEnd() int {
	if i := bytes.IndexByte(s.text[s.at:], '\n'); i >= 0 {
		return s.at + i
	}
	return len(s.text)
}

// blank writes blanks up to end and goes there. Line breaks stay.
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

// close reads a closing bracket, behind which a template may go on.
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

// operators are the words that no division follows.
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
