package splice

import (
	"strings"
)

// item is a declaration, or a statement such as @apply, in a rule or an inline style.
type item struct {
	// name is a declaration's, in lower case except for custom properties; "" for a
	// statement.
	name  string
	start int
	value span
	// end is the offset after the item and its semicolon, if it has one.
	end       int
	semicolon bool
}

// rule is a block of a style sheet.
type rule struct {
	// selector is normalised, "" for at-rules. The selector of a nested rule includes its
	// parents'.
	selector string
	// conditional rules are inside @media and similar.
	conditional bool
	// opaque blocks, such as @keyframes, hold no rules that a selector can name.
	opaque bool
	// body is the part between the braces.
	body   span
	items  []item
	isRule bool
}

// styleScan scans a style sheet, or the declarations of an inline style. It skips unknown
// syntax by components, as CSS does.
type styleScan struct {
	text    string
	at      int
	rules   []*rule
	open    []*rule
	problem string
	// start is the offset of the current item, solid the end of its last component, colon
	// the start of its value; -1 if unknown.
	start, solid, colon int
	depth               []byte
}

// scanStyles returns the rules of a style sheet in order. The first of them is the sheet
// itself. problem says what is wrong at the offset, "" if nothing is.
func scanStyles(text string) (rules []*rule, at int, problem string) {
	sheet := &rule{body: span{0, len(text)}, isRule: true}
	s := &styleScan{text: text, at: len(text) - len(strings.TrimPrefix(text, "\ufeff")), rules: []*rule{sheet}, open: []*rule{sheet}}
	s.begin()
	for s.at < len(text) && s.problem == "" {
		s.step()
	}
	switch {
	case s.problem != "":
	case len(s.depth) > 0:
		s.problem = "a bracket is never closed"
	case len(s.open) > 1:
		s.at, s.problem = s.open[len(s.open)-1].body.start-1, "a block is never closed"
	default:
		s.end(false)
	}
	return s.rules, s.at, s.problem
}

// begin resets the scan for the next item.
func (s *styleScan) begin() { s.start, s.solid, s.colon = -1, -1, -1 }

func (s *styleScan) step() {
	c, rest := s.text[s.at], s.text[s.at:]
	switch {
	case strings.IndexByte(" \t\r\n\f", c) >= 0:
		s.at++
	case strings.HasPrefix(rest, "/*"):
		s.comment()
	case s.depth == nil && c == ';':
		s.at++
		s.end(true)
	case s.depth == nil && c == '{' && !s.isCustom():
		s.openBlock()
	case s.depth == nil && c == '}':
		s.closeBlock()
	default:
		s.component(c)
	}
}

// isCustom reports whether the item is a custom property, whose value may have braces.
func (s *styleScan) isCustom() bool {
	return s.colon >= 0 && strings.HasPrefix(s.text[s.start:], "--")
}

func (s *styleScan) comment() {
	end := strings.Index(s.text[s.at+2:], "*/")
	if end < 0 {
		s.problem = "a comment is never closed"
		return
	}
	s.at += end + 4
}

// component skips one component of an item.
func (s *styleScan) component(c byte) {
	if s.start < 0 {
		s.start = s.at
	}
	switch {
	case c == '"' || c == '\'':
		s.quoted(c)
	case c == '\\':
		s.at = min(s.at+2, len(s.text))
	case strings.IndexByte("([{", c) >= 0:
		s.depth = append(s.depth, closing(c))
		s.at++
		if c == '(' {
			s.address()
		}
	case strings.IndexByte(")]}", c) >= 0:
		s.closeBracket(c)
	default:
		if c == ':' && s.depth == nil && s.colon < 0 {
			s.colon = s.at + 1
		}
		s.at++
	}
	s.solid = s.at
}

func closing(c byte) byte {
	return map[byte]byte{'(': ')', '[': ']', '{': '}'}[c]
}

func (s *styleScan) closeBracket(c byte) {
	if len(s.depth) == 0 || s.depth[len(s.depth)-1] != c {
		s.problem = "unexpected " + string(c)
		return
	}
	if s.depth = s.depth[:len(s.depth)-1]; len(s.depth) == 0 {
		s.depth = nil
	}
	s.at++
}

// quoted skips a string.
func (s *styleScan) quoted(quote byte) {
	for i := s.at + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case quote:
			s.at = i + 1
			return
		case '\\':
			i++
		case '\n', '\r', '\f':
			s.problem = "a string is never closed"
			return
		}
	}
	s.problem = "a string is never closed"
}

