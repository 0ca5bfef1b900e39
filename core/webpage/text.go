package webpage

import (
	"html"
	"strings"
)

// Text returns the title and the readable text of a page: a line for each block, links with
// their addresses, without scripts, styles and what is hidden in the markup.
func Text(page string) (title, text string) {
	r := &reduction{}
	for page != "" {
		before, rest, found := strings.Cut(page, "<")
		r.say(before)
		if !found {
			break
		}
		page = r.tag(rest)
	}
	return strings.Join(strings.Fields(r.title.String()), " "), strings.TrimSpace(r.out.String())
}

// reduction collects the text of a page.
type reduction struct {
	out, title strings.Builder
	inTitle    bool
	// pre says that white space counts.
	pre bool
	// gap says that white space precedes what is written next; breaks are the line breaks.
	gap    bool
	breaks int
	// link is the address of the open link.
	link string
}

// skipped are elements whose content nobody reads.
var skipped = map[string]bool{"script": true, "style": true, "noscript": true, "template": true, "svg": true, "iframe": true, "textarea": true, "select": true}

// blocks are elements that begin a line, with the number of line breaks before them.
var blocks = map[string]int{
	"p": 2, "h1": 2, "h2": 2, "h3": 2, "h4": 2, "h5": 2, "h6": 2, "pre": 2, "ul": 2, "ol": 2, "table": 2, "blockquote": 2, "section": 2, "article": 2,
	"div": 1, "br": 1, "li": 1, "tr": 1, "dt": 1, "dd": 1, "header": 1, "footer": 1, "nav": 1, "main": 1, "aside": 1, "form": 1, "figure": 1, "hr": 1, "title": 1,
}

// marks precede the text of elements.
var marks = map[string]string{"h1": "# ", "h2": "## ", "h3": "### ", "h4": "#### ", "h5": "##### ", "h6": "###### ", "li": "- "}

// tag reads a tag, whose "<" is read already, and returns the rest of the page.
func (r *reduction) tag(page string) string {
	if rest, comment := strings.CutPrefix(page, "!--"); comment {
		_, rest, _ = strings.Cut(rest, "-->")
		return rest
	}
	closes := strings.HasPrefix(page, "/")
	name := nameOf(strings.TrimPrefix(page, "/"))
	if name == "" && !closes && !strings.HasPrefix(page, "!") && !strings.HasPrefix(page, "?") {
		// A mere "<" in a text.
		r.say("<")
		return page
	}
	attributes, rest := tagEnd(page)
	if skipped[name] && !closes {
		return skip(rest, name)
	}
	r.breaks = max(r.breaks, blocks[name])
	switch {
	case name == "title":
		r.inTitle = !closes
	case name == "pre":
		r.pre = !closes
	case name == "td" || name == "th":
		r.gap = true
	case name == "a" && !closes:
		r.link = attribute(attributes, "href")
	case name == "a" && strings.HasPrefix(r.link, "http"):
		r.say(" (" + r.link + ")")
		r.link = ""
	case name == "img" && attribute(attributes, "alt") != "":
		r.say("[" + attribute(attributes, "alt") + "]")
	case marks[name] != "" && !closes:
		r.write(marks[name])
		r.gap = false
	}
	return rest
}

// nameOf returns the name at the beginning of a tag, in lower case.
func nameOf(tag string) string {
	end := 0
	for end < len(tag) && end < 20 && (tag[end]|0x20 >= 'a' && tag[end]|0x20 <= 'z' || end > 0 && tag[end] >= '0' && tag[end] <= '9') {
		end++
	}
	return strings.ToLower(tag[:end])
}

// tagEnd divides a page behind the ">" of the tag that it begins with. A ">" in quotes does not
// count.
func tagEnd(page string) (tag, rest string) {
	quote := byte(0)
	for i := range len(page) {
		switch c := page[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && i > 0 && page[i-1] == '=':
			quote = c
		case c == '>':
			return page[:i], page[i+1:]
		}
	}
	return page, ""
}

// skip returns what follows an element.
func skip(page, name string) string {
	for {
		at := strings.Index(page, "</")
		if at < 0 {
			return ""
		}
		page = page[at+2:]
		if nameOf(page) == name {
			_, rest := tagEnd(page)
			return rest
		}
	}
}

// attribute returns the value of an attribute, "" if a tag has none of that name.
func attribute(tag, name string) string {
	lower := strings.ToLower(tag)
	at := strings.Index(lower, " "+name+"=")
	if at < 0 || len(lower) != len(tag) {
		return ""
	}
	value := tag[at+len(name)+2:]
	if value != "" && (value[0] == '"' || value[0] == '\'') {
		value, _, _ = strings.Cut(value[1:], value[:1])
	} else if end := strings.IndexAny(value, " \t\n/>"); end >= 0 {
		value = value[:end]
	}
	return strings.Join(strings.Fields(html.UnescapeString(value)), " ")
}

// say writes the text between two tags.
func (r *reduction) say(text string) {
	if text == "" {
		return
	}
	text = html.UnescapeString(text)
	switch {
	case r.inTitle:
		r.title.WriteString(text)
	case r.pre:
		r.write(text)
	default:
		words := strings.Fields(text)
		if len(words) == 0 {
			r.gap = true
			return
		}
		r.gap = r.gap || text[0] == ' ' || text[0] == '\n' || text[0] == '\t'
		r.write(strings.Join(words, " "))
		last := text[len(text)-1]
		r.gap = last == ' ' || last == '\n' || last == '\t'
	}
}

// write writes a text behind the line breaks and the gap before it.
func (r *reduction) write(text string) {
	switch {
	case r.out.Len() == 0:
	case r.breaks > 0:
		r.out.WriteString(strings.Repeat("\n", r.breaks))
	case r.gap:
		r.out.WriteString(" ")
	}
	r.breaks, r.gap = 0, false
	r.out.WriteString(text)
}
