package splice

import (
	"context"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
)

// jsxSource is JSX, TSX, or a script without elements. A parser finds where its elements begin. From there the scan
// only follows the text of tags; in expressions it follows strings, templates, comments,
// regular expressions and braces.
type jsxSource struct {
	ctx    context.Context
	locate Locate
}

func (jsxSource) folded() bool { return false }

// jsxScan scans a source. starts are the offsets of its elements.
type jsxScan struct {
	text   string
	at     int
	starts []int
	tree   *tree
	// solid is the offset after the last token of an expression.
	solid int
	// seen counts the starts that were met. lost means that the scan cannot continue.
	seen int
	lost bool
	// list identifies the children among which the next element is, 0 if it is elsewhere.
	// begin is where the current expression begins.
	list, begin int
	// note receives the strings in expressions, if it is set.
	note func(text string)
	// guess assumes starts where an expression can begin.
	guess bool
}

func (s jsxSource) parse(name, text string) (*tree, error) {
	mark := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	starts, err := s.locate(s.ctx, name, text[mark:])
	if err != nil {
		return nil, err
	}
	for i := range starts {
		starts[i] += mark
	}
	scan := &jsxScan{text: text, at: mark, starts: starts, tree: &tree{text: text}}
	scan.code("", -1)
	if scan.lost || scan.seen != len(starts) {
		return nil, core.Errorf(core.CodeUnsupportedFile, "the elements of %s cannot be identified exactly", name)
	}
	return scan.tree, nil
}

// HasElements reports whether a script may have elements, by the extension of its name.
func HasElements(name string) bool { return extension(name) == ".jsx" || extension(name) == ".tsx" }

// Guess is Locate without a parser: an element begins at a "<" where an expression can
// begin. It mistakes the type parameters of arrow functions, and type assertions, for
// elements.
func Guess(ctx context.Context, name, text string) ([]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scan := &jsxScan{text: text, tree: &tree{text: text}, guess: HasElements(name)}
	scan.code("", -1)
	if scan.lost {
		return nil, broken(name, text, scan.solid, "something is never closed")
	}
	return scan.starts, nil
}

// isStart reports whether an element begins here.
func (s *jsxScan) isStart() bool {
	if s.guess {
		next := s.text[min(s.at+1, len(s.text)):]
		named := next != "" && (next[0] == '>' || isWord(rune(next[0])) && (next[0] < '0' || next[0] > '9'))
		if named && s.beginsRegexp() {
			s.starts = append(s.starts, s.at)
			return true
		}
		return false
	}
	_, found := slices.BinarySearch(s.starts, s.at)
	return found
}

// lose gives up.
func (s *jsxScan) lose() {
	s.lost = true
	s.at = len(s.text)
}

// element reads the element or fragment that begins here. The children of a fragment
// belong to its parent.
func (s *jsxScan) element(parent int) {
	if _, known := slices.BinarySearch(s.starts, s.at); known {
		s.seen++
	}
	e := element{at: s.at, parent: parent, list: s.list, looped: parent >= 0 && s.list == 0 && loops.MatchString(s.text[s.begin:s.at])}
	s.list = 0
	s.at++
	s.blank()
	begin := s.at
	s.name()
	e.tag = s.text[begin:s.at]
	first, _ := utf8.DecodeRuneInString(e.tag)
	e.component = first < 'a' || first > 'z' || strings.Contains(e.tag, ".")
	s.typeArguments()
	e.insertAt = s.at
	index := parent
	fragment := e.tag == "" || e.tag == "Fragment" || e.tag == "React.Fragment"
	if !fragment {
		index = len(s.tree.elements)
		s.tree.elements = append(s.tree.elements, e)
	}
	s.attributes(&e, index)
	if !fragment {
		s.tree.elements[index].fixed = "" // elements in attributes do not count as content
	}
	if !e.selfClosing {
		s.children(&e, index)
	} else if voidElements[e.tag] {
		e.fixed = "it contains none"
	}
	e.end = s.at
	if !fragment {
		s.tree.elements[index] = e
	}
	if parent >= 0 && (e.fixed != "" && !e.selfClosing || e.component && !fragment) {
		s.tree.elements[parent].fixed = "it is computed in part"
	}
	s.solid = s.at
}

// loops matches the beginning of an expression that repeats elements.
var loops = regexp.MustCompile(`\.(map|flatMap|from)\s*(<[^>]*>)?\(`)

