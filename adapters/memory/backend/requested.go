package backend

import (
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend/filter"
)

// macro returns the value of a name such as @now.
func macro(name string, now time.Time) (any, bool) {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	month := day.AddDate(0, 0, 1-day.Day())
	year := time.Date(now.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	end := func(next time.Time) time.Time { return next.Add(-time.Millisecond) }
	times := map[string]time.Time{
		"@now": now, "@yesterday": now.AddDate(0, 0, -1), "@tomorrow": now.AddDate(0, 0, 1),
		"@todayStart": day, "@todayEnd": end(day.AddDate(0, 0, 1)),
		"@monthStart": month, "@monthEnd": end(month.AddDate(0, 1, 0)),
		"@yearStart": year, "@yearEnd": end(year.AddDate(1, 0, 0)),
	}
	if at, ok := times[name]; ok {
		return at.Format(dateFormat), true
	}
	numbers := map[string]int{
		"@second": now.Second(), "@minute": now.Minute(), "@hour": now.Hour(), "@day": now.Day(),
		"@month": int(now.Month()), "@weekday": int(now.Weekday()), "@year": now.Year(),
	}
	number, ok := numbers[name]
	return float64(number), ok
}

// requested finds out what a path below @request means. What is missing is null.
func (k *compiler) requested(names []string, modifier string) (operand, error) {
	if len(names) < 2 {
		return operand{}, unknown(strings.Join(names, "."))
	}
	if !slices.Contains([]string{"", "isset", "changed", "length", "each", "lower"}, modifier) {
		return operand{}, core.Errorf(core.CodeValidationFailed, "unknown modifier %q", modifier)
	}
	if k.request == nil {
		return constant(nil), nil
	}
	switch names[1] {
	case "context":
		return constant(k.request.context), nil
	case "method":
		return constant(k.request.method), nil
	case "auth":
		return k.ofAuth(names[2:], modifier)
	case "body":
		return k.ofBody(names[2:], modifier)
	case "query":
		return staticOf(k.request.query, names[2:], modifier), nil
	case "headers":
		return staticOf(k.request.headers, names[2:], modifier), nil
	}
	return constant(nil), nil
}

// staticOf is a value that the request itself has.
func staticOf[V any](values map[string]V, names []string, modifier string) operand {
	if len(names) == 0 {
		return constant(nil)
	}
	first, isSet := values[names[0]]
	var value any
	if isSet {
		value = memberOf(any(first), names[1:])
	}
	if modifier == "isset" {
		return constant(truth(isSet))
	}
	if value == nil {
		return constant(nil)
	}
	return constant(modified(value, modifier))
}

// ofAuth is a value of the user who asks.
func (k *compiler) ofAuth(names []string, modifier string) (operand, error) {
	who := k.request.auth
	if who.record == nil || len(names) == 0 {
		return constant(nil), nil
	}
	if modifier == "isset" {
		return constant(truth(who.collection.byName(names[0]) != nil)), nil
	}
	switch names[0] {
	case "collectionId":
		return constant(who.collection.ID), nil
	case "collectionName":
		return constant(who.collection.Name), nil
	}
	trusted := k.trusted
	k.trusted = true // one's own record is no secret
	defer func() { k.trusted = trusted }()
	place, err := k.join(&join{name: "@request.auth", target: who.collection, cells: func(*condition, cell) []cell { return []cell{{row: who}} }})
	if err != nil {
		return operand{}, err
	}
	found, err := k.path(place, who.collection, names, modifier)
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
	f := k.base.byName(names[0])
	if f == nil {
		return staticOf(k.request.body, names, modifier), nil
	}
	value, isSet := k.request.body[names[0]]
	switch {
	case len(names) > 1 && f.Type == "relation":
		target := k.state.collection(f.options.CollectionID)
		place, err := k.join(&join{name: "@request.body." + f.Name, target: target, many: f.many(), cells: func(made *condition, _ cell) []cell {
			return related(made.state, row{k.base, &record{values: map[string]any{f.key: value}}}, f, target)
		}})
		if err != nil {
			return operand{}, err
		}
		return k.path(place, target, names[1:], modifier)
	case modifier == "each":
		place, err := k.join(&join{name: "@request.body." + f.Name + ":each", many: true, cells: func(*condition, cell) []cell {
			return valuesOf(row{k.base, &record{values: map[string]any{f.key: value}}}, f)
		}})
		return k.at(place, func(one cell) any { return one.value }), err
	case modifier == "changed":
		made := k.made
		return operand{value: func() any {
			before := plain(made.rows[0].get(f))
			return truth(isSet && matches(filter.NotEqual, plain(f.normalize(value)), before, false))
		}}, nil
	case isSet && f.Type == "number":
		value = numberOf(value)
		return constant(plain(value)), nil
	}
	return staticOf(k.request.body, names, modifier), nil
}
