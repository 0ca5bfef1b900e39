package splice

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/tailwindclass"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/markup"
)

// attribute is an attribute of a tag as written.
type attribute struct {
	name  string
	whole span
	// value includes quotes or braces; it is empty without a value.
	value span
	// text is the meaning of the value. known is false if it is computed.
	text  string
	known bool
}

// maxAttributes bounds the attributes of one element that are read.
const maxAttributes = 200

// says reports whether an attribute has a value already.
func (a *attribute) says(value string) bool {
	return a.known && a.value.end > a.value.start && a.text == value
}

// element is an element of a page or of JSX.
type element struct {
	tag string
	// component means that the tag is not HTML.
	component bool
	attrs     []attribute
	// parent and previous, the preceding sibling, are indexes, -1 if there is none.
	parent, previous int
	at               int
	line, column     int
	// insertAt is where an attribute can be added; tagEnd is the offset of the ">" or
	// "/>" that ends the tag.
	insertAt, tagEnd int
	selfClosing      bool
	content          span
	// end is the offset after the element.
	end int
	// list identifies the children that it belongs to, 0 if it is no plain child of an element
	// or a fragment. looped means that a loop repeats it.
	list   int
	looped bool
	// crowded elements have more attributes than are read, and cannot be patched.
	crowded bool
	// fixed says why the text cannot be replaced, "" if it can.
	fixed string

	child, ofType         int
	lastChild, lastOfType bool
	file                  string
}

// attribute returns the attribute that counts under an HTML name, nil if there is none.
func (e *element) attribute(name string) *attribute {
	for i := range e.attrs {
		if attributeKey(e.attrs[i].name) == name {
			return &e.attrs[i]
		}
	}
	return nil
}

func (e *element) has(name string) bool { return name == "data-loc" || e.attribute(name) != nil }

// value returns an attribute's text, if it is known.
func (e *element) value(name string) (string, bool) {
	if name == "data-loc" {
		return e.file + ":" + strconv.Itoa(e.line) + ":" + strconv.Itoa(e.column), true
	}
	if a := e.attribute(name); a != nil && a.known {
		return a.text, true
	}
	return "", false
}

func (e *element) is(name, value string) bool {
	have, known := e.value(name)
	return known && have == value
}

func (e *element) hasWord(name, word string) bool {
	have, known := e.value(name)
	return known && hasWord(have, word)
}

// tree holds the elements of a source, in order.
type tree struct {
	text     string
	elements []element
	// strings are the string literals of the script.
	strings []span
}

// number computes siblings and positions.
func (t *tree) number(file string) {
	places := newPlaces(t.text)
	last := make(map[int]int)
	types := make(map[int]map[string]int)
	for i := range t.elements {
		e := &t.elements[i]
		e.file = file
		e.line, e.column = places.of(e.at)
		e.previous, e.child, e.ofType = -1, 1, 1
		e.lastChild, e.lastOfType = true, true
		if before, is := last[e.parent]; is {
			e.previous, e.child = before, t.elements[before].child+1
			t.elements[before].lastChild = false
		}
		last[e.parent] = i
		if types[e.parent] == nil {
			types[e.parent] = make(map[string]int)
		}
		if before, is := types[e.parent][e.tag]; is {
			e.ofType = t.elements[before].ofType + 1
			t.elements[before].lastOfType = false
		}
		types[e.parent][e.tag] = i
	}
}

// source is a markup language.
type source interface {
	// folded means that element names are case-insensitive.
	folded() bool
	parse(name, text string) (*tree, error)
	// text writes the content of an element.
	text(value string) string
	// attributes and styles return edits, and what to add to the tag, with a leading
	// blank.
	attributes(t *tree, e *element, all settings) (edits []markup.Edit, added string, err error)
	styles(t *tree, e *element, all settings) (edits []markup.Edit, added string, err error)
	// declared returns the inline style, and undeclare removes properties from it.
	declared(t *tree, e *element) []declaration
	undeclare(t *tree, e *element, properties []string) []markup.Edit
	// literals finds texts of the source that say shown and are not an element's own.
	literals(t *tree, shown string) []literal
	// classes edits a computed list of classes.
	classes(t *tree, e *element, changes []tailwindclass.Change) ([]markup.Edit, error)
}

// change holds all changes of one element.
type change struct {
	text               *string
	attributes, styles settings
	classes            []tailwindclass.Change
}

// patchElements patches markup.
func patchElements(ctx context.Context, lang source, name, text string, patches []markup.Patch) ([]markup.Edit, error) {
	t, err := lang.parse(name, text)
	if err != nil {
		return nil, err
	}
	t.number(name)
	changes := make(map[*element]*change)
	search := search{tree: t, folded: lang.folded(), known: make(map[string]*element)}
	var edits []markup.Edit
	for _, patch := range patches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		more, err := collect(&search, lang, patch, changes)
		if err != nil {
			return nil, err
		}
		edits = append(edits, more...)
	}
	for e, c := range changes {
		more, err := e.edits(lang, t, c)
		if err != nil {
			return nil, err
		}
		edits = append(edits, more...)
	}
	if edits, err = ordered(text, edits); err != nil {
		return nil, err
	}
	return edits, sameElements(lang, t, name, edits, changes)
}

