package splice

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/ports/markup"
)

// text writes line breaks as references, because JSX drops literal ones together with the
// white space around them.
func (jsxSource) text(value string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "{", "&#123;", "}", "&#125;",
		"\n", "&#10;", "\r", "&#13;", "\u2028", "&#8232;", "\u2029", "&#8233;").Replace(value)
}

func quotedJSX(value string) string {
	return `"` + strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;",
		"\n", "&#10;", "\r", "&#13;", "\t", "&#9;", "\u2028", "&#8232;", "\u2029", "&#8233;").Replace(value) + `"`
}

func (jsxSource) attributes(_ *tree, e *element, all settings) (edits []markup.Edit, added string, err error) {
	for _, s := range all {
		value := quotedJSX(s.value)
		if key := attributeKey(s.name); !e.component && slices.Contains(booleanAttributes(), key) {
			on, err := switchedOn(key, s.value)
			if err != nil {
				return nil, "", err
			}
			value = fmt.Sprintf("{%t}", on)
		}
		have := e.attribute(attributeKey(s.name))
		switch {
		case have == nil && (!e.component || isAttribute(attributeKey(s.name))):
			added += " " + jsxName(attributeKey(s.name)) + "=" + value
		case have == nil:
			added += " " + s.name + "=" + value
		case !have.known:
			return nil, "", notFound("%s of <%s> is computed, so the source has no value to set", have.name, e.tag)
		case have.value.start == have.value.end && value == "{true}", have.says(s.value):
		case have.value.start == have.value.end:
			edits = append(edits, insertion(have.whole.end, "="+value))
		default:
			edits = append(edits, have.value.with(value))
		}
	}
	return edits, added, nil
}

// styles sets members of the object in the style attribute.
func (s jsxSource) styles(t *tree, e *element, all settings) (edits []markup.Edit, added string, err error) {
	for _, one := range all {
		if strings.Contains(one.value, "!") && !strings.HasPrefix(one.name, "--") {
			return nil, "", invalid("a style object cannot have !important")
		}
	}
	have := e.attribute("style")
	if have == nil {
		return nil, " style={{ " + strings.Join(members(all), ", ") + " }}", nil
	}
	object, found := scanObject(t.text, have.value)
	if !found {
		return nil, "", notFound("the style of <%s> is computed, so the source has no values to set", e.tag)
	}
	var fresh settings
	for _, one := range all {
		member := object.member(one.name)
		switch {
		case member == nil:
			fresh.set(one.name, one.value)
		case !member.literal:
			return nil, "", notFound("%s in the style of <%s> is computed", one.name, e.tag)
		case member.says == one.value:
		default:
			quote := member.value.in(t.text)[0]
			if quote != '\'' {
				quote = '"'
			}
			edits = append(edits, member.value.with(scriptString(one.value, quote)))
		}
	}
	if len(fresh) > 0 {
		edits = append(edits, object.add(t.text, members(fresh)))
	}
	return edits, "", nil
}

// members writes properties as members of an object.
func members(all settings) []string {
	var out []string
	for _, one := range all {
		key := domKey(one.name)
		if !identifier.MatchString(key) {
			key = scriptString(key, '"')
		}
		out = append(out, key+": "+scriptString(one.value, '"'))
	}
	return out
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)
	number     = regexp.MustCompile(`^-?(\d+\.?\d*|\.\d+)$`)
)

// object is the object literal of a style.
type object struct {
	// inside is the part between its braces.
	inside  span
	members []member
}

// member is a member of a style. A spread has no key.
type member struct {
	key        string
	start, end int
	value      span
	literal    bool
	// says is the text of a literal.
	says string
}

// member returns the member that counts for a property, nil if there is none.
func (o *object) member(property string) *member {
	for i, m := range slices.Backward(o.members) {
		if m.key != "" && propertyKey(m.key) == property {
			return &o.members[i]
		}
	}
	return nil
}

