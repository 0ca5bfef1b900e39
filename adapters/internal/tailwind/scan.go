package tailwind

import (
	"bytes"
	"strings"
)

// maxCandidate bounds a class name, in bytes. Only arbitrary values come near.
const maxCandidate = 512

// Scan adds to found the words of a source that may be class names, and the CSS variables
// that it names. It follows the rules of Tailwind's own scanner: blanks, quotes, or the
// delimiters of the usual template languages surround a class name, and the content of
// its brackets belongs to it. The name determines the language.
func Scan(name string, text []byte, found map[string]bool) {
	s := scanner{text: text, found: found, budget: 4*len(text) + maxCandidate}
	switch ext := extension(name); ext {
	case "pug", "jade", "slim", "haml":
		s.dotted = true
	case "svelte":
		s.text = bytes.ReplaceAll(text, []byte("class:"), []byte("class "))
	}
	s.classes()
	s.variables()
}

type scanner struct {
	text  []byte
	found map[string]bool
	// dotted means that dots separate class names in the language.
	dotted bool
	// budget bounds the work on brackets, so that a source of brackets alone does not
	// take quadratic time.
	budget int
}

func (s *scanner) classes() {
	for at := 0; at < len(s.text); at++ {
		if at > 0 && !s.begins(s.text[at-1]) {
			continue
		}
		end, quoted := s.word(at)
		if end == at {
			continue
		}
		s.add(at, end)
		if !quoted {
			at = end - 1
		}
	}
}

// begins reports whether a class name may follow c.
func (s *scanner) begins(c byte) bool {
	return isBlank(c) || isQuote(c) || c == '.' || c == '}' || c == '>' || c == ']'
}

// ends reports whether c may follow a class name.
func (s *scanner) ends(c byte) bool {
	if isBlank(c) || isQuote(c) {
		return true
	}
	switch c {
	case ']', '[', '{', '=', '\\', '<':
		return true
	case '.', '(', '#', ',':
		return s.dotted
	}
	return false
}

// word returns the end of the word at an offset, which is the offset itself if no class
// name begins there, and whether a part of it was in quotes.
func (s *scanner) word(start int) (end int, quoted bool) {
	if !mayStart(s.text[start]) {
		return start, false
	}
	at := start
	for at < len(s.text) && at-start <= maxCandidate {
		c := s.text[at]
		switch {
		case isName(c), c == ':', c == '/', c == '@', c == '!', c == '*', c == '%':
			at++
		case c == '.' && s.betweenDigits(at):
			at++
		case c == '[' && (at == start || strings.IndexByte("-:/@!", s.text[at-1]) >= 0), c == '(' && at > start && strings.IndexByte("-/", s.text[at-1]) >= 0:
			after, quotes := s.bracket(at)
			if after < 0 {
				return start, false
			}
			at, quoted = after, quoted || quotes
		case s.ends(c):
			return at, quoted
		default:
			return start, false
		}
	}
	if at-start > maxCandidate {
		return start, false
	}
	return at, quoted
}

func (s *scanner) betweenDigits(at int) bool {
	return at > 0 && at+1 < len(s.text) && isDigit(s.text[at-1]) && isDigit(s.text[at+1])
}

// bracket returns the offset after the bracket that closes the one at an offset, -1 if
// there is none in the same word.
func (s *scanner) bracket(start int) (after int, quoted bool) {
	var open []byte
	for at := start; at < len(s.text) && at-start <= maxCandidate && s.budget > 0; at++ {
		s.budget--
		switch c := s.text[at]; {
		case isBlank(c):
			return -1, false
		case c == '\\':
			at++
		case isQuote(c):
			length := bytes.IndexByte(s.text[at+1:min(len(s.text), at+maxCandidate)], c)
			if length < 0 || bytes.ContainsAny(s.text[at+1:at+1+length], " \t\r\n") {
				return -1, false
			}
			s.budget -= length
			at += length + 1
			quoted = true
		case c == '[':
			open = append(open, ']')
		case c == '(':
			open = append(open, ')')
		case c == '{':
			open = append(open, '}')
		case c == ']', c == ')', c == '}':
			if open[len(open)-1] != c {
				return -1, false
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return at + 1, quoted
			}
		}
	}
	return -1, false
}

// add adds a word if it has the form of a class name.
func (s *scanner) add(start, end int) {
	word := s.text[start:end]
	word = bytes.TrimSuffix(word, []byte(":")) // the key of an object
	if len(word) == 0 || strings.IndexByte("-_/:@*.", word[len(word)-1]) >= 0 {
		return
	}
	colon := bytes.IndexByte(word, ':')
	if first := word[0]; (isDigit(first) || first >= 'A' && first <= 'Z' || first == '[') && colon < 0 {
		return
	}
	if !s.found[string(word)] {
		s.found[string(word)] = true
	}
}

// variables adds the CSS variables.
func (s *scanner) variables() {
	text := s.text
	for {
		at := bytes.Index(text, []byte("--"))
		if at < 0 {
			return
		}
		end := at + 2
		for end < len(text) && isName(text[end]) {
			end++
		}
		apart := at == 0 || !isName(text[at-1])
		if name := text[at:end]; apart && len(name) > 2 && len(name) <= maxCandidate && !s.found[string(name)] {
			s.found[string(name)] = true
		}
		text = text[end:]
	}
}

func mayStart(c byte) bool {
	return isName(c) && c != '_' || c == '[' || c == '!' || c == '@' || c == '*'
}

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '-' || c == '_'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == 0
}

func extension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > strings.LastIndexByte(name, '/') {
		return strings.ToLower(name[i+1:])
	}
	return ""
}
