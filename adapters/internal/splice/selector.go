package splice

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A selector is matched in one pass over the elements, with a set of bits for its
// progress at each. Engines that try one ancestor after the other take exponential time
// for selectors such as "a a a a a b" in deep trees.

// maxCompounds bounds the compounds of a selector.
const maxCompounds = 32

// compound is the part of a selector that describes one element.
type compound struct {
	// combinator is the one before it: ' ', '>', '+', '~', 0 for the first.
	combinator byte
	tests      []func(e *element) bool
}

func (c compound) matches(e *element) bool {
	for _, test := range c.tests {
		if !test(e) {
			return false
		}
	}
	return true
}

// selectorScan parses a selector.
type selectorScan struct {
	text string
	at   int
	// folded means that element names are case-insensitive.
	folded bool
}

// parseSelector reads a selector, or returns an error with code
// core.CodeValidationFailed.
func parseSelector(text string, folded bool) ([]compound, error) {
	s := &selectorScan{text: strings.TrimSpace(text), folded: folded}
	var all []compound
	combinator := byte(0)
	for {
		one, err := s.compound()
		if err != nil {
			return nil, err
		}
		one.combinator = combinator
		if all = append(all, one); len(all) > maxCompounds {
			return nil, invalid("the selector has more than %d parts", maxCompounds)
		}
		if s.at == len(s.text) {
			return all, nil
		}
		combinator = s.joint()
	}
}

// joint parses the combinator between two compounds.
func (s *selectorScan) joint() byte {
	joint := byte(' ')
	for s.at < len(s.text) {
		c := s.text[s.at]
		if strings.IndexByte(" \t\r\n\f", c) < 0 {
			if joint != ' ' || strings.IndexByte(">+~", c) < 0 {
				break
			}
			joint = c
		}
		s.at++
	}
	return joint
}

func (s *selectorScan) wrong() error {
	return invalid("the selector %.80q cannot be read at character %d", s.text, utf8.RuneCountInString(s.text[:min(s.at, len(s.text))])+1)
}

func (s *selectorScan) compound() (compound, error) {
	var c compound
	begin := s.at
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n\f>+~", s.text[s.at]) < 0 {
		test, err := s.simple(s.at == begin)
		if err != nil {
			return c, err
		}
		c.tests = append(c.tests, test)
	}
	if s.at == begin {
		return c, s.wrong()
	}
	return c, nil
}

func (s *selectorScan) simple(first bool) (func(e *element) bool, error) {
	switch c := s.text[s.at]; {
	case c == '*' && first:
		s.at++
		return func(*element) bool { return true }, nil
	case c == '#':
		s.at++
		id, err := s.ident()
		return func(e *element) bool { return e.is("id", id) }, err
	case c == '.':
		s.at++
		class, err := s.ident()
		return func(e *element) bool { return e.hasWord("class", class) }, err
	case c == '[':
		s.at++
		return s.attribute()
	case c == ':':
		s.at++
		return s.pseudo()
	case !first:
		return nil, s.wrong()
	}
	tag, err := s.ident()
	if s.folded {
		tag = strings.ToLower(tag)
	}
	return func(e *element) bool { return e.tag == tag }, err
}

// ident parses a name with its escapes.
func (s *selectorScan) ident() (string, error) {
	var out strings.Builder
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if r == '\\' && s.at+1 < len(s.text) {
			out.WriteRune(s.escape())
			continue
		}
		if r < utf8.RuneSelf && !isNameByte(byte(r)) {
			break
		}
		out.WriteRune(r)
		s.at += size
	}
	if out.Len() == 0 {
		return "", s.wrong()
	}
	return out.String(), nil
}

func isNameByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// escape parses a backslash escape.
func (s *selectorScan) escape() rune {
	s.at++
	digits := 0
	for digits < 6 && s.at+digits < len(s.text) && strings.IndexByte("0123456789abcdefABCDEF", s.text[s.at+digits]) >= 0 {
		digits++
	}
	if digits == 0 {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		s.at += size
		return r
	}
	code, _ := strconv.ParseUint(s.text[s.at:s.at+digits], 16, 32)
	if s.at += digits; s.at < len(s.text) && s.text[s.at] == ' ' {
		s.at++
	}
	if code == 0 || code > utf8.MaxRune {
		return utf8.RuneError
	}
	return rune(code)
}