// setClass adds a class. Of changes for the same property and variant the last one counts.
func (c *change) setClass(one tailwindclass.Change) {
	c.classes = slices.DeleteFunc(c.classes, func(other tailwindclass.Change) bool {
		return other.Variant == one.Variant && other.Property == one.Property
	})
	c.classes = append(c.classes, one)
}

// collect adds a patch to the changes of its element. It returns the edits of a patch whose
// text is elsewhere.
func collect(search *search, lang source, patch markup.Patch, changes map[*element]*change) ([]markup.Edit, error) {
	if patch.Shown != "" && patch.Property != "textContent" {
		return nil, invalid("shown is for textContent")
	}
	if patch.Selector == "" && patch.Shown != "" {
		return search.tree.literalEdit(lang, patch.Shown, patch.Value)
	}
	e, err := search.find(patch.Selector)
	if err != nil {
		return nil, err
	}
	if e == nil || e.crowded {
		return nil, notFound("no element that can be patched matches %q", patch.Selector)
	}
	to, err := targetOf(e, patch)
	if err != nil {
		return nil, err
	}
	if to.kind == kindText && e.fixed != "" && patch.Shown != "" {
		return search.tree.literalEdit(lang, patch.Shown, patch.Value)
	}
	if changes[e] == nil {
		changes[e] = &change{}
	}
	switch to.kind {
	case kindText:
		changes[e].text = &patch.Value
	case kindAttribute:
		changes[e].attributes.set(to.name, patch.Value)
	case kindStyle:
		changes[e].styles.set(to.name, strings.TrimSpace(patch.Value))
	case kindClass:
		changes[e].setClass(tailwindclass.Change{Variant: patch.Variant, Property: to.name, Value: strings.TrimSpace(patch.Value), Dialect: tailwindclass.Dialect(patch.Dialect)})
	}
	return nil, nil
}

// edits returns the edits of one element. Everything that is added to the tag is one
// edit, to keep the order of the patches.
func (e *element) edits(lang source, t *tree, c *change) ([]markup.Edit, error) {
	classes, err := e.classEdits(lang, t, c)
	if err != nil {
		return nil, err
	}
	edits, added, err := lang.attributes(t, e, c.attributes)
	if err != nil {
		return nil, err
	}
	edits = append(edits, classes...)
	if len(c.styles) > 0 {
		more, style, err := lang.styles(t, e, c.styles)
		if err != nil {
			return nil, err
		}
		edits, added = append(edits, more...), added+style
	}
	if added != "" {
		edits = append(edits, insertion(e.insertAt, added))
	}
	if c.text != nil {
		edit, err := e.replaceText(lang, t, *c.text)
		if err != nil {
			return nil, err
		}
		edits = append(edits, edit)
	}
	return edits, nil
}

// replaceText replaces the whole content of the element with a text. Line breaks around
// it stay.
func (e *element) replaceText(lang source, t *tree, value string) (markup.Edit, error) {
	if e.fixed != "" {
		return markup.Edit{}, core.Errorf(core.CodeSelectorNotFound, "the text of <%s> cannot be set: %s", e.tag, e.fixed)
	}
	if e.selfClosing {
		end := e.tagEnd + strings.IndexByte(t.text[e.tagEnd:], '>') + 1
		start := e.tagEnd
		if strings.TrimSpace(t.text[e.insertAt:e.tagEnd]) == "" {
			start = e.insertAt
		}
		return span{start, end}.with(">" + lang.text(value) + "</" + e.tag + ">"), nil
	}
	inner := e.content
	content := inner.in(t.text)
	trimmed := strings.TrimSpace(value) == value && value != "" && !slices.Contains([]string{"pre", "textarea"}, e.tag)
	if body := strings.Trim(content, " \t\r\n"); trimmed && body != "" {
		lead, trail := strings.Index(content, body), len(strings.TrimRight(content, " \t\r\n"))
		if strings.ContainsAny(content[:lead], "\r\n") {
			inner.start += lead
		}
		if strings.ContainsAny(content[trail:], "\r\n") {
			inner.end = e.content.start + trail
		}
	}
	return inner.with(lang.text(value)), nil
}

// sameElements checks that the result has the expected elements.
func sameElements(lang source, t *tree, name string, edits []markup.Edit, changes map[*element]*change) error {
	after, err := lang.parse(name, string(markup.Splice([]byte(t.text), edits)))
	if core.IsCode(err, core.CodeBuildFailed) || core.IsCode(err, core.CodeUnsupportedFile) {
		return errChanged()
	}
	if err != nil {
		return err
	}
	var replaced span
	var want []string
	for i := range t.elements {
		e := &t.elements[i]
		if e.at >= replaced.start && e.at < replaced.end {
			continue
		}
		want = append(want, e.tag)
		if c := changes[e]; c != nil && c.text != nil {
			replaced = e.content
		}
	}
	if !slices.EqualFunc(want, after.elements, func(tag string, e element) bool { return tag == e.tag }) {
		return errChanged()
	}
	return nil
}
