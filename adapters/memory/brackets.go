package memory

import (
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// diagnoseBrackets reports the first bracket without its other half. It ignores comments,
// strings and regular expressions; a quote that is not closed on its line counts as an
// apostrophe. Unmatched round and square brackets in the text between JSX tags are
// reported, though a real parser accepts them.
func diagnoseBrackets(name, text string, script bool) []core.Diagnostic {
	scan := bracketScan{text: text, script: script}
	for scan.at < len(text) {
		if message := scan.step(); message != "" {
			return []core.Diagnostic{diagnosticAt(name, text, scan.at, message)}
		}
	}
	if len(scan.open) == 0 {
		return nil
	}
	last := scan.open[len(scan.open)-1]
	return []core.Diagnostic{diagnosticAt(name, text, last, fmt.Sprintf("%q is never closed", text[last]))}
}

// bracketScan scans a source. open holds the offsets of the open brackets, with a
// backquote for each template literal among them.
type bracketScan struct {
	text   string
	script bool
	at     int
	open   []int
}

// step moves after the next token. If the token is wrong, step stays on it and returns
// the problem.
func (s *bracketScan) step() string {
	if s.inTemplate() {
		s.stepInTemplate()
		return ""
	}
	c := s.text[s.at]
	switch {
	case strings.HasPrefix(s.text[s.at:], "/*"):
		if !strings.Contains(s.text[s.at+2:], "*/") {
			return "a comment is never closed"
		}
		s.skipPast("*/", 2)
	case s.script && strings.HasPrefix(s.text[s.at:], "//") && !s.afterColon():
		s.skipPast("\n", 2)
	case c == '\'' || c == '"' || s.script && c == '/' && s.mayBeRegexp():
		s.skipQuoted(c)
	case s.script && c == '`', c == '(', c == '[', c == '{':
		s.open = append(s.open, s.at)
		s.at++
	case c == ')', c == ']', c == '}':
		return s.close(c)
	default:
		s.at++
	}
	return ""
}

func (s *bracketScan) close(c byte) string {
	want := map[byte]byte{')': '(', ']': '[', '}': '{'}[c]
	if len(s.open) == 0 || s.text[s.open[len(s.open)-1]] != want {
		return fmt.Sprintf("unexpected %q", c)
	}
	s.open = s.open[:len(s.open)-1]
	s.at++
	return ""
}

func (s *bracketScan) inTemplate() bool {
	return len(s.open) > 0 && s.text[s.open[len(s.open)-1]] == '`'
}

func (s *bracketScan) stepInTemplate() {
	switch {
	case s.text[s.at] == '`':
		s.open = s.open[:len(s.open)-1]
		s.at++
	case s.text[s.at] == '\\':
		s.at += min(2, len(s.text)-s.at)
	case strings.HasPrefix(s.text[s.at:], "${"):
		s.open = append(s.open, s.at+1)
		s.at += 2
	default:
		s.at++
	}
}

// skipPast moves after the next end, searching from skip bytes on, or to the end of the
// source.
func (s *bracketScan) skipPast(end string, skip int) {
	i := strings.Index(s.text[s.at+skip:], end)
	if i < 0 {
		s.at = len(s.text)
		return
	}
	s.at += skip + i + len(end)
}

// skipQuoted moves after a string or a regular expression that ends on its line, else
// after its first character.
func (s *bracketScan) skipQuoted(quote byte) {
	class := false
	for i := s.at + 1; i < len(s.text) && s.text[i] != '\n'; i++ {
		c := s.text[i]
		switch {
		case c == '\\':
			i++
		case quote == '/' && (c == '[' || c == ']'):
			class = c == '['
		case c == quote && !class:
			s.at = i + 1
			return
		}
	}
	s.at++
}

// afterColon distinguishes "//" of an address in JSX text from that of a comment.
func (s *bracketScan) afterColon() bool { return s.at > 0 && s.text[s.at-1] == ':' }

// mayBeRegexp reports whether a slash is where an expression begins.
func (s *bracketScan) mayBeRegexp() bool {
	before := strings.TrimRight(s.text[:s.at], " \t")
	return before != "" && strings.IndexByte("(,=:[!&|?;", before[len(before)-1]) >= 0
}
