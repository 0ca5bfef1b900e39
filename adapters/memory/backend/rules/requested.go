package rules

import (
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/values"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend/filter"
)

// requested finds out what a path below @request means. A missing value is null.
func (k *compiler) requested(names []string, modifier string) (operand, error) {
	if len(names) < 2 {
		return operand{}, unknown(strings.Join(names, "."))
	}
	if !slices.Contains([]string{"", "isset", "changed", "length", "each", "lower"}, modifier) {
		return operand{}, core.Errorf(core.CodeValidationFailed, "unknown modifier %q", modifier)
	}
	if k.Request == nil {
		return constant(nil), nil
	}
	switch names[1] {
	case "context":
		return constant(k.Request.Context), nil
	case "method":
		return constant(k.Request.Method), nil
	case "auth":
		return k.ofAuth(names[2:], modifier)
	case "body":
		return k.ofBody(names[2:], modifier)
	case "query":
		return staticOf(k.Request.Query, names[2:], modifier), nil
	case "headers":
		return staticOf(k.Request.Headers, names[2:], modifier), nil
	}
	return constant(nil), nil
}

// staticOf is a value that the request itself has.
func staticOf[V any](given map[string]V, names []string, modifier string) operand {
	if len(names) == 0 {
		return constant(nil)
	}
	first, isSet := given[names[0]]
	var value any
	if isSet {
		value = values.Member(any(first), names[1:])
	}
	if modifier == "isset" {
		return constant(values.Truth(isSet))
	}
	if value == nil {
		return constant(nil)
	}
	return constant(modified(value, modifier))
}

// ofAuth is a value of the user who asks.
func (k *compiler) ofAuth(names []string, modifier string) (operand, error) {
	who := k.Request.Auth
	if !who.Exists() || len(names) == 0 {
		return constant(nil), nil
	}
	if modifier == "isset" {
		return constant(values.Truth(who.Collection.ByName(names[0]) != nil)), nil
	}
	switch names[0] {
	case "collectionId":
		return constant(who.Collection.ID), nil
	case "collectionName":
		return constant(who.Collection.Name), nil
	}
	trusted := k.Trusted
	k.Trusted = true // one's own record is no secret
	defer func() { k.Trusted = trusted }()
	slot, err := k.join(&join{name: "@request.auth", target: who.Collection, cells: func(*Condition, cell) []cell { return []cell{{Row: who}} }})
	if err != nil {
		return operand{}, err
	}
	found, err := k.path(slot, who.Collection, names, modifier)
	if err != nil {
		return constant(nil), nil
	}
	return found, nil
}

// ofBody is a value that the request brings.
func (k *compiler) ofBody(names []string, modifier string) (operand, error) {
	if len(names) == 0 {
		return constant(nil), nil
	}
	f := k.Base.ByName(names[0])
	if f == nil {
		return staticOf(k.Request.Body, names, modifier), nil
	}
	value, isSet := k.Request.Body[names[0]]
	brought := records.NewRow(k.Base)
	brought.Values[f.Key] = value
	switch {
	case len(names) > 1 && f.Type == "relation":
		target := k.State.Target(f)
		slot, err := k.join(&join{name: "@request.body." + f.Name, target: target, many: f.Many(), cells: func(made *Condition, _ cell) []cell {
			return cellsOf(made.state.Related(brought, f))
		}})
		if err != nil {
			return operand{}, err
		}
		return k.path(slot, target, names[1:], modifier)
	case modifier == "each":
		slot, err := k.join(&join{name: "@request.body." + f.Name + ":each", many: true, cells: func(*Condition, cell) []cell {
			return valuesOf(brought, f)
		}})
		return k.at(slot, func(one cell) any { return one.value }), err
	case modifier == "changed":
		made := k.made
		return operand{value: func() any {
			before := values.Plain(made.chosen[0].Get(f))
			return values.Truth(isSet && matches(filter.NotEqual, values.Plain(f.Normalize(value)), before, false))
		}}, nil
	case isSet && f.Type == "number":
		return constant(values.Plain(values.Number(value))), nil
	}
	return staticOf(k.Request.Body, names, modifier), nil
}
