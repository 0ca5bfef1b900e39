// Package pagehead writes what a site says about itself into the heads of its pages.
package pagehead

import (
	"cmp"
	"html"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core/htmltag"
)

// Head is what a page says. Empty texts say nothing.
type Head struct {
	Title, Description string
	// Image is an absolute address, Favicon an address or a path of the site.
	Image, Favicon string
	// Language is a language tag.
	Language string
	// NoIndex asks search engines to leave the page out.
	NoIndex bool
}

// maxHeadBytes is how much of a page is read for the end of its head.
const maxHeadBytes = 256 << 10

// Apply returns a page that says what the head does. The start page of a site says all of it: what
// the page had of its own is replaced. Any other page keeps its own words, and gets those that it
// lacks; the favicon and NoIndex are for all pages. The rest of the page stays byte for byte.
func Apply(page []byte, head Head, start bool) []byte {
	if head == (Head{}) {
		return page
	}
	found := read(string(page[:min(len(page), maxHeadBytes)]))
	var edits []edit
	var added strings.Builder
	for _, item := range head.items() {
		own := found.elements[item.name]
		if item.text == "" || len(own) > 0 && !start && !item.everywhere {
			continue
		}
		for _, at := range own {
			edits = append(edits, edit{at.start, at.stop, ""})
		}
		added.WriteString(item.text)
	}
	if added.Len() > 0 {
		edits = append(edits, edit{found.end, found.end, added.String()})
	}
	if head.Language != "" && found.html != nil {
		edits = appendLanguage(edits, *found.html, head.Language, start)
	}
	return splice(page, edits)
}

// item is an element of a head.
type item struct {
	name, text string
	// everywhere means that it replaces those of pages other than the start page, too.
	everywhere bool
}

func (h Head) items() []item {
	robots := ""
	if h.NoIndex {
		robots = "noindex"
	}
	title, icon := "", ""
	if h.Title != "" {
		title = "<title>" + html.EscapeString(h.Title) + "</title>"
	}
	if h.Favicon != "" {
		icon = `<link rel="icon" href="` + html.EscapeString(h.Favicon) + `">`
	}
	card := ""
	if h.Image != "" {
		card = "summary_large_image"
	}
	return []item{
		{"title", title, false},
		{"description", meta("name", "description", h.Description), false},
		{"og:title", meta("property", "og:title", h.Title), false},
		{"og:description", meta("property", "og:description", h.Description), false},
		{"og:image", meta("property", "og:image", h.Image), false},
		{"twitter:card", meta("name", "twitter:card", card), false},
		{"icon", icon, true},
		{"robots", meta("name", "robots", robots), true},
	}
}

func meta(attribute, name, content string) string {
	if content == "" {
		return ""
	}
	return "<meta " + attribute + `="` + name + `" content="` + html.EscapeString(content) + `">`
}

// span is a part of a page, in bytes.
type span struct{ start, stop int }

// pageHead is what a page has of its own.
type pageHead struct {
	// elements are those that items replace, by their names.
	elements map[string][]span
	// html is the page's first tag html.
	html *htmltag.Tag
	// end is where elements can be added: before the end of the head, or where a head would begin.
	end int
}

// read reads the head of a page.
func read(page string) pageHead {
	found := pageHead{elements: map[string][]span{}, end: Begin([]byte(page))}
	title := -1
	for tag := range htmltag.All(page) {
		switch {
		case tag.Name == "html" && !tag.End && found.html == nil:
			found.html = &tag
		case tag.Name == "head" && tag.End:
			found.end = tag.Start
			return found
		case tag.Name == "head":
		case tag.Name == "body":
			return found
		case tag.Name == "title" && !tag.End:
			title = tag.Start
		case tag.Name == "title" && title >= 0:
			found.elements["title"] = append(found.elements["title"], span{title, tag.Stop})
			title = -1
		case !tag.End:
			if name := nameOf(tag); name != "" {
				found.elements[name] = append(found.elements[name], span{tag.Start, tag.Stop})
			}
			if !isHeadElement(tag.Name) {
				return found // the body has begun without its tag
			}
		}
	}
	return found
}

// isHeadElement reports whether a head may have an element, besides its title.
func isHeadElement(name string) bool {
	switch name {
	case "meta", "link", "script", "style", "base", "noscript", "template":
		return true
	}
	return false
}

// nameOf returns the name of the item that a tag is an element of, "" for none.
func nameOf(tag htmltag.Tag) string {
	switch tag.Name {
	case "link":
		for rel := range strings.FieldsSeq(strings.ToLower(tag.Value("rel"))) {
			if rel == "icon" {
				return "icon"
			}
		}
	case "meta":
		return strings.ToLower(cmp.Or(tag.Value("property"), tag.Value("name")))
	}
	return ""
}

// appendLanguage changes the attribute lang of a page's tag html.
func appendLanguage(edits []edit, tag htmltag.Tag, language string, start bool) []edit {
	text := `lang="` + html.EscapeString(language) + `"`
	own, found := tag.Attribute("lang")
	switch {
	case !found:
		at := tag.Start + len("<html")
		return append(edits, edit{at, at, " " + text})
	case start:
		return append(edits, edit{own.Start, own.Stop, text})
	}
	return edits
}

// edit replaces a part of a page.
type edit struct {
	start, stop int
	text        string
}

// splice makes the edits, which do not overlap.
func splice(page []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.stop, b.stop)) })
	made := make([]byte, 0, len(page)+512)
	at := 0
	for _, e := range edits {
		made = append(append(made, page[at:e.start]...), e.text...)
		at = e.stop
	}
	return append(made, page[at:]...)
}
