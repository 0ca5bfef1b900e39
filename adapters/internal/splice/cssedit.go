package splice

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/ports/markup"
)

// setting is a property with its new value.
type setting struct{ name, value string }

// settings are the properties of one element or rule. The last value of a name counts.
type settings []setting

func (all *settings) set(name, value string) {
	for i := range *all {
		if (*all)[i].name == name {
			(*all)[i].value = value
			return
		}
	}
	*all = append(*all, setting{name, value})
}

func (all settings) get(name string) (string, bool) {
	for _, s := range all {
		if s.name == name {
			return s.value, true
		}
	}
	return "", false
}

// patchStyles patches a style sheet.
func patchStyles(ctx context.Context, name, text string, patches []markup.Patch) ([]markup.Edit, error) {
	rules, at, problem := scanStyles(text)
	if problem != "" {
		return nil, broken(name, text, at, problem)
	}
	wanted := make(map[*rule]*settings)
	for _, patch := range patches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		property, err := styleProperty(patch)
		if err != nil {
			return nil, err
		}
		found := findRule(rules, normalSelector(patch.Selector), property)
		if found == nil {
			return nil, notFound("%s has no rule %q", name, patch.Selector)
		}
		if wanted[found] == nil {
			wanted[found] = &settings{}
		}
		wanted[found].set(property, strings.TrimSpace(patch.Value))
	}
	var edits []markup.Edit
	for found, all := range wanted {
		edits = append(edits, found.edits(text, *all, verbatim)...)
	}
	edits, err := ordered(text, edits)
	if err != nil {
		return nil, err
	}
	return edits, sameRules(rules, string(markup.Splice([]byte(text), edits)))
}

// styleProperty checks a patch of a declaration and returns the property's name in
// CSS.
func styleProperty(patch markup.Patch) (string, error) {
	if patch.As != "" || patch.Variant != "" {
		return "", invalid("as and variant are for elements, not for rules")
	}
	property := propertyKey(patch.Property)
	if !isPropertyName(property) || slices.Contains([]string{"textContent", "className", "class"}, patch.Property) {
		return "", invalid("%q is not a CSS property", patch.Property)
	}
	return property, checkStyleValue(patch.Value)
}

// findRule returns the rule that a selector refers to, nil if there is none.
func findRule(rules []*rule, selector, property string) *rule {
	for _, conditional := range []bool{false, true} {
		var first, last *rule
		for _, r := range rules[1:] {
			if !r.isRule || r.opaque || r.conditional != conditional || r.selector != selector {
				continue
			}
			if first == nil {
				first = r
			}
			if r.declaration(property) >= 0 {
				last = r
			}
		}
		if last != nil {
			return last
		}
		if first != nil {
			return first
		}
	}
	return nil
}

// declaration returns the index of the effective declaration of a property, the last one,
// or -1.
func (r *rule) declaration(property string) int {
	for i, item := range slices.Backward(r.items) {
		if item.name == property {
			return i
		}
	}
	return -1
}

func verbatim(text string) string { return text }

// edits sets properties of a rule, or of an inline style. encode writes new text in the
// language of the declarations.
func (r *rule) edits(text string, all settings, encode func(string) string) []markup.Edit {
	var edits []markup.Edit
	var added []string
	for _, s := range all {
		if i := r.declaration(s.name); i >= 0 {
			value := encode(s.value)
			if at := r.items[i].value; at.start == at.end {
				value = " " + value
			}
			edits = append(edits, r.items[i].value.with(value))
			continue
		}
		added = append(added, fmt.Sprintf("%s: %s", s.name, encode(s.value)))
	}
	if len(added) > 0 {
		edits = append(edits, r.add(text, added)...)
	}
	return edits
}

// add appends declarations to the last item, in its formatting.
func (r *rule) add(text string, added []string) []markup.Edit {
	if len(r.items) == 0 {
		return []markup.Edit{r.addFirst(text, added)}
	}
	last := r.items[len(r.items)-1]
	joint := " "
	indent, multiline := indentAt(text, last.start)
	if multiline = multiline && strings.ContainsAny(text[r.body.start:last.start], "\r\n"); multiline {
		joint = newlineOf(text) + indent
	}
	block := strings.Join(added, ";"+joint)
	if !last.semicolon {
		if multiline {
			block += ";"
		}
		return []markup.Edit{insertion(last.end, ";"+joint+block)}
	}
	return []markup.Edit{insertion(behindComment(text, last.end), joint+block+";")}
}

// addFirst puts declarations into an empty block.
func (r *rule) addFirst(text string, added []string) markup.Edit {
	before, body := text[:r.body.start], r.body.in(text)
	if !strings.ContainsAny(body, "\r\n") {
		block := strings.Join(added, "; ")
		switch {
		case r.body.start == 0:
			return insertion(r.body.end, block)
		case strings.HasSuffix(body, " "):
			return insertion(r.body.start, " "+block+";")
		}
		return insertion(r.body.start, " "+block+"; ")
	}
	indent, _ := indentAt(before, len(before))
	step := "  "
	if strings.Contains(text, "\n\t") {
		step = "\t"
	}
	joint := newlineOf(text) + indent + step
	return insertion(behindComment(text, r.body.start), joint+strings.Join(added, ";"+joint)+";")
}

// behindComment returns the offset after a comment on the rest of at's line, else at.
func behindComment(text string, at int) int {
	rest := strings.TrimLeft(text[at:], " \t")
	if !strings.HasPrefix(rest, "/*") {
		return at
	}
	length := strings.Index(rest[2:], "*/") + 4
	if strings.ContainsAny(rest[:length], "\r\n") {
		return at
	}
	return len(text) - len(rest) + length
}

// sameRules checks that the result has the same rules.
func sameRules(before []*rule, outcome string) error {
	after, _, problem := scanStyles(outcome)
	same := problem == "" && slices.EqualFunc(before, after, func(a, b *rule) bool {
		return a.selector == b.selector && a.conditional == b.conditional && a.isRule == b.isRule
	})
	if !same {
		return errChanged()
	}
	return nil
}

// checkStyleValue refuses a value that would end its declaration, or that is not valid
// everywhere in declarations.
func checkStyleValue(value string) error {
	if strings.TrimSpace(value) == "" {
		return invalid("value is empty")
	}
	if strings.ContainsAny(value, "\r\n\f\x00") || strings.Contains(value, "/*") || strings.HasSuffix(value, `\`) {
		return invalid("%.80q cannot be the value of a declaration", value)
	}
	lower := strings.ToLower(value)
	for _, word := range []string{"</style", "<!--", "-->", "javascript:", "expression("} {
		if strings.Contains(lower, word) {
			return invalid("a value must not contain %q", word)
		}
	}
	const before = "a{b:"
	rules, _, problem := scanStyles(before + value + "}")
	whole := problem == "" && len(rules) == 2 && len(rules[1].items) == 1 && rules[1].items[0].name == "b" &&
		!rules[1].items[0].semicolon && rules[1].body.end == len(before)+len(value)
	if !whole || strings.ContainsAny(withoutStrings(value), "{};") {
		return invalid("%.80q cannot be the value of a declaration", value)
	}
	return nil
}

// withoutStrings returns a value without its strings, escapes and addresses.
func withoutStrings(value string) string {
	var out strings.Builder
	for at := 0; at < len(value); {
		end := componentEnd(value, at)
		if strings.HasPrefix(strings.ToLower(value[at:]), "url(") {
			end = at + max(4, strings.IndexByte(value[at:], ')'))
		}
		if end == at+1 {
			out.WriteByte(value[at])
		}
		at = end
	}
	return out.String()
}
