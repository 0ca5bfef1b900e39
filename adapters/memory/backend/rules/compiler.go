package rules

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/memory/backend/values"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend/filter"
)

// ErrHidden is the cause of refusing a filter that would tell what the caller may not see.
var ErrHidden = errors.New("hidden values")

// compiler makes a condition in a scope.
type compiler struct {
	Scope
	made *Condition
}

// newCompiler returns a compiler with an empty condition.
func newCompiler(s Scope) *compiler {
	return &compiler{Scope: s, made: &Condition{state: s.State, terms: map[*filter.Comparison]term{}}}
}

// bind finds out what the operands of a filter mean.
func (k *compiler) bind(node filter.Node) error {
	switch node := node.(type) {
	case *filter.Join:
		for _, part := range node.Parts {
			if err := k.bind(part); err != nil {
				return err
			}
		}
	case *filter.Comparison:
		left, err := k.operand(node.Left)
		if err != nil {
			return err
		}
		right, err := k.operand(node.Right)
		if err != nil {
			return err
		}
		if !node.Any && (left.hides || right.hides) {
			return core.Wrap(core.CodeValidationFailed, ErrHidden, "the filter compares all values in %q, some of which may be hidden: write ?%s", filter.Format(node), node.Op)
		}
		k.made.terms[node] = term{left, right}
	}
	return nil
}

// constant is an operand with one value.
func constant(value any) operand { return operand{value: func() any { return value }} }

// operand finds out what a side of a comparison means.
func (k *compiler) operand(from filter.Operand) (operand, error) {
	switch from.Kind {
	case filter.Text:
		return constant(from.Text), nil
	case filter.Number:
		return constant(from.Number), nil
	case filter.Call:
		return k.call(from)
	}
	if value, ok := macro(from.Text, time.Now().UTC()); ok {
		return constant(value), nil
	}
	names, modifier := from.Path()
	found, err := k.name(names, modifier)
	if err == nil {
		return found, nil
	}
	switch strings.ToLower(from.Text) {
	case "null":
		return constant(nil), nil
	case "true":
		return constant(1.0), nil
	case "false":
		return constant(0.0), nil
	}
	return operand{}, err
}

// call finds out what a function means.
func (k *compiler) call(from filter.Operand) (operand, error) {
	if from.Text != "geoDistance" || len(from.Arguments) != 4 {
		return operand{}, core.Errorf(core.CodeValidationFailed, "unknown function %q with %d arguments", from.Text, len(from.Arguments))
	}
	arguments := make([]operand, 4)
	for i, argument := range from.Arguments {
		var err error
		if arguments[i], err = k.operand(argument); err != nil {
			return operand{}, err
		}
	}
	hides := slices.ContainsFunc(arguments, func(one operand) bool { return one.hides })
	return operand{value: func() any { return geoDistance(arguments) }, hides: hides}, nil
}

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
		return at.Format(values.DateFormat), true
	}
	numbers := map[string]int{
		"@second": now.Second(), "@minute": now.Minute(), "@hour": now.Hour(), "@day": now.Day(),
		"@month": int(now.Month()), "@weekday": int(now.Weekday()), "@year": now.Year(),
	}
	number, ok := numbers[name]
	return float64(number), ok
}
