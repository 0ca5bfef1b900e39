package rules

import (
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/values"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

// MaxPath bounds the relations of a path, as PocketBase does.
const MaxPath = 6

// name finds out what a path means.
func (k *compiler) name(names []string, modifier string) (operand, error) {
	switch names[0] {
	case "@request":
		return k.requested(names, modifier)
	case "@collection":
		return k.anywhere(names, modifier)
	}
	return k.path(0, k.Base, names, modifier)
}

// anywhere follows a path from any record of a collection (@collection).
func (k *compiler) anywhere(names []string, modifier string) (operand, error) {
	if len(names) < 3 {
		return operand{}, unknown(strings.Join(names, "."))
	}
	name, _, _ := strings.Cut(names[1], ":")
	target := k.State.Collection(name)
	if target == nil {
		return operand{}, core.Errorf(core.CodeValidationFailed, "unknown collection %q", name)
	}
	slot, err := k.join(&join{name: "@collection." + names[1], target: target, many: true, cells: func(*Condition, cell) []cell {
		return cellsOf(k.State.Rows(target))
	}})
	if err != nil {
		return operand{}, err
	}
	return k.path(slot, target, names[2:], modifier)
}

// join adds a join, and returns its slot. A join that is there already is used again.
func (k *compiler) join(j *join) (int, error) {
	at := slices.IndexFunc(k.made.joins, func(other *join) bool { return other.name == j.name && other.parent == j.parent })
	if at >= 0 {
		return at + 1, nil
	}
	if !k.Trusted && j.target != nil {
		rule := j.target.Rules.List
		if rule == nil {
			return 0, core.Errorf(core.CodeValidationFailed, "%q cannot be used in a filter", j.target.Name)
		}
		if *rule != "" {
			var err error
			if j.rule, err = (Scope{State: k.State, Base: j.target, Request: k.Request, Trusted: true}).Compile(*rule); err != nil {
				return 0, err
			}
		}
	}
	k.made.joins = append(k.made.joins, j)
	return len(k.made.joins), nil
}

// path follows a path from the record in a slot to a value.
func (k *compiler) path(slot int, c *records.Collection, names []string, modifier string) (operand, error) {
	if len(names) > MaxPath+1 {
		return operand{}, core.Errorf(core.CodeValidationFailed, "the path %q is too long", strings.Join(names, "."))
	}
	f := c.ByName(names[0])
	if f != nil && f.Hidden && !k.Trusted {
		return operand{}, core.Errorf(core.CodeValidationFailed, "%q cannot be used in a filter", f.Name)
	}
	switch {
	case len(names) == 1 && f == nil:
		return operand{}, unknown(names[0])
	case len(names) == 1:
		return k.column(slot, c, f, modifier)
	case f != nil && (f.Type == "json" || f.Type == "geoPoint"):
		return k.member(slot, f, names[1:]), nil
	case f != nil && f.Type == "relation":
		target := k.State.Target(f)
		if target == nil {
			return operand{}, unknown(names[0])
		}
		next, err := k.join(&join{name: f.Name, parent: slot, target: target, many: f.Many(), cells: func(made *Condition, from cell) []cell {
			return cellsOf(made.state.Related(from.Row, f))
		}})
		if err != nil {
			return operand{}, err
		}
		return k.path(next, target, names[1:], modifier)
	}
	return k.back(slot, c, names, modifier)
}

// back follows a relation from its target to the records that name it.
func (k *compiler) back(slot int, c *records.Collection, names []string, modifier string) (operand, error) {
	target, f := k.State.BackRelation(c, names[0])
	if f == nil || f.Hidden && !k.Trusted {
		return operand{}, unknown(names[0])
	}
	next, err := k.join(&join{name: names[0], parent: slot, target: target, many: true, cells: func(made *Condition, from cell) []cell {
		return cellsOf(made.state.Naming(from.Row, target, f))
	}})
	if err != nil {
		return operand{}, err
	}
	return k.path(next, target, names[1:], modifier)
}

// column is a field at the end of a path.
func (k *compiler) column(slot int, c *records.Collection, f *records.Field, modifier string) (operand, error) {
	made := k.made
	isList := f.Type == "select" || f.Type == "relation" || f.Type == "file"
	if !slices.Contains([]string{"", "lower", "each", "length"}, modifier) || (modifier == "each" || modifier == "length") && !isList {
		return operand{}, core.Errorf(core.CodeValidationFailed, "%s:%s has no meaning", f.Name, modifier)
	}
	if modifier == "each" {
		next, err := k.join(&join{name: f.Name + ":each", parent: slot, many: f.Many(), cells: func(_ *Condition, from cell) []cell {
			return valuesOf(from.Row, f)
		}})
		if err != nil {
			return operand{}, err
		}
		return k.at(next, func(one cell) any { return one.value }), nil
	}
	found := k.at(slot, func(one cell) any {
		if !one.Exists() {
			return nil
		}
		return modified(one.Get(f), modifier)
	})
	found.exact = f.Type == "json"
	if f.Name == "email" && c.Type == port.Auth && !k.Trusted {
		found.visible = func() bool {
			return made.chosen[slot].Exists() && made.chosen[slot].Values["emailVisibility"] == true
		}
		found.hides = found.all != nil
	}
	return found, nil
}

// member is a value inside of a field's JSON.
func (k *compiler) member(slot int, f *records.Field, names []string) operand {
	found := k.at(slot, func(one cell) any {
		if !one.Exists() {
			return nil
		}
		return values.Plain(values.Member(one.Get(f), names))
	})
	found.exact = true
	return found
}

// at is an operand whose value comes from what is chosen in a slot.
func (k *compiler) at(slot int, value func(one cell) any) operand {
	made := k.made
	found := operand{value: func() any { return value(made.chosen[slot]) }}
	if slices.ContainsFunc(made.chain(slot), func(j *join) bool { return j.many }) {
		found.all = func() []any {
			var all []any
			for _, one := range made.every(slot) {
				all = append(all, value(one))
			}
			return all
		}
		found.hides = slices.ContainsFunc(made.chain(slot), func(j *join) bool { return j.rule != nil })
	}
	return found
}
