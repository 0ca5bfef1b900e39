package splice

import (
	"html"
	"slices"
	"strings"

	tokens "golang.org/x/net/html"

	"github.com/atelierhq/atelier/ports/markup"
)

// htmlSource is HTML. Any page can be parsed; elements without end tags end where the
// HTML standard says.
type htmlSource struct{}

func (htmlSource) folded() bool { return true }

func (htmlSource) text(value string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;").Replace(value)
}

func quotedHTML(value string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\r", "&#13;").Replace(value)
}

// htmlScan builds the tree of a page. open is the stack of indexes of open elements.
// places holds the positions in it of each name, and limits those that implied end tags
// do not cross.
type htmlScan struct {
	tree   *tree
	open   []int
	places map[string][]int
	limits []int
}

func (htmlSource) parse(_, text string) (*tree, error) {
	s := &htmlScan{tree: &tree{text: text}, places: make(map[string][]int)}
	reader := tokens.NewTokenizer(strings.NewReader(text))
	for at := 0; ; {
		kind := reader.Next()
		length := len(reader.Raw())
		switch kind {
		case tokens.ErrorToken:
			s.closeFrom(0, len(text))
			return s.tree, nil
		case tokens.StartTagToken, tokens.SelfClosingTagToken:
			s.start(at, at+length)
		case tokens.EndTagToken:
			name, _ := reader.TagName()
			s.end(string(name), at, at+length)
		}
		at += length
	}
}

// Elements by how they end others.
var (
	voidElements = words("area base br col embed hr img input link meta param source track wbr")
	// rawElements hold no text of the page.
	rawElements = words("script style xmp iframe noembed noframes noscript plaintext")
	// fixedElements are the frame of a page.
	fixedElements = words("html head body title base meta")
	// closesParagraph are the elements before which a paragraph ends.
	closesParagraph = words(`address article aside blockquote details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4
		h5 h6 header hgroup hr main menu nav ol p pre search section table ul`)
	// scopes are the elements that implied end tags do not cross.
	scopes = words("table ul ol dl select template button svg math object")
)