// add appends members to the last one, in its formatting.
func (o *object) add(text string, added []string) markup.Edit {
	if len(o.members) == 0 {
		return insertion(o.inside.start, " "+strings.Join(added, ", ")+blankBefore(text, o.inside.start))
	}
	last := o.members[len(o.members)-1]
	joint := ", "
	if indent, alone := indentAt(text, last.start); alone && strings.ContainsAny(text[o.inside.start:last.start], "\r\n") {
		joint = "," + newlineOf(text) + indent
	}
	return insertion(last.end, joint+strings.Join(added, joint))
}

// blankBefore returns a blank, unless there is one at at already.
func blankBefore(text string, at int) string {
	if strings.HasPrefix(text[at:], " ") {
		return ""
	}
	return " "
}

// scanObject parses an attribute's value that is an object literal.
func scanObject(text string, value span) (object, bool) {
	s := &jsxScan{text: text[:value.end], at: value.start, tree: &tree{}}
	if !s.takeTwice("{") {
		return object{}, false
	}
	o := object{inside: span{start: s.at}}
	for !s.lost {
		s.blank()
		if strings.HasPrefix(s.rest(), "}") {
			o.inside.end = s.at
			break
		}
		if s.at == len(s.text) {
			return object{}, false
		}
		o.members = append(o.members, s.member())
		s.take(",")
	}
	whole := s.takeTwice("}") && s.at == len(s.text)
	return o, whole && !s.lost
}

// takeTwice skips a byte that occurs twice in a row.
func (s *jsxScan) takeTwice(what string) bool {
	first := s.take(what)
	return first && s.take(what)
}

// take skips a byte, with the white space before it.
func (s *jsxScan) take(what string) bool {
	s.blank()
	if !strings.HasPrefix(s.rest(), what) {
		return false
	}
	s.at += len(what)
	return true
}

// member reads a member up to its comma.
func (s *jsxScan) member() member {
	m := member{start: s.at}
	begin := s.at
	switch c := s.text[s.at]; {
	case c == '"' || c == '\'':
		s.quoted(c)
		m.key, _ = literalText(s.text[begin:min(s.at, len(s.text))])
	case isWord(rune(c)):
		for s.at < len(s.text) && isWord(rune(s.text[s.at])) {
			s.at++
		}
		m.key = s.text[begin:s.at]
	}
	keyed := m.key != "" && s.take(":")
	s.blank()
	m.value.start = s.at
	s.code(",}", -1)
	m.value.end, m.end = s.solid, s.solid
	if keyed {
		m.says, m.literal = literalText(m.value.in(s.text))
	}
	if m.end <= m.start {
		m.end = s.at
	}
	return m
}

// literalText parses a literal: a string, a template without computed parts, a number, or
// a boolean. It returns false for everything else.
func literalText(source string) (string, bool) {
	if source == "true" || source == "false" || number.MatchString(source) {
		return source, true
	}
	if len(source) < 2 || strings.IndexByte("\"'`", source[0]) < 0 || source[len(source)-1] != source[0] {
		return "", false
	}
	quote := source[0]
	var out strings.Builder
	for i := 1; i < len(source)-1; i++ {
		switch c := source[i]; {
		case c == quote, quote == '`' && strings.HasPrefix(source[i:], "${"):
			return "", false
		case c == '\\':
			if i++; i == len(source)-1 {
				return "", false
			}
			out.WriteString(unescaped(source[i]))
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), true
}

// unescaped returns what a backslash before c means. For numbers it keeps the digits.
func unescaped(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '\n':
		return ""
	}
	return string(c)
}

// scriptString writes a string literal.
func scriptString(value string, quote byte) string {
	var out strings.Builder
	out.WriteByte(quote)
	for _, r := range value {
		switch {
		case r == rune(quote) || r == '\\':
			out.WriteRune('\\')
			out.WriteRune(r)
		case r < ' ' || r == '\u2028' || r == '\u2029' || r == 0x7f:
			out.WriteString(`\u` + fmt.Sprintf("%04x", r))
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte(quote)
	return out.String()
}
