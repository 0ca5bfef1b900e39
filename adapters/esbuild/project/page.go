package project

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

// Page is an HTML file of the project with its references.
type Page struct {
	Name string
	Text []byte
	Refs []reference
	// open is the offset at which the head, or its implied beginning, starts. head is the
	// offset at which elements can be added to the head.
	open, head int
	// Assets are project files that the page refers to and that are not built.
	Assets []string
	// messages say what is wrong with the page.
	messages []api.Message
}

// reference is a part of a page that a build replaces: the bytes from start to end.
type reference struct {
	start, end int
	Entry      Entry
	// whole replaces an inline script by one with an address. Otherwise the bytes are the
	// value of an attribute.
	whole bool
}

// Entry is an entry point of bundling: a module, a style sheet, or an inline script of a
// page.
type Entry struct {
	Name   string
	Suffix string
	Script string
}

// PageOf returns a page that is nothing but a list of modules.
func PageOf(modules []string) *Page {
	p := &Page{}
	for _, name := range modules {
		p.Refs = append(p.Refs, reference{Entry: Entry{Name: name}})
	}
	return p
}

// label names an entry in the name of its output.
func (e Entry) label() string {
	base := path.Base(e.Name)
	return strings.TrimSuffix(base, path.Ext(base))
}

// ReadPages returns the pages of a project, index.html first.
func ReadPages(src *Sources) ([]*Page, []api.Message) {
	names := []string{"index.html"}
	skip := func(name string) bool { return Hidden(name) || name == "public" || name == "src" }
	for _, name := range src.Walk(".", skip) {
		if strings.EqualFold(path.Ext(name), ".html") && name != "index.html" {
			names = append(names, name)
		}
	}
	if len(names) > maxPages {
		return nil, []api.Message{{Text: fmt.Sprintf("the project has more than %d pages", maxPages)}}
	}
	var pages []*Page
	var messages []api.Message
	for _, name := range names {
		text, err := readPage(src, name)
		if err != nil && name == "index.html" {
			err = elsewhere(src, names, err)
		}
		if err != nil {
			messages = append(messages, api.Message{Text: err.Error(), Location: &api.Location{File: name, Namespace: NsProject}})
			continue
		}
		p := parsePage(src, name, text)
		pages = append(pages, p)
		messages = append(messages, p.messages...)
	}
	return pages, messages
}

// elsewhere adds where the applications are to the error about a missing first page, as in a
// repository of several packages.
func elsewhere(src *Sources, names []string, err error) error {
	var folders []string
	for _, name := range names {
		if dir := path.Dir(name); path.Base(name) == "index.html" && src.IsFile(path.Join(dir, "package.json")) && dir != "." {
			folders = append(folders, dir)
		}
	}
	if src.IsFile("index.html") || len(folders) == 0 {
		return err
	}
	return fmt.Errorf("%w: there is an application in %s, whose files belong at the project's root", err, strings.Join(folders, " and in "))
}

var bodyEnd = regexp.MustCompile(`(?i)</body`)

// readPage returns the text of a page. Create React App has its page in public/, without the
// script that it adds when it builds.
func readPage(src *Sources, name string) ([]byte, error) {
	const template = "public/index.html"
	if name != "index.html" || src.IsFile(name) || !src.IsFile(template) {
		return src.Read(name, MaxModuleBytes)
	}
	for _, ext := range []string{".tsx", ".ts", ".jsx", ".js"} {
		if src.IsFile("src/index" + ext) {
			text, err := src.Read(template, MaxModuleBytes)
			text = bytes.ReplaceAll(text, []byte("%PUBLIC_URL%"), nil)
			at := len(text)
			if ends := bodyEnd.FindAllIndex(text, -1); ends != nil {
				at = ends[len(ends)-1][0]
			}
			script := `<script type="module" src="/src/index` + ext + `"></script>`
			return slices.Concat(text[:at], []byte(script), text[at:]), err
		}
	}
	return src.Read(name, MaxModuleBytes)
}

// EntriesOf returns the entries of all pages without duplicates.
func EntriesOf(pages []*Page) []Entry {
	var entries []Entry
	seen := make(map[string]bool)
	for _, p := range pages {
		for _, ref := range p.Refs {
			if key := ref.Entry.Name + ref.Entry.Suffix; !seen[key] {
				seen[key] = true
				entries = append(entries, ref.Entry)
			}
		}
	}
	return entries
}

// InlineScript returns an inline script of a page.
func InlineScript(pages []*Page, name, suffix string) (string, bool) {
	for _, p := range pages {
		for _, ref := range p.Refs {
			if ref.whole && ref.Entry.Name == name && ref.Entry.Suffix == suffix {
				return ref.Entry.Script, true
			}
		}
	}
	return "", false
}

// parsePage finds the references of a page. The tokenizer covers every byte, so the rest
// of the page stays unchanged.
func parsePage(src *Sources, name string, text []byte) *Page {
	p := &Page{Name: name, Text: text, head: -1}
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
	if p.head < 0 && len(p.Refs) > 0 {
		p.head = bytes.LastIndexByte(text[:p.Refs[0].start+1], '<')
	}
	return p
}

