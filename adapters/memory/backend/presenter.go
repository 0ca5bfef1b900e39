package backend

import (
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/rules"
	port "github.com/atelierhq/atelier/ports/backend"
)

// presenter shows records as a request may see them.
type presenter struct{ *request }

// present returns a record with what the request wants expanded.
func (p presenter) present(one records.Row) map[string]any {
	shown := p.visible(one)
	if paths := names(p.Query["expand"]); len(paths) > 0 {
		p.expand(one, shown, paths, 0)
	}
	return shown
}

// visible returns the members of a record that the request may see.
func (p presenter) visible(one records.Row) map[string]any {
	c := one.Collection
	shown := map[string]any{"collectionId": c.ID, "collectionName": c.Name}
	for _, f := range c.Fields {
		secret := f.System && (f.Name == "password" || f.Name == "tokenKey")
		if !secret && (!f.Hidden || p.owner) && f.Type != "password" {
			shown[f.Name] = one.Get(f)
		}
	}
	if c.Type == port.Auth && one.Values["emailVisibility"] != true && !p.Auth.Same(one) && !p.manages(one) {
		delete(shown, "email")
	}
	return shown
}

// expand adds the records that relations name, as far as their view rules allow.
func (p presenter) expand(one records.Row, shown map[string]any, paths []string, depth int) {
	if depth == rules.MaxPath {
		return
	}
	as := *p.request
	as.Context = "expand"
	expanded := make(map[string]any)
	for name, further := range branches(paths) {
		found, many := p.linked(one, name)
		var list []any
		for _, to := range found {
			if may, err := as.allowed(to.Collection.Rules.View, to); err != nil || !may {
				continue
			}
			member := p.visible(to)
			p.expand(to, member, further, depth+1)
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

// branches returns the paths by their first names, without them.
func branches(paths []string) map[string][]string {
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
	return rest
}

// linked returns the records that a relation names, or that name the record by one.
func (p presenter) linked(one records.Row, name string) (found []records.Row, many bool) {
	if f := one.Collection.ByName(name); f != nil {
		if f.Hidden && !p.owner {
			return nil, false
		}
		return p.state.Related(one, f), f.Many()
	}
	of, f := p.state.BackRelation(one.Collection, name)
	if f == nil {
		return nil, false
	}
	return p.state.Naming(one, of, f), true
}
