package splice

import (
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/tailwindclass"
	"github.com/atelierhq/atelier/ports/markup"
)

// declaration is a declaration of an inline style. A computed one has no value.
type declaration struct {
	property, value string
	literal         bool
}

// classEdits writes declarations as classes of an element, and takes the same declarations
// out of its inline style. A class attribute that is a plain text becomes one of the
// change's attributes.
func (e *element) classEdits(lang source, t *tree, c *change) ([]markup.Edit, error) {
	if len(c.classes) == 0 {
		return nil, nil
	}
	changes, edits, err := e.outOfStyle(lang, t, c.classes)
	if err != nil {
		return nil, err
	}
	have := e.attribute("class")
	base, patched := c.attributes.get("class")
	if !patched && have != nil && !have.known {
		more, err := lang.classes(t, e, changes)
		return append(edits, more...), err
	}
	if !patched && have != nil {
		base = have.text
	}
	text := base
	for _, one := range changes {
		written, ok := tailwindclass.Write(text, one)
		if !ok {
			return nil, unwritable(one)
		}
		text = written
	}
	if text != base {
		c.attributes.set("class", text)
	}
	return edits, nil
}

func unwritable(one tailwindclass.Change) error {
	return invalid("%.80q cannot be written as a class for %s", one.Value, one.Property)
}

// outOfStyle returns the edits that remove from the inline style what the changes set,
// because it would hide their classes. What a change sets for a variant alone becomes a
// class for all others.
func (e *element) outOfStyle(lang source, t *tree, changes []tailwindclass.Change) ([]tailwindclass.Change, []markup.Edit, error) {
	var removed []string
	var all []tailwindclass.Change
	inline := lang.declared(t, e)
	for _, one := range changes {
		for _, d := range inline {
			switch {
			case one.Hides(d.property):
				return nil, nil, notFound("%s in the style of <%s> sets %s too", d.property, e.tag, one.Property)
			case !one.Covers(d.property):
				continue
			case !d.literal:
				return nil, nil, notFound("%s in the style of <%s> is computed", d.property, e.tag)
			}
			base := tailwindclass.Change{Property: d.property, Value: d.value, Dialect: one.Dialect}
			if _, ok := base.Class(); one.Variant != "" && !ok {
				return nil, nil, unwritable(base)
			}
			if one.Variant != "" && !slices.Contains(removed, d.property) {
				all = append(all, base)
			}
			removed = append(removed, d.property)
		}
		all = append(all, one)
	}
	if len(removed) == 0 {
		return all, nil, nil
	}
	return all, lang.undeclare(t, e, removed), nil
}

// declared returns the inline style, nothing if it cannot be parsed.
func (htmlSource) declared(_ *tree, e *element) []declaration {
	var all []declaration
	for _, item := range inlineItems(e) {
		if item.name != "" {
			all = append(all, declaration{item.name, strings.TrimSpace(item.value.in(e.attribute("style").text)), true})
		}
	}
	return all
}

func inlineItems(e *element) []item {
	have := e.attribute("style")
	if have == nil {
		return nil
	}
	rules, _, problem := scanStyles(have.text)
	if problem != "" || len(rules) != 1 {
		return nil
	}
	return rules[0].items
}

// undeclare removes properties from the inline style, with the attribute if nothing is left.
func (htmlSource) undeclare(t *tree, e *element, properties []string) []markup.Edit {
	have, items := e.attribute("style"), inlineItems(e)
	spans := make([]span, len(items))
	gone := make([]bool, len(items))
	for i, item := range items {
		spans[i], gone[i] = span{item.start, item.end}, slices.Contains(properties, item.name)
	}
	if !slices.Contains(gone, false) {
		return []markup.Edit{e.without(t.text, have)}
	}
	rest := string(markup.Splice([]byte(have.text), withoutSpans(spans, gone)))
	return []markup.Edit{have.value.with(`"` + quotedHTML(rest) + `"`)}
}

// withoutSpans removes some members of a list, with what separates them from their
// neighbours.
func withoutSpans(members []span, gone []bool) []markup.Edit {
	var edits []markup.Edit
	for i := 0; i < len(members); i++ {
		if !gone[i] {
			continue
		}
		first := i
		for i+1 < len(members) && gone[i+1] {
			i++
		}
		if i+1 < len(members) {
			edits = append(edits, span{members[first].start, members[i+1].start}.with(""))
		} else {
			edits = append(edits, span{members[first-1].end, members[i].end}.with(""))
		}
	}
	return edits
}

// classes is never called, because classes in HTML are plain text.
func (htmlSource) classes(*tree, *element, []tailwindclass.Change) ([]markup.Edit, error) {
	return nil, nil
}

// declared returns the members of the style's object, nothing if it is no literal.
func (jsxSource) declared(t *tree, e *element) []declaration {
	have := e.attribute("style")
	if have == nil {
		return nil
	}
	object, found := scanObject(t.text, have.value)
	if !found {
		return nil
	}
	var all []declaration
	for _, m := range object.members {
		if m.key != "" {
			property := propertyKey(m.key)
			all = append(all, declaration{property, withPixels(property, m.says), m.literal})
		}
	}
	return all
}

// withPixels adds the unit that React adds to numbers.
func withPixels(property, value string) string {
	unitless := strings.Fields("opacity font-weight line-height z-index flex flex-grow flex-shrink order zoom scale")
	if !number.MatchString(value) || value == "0" || slices.Contains(unitless, property) {
		return value
	}
	return value + "px"
}

func (jsxSource) undeclare(t *tree, e *element, properties []string) []markup.Edit {
	have := e.attribute("style")
	object, _ := scanObject(t.text, have.value)
	spans := make([]span, len(object.members))
	gone := make([]bool, len(object.members))
	for i, m := range object.members {
		spans[i], gone[i] = span{m.start, m.end}, m.key != "" && slices.Contains(properties, propertyKey(m.key))
	}
	if !slices.Contains(gone, false) {
		return []markup.Edit{e.without(t.text, have)}
	}
	return withoutSpans(spans, gone)
}
