package splice

import (
	"html"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/ports/markup"
)

// literal is a text in a script that a component can show.
type literal struct {
	at    span
	write func(value string) string
}

// literalEdit sets the only literal that says shown. There is none to set if the only one
// says the value already.
func (t *tree) literalEdit(lang source, shown, value string) ([]markup.Edit, error) {
	found := lang.literals(t, shown)
	if len(found) == 0 && len(lang.literals(t, value)) == 1 {
		return nil, nil
	}
	switch len(found) {
	case 0:
		return nil, notFound("the text is computed, and no text in this file says %.80q", shown)
	case 1:
		return []markup.Edit{found[0].at.with(found[0].write(value))}, nil
	}
	return nil, notFound("the text is computed, and %d texts in this file say %.80q", len(found), shown)
}

// literals returns nothing: pages that are files have no other texts than their elements'.
func (htmlSource) literals(*tree, string) []literal { return nil }

// literals finds strings of the script, and what components get as their text or as a
// property.
func (s jsxSource) literals(t *tree, shown string) []literal {
	var all []literal
	for _, at := range t.strings {
		text, plain := literalText(at.in(t.text))
		if !plain || !sameText(text, shown) || t.isName(at) {
			continue
		}
		quote := t.text[at.start]
		if quote == '`' {
			quote = '"'
		}
		all = append(all, literal{at, func(value string) string { return scriptString(value, quote) }})
	}
	for i := range t.elements {
		e := &t.elements[i]
		if !e.component {
			continue
		}
		for _, a := range e.attrs {
			quoted := a.value.end > a.value.start && t.text[a.value.start] != '{'
			if quoted && a.known && sameText(a.text, shown) && !slices.Contains(strings.Fields("class key id href src to type name variant size"), attributeKey(a.name)) {
				all = append(all, literal{a.value, quotedJSX})
			}
		}
		inner := e.content.in(t.text)
		if e.fixed == "" && !e.selfClosing && !strings.ContainsAny(inner, "<{") && sameText(html.UnescapeString(inner), shown) {
			lead := len(inner) - len(strings.TrimLeft(inner, " \t\r\n"))
			at := span{e.content.start + lead, e.content.start + len(strings.TrimRight(inner, " \t\r\n"))}
			all = append(all, literal{at, s.text})
		}
	}
	return all
}

// isName reports whether a string is a key of an object or the address of a module.
func (t *tree) isName(at span) bool {
	before := strings.TrimRight(t.text[:at.start], " \t\r\n")
	after := skipScriptBlank(t.text, at.end)
	isKey := strings.HasPrefix(t.text[after:], ":") && (strings.HasSuffix(before, "{") || strings.HasSuffix(before, ","))
	return isKey || strings.HasSuffix(before, "from") || strings.HasSuffix(before, "import") || strings.HasSuffix(before, "import(")
}

// sameText compares texts as a page shows them.
func sameText(a, b string) bool {
	fields := strings.Fields(b)
	return len(fields) > 0 && slices.Equal(strings.Fields(a), fields)
}