// attribute parses an attribute selector after its "[".
func (s *selectorScan) attribute() (func(e *element) bool, error) {
	s.blank()
	begin := s.at
	for s.at < len(s.text) && (isNameByte(s.text[s.at]) || s.text[s.at] == ':') {
		s.at++
	}
	name := attributeKey(s.text[begin:s.at])
	s.blank()
	if name == "" || s.at == len(s.text) {
		return nil, s.wrong()
	}
	if s.take("]") {
		return func(e *element) bool { return e.has(name) }, nil
	}
	for _, operator := range []string{"=", "~=", "|=", "^=", "$=", "*="} {
		if !s.take(operator) {
			continue
		}
		value, folded, err := s.attributeValue()
		if err != nil {
			return nil, err
		}
		return func(e *element) bool {
			have, known := e.value(name)
			if folded {
				have, value = strings.ToLower(have), strings.ToLower(value)
			}
			return known && compare(operator, have, value)
		}, nil
	}
	return nil, s.wrong()
}

func compare(operator, have, want string) bool {
	switch operator {
	case "=":
		return have == want
	case "~=":
		return hasWord(have, want)
	case "|=":
		return have == want || strings.HasPrefix(have, want+"-")
	case "^=":
		return want != "" && strings.HasPrefix(have, want)
	case "$=":
		return want != "" && strings.HasSuffix(have, want)
	}
	return want != "" && strings.Contains(have, want)
}

func hasWord(text, word string) bool {
	for have := range strings.FieldsSeq(text) {
		if have == word {
			return true
		}
	}
	return false
}

// attributeValue reads the rest of an attribute selector.
func (s *selectorScan) attributeValue() (value string, folded bool, err error) {
	s.blank()
	if s.at < len(s.text) && (s.text[s.at] == '"' || s.text[s.at] == '\'') {
		value, err = s.quoted(s.text[s.at])
	} else {
		value, err = s.ident()
	}
	if err != nil {
		return "", false, err
	}
	s.blank()
	if s.take("i") || s.take("I") {
		folded = true
		s.blank()
	}
	if !s.take("]") {
		return "", false, s.wrong()
	}
	return value, folded, nil
}

func (s *selectorScan) quoted(quote byte) (string, error) {
	var out strings.Builder
	for s.at++; s.at < len(s.text); {
		switch c := s.text[s.at]; {
		case c == quote:
			s.at++
			return out.String(), nil
		case c == '\\' && s.at+1 < len(s.text):
			out.WriteRune(s.escape())
		default:
			out.WriteByte(c)
			s.at++
		}
	}
	return "", s.wrong()
}

// pseudo parses a pseudo-class after its ":".
func (s *selectorScan) pseudo() (func(e *element) bool, error) {
	name, err := s.ident()
	if err != nil {
		return nil, err
	}
	switch strings.ToLower(name) {
	case "first-of-type":
		return func(e *element) bool { return e.ofType == 1 }, nil
	case "last-of-type":
		return func(e *element) bool { return e.lastOfType }, nil
	case "first-child":
		return func(e *element) bool { return e.child == 1 }, nil
	case "last-child":
		return func(e *element) bool { return e.lastChild }, nil
	case "nth-of-type":
		step, offset, err := s.formula()
		return func(e *element) bool { return fulfils(e.ofType, step, offset) }, err
	case "nth-child":
		step, offset, err := s.formula()
		return func(e *element) bool { return fulfils(e.child, step, offset) }, err
	}
	return nil, invalid("the selector has :%s, which is not supported", name)
}

// formula parses "(an+b)", "(odd)" or "(even)".
func (s *selectorScan) formula() (step, offset int, err error) {
	length := strings.IndexByte(s.text[s.at:], ')')
	if length < 1 || s.text[s.at] != '(' {
		return 0, 0, s.wrong()
	}
	text := strings.ToLower(strings.Join(strings.Fields(s.text[s.at+1:s.at+length]), ""))
	switch text {
	case "odd":
		text = "2n+1"
	case "even":
		text = "2n"
	}
	before, after, hasStep := strings.Cut(text, "n")
	if !hasStep {
		before, after = "0", text
	} else if before == "" || before == "+" || before == "-" {
		before += "1"
	}
	step, err = strconv.Atoi(before)
	if err == nil && after != "" {
		offset, err = strconv.Atoi(after)
	}
	const most = 1 << 20
	if err != nil || step > most || step < -most || offset > most || offset < -most {
		return 0, 0, s.wrong()
	}
	s.at += length + 1
	return step, offset, nil
}

// fulfils reports whether position is step*n+offset for an n of at least 0.
func fulfils(position, step, offset int) bool {
	if step == 0 {
		return position == offset
	}
	return (position-offset)%step == 0 && (position-offset)/step >= 0
}

func (s *selectorScan) blank() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n\f", s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *selectorScan) take(text string) bool {
	if !strings.HasPrefix(s.text[s.at:], text) {
		return false
	}
	s.at += len(text)
	return true
}