// readTag records the references of one tag.
func (p *Page) readTag(src *Sources, start int, raw []byte) {
	tag, attributes := scanTag(raw)
	switch {
	case tag == "script" && strings.EqualFold(attributes.value(raw, "type"), "module"):
		p.readModule(src, start, raw, attributes)
	case tag == "link" && strings.EqualFold(attributes.value(raw, "rel"), "stylesheet"):
		p.readStyle(src, start, raw, attributes)
	default:
		for _, name := range []string{"src", "href", "poster", "data", "xlink:href", "srcset"} {
			for _, address := range addressesIn(name, attributes.value(raw, name)) {
				if file, ok := p.target(address); ok && src.IsFile(file) && LoaderOf(file) != api.LoaderTS && LoaderOf(file) != api.LoaderTSX {
					p.Assets = append(p.Assets, file)
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

func (p *Page) readModule(src *Sources, start int, raw []byte, attributes tagAttributes) {
	address, has := attributes["src"]
	if !has {
		p.readInline(start, len(raw))
		return
	}
	file, local := p.target(attributes.value(raw, "src"))
	switch {
	case !local || src.IsFile("public/"+file):
	case src.IsFile(file):
		p.Refs = append(p.Refs, reference{start: start + address.start, end: start + address.end, Entry: Entry{Name: file}})
	default:
		p.missing(start, file)
	}
}

// readInline records an inline script, up to its end tag. Line breaks before it keep the
// line numbers of its mistakes.
func (p *Page) readInline(start, length int) {
	inside := start + length
	end := bytes.Index(bytes.ToLower(p.Text[inside:]), []byte("</script"))
	if end < 0 {
		return
	}
	script := string(p.Text[inside : inside+end])
	if strings.TrimSpace(script) == "" {
		return
	}
	before := p.Text[:inside]
	column := len(before) - bytes.LastIndexByte(before, '\n') - 1
	padding := strings.Repeat("\n", bytes.Count(before, []byte("\n"))) + strings.Repeat(" ", column)
	suffix := fmt.Sprintf("?script=%d", len(p.Refs))
	p.Refs = append(p.Refs, reference{start: start, end: inside + end, whole: true, Entry: Entry{p.Name, suffix, padding + script}})
}

func (p *Page) readStyle(src *Sources, start int, raw []byte, attributes tagAttributes) {
	address, has := attributes["href"]
	if !has {
		return
	}
	file, local := p.target(attributes.value(raw, "href"))
	if local && src.IsFile(file) && !src.IsFile("public/"+file) && strings.HasSuffix(file, ".css") {
		p.Refs = append(p.Refs, reference{start: start + address.start, end: start + address.end, Entry: Entry{Name: file}})
	}
}

func (p *Page) missing(offset int, file string) {
	p.messages = append(p.messages, MessageAt(p.Name, p.Text, offset, fmt.Sprintf("there is no file %q in the project", file)))
}

// target returns the project path that an address refers to, if any.
func (p *Page) target(address string) (string, bool) {
	parsed, err := url.Parse(strings.TrimSpace(html.UnescapeString(address)))
	if err != nil || parsed.Scheme != "" || parsed.Host != "" || parsed.Path == "" {
		return "", false
	}
	if rooted, ok := strings.CutPrefix(parsed.Path, "/"); ok {
		return path.Clean(rooted), true
	}
	return path.Join(path.Dir(p.Name), parsed.Path), true
}

var envReference = regexp.MustCompile(`%([A-Z][A-Z0-9_]*)%`)

// replacement is new text for the bytes of a page from start to end.
type replacement struct {
	start, end int
	text       string
}

// Render writes the page with the addresses of the built files. It adds elements where
// the head opens and at its end.
func (p *Page) Render(address func(Entry) string, opening, head string, env map[string]any) []byte {
	edits := []replacement{{p.open, p.open, opening}}
	if p.head >= 0 {
		edits = append(edits, replacement{p.head, p.head, head})
	}
	for _, ref := range p.Refs {
		text := fmt.Sprintf(`"%s"`, address(ref.Entry))
		if ref.whole {
			text = `<script type="module" src=` + text + `>`
		}
		edits = append(edits, replacement{ref.start, ref.end, text})
	}
	slices.SortStableFunc(edits, func(a, b replacement) int { return a.start - b.start })
	var out []byte
	done := 0
	for _, edit := range edits {
		out = append(append(out, p.Text[done:edit.start]...), edit.text...)
		done = edit.end
	}
	out = append(out, p.Text[done:]...)
	return envReference.ReplaceAllFunc(out, func(match []byte) []byte {
		if value, known := env[string(match[1:len(match)-1])]; known {
			return []byte(html.EscapeString(fmt.Sprint(value)))
		}
		return match
	})
}
