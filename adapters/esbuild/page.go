package esbuild

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/evanw/esbuild/pkg/api"
)

// page is an HTML file of the project with what it refers to.
type page struct {
	name string
	text []byte
	refs []reference
	// open is the offset behind what a page begins with, where its head or what
	// stands for it begins; head is the one at which elements can be added to it.
	open, head int
	// assets are project files that the page names without having them built.
	assets []string
	// messages say what is wrong with the page.
	messages []api.Message
}

// reference is a part of a page that a build replaces: the bytes from start to
// end.
type reference struct {
	start, end int
	entry      entry
	// whole replaces a script with its content by one with an address; otherwise
	// the bytes are the value of an attribute.
	whole bool
}

// entry is where bundling begins: a module, a style sheet, or a script that
// stands in a page.
type entry struct {
	name   string
	suffix string
	script string
}

// label names an entry in the name of its output.
func (e entry) label() string {
	base := path.Base(e.name)
	return strings.TrimSuffix(base, path.Ext(base))
}

// readPages returns the pages of a project, index.html first.
func readPages(src *sources) ([]*page, []api.Message) {
	names := []string{"index.html"}
	skip := func(name string) bool { return hidden(name) || name == "public" || name == "src" }
	for _, name := range src.walk(".", skip) {
		if strings.EqualFold(path.Ext(name), ".html") && name != "index.html" {
			names = append(names, name)
		}
	}
	if len(names) > maxPages {
		return nil, []api.Message{{Text: fmt.Sprintf("the project has more than %d pages", maxPages)}}
	}
	var pages []*page
	var messages []api.Message
	for _, name := range names {
		text, err := src.read(name, maxModuleBytes)
		if err != nil {
			messages = append(messages, api.Message{Text: err.Error(), Location: &api.Location{File: name, Namespace: nsProject}})
			continue
		}
		p := parsePage(src, name, text)
		pages = append(pages, p)
		messages = append(messages, p.messages...)
	}
	return pages, messages
}

// entriesOf returns the entries of all pages, each once.
func entriesOf(pages []*page) []entry {
	var entries []entry
	seen := make(map[string]bool)
	for _, p := range pages {
		for _, ref := range p.refs {
			if key := ref.entry.name + ref.entry.suffix; !seen[key] {
				seen[key] = true
				entries = append(entries, ref.entry)
			}
		}
	}
	return entries
}

// inlineScript returns the script that stands in a page.
func inlineScript(pages []*page, name, suffix string) (string, bool) {
	for _, p := range pages {
		for _, ref := range p.refs {
			if ref.whole && ref.entry.name == name && ref.entry.suffix == suffix {
				return ref.entry.script, true
			}
		}
	}
	return "", false
}

// parsePage finds what a page refers to. The tokenizer covers every byte, so the
// rest of the page stays as it is.
func parsePage(src *sources, name string, text []byte) *page {
	p := &page{name: name, text: text, head: -1}
	tokens := html.NewTokenizer(bytes.NewReader(text))
	begun := false
	for at := 0; ; {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := tokens.Raw()
		start := at
		at += len(raw)
		switch kind {
		case html.DoctypeToken:
			p.open = at
		case html.StartTagToken, html.SelfClosingTagToken:
			p.readTag(src, start, raw)
			if tag, _ := scanTag(raw); !begun && (tag == "html" || tag == "head") {
				p.open = at
			} else {
				begun = true
			}
		case html.EndTagToken:
			if p.head < 0 && bytes.EqualFold(bytes.TrimRight(raw, " \t\r\n>"), []byte("</head")) {
				p.head = start
			}
		}
	}
	if p.head < 0 && len(p.refs) > 0 {
		p.head = bytes.LastIndexByte(text[:p.refs[0].start+1], '<')
	}
	return p
}

// readTag notes what one tag refers to.
func (p *page) readTag(src *sources, start int, raw []byte) {
	tag, attributes := scanTag(raw)
	switch {
	case tag == "script" && strings.EqualFold(attributes.value(raw, "type"), "module"):
		p.readModule(src, start, raw, attributes)
	case tag == "link" && strings.EqualFold(attributes.value(raw, "rel"), "stylesheet"):
		p.readStyle(src, start, raw, attributes)
	default:
		for _, name := range []string{"src", "href", "poster", "data", "xlink:href", "srcset"} {
			for _, address := range addressesIn(name, attributes.value(raw, name)) {
				if file, ok := p.target(address); ok && src.isFile(file) && loaderOf(file) != api.LoaderTS && loaderOf(file) != api.LoaderTSX {
					p.assets = append(p.assets, file)
				}
			}
		}
	}
}

