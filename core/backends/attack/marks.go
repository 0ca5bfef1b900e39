package attack

import (
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/ports/backend"
)

// mark is a random text in a value that is private. Who gets it back has got at the value, whatever
// its name is there.
type mark struct {
	of    *target
	field string
	// sealed values are for nobody, also under their own names: hidden ones, keys, and addresses
	// that a user hides.
	sealed bool
}

// markChars is how much of a mark gives it away. Fewer may be there by chance.
const markChars = 8

// marks are the planted marks, by all parts of them with markChars characters in lower case.
type marks map[string]mark

// hashes finds password hashes. An attack knows none, but all look the same.
var hashes = regexp.MustCompile(`\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}`)

// tokenKey is the field with which the tokens of an end user are signed.
const tokenKey = "tokenKey"

// mark remembers the private values of a planted record.
func (r *world) mark(t *target, body map[string]any) {
	for _, f := range t.fields {
		m := mark{of: t, field: f.Name, sealed: f.hidden || t.Type == backend.Auth && f.Name == "email"}
		if m.sealed || r.isPrivate(t, f.Name) {
			r.marks.add(m, f.core(body[f.Name]))
		}
	}
	if key, ok := body[tokenKey].(string); ok {
		r.marks.add(mark{t, tokenKey, true}, key)
	}
}

func (r *world) isPrivate(t *target, field string) bool {
	switch r.privacyIn(t, field, nil) {
	case private:
		return true
	case mild:
		return !isPublicPlace(t.Name)
	}
	return false
}

// core returns the random part of a value that value has made, "" if it has none.
func (f field) core(value any) string {
	if f.options.Pattern != "" {
		return ""
	}
	switch text, _ := value.(string); f.Type {
	case "email":
		name, _, _ := strings.Cut(text, "@")
		return name
	case "url":
		return text[strings.LastIndex(text, "/")+1:]
	case "editor":
		return strings.TrimSuffix(strings.TrimPrefix(text, "<p>"), "</p>")
	case "text", "password":
		return text
	case "json":
		members, _ := value.(map[string]any)
		text, _ = members["value"].(string)
		return text
	}
	return ""
}

func (m marks) add(one mark, text string) {
	text = strings.ToLower(text)
	for i := 0; i+markChars <= len(text); i++ {
		m[text[i:i+markChars]] = one
	}
}

// in returns a mark that is in a value.
func (m marks) in(value any) (mark, bool) {
	switch value := value.(type) {
	case string:
		return m.inText(value)
	case []any:
		for _, one := range value {
			if found, ok := m.in(one); ok {
				return found, true
			}
		}
	case map[string]any:
		for _, one := range value {
			if found, ok := m.in(one); ok {
				return found, true
			}
		}
	}
	return mark{}, false
}

func (m marks) inText(text string) (mark, bool) {
	lower := strings.ToLower(text)
	for i := 0; i+markChars <= len(lower); i++ {
		if found, ok := m[lower[i:i+markChars]]; ok {
			return found, true
		}
	}
	if hashes.MatchString(text) {
		return mark{field: "password", sealed: true}, true
	}
	if plain, err := hex.DecodeString(text); err == nil && len(plain) >= markChars {
		return m.inText(string(plain))
	}
	return mark{}, false
}

// strayed returns the fields of records in which a mark is that does not belong there, and where
// the marks are from.
func (r *world) strayed(t *target, items []map[string]any) (fields, from []string) {
	found := make(map[string]string)
	for _, item := range items {
		for name, value := range item {
			m, ok := r.marks.in(value)
			if !ok || slices.Contains(metaNames, name) || m.of == t && m.field == name && !m.sealed {
				continue
			}
			source := m.field
			if m.of != nil {
				source = m.of.Name + "." + m.field
			}
			found[name] = source
		}
	}
	return slices.Sorted(maps.Keys(found)), sorted(slices.Collect(maps.Values(found)))
}
