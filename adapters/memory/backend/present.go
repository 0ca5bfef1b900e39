package backend

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	port "github.com/atelierhq/atelier/ports/backend"
)

// present returns a record as the request may see it, with what it wants expanded.
func (r *request) present(one row) map[string]any {
	shown := r.visible(one)
	if paths := names(r.query["expand"]); len(paths) > 0 {
		r.expand(one, shown, paths, 0)
	}
	return shown
}

// visible returns the members of a record that the request may see.
func (r *request) visible(one row) map[string]any {
	c := one.collection
	shown := map[string]any{"collectionId": c.ID, "collectionName": c.Name}
	for _, f := range c.fields {
		secret := f.system && (f.Name == "password" || f.Name == "tokenKey")
		if !secret && (!f.hidden || r.owner) && f.Type != "password" {
			shown[f.Name] = one.get(f)
		}
	}
	if c.Type == port.Auth && one.values["emailVisibility"] != true && !r.isSelf(one) && !r.manages(one) {
		delete(shown, "email")
	}
	return shown
}

// expand adds the records that relations name, as far as their view rules allow.
func (r *request) expand(one row, shown map[string]any, paths []string, depth int) {
	if depth == maxPath {
		return
	}
	rest := make(map[string][]string)
	for _, path := range paths {
		first, further, more := strings.Cut(path, ".")
		if _, ok := rest[first]; !ok {
			rest[first] = nil
		}
		if more {
			rest[first] = append(rest[first], further)
		}
	}
	expanded := make(map[string]any)
	for name, further := range rest {
		found, many := r.linked(one, name)
		var list []any
		for _, to := range found {
			as := *r
			as.context = "expand"
			if may, err := as.allowed(to.collection.Rules.View, to); err != nil || !may {
				continue
			}
			member := r.visible(to)
			r.expand(to, member, further, depth+1)
			list = append(list, member)
		}
		switch {
		case len(list) == 0:
		case many:
			expanded[name] = list
		default:
			expanded[name] = list[0]
		}
	}
	if len(expanded) > 0 {
		shown["expand"] = expanded
	}
}

// linked returns the records that a relation names, or that name the record by one.
func (r *request) linked(one row, name string) (found []row, many bool) {
	if f := one.collection.byName(name); f != nil {
		target := r.state.collection(f.options.CollectionID)
		if f.Type != "relation" || target == nil || f.hidden && !r.owner {
			return nil, false
		}
		for _, to := range related(r.state, one, f, target) {
			found = append(found, to.row)
		}
		return found, f.many()
	}
	target, f := r.state.backRelation(one.collection, name)
	if f == nil {
		return nil, false
	}
	return r.state.naming(one, target, f), true
}

// pick leaves only the members that the parameter fields names: a, expand.b.c, *, text:excerpt(10).
func pick(value any, fields string) any {
	if fields == "" {
		return value
	}
	return pickPaths(value, splitFields(fields))
}

// splitFields splits at commas outside of parentheses.
func splitFields(fields string) []string {
	var parts []string
	depth, start := 0, 0
	for i, c := range fields {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth <= 0:
			parts = append(parts, fields[start:i])
			start = i + 1
		}
	}
	return append(parts, fields[start:])
}

func pickPaths(value any, paths []string) any {
	switch value := value.(type) {
	case []any:
		picked := make([]any, len(value))
		for i, one := range value {
			picked[i] = pickPaths(one, paths)
		}
		return picked
	case map[string]any:
		picked := make(map[string]any)
		for _, path := range paths {
			path, modifier, _ := strings.Cut(strings.TrimSpace(path), ":")
			first, _, more := strings.Cut(path, ".")
			for name, member := range value {
				switch {
				case first != "*" && first != name:
				case more:
					picked[name] = pickPaths(member, under(paths, name))
				default:
					picked[name] = excerpt(member, modifier)
				}
			}
		}
		return picked
	}
	return value
}

// under returns the rest of the paths that begin with a name.
func under(paths []string, name string) []string {
	var rest []string
	for _, path := range paths {
		first, further, more := strings.Cut(strings.TrimSpace(path), ".")
		if more && (first == name || first == "*") {
			rest = append(rest, further)
		}
	}
	return rest
}

var (
	excerptPattern = regexp.MustCompile(`^excerpt\(\s*(\d{1,6})\s*(?:,\s*(true|false)\s*)?\)$`)
	tagPattern     = regexp.MustCompile(`<[^>]*>`)
)

// excerpt shortens a text without its markup.
func excerpt(value any, modifier string) any {
	parts := excerptPattern.FindStringSubmatch(modifier)
	text, isText := value.(string)
	if parts == nil || !isText {
		return value
	}
	most, _ := strconv.Atoi(parts[1])
	text = strings.Join(strings.Fields(tagPattern.ReplaceAllString(text, " ")), " ")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	text = strings.TrimSpace(string([]rune(text)[:most]))
	if parts[2] == "true" {
		text += "..."
	}
	return text
}