func words(text string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// closes maps elements to the open elements that their start tags end.
var closes = map[string][]string{
	"li": {"li"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "option": {"option"}, "optgroup": {"option", "optgroup"},
	"td": {"td", "th"}, "th": {"td", "th"}, "tr": {"tr", "td", "th"}, "rt": {"rt", "rp"}, "rp": {"rt", "rp"}, "body": {"head"},
	"thead": tableParts(), "tbody": tableParts(), "tfoot": tableParts(),
}

func tableParts() []string { return strings.Fields("tbody thead tfoot tr td th caption colgroup") }

// start enters the element whose start tag extends from at to end.
func (s *htmlScan) start(at, end int) {
	e := element{at: at, parent: -1}
	e.scanTag(s.tree.text, end)
	s.imply(e.tag, at)
	if len(s.open) > 0 {
		e.parent = s.open[len(s.open)-1]
	}
	if e.parent >= 0 && !fixedElements[e.tag] {
		e.list = e.parent + 1
	}
	foreign := e.selfClosing && s.inForeign(e.tag)
	e.selfClosing = false
	switch {
	case voidElements[e.tag]:
		e.fixed = "it contains none"
	case rawElements[e.tag]:
		e.fixed = "it is not text of the page"
	case foreign:
		e.fixed = "it is closed by its start tag"
	}
	e.content, e.end = span{end, end}, end
	s.tree.elements = append(s.tree.elements, e)
	if !foreign && !voidElements[e.tag] {
		s.push(e.tag)
	}
}

// push puts the latest element on the stack.
func (s *htmlScan) push(tag string) {
	s.places[tag] = append(s.places[tag], len(s.open))
	if scopes[tag] {
		s.limits = append(s.limits, len(s.open))
	}
	s.open = append(s.open, len(s.tree.elements)-1)
}

// inForeign reports whether a tag belongs to SVG or MathML, where a slash closes an
// element.
func (s *htmlScan) inForeign(tag string) bool {
	return tag == "svg" || tag == "math" || len(s.places["svg"])+len(s.places["math"]) > 0
}

// imply ends the elements that a start tag ends.
func (s *htmlScan) imply(tag string, at int) {
	limit, cut := -1, len(s.open)
	if len(s.limits) > 0 {
		limit = s.limits[len(s.limits)-1]
	}
	ends := closes[tag]
	if closesParagraph[tag] {
		ends = append(slices.Clip(ends), "p")
	}
	for _, name := range ends {
		places := s.places[name]
		if i, _ := slices.BinarySearch(places, limit+1); i < len(places) {
			cut = min(cut, places[i])
		}
	}
	s.closeFrom(cut, at)
}

// end ends the innermost open element of a name, with all open elements inside.
func (s *htmlScan) end(name string, at, end int) {
	if places := s.places[name]; len(places) > 0 {
		last := places[len(places)-1]
		index := s.open[last]
		s.closeFrom(last, at)
		s.tree.elements[index].end = end
	}
}

func (s *htmlScan) closeFrom(cut, at int) {
	for _, index := range s.open[cut:] {
		e := &s.tree.elements[index]
		e.content.end = at
		e.end = max(e.content.start, len(strings.TrimRight(s.tree.text[:at], tagSpace)))
		s.places[e.tag] = s.places[e.tag][:len(s.places[e.tag])-1]
	}
	s.open = s.open[:cut]
	for len(s.limits) > 0 && s.limits[len(s.limits)-1] >= cut {
		s.limits = s.limits[:len(s.limits)-1]
	}
}

// scanTag splits the start tag that ends at end by the HTML standard. The first attribute
// of a name counts.
func (e *element) scanTag(text string, end int) {
	at := e.at + 1
	length := strings.IndexAny(text[at:end], tagSpace+"/>")
	if length < 0 {
		length = end - at
	}
	e.tag = strings.ToLower(text[at : at+length])
	at += length
	e.insertAt = at
	for at < end && text[at] != '>' {
		if strings.IndexByte(tagSpace+"/", text[at]) >= 0 {
			e.selfClosing = text[at] == '/' && strings.HasPrefix(text[at:end], "/>")
			at++
			continue
		}
		a := scanAttribute(text, at, end)
		at = a.whole.end
		e.insertAt = at
		switch {
		case len(e.attrs) == maxAttributes:
			e.crowded = true
		case e.attribute(attributeKey(a.name)) == nil:
			e.attrs = append(e.attrs, a)
		}
	}
	e.tagEnd = at
}

const tagSpace = " \t\r\n\f"

// scanAttribute reads the attribute at at.
func scanAttribute(text string, at, end int) attribute {
	nameEnd := at + 1
	for nameEnd < end && strings.IndexByte(tagSpace+"/>=", text[nameEnd]) < 0 {
		nameEnd++
	}
	a := attribute{name: strings.ToLower(text[at:nameEnd]), whole: span{at, nameEnd}, value: span{nameEnd, nameEnd}, known: true}
	next := nameEnd
	for next < end && strings.IndexByte(tagSpace, text[next]) >= 0 {
		next++
	}
	if next >= end || text[next] != '=' {
		return a
	}
	for next++; next < end && strings.IndexByte(tagSpace, text[next]) >= 0; next++ {
	}
	a.value = htmlValue(text, next, end)
	a.whole.end = a.value.end
	a.text = html.UnescapeString(unquoted(a.value.in(text)))
	return a
}

func htmlValue(text string, at, end int) span {
	if at < end && (text[at] == '"' || text[at] == '\'') {
		if length := strings.IndexByte(text[at+1:end], text[at]); length >= 0 {
			return span{at, at + length + 2}
		}
		return span{at, end}
	}
	length := strings.IndexAny(text[at:end], tagSpace+">")
	if length < 0 {
		length = end - at
	}
	return span{at, at + length}
}

func unquoted(text string) string {
	if len(text) >= 2 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		return text[1 : len(text)-1]
	}
	return text
}

func (htmlSource) attributes(t *tree, e *element, all settings) (edits []markup.Edit, added string, err error) {
	for _, s := range all {
		name := attributeKey(s.name)
		have := e.attribute(name)
		value := ` ` + name + `="` + quotedHTML(s.value) + `"`
		if slices.Contains(booleanAttributes(), name) {
			on, err := switchedOn(name, s.value)
			if err != nil {
				return nil, "", err
			}
			if value = " " + name; !on {
				value = ""
			}
		}
		switch {
		case have == nil:
			added += value
		case have.text == s.value && have.value.end > have.value.start:
		case value == "":
			edits = append(edits, e.without(t.text, have))
		case have.value.end > have.value.start && strings.HasSuffix(value, `"`):
			edits = append(edits, have.value.with(`"`+quotedHTML(s.value)+`"`))
		case strings.HasSuffix(value, `"`):
			edits = append(edits, have.whole.with(value[1:]))
		}
	}
	return edits, added, nil
}

// without removes an attribute, with the white space before it.
func (e *element) without(text string, a *attribute) markup.Edit {
	start := len(strings.TrimRight(text[:a.whole.start], tagSpace))
	return span{start, a.whole.end}.with("")
}

// styles sets properties in the style attribute.
func (htmlSource) styles(t *tree, e *element, all settings) (edits []markup.Edit, added string, err error) {
	have := e.attribute("style")
	if have == nil || strings.TrimSpace(have.text) == "" {
		block := (&rule{}).edits("", all, verbatim)[0].Text
		if have == nil {
			return nil, ` style="` + quotedHTML(block) + `"`, nil
		}
		return []markup.Edit{have.whole.with(`style="` + quotedHTML(block) + `"`)}, "", nil
	}
	rules, _, problem := scanStyles(have.text)
	if problem != "" || len(rules) != 1 {
		return nil, "", notFound("the inline style of <%s> cannot be parsed", e.tag)
	}
	raw := have.value.in(t.text)
	plain := unquoted(raw)
	if plain != have.text || plain == raw {
		whole := string(markup.Splice([]byte(have.text), inOrder(rules[0].edits(have.text, all, verbatim))))
		if whole == have.text {
			return nil, "", nil
		}
		return []markup.Edit{have.value.with(`"` + quotedHTML(whole) + `"`)}, "", nil
	}
	encode := func(value string) string { return strings.ReplaceAll(quotedHTML(value), "'", "&#39;") }
	for _, edit := range rules[0].edits(plain, all, encode) {
		offset := have.value.start + 1
		edits = append(edits, markup.Edit{Start: edit.Start + offset, End: edit.End + offset, Text: edit.Text})
	}
	return edits, "", nil
}

// inOrder sorts edits that do not overlap.
func inOrder(edits []markup.Edit) []markup.Edit {
	slices.SortStableFunc(edits, func(a, b markup.Edit) int { return a.Start - b.Start })
	return edits
}
