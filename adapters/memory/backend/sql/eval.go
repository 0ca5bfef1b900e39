package sql

import (
	"math"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/values"
)

// eval evaluates an expression for a group. Most operators of null are null.
func (q *run) eval(e *expression, group []joinedRow) any {
	switch e.op {
	case "value":
		return e.value
	case "column":
		return columnOf(e, group)
	case "call":
		return q.call(e, group)
	case "and", "or":
		left := values.IsTrue(q.eval(e.args[0], group))
		if left == (e.op == "or") {
			return values.Truth(left)
		}
		return values.Truth(values.IsTrue(q.eval(e.args[1], group)))
	}
	args := make([]any, len(e.args))
	for i, arg := range e.args {
		args[i] = q.eval(arg, group)
	}
	if e.op == "is null" {
		return values.Truth(args[0] == nil)
	}
	if args[0] == nil || len(args) > 1 && args[1] == nil {
		return nil
	}
	return operate(e.op, args)
}

// columnOf is the value of a column in the first row of a group.
func columnOf(e *expression, group []joinedRow) any {
	if len(group) == 0 || len(group[0]) <= e.source || group[0][e.source] == nil {
		return nil
	}
	return group[0][e.source][e.column]
}

// operate applies an operator to values that are not null.
func operate(op string, args []any) any {
	switch op {
	case "not":
		return values.Truth(!values.IsTrue(args[0]))
	case "in":
		return values.Truth(slices.ContainsFunc(args[1:], func(one any) bool { return one != nil && values.Compare(args[0], one) == 0 }))
	case "like":
		return values.Truth(values.Like(values.Text(args[0]), strings.ReplaceAll(values.Text(args[1]), `\`, `\\`)))
	case "between":
		return values.Truth(args[2] != nil && values.Compare(args[0], args[1]) >= 0 && values.Compare(args[0], args[2]) <= 0)
	case "||":
		return values.Text(args[0]) + values.Text(args[1])
	}
	order := values.Compare(args[0], args[1])
	switch op {
	case "=", "==":
		return values.Truth(order == 0)
	case "!=", "<>":
		return values.Truth(order != 0)
	case "<":
		return values.Truth(order < 0)
	case "<=":
		return values.Truth(order <= 0)
	case ">":
		return values.Truth(order > 0)
	case ">=":
		return values.Truth(order >= 0)
	}
	left := values.Float(args[0])
	right := values.Float(args[1])
	return calculate(op, left, right)
}

// calculate applies an arithmetic operator.
func calculate(op string, left, right float64) any {
	switch {
	case op == "+":
		return left + right
	case op == "-":
		return left - right
	case op == "*":
		return left * right
	case right == 0:
		return nil
	case op == "/":
		return left / right
	}
	return math.Mod(left, right)
}

// call evaluates a function.
func (q *run) call(e *expression, group []joinedRow) any {
	if aggregate(e.name) {
		var all []any
		for _, one := range group {
			if value := q.eval(e.args[0], []joinedRow{one}); value != nil {
				all = append(all, value)
			}
		}
		return fold(e.name, all)
	}
	for _, arg := range e.args {
		value := q.eval(arg, group)
		switch {
		case value == nil:
			continue // of coalesce, the next
		case e.name == "length":
			return float64(len([]rune(values.Text(value))))
		case e.name == "lower":
			return strings.ToLower(values.Text(value))
		case e.name == "upper":
			return strings.ToUpper(values.Text(value))
		case e.name == "abs":
			number := values.Float(value)
			return math.Abs(number)
		}
		return value
	}
	return nil
}

// aggregate reports whether a function is about a whole group.
func aggregate(name string) bool {
	return slices.Contains([]string{"count", "count distinct", "sum", "total", "avg", "min", "max"}, name)
}

// aggregates reports whether an expression is about a whole group.
func (e *expression) aggregates() bool {
	return e.op == "call" && aggregate(e.name) || slices.ContainsFunc(e.args, (*expression).aggregates)
}

// fold computes an aggregate of values that are not null.
func fold(name string, all []any) any {
	switch name {
	case "count":
		return float64(len(all))
	case "count distinct":
		slices.SortFunc(all, values.Compare)
		return float64(len(slices.CompactFunc(all, func(a, b any) bool { return values.Compare(a, b) == 0 })))
	case "min", "max":
		if len(all) == 0 {
			return nil
		}
		if name == "min" {
			return slices.MinFunc(all, values.Compare)
		}
		return slices.MaxFunc(all, values.Compare)
	}
	var sum float64
	for _, value := range all {
		number := values.Float(value)
		sum += number
	}
	switch {
	case len(all) == 0 && name != "total":
		return nil
	case name == "avg":
		return sum / float64(len(all))
	}
	return sum
}