// addressesIn splits srcset.
func addressesIn(attribute, value string) []string {
	if attribute != "srcset" {
		return []string{value}
	}
	var addresses []string
	for candidate := range strings.SplitSeq(value, ",") {
		if fields := strings.Fields(candidate); len(fields) > 0 {
			addresses = append(addresses, fields[0])
		}
	}
	return addresses
}

func (p *page) readModule(src *sources, start int, raw []byte, attributes tagAttributes) {
	address, has := attributes["src"]
	if !has {
		p.readInline(start, len(raw))
		return
	}
	file, local := p.target(attributes.value(raw, "src"))
	switch {
	case !local || src.isFile("public/"+file):
	case src.isFile(file):
		p.refs = append(p.refs, reference{start: start + address.start, end: start + address.end, entry: entry{name: file}})
	default:
		p.missing(start, file)
	}
}

// readInline notes a script that stands in the page, up to its end tag. Line
// breaks in front of it keep the places of its mistakes.
func (p *page) readInline(start, length int) {
	inside := start + length
	end := bytes.Index(bytes.ToLower(p.text[inside:]), []byte("</script"))
	if end < 0 {
		return
	}
	script := string(p.text[inside : inside+end])
	if strings.TrimSpace(script) == "" {
		return
	}
	before := p.text[:inside]
	column := len(before) - bytes.LastIndexByte(before, '\n') - 1
	padding := strings.Repeat("\n", bytes.Count(before, []byte("\n"))) + strings.Repeat(" ", column)
	suffix := fmt.Sprintf("?script=%d", len(p.refs))
	p.refs = append(p.refs, reference{start: start, end: inside + end, whole: true, entry: entry{p.name, suffix, padding + script}})
}

func (p *page) readStyle(src *sources, start int, raw []byte, attributes tagAttributes) {
	address, has := attributes["href"]
	if !has {
		return
	}
	file, local := p.target(attributes.value(raw, "href"))
	if local && src.isFile(file) && !src.isFile("public/"+file) && strings.HasSuffix(file, ".css") {
		p.refs = append(p.refs, reference{start: start + address.start, end: start + address.end, entry: entry{name: file}})
	}
}

func (p *page) missing(offset int, file string) {
	p.messages = append(p.messages, messageAt(p.name, p.text, offset, fmt.Sprintf("there is no file %q in the project", file)))
}

// target returns the project path that an address means, if it means one.
func (p *page) target(address string) (string, bool) {
	parsed, err := url.Parse(strings.TrimSpace(html.UnescapeString(address)))
	if err != nil || parsed.Scheme != "" || parsed.Host != "" || parsed.Path == "" {
		return "", false
	}
	if rooted, ok := strings.CutPrefix(parsed.Path, "/"); ok {
		return path.Clean(rooted), true
	}
	return path.Join(path.Dir(p.name), parsed.Path), true
}

var envReference = regexp.MustCompile(`%([A-Z][A-Z0-9_]*)%`)

// replacement is new text for the bytes of a page from start to end.
type replacement struct {
	start, end int
	text       string
}

// render writes the page with the addresses of what was built for it, and with
// elements added where it opens and at the end of its head.
func (p *page) render(address func(entry) string, opening, head string, env map[string]any) []byte {
	edits := []replacement{{p.open, p.open, opening}}
	if p.head >= 0 {
		edits = append(edits, replacement{p.head, p.head, head})
	}
	for _, ref := range p.refs {
		text := fmt.Sprintf(`"%s"`, address(ref.entry))
		if ref.whole {
			text = `<script type="module" src=` + text + `>`
		}
		edits = append(edits, replacement{ref.start, ref.end, text})
	}
	slices.SortStableFunc(edits, func(a, b replacement) int { return a.start - b.start })
	var out []byte
	done := 0
	for _, edit := range edits {
		out = append(append(out, p.text[done:edit.start]...), edit.text...)
		done = edit.end
	}
	out = append(out, p.text[done:]...)
	return envReference.ReplaceAllFunc(out, func(match []byte) []byte {
		if value, known := env[string(match[1:len(match)-1])]; known {
			return []byte(html.EscapeString(fmt.Sprint(value)))
		}
		return match
	})
}
