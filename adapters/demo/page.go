package demo

import (
	"encoding/json"
	"html"
	"path"
	"slices"
	"strings"
)

// A page is written to newPagePath in a project without one, and to sparePagePath if that
// is unknown.
const (
	newPagePath   = "index.html"
	sparePagePath = "atelier-demo.html"
)

// mainSource returns the file that most likely renders the page, "" if no file does.
func mainSource(files []string) string {
	for _, favourite := range []string{"src/App.tsx", "src/App.jsx", "App.tsx", "index.html"} {
		if slices.Contains(files, favourite) {
			return favourite
		}
	}
	for _, extension := range []string{".tsx", ".jsx", ".html"} {
		for _, file := range files {
			if path.Ext(file) == extension {
				return file
			}
		}
	}
	return ""
}

func newPage(text string) string {
	text = html.EscapeString(text)
	return "<!doctype html>\n<html lang=\"en\">\n  <head>\n    <meta charset=\"utf-8\" />\n" +
		"    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n" +
		"    <title>" + text + "</title>\n  </head>\n  <body>\n    <h1>" + text + "</h1>\n  </body>\n</html>\n"
}

// page is a source file that renders something.
type page struct {
	path string
	// hash is the hash that read_file named, "" if it named none.
	hash   string
	source string
	// partial means that read_file left out the end.
	partial bool
}

// readPage parses the answer of read_file: a line that names the path and the hash, then
// the content. Without such a line everything is content.
func readPage(file, answer string) *page {
	head, content, _ := strings.Cut(answer, "\n")
	rest, named := strings.CutPrefix(head, file+" hash ")
	if !named {
		return &page{path: file, source: answer}
	}
	hash, _, partial := strings.Cut(rest, ",")
	return &page{path: file, hash: strings.TrimSpace(hash), source: content, partial: partial}
}

// edit holds the arguments of edit_file.
type edit struct {
	Path    string `json:"path"`
	OldText string `json:"oldText"`
	NewText string `json:"newText"`
	Hash    string `json:"hash,omitempty"`
}

// apply returns the edit that carries out the request, false if the page has no place for
// it.
func (p *page) apply(r request) (edit, bool) {
	if r.replaces != "" && strings.Count(p.source, r.replaces) == 1 && isPlain(r.text) {
		at := strings.Index(p.source, r.replaces)
		return p.replace(at, at+len(r.replaces), r.text)
	}
	heading, found := firstHeading(p.source)
	if found && r.heading {
		return p.replace(heading.inner, heading.innerEnd, p.escape(r.text))
	}
	line := "<p>" + p.escape(r.text) + "</p>"
	switch {
	case found && p.isJSX() && standsAlone(p.source[:heading.begin]):
		whole := p.source[heading.begin:heading.end]
		return p.replace(heading.begin, heading.end, "<>"+whole+line+"</>")
	case found:
		return p.replace(heading.end, heading.end, "\n"+indentOf(p.source[:heading.begin])+line)
	}
	at := lastClosingTag(p.source, p.isJSX())
	if at < 0 {
		return edit{}, false
	}
	return p.replace(at, at, line)
}

// replace returns the edit of source[begin:end]. It widens the old text until that occurs
// only once in the file.
func (p *page) replace(begin, end int, text string) (edit, bool) {
	from, to := begin, end
	for from == to || strings.Count(p.source, p.source[from:to]) > 1 {
		if from == 0 && to == len(p.source) {
			return edit{}, false
		}
		from = max(0, strings.LastIndexByte(p.source[:max(0, from-1)], '\n'))
		if next := strings.IndexByte(p.source[to:], '\n'); next >= 0 {
			to += next + 1
		} else {
			to = len(p.source)
		}
	}
	old, changed := p.source[from:to], p.source[from:begin]+text+p.source[end:to]
	return edit{Path: p.path, OldText: old, NewText: changed, Hash: p.hash}, old != changed
}

func (p *page) isJSX() bool { return path.Ext(p.path) != ".html" }

// escape writes a text as the page's source shows it.
func (p *page) escape(text string) string {
	switch {
	case !p.isJSX():
		return html.EscapeString(text)
	case !strings.ContainsAny(text, "{}<>&"):
		return text
	}
	// A JSON string is a JavaScript string.
	literal, err := json.Marshal(text)
	if err != nil {
		return ""
	}
	return "{" + string(literal) + "}"
}

// isPlain reports whether a text needs no escaping in any source.
func isPlain(text string) bool { return !strings.ContainsAny(text, "<>{}&\"'`\\$") }

// element is the position of an element in a source: the whole of it, and the part
// between its tags.
type element struct{ begin, inner, innerEnd, end int }

// firstHeading finds the first h1 to h6.
func firstHeading(source string) (element, bool) {
	for at := 0; ; at++ {
		next := strings.Index(source[at:], "<h")
		if next < 0 {
			return element{}, false
		}
		at += next
		level := source[at+2:]
		if len(level) < 2 || level[0] < '1' || level[0] > '6' || !strings.ContainsRune(" \t\r\n>", rune(level[1])) {
			continue
		}
		inner := endOfTag(source, at)
		if inner < 0 || strings.HasSuffix(source[:inner], "/>") {
			continue
		}
		closing := "</h" + level[:1] + ">"
		if length := strings.Index(source[inner:], closing); length >= 0 {
			innerEnd := inner + length
			return element{at, inner, innerEnd, innerEnd + len(closing)}, true
		}
	}
}

// endOfTag returns the offset after the ">" of the tag that begins at the offset, or -1.
// A ">" in quotes or braces belongs to an attribute.
func endOfTag(source string, at int) int {
	depth, quote := 0, byte(0)
	for i := at; i < len(source); i++ {
		switch c := source[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == '>' && depth <= 0:
			return i + 1
		}
	}
	return -1
}

// standsAlone reports whether an element after this source would have no parent, as after
// "return (".
func standsAlone(before string) bool {
	before = strings.TrimRight(before, " \t\r\n")
	for _, end := range []string{"(", "return", "=>", "?", ":", "&&", "||", "=", ","} {
		if strings.HasSuffix(before, end) {
			return true
		}
	}
	return false
}

// indentOf returns the white space at the beginning of the last line.
func indentOf(before string) string {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// lastClosingTag returns where a line can be added at the end of the page, or -1.
func lastClosingTag(source string, jsx bool) int {
	if jsx {
		return strings.LastIndex(source, "</")
	}
	for _, tag := range []string{"</main>", "</body>"} {
		if at := strings.LastIndex(source, tag); at >= 0 {
			return at
		}
	}
	return -1
}