// name skips a name of an element or an attribute.
func (s *jsxScan) name() {
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.rest())
		if !isWord(r) && !strings.ContainsRune("-.:", r) {
			return
		}
		s.at += size
	}
}

// typeArguments skips the type arguments of a component in TypeScript.
func (s *jsxScan) typeArguments() {
	if s.at >= len(s.text) || s.text[s.at] != '<' {
		return
	}
	depth := 0
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '<':
			depth++
		case c == '>' && s.text[s.at-1] != '=':
			depth--
		case c == '"' || c == '\'':
			s.quoted(c)
			continue
		}
		if s.at++; depth == 0 {
			return
		}
	}
	s.lose()
}

// attributes reads the rest of a start tag.
func (s *jsxScan) attributes(e *element, index int) {
	for s.at < len(s.text) {
		if s.blank() {
			continue
		}
		switch c := s.text[s.at]; c {
		case '>':
			e.tagEnd = s.at
			s.at++
			return
		case '/':
			e.tagEnd = s.at
			e.selfClosing = true
			s.at++
			if s.blank(); !strings.HasPrefix(s.rest(), ">") {
				s.lose()
			}
			s.at = min(s.at+1, len(s.text))
			return
		case '{':
			s.at++
			s.code("}", index)
			s.at = min(s.at+1, len(s.text))
			e.insertAt = s.at
		default:
			if !s.attribute(e, index) {
				return
			}
		}
	}
	s.lose()
}

// attribute reads one attribute.
func (s *jsxScan) attribute(e *element, index int) bool {
	begin := s.at
	s.name()
	a := attribute{name: s.text[begin:s.at], whole: span{begin, s.at}, value: span{s.at, s.at}, known: true}
	if a.name == "" {
		s.lose()
		return false
	}
	if next := skipScriptBlank(s.text, s.at); strings.HasPrefix(s.text[next:], "=") {
		s.at = skipScriptBlank(s.text, next+1)
		a.value.start = s.at
		s.value(&a, index)
		a.value.end, a.whole.end = s.at, s.at
	}
	e.insertAt = s.at
	if len(e.attrs) == maxAttributes {
		e.crowded = true
		return !s.lost
	}
	key := attributeKey(a.name)
	e.attrs = slices.DeleteFunc(e.attrs, func(other attribute) bool { return attributeKey(other.name) == key })
	e.attrs = append(e.attrs, a)
	return !s.lost
}

// value reads an attribute's value.
func (s *jsxScan) value(a *attribute, index int) {
	switch c := s.rest(); {
	case strings.HasPrefix(c, `"`), strings.HasPrefix(c, `'`):
		length := strings.IndexByte(c[1:], c[0])
		if length < 0 {
			s.lose()
			return
		}
		a.text = html.UnescapeString(c[1 : 1+length])
		s.at += length + 2
	case strings.HasPrefix(c, "{"):
		s.at++
		begin := skipScriptBlank(s.text, s.at)
		s.code("}", index)
		a.text, a.known = literalText(s.text[begin:max(begin, s.solid)])
		s.at = min(s.at+1, len(s.text))
	case strings.HasPrefix(c, "<"):
		a.known = false
		s.element(index)
	default:
		s.lose()
	}
}

// children reads the content of an element, and its end tag.
func (s *jsxScan) children(e *element, index int) {
	e.content.start = s.at
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case '{':
			s.at++
			begin := skipScriptBlank(s.text, s.at)
			s.code("}", index)
			inner := s.text[begin:max(begin, s.solid)]
			if _, known := literalText(inner); !known && inner != "" {
				e.fixed = "it is computed in part"
			}
			s.at = min(s.at+1, len(s.text))
		case '<':
			if s.endTag(e) {
				return
			}
			s.list = e.content.start
			s.element(index)
			if index >= 0 && s.tree.elements[index].at == e.at && e.fixed == "" {
				e.fixed = s.tree.elements[index].fixed
			}
		default:
			s.at++
		}
	}
	s.lose()
}

// endTag skips an end tag, if there is one here.
func (s *jsxScan) endTag(e *element) bool {
	next := skipScriptBlank(s.text, s.at+1)
	if !strings.HasPrefix(s.text[next:], "/") {
		return false
	}
	e.content.end = s.at
	length := strings.IndexByte(s.text[next:], '>')
	if length < 0 {
		s.lose()
		return true
	}
	s.at = next + length + 1
	return true
}
