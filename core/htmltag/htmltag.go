// Package htmltag finds the tags of an HTML page, without building a tree of it.
//
// It reads hostile pages in linear time. What it does not understand, it skips: a page that browsers
// repair in some other way has fewer tags here, never others.
package htmltag

import (
	"iter"
	"strings"
)

// Tag is a tag of a page.
type Tag struct {
	// Name is in lower case.
	Name string
	// End is true for an end tag, such as </p>.
	End bool
	// Start is the offset of its "<" and Stop that after its ">", in bytes.
	Start, Stop int
	Attributes  []Attribute
}

// Attribute is an attribute of a tag.
type Attribute struct {
	// Name is in lower case. Value is as it is written, without its quotes.
	Name, Value string
	// Start and Stop are the offsets of the attribute in the page, in bytes.
	Start, Stop int
}

// Attribute returns the attribute with a name. Of two with one name the first counts.
func (t Tag) Attribute(name string) (Attribute, bool) {
	for _, attribute := range t.Attributes {
		if attribute.Name == name {
			return attribute, true
		}
	}
	return Attribute{}, false
}

// Value returns the value of an attribute, "" if the tag does not have it.
func (t Tag) Value(name string) string {
	attribute, _ := t.Attribute(name)
	return attribute.Value
}

// All returns the tags of a page. Comments, and the content of elements whose content is not markup
// (scripts, styles, titles and similar ones), have no tags.
func All(page string) iter.Seq[Tag] {
	return func(yield func(Tag) bool) {
		s := scanner{page: page}
		for s.next() {
			if !yield(s.tag) {
				return
			}
		}
	}
}

// scanner reads a page from at on.
type scanner struct {
	page string
	at   int
	tag  Tag
}

// next reads up to the end of the next tag.
func (s *scanner) next() bool {
	for {
		open := strings.IndexByte(s.page[s.at:], '<')
		if open < 0 {
			return false
		}
		start := s.at + open
		s.at = start + 1
		if strings.HasPrefix(s.page[s.at:], "!--") {
			s.skipTo("-->", len("!"))
			continue
		}
		end := strings.HasPrefix(s.page[s.at:], "/")
		if end {
			s.at++
		}
		if s.at >= len(s.page) || !isLetter(s.page[s.at]) {
			continue
		}
		name := leading(s.page[s.at:], isNameByte)
		s.at += len(name)
		s.tag = Tag{Name: strings.ToLower(name), End: end, Start: start}
		closed := s.readAttributes()
		s.tag.Stop = s.at
		if !closed {
			return false
		}
		if !end {
			s.skipText(s.tag.Name)
		}
		return true
	}
}

// skipTo goes on after a text that comes at least skip bytes later, or at the end of the page.
func (s *scanner) skipTo(text string, skip int) {
	from := min(s.at+skip, len(s.page))
	found := strings.Index(s.page[from:], text)
	if found < 0 {
		s.at = len(s.page)
		return
	}
	s.at = from + found + len(text)
}

// skipText skips the content of an element if that is not markup.
func (s *scanner) skipText(name string) {
	switch name {
	case "script", "style", "textarea", "title", "noscript", "template", "iframe", "noembed", "noframes", "xmp":
	default:
		return
	}
	for at := s.at; ; {
		next := strings.Index(s.page[at:], "</")
		if next < 0 {
			s.at = len(s.page)
			return
		}
		at += next + len("</")
		rest := s.page[at:]
		if len(rest) >= len(name) && strings.EqualFold(rest[:len(name)], name) && (len(rest) == len(name) || !isNameByte(rest[len(name)])) {
			s.at = at - len("</")
			return
		}
	}
}

// readAttributes reads to the end of the tag. It returns false if the page ends first.
func (s *scanner) readAttributes() bool {
	for {
		s.at += len(leading(s.page[s.at:], func(c byte) bool { return isSpace(c) || c == '/' }))
		if s.at >= len(s.page) {
			return false
		}
		if s.page[s.at] == '>' {
			s.at++
			return true
		}
		start := s.at
		// An equals sign where a name should be belongs to the name.
		s.at += 1 + len(leading(s.page[s.at+1:], isAttributeName))
		name := strings.ToLower(s.page[start:s.at])
		stop := s.at
		s.at += len(leading(s.page[s.at:], isSpace))
		value := ""
		if strings.HasPrefix(s.page[s.at:], "=") {
			s.at++
			s.at += len(leading(s.page[s.at:], isSpace))
			value = s.readValue()
			stop = s.at
		}
		s.tag.Attributes = append(s.tag.Attributes, Attribute{Name: name, Value: value, Start: start, Stop: stop})
	}
}

// readValue reads a value, quoted or not.
func (s *scanner) readValue() string {
	rest := s.page[s.at:]
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		value, _, closed := strings.Cut(rest[1:], rest[:1])
		s.at += 1 + len(value)
		if closed {
			s.at++
		}
		return value
	}
	value := leading(rest, func(c byte) bool { return c != '>' && !isSpace(c) })
	s.at += len(value)
	return value
}

// leading is the longest beginning of text whose bytes are all wanted.
func leading(text string, wanted func(byte) bool) string {
	for i := range len(text) {
		if !wanted(text[i]) {
			return text[:i]
		}
	}
	return text
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isNameByte reports whether a byte belongs to the name of an element.
func isNameByte(c byte) bool { return c != '>' && c != '/' && !isSpace(c) }

func isSpace(c byte) bool { return strings.IndexByte(" \t\r\n\f", c) >= 0 }

func isAttributeName(c byte) bool { return c != '=' && c != '>' && c != '/' && !isSpace(c) }