// address skips the inside of url() without quotes.
func (s *styleScan) address() {
	name := s.text[max(0, s.at-4):s.at]
	inside := strings.TrimLeft(s.text[s.at:], " \t\r\n\f")
	if !strings.EqualFold(name, "url(") || strings.HasPrefix(inside, "\"") || strings.HasPrefix(inside, "'") {
		return
	}
	for s.at < len(s.text) && s.text[s.at] != ')' {
		if s.text[s.at] == '\\' {
			s.at++
		}
		s.at++
	}
	s.at = min(s.at, len(s.text))
}

// end ends an item, if there is one.
func (s *styleScan) end(semicolon bool) {
	if s.start >= 0 {
		current := s.open[len(s.open)-1]
		found := item{start: s.start, value: span{s.solid, s.solid}, end: s.at, semicolon: semicolon}
		if !semicolon {
			found.end = s.solid
		}
		if s.colon >= 0 && s.text[s.start] != '@' {
			found.name = propertyKey(plain(s.text[s.start : s.colon-1]))
			found.value.start = min(skipStyleBlank(s.text, s.colon), s.solid)
		}
		current.items = append(current.items, found)
	}
	s.begin()
}

func (s *styleScan) openBlock() {
	prelude := ""
	if s.start >= 0 {
		prelude = normalSelector(s.text[s.start:s.solid])
	}
	parent := s.open[len(s.open)-1]
	s.at++
	block := &rule{conditional: parent.conditional, opaque: parent.opaque, body: span{s.at, s.at}}
	switch {
	case strings.HasPrefix(prelude, "@"):
		name, _, _ := strings.Cut(strings.ToLower(prelude), " ")
		block.opaque = block.opaque || strings.HasSuffix(name, "keyframes")
		block.conditional = block.conditional || name != "@layer"
		block.selector = parent.selector
	default:
		block.isRule = true
		block.selector = nested(parent.selector, prelude)
	}
	s.rules, s.open = append(s.rules, block), append(s.open, block)
	s.begin()
}

// maxNestedBytes bounds the selectors of nested rules, which grow with each level.
const maxNestedBytes = 4 << 10

// unnamed is the selector of rules that no patch can name.
const unnamed = "{"

// nested returns the selector of a rule nested in another.
func nested(parent, selector string) string {
	grown := len(selector) + (1+strings.Count(selector, "&"))*len(parent)
	switch {
	case parent == "":
		return selector
	case parent == unnamed || grown > maxNestedBytes:
		return unnamed
	case strings.Contains(parent, ","):
		return unnamed
	case strings.Contains(selector, "&"):
		return strings.ReplaceAll(selector, "&", parent)
	}
	return parent + " " + selector
}

func (s *styleScan) closeBlock() {
	if len(s.open) == 1 {
		s.problem = "unexpected }"
		return
	}
	s.end(false)
	s.open[len(s.open)-1].body.end = s.at
	s.open = s.open[:len(s.open)-1]
	s.at++
}

func skipStyleBlank(text string, at int) int {
	for at < len(text) {
		rest := text[at:]
		switch {
		case strings.IndexByte(" \t\r\n\f", rest[0]) >= 0:
			at++
		case strings.HasPrefix(rest, "/*") && strings.Contains(rest[2:], "*/"):
			at += strings.Index(rest[2:], "*/") + 4
		default:
			return at
		}
	}
	return at
}

// plain returns text without comments and with single blanks.
func plain(text string) string {
	var out strings.Builder
	blank := false
	for at := 0; at < len(text); {
		if next := skipStyleBlank(text, at); next > at {
			blank, at = true, next
			continue
		}
		if blank && out.Len() > 0 {
			out.WriteByte(' ')
		}
		blank = false
		end := componentEnd(text, at)
		out.WriteString(text[at:end])
		at = end
	}
	return out.String()
}

// componentEnd returns the offset after the string, escape or byte at at.
func componentEnd(text string, at int) int {
	switch c := text[at]; c {
	case '\\':
		return min(at+2, len(text))
	case '"', '\'':
		for i := at + 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case c:
				return i + 1
			}
		}
		return len(text)
	}
	return at + 1
}

// normalSelector returns a selector in the form for comparison: without comments, with
// single blanks, and none around combinators and commas.
func normalSelector(text string) string {
	text = plain(text)
	var out strings.Builder
	for at := 0; at < len(text); {
		end := componentEnd(text, at)
		piece := text[at:end]
		before := out.String()
		glued := before != "" && strings.IndexByte(",>+~(", before[len(before)-1]) >= 0 && !strings.HasSuffix(before, `\`+before[len(before)-1:])
		next := ""
		if end < len(text) {
			next = text[end : end+1]
		}
		if piece != " " || !glued && (next == "" || !strings.ContainsAny(next, ",>+~)")) {
			out.WriteString(piece)
		}
		at = end
	}
	return out.String()
}
