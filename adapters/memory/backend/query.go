package backend

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"

	port "github.com/atelierhq/atelier/ports/backend"
)

// Query implements backend.Queries.
func (e *Engine) Query(ctx context.Context, place port.Place, sql string) (port.Table, error) {
	set, err := e.find(place)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return port.Table{}, err
	}
	query, err := parseSelect(sql)
	if err != nil {
		return port.Table{}, err
	}
	present := set.state.Load()
	if present == nil {
		return port.Table{}, errGone()
	}
	return present.run(query, port.MaxRows)
}

// maxQuerySteps bounds the rows that a query looks at: about what MaxQueryTime allows.
const maxQuerySteps = 1_000_000

// querying is a query under way. A group of rows is evaluated at a time, mostly of one; a row
// has a record of each source.
type querying struct {
	*selection
	state *state
	steps int
}

// run carries out a query and returns at most so many rows.
func (s *state) run(query *selection, most int) (port.Table, error) {
	q := &querying{selection: query, state: s}
	if err := q.bind(); err != nil {
		return port.Table{}, err
	}
	rows := q.join(nil, nil)
	if q.steps > maxQuerySteps {
		return port.Table{}, sqlError("the query takes too long; add a condition or a LIMIT")
	}
	table := port.Table{Columns: make([]string, len(q.columns)), Rows: [][]any{}}
	for i, column := range q.columns {
		table.Columns[i] = column.name
	}
	var found []result
	for _, group := range q.groups(rows) {
		if q.having == nil || isTrue(q.eval(q.having, group)) {
			found = append(found, q.result(group))
		}
	}
	for _, one := range q.window(q.sorted(found)) {
		if len(table.Rows) == most {
			table.Truncated = true
			break
		}
		table.Rows = append(table.Rows, one.values)
	}
	return table, nil
}

// result is a row of the result, and what it is sorted by.
type result struct{ values, by []any }

func (q *querying) result(group [][]row) result {
	var one result
	for _, column := range q.columns {
		one.values = append(one.values, q.eval(column.value, group))
	}
	for _, order := range q.order {
		var value any
		if order.by.at < 0 {
			value = one.values[-order.by.at-1]
		} else {
			value = q.eval(order.by, group)
		}
		one.by = append(one.by, value)
	}
	return one
}

func (q *querying) sorted(found []result) []result {
	if q.distinct {
		var kept []result
		for _, one := range found {
			if !slices.ContainsFunc(kept, func(other result) bool { return reflect.DeepEqual(one.values, other.values) }) {
				kept = append(kept, one)
			}
		}
		found = kept
	}
	slices.SortStableFunc(found, func(a, b result) int {
		for i, order := range q.order {
			if c := compare(a.by[i], b.by[i]); c != 0 {
				if order.down {
					return -c
				}
				return c
			}
		}
		return 0
	})
	return found
}

// window applies LIMIT and OFFSET.
func (q *querying) window(found []result) []result {
	number := func(e *expression, preset int) int {
		if e == nil {
			return preset
		}
		value, _ := q.eval(e, [][]row{nil}).(float64)
		if value < 0 {
			return preset
		}
		return int(min(value, float64(len(found))))
	}
	from := number(q.offset, 0)
	return found[from:min(from+number(q.limit, len(found)), len(found))]
}

// join returns the rows of the sources that fit together.
func (q *querying) join(chosen []row, to [][]row) [][]row {
	if q.steps++; q.steps > maxQuerySteps {
		return nil
	}
	if len(chosen) == len(q.from) {
		if q.where == nil || isTrue(q.eval(q.where, [][]row{chosen})) {
			to = append(to, slices.Clone(chosen))
		}
		return to
	}
	next, matched := q.from[len(chosen)], false
	for _, one := range q.state.rows(next.collection) {
		with := append(slices.Clone(chosen), one)
		if next.on == nil || isTrue(q.eval(next.on, [][]row{with})) {
			matched = true
			to = q.join(with, to)
		}
	}
	if next.left && !matched {
		to = q.join(append(slices.Clone(chosen), row{collection: next.collection}), to)
	}
	return to
}

// groups gathers rows that belong together: by GROUP BY, all for an aggregate without it, each
// for itself otherwise.
func (q *querying) groups(rows [][]row) [][][]row {
	var groups [][][]row
	if len(q.group) == 0 {
		aggregates := slices.ContainsFunc(q.columns, func(c selected) bool { return c.value.aggregates() })
		if aggregates {
			return [][][]row{rows}
		}
		for _, one := range rows {
			groups = append(groups, [][]row{one})
		}
		return groups
	}
	var keys [][]any
	for _, one := range rows {
		key := make([]any, len(q.group))
		for i, by := range q.group {
			key[i] = q.eval(by, [][]row{one})
		}
		at := slices.IndexFunc(keys, func(other []any) bool { return reflect.DeepEqual(key, other) })
		if at < 0 {
			at = len(keys)
			keys, groups = append(keys, key), append(groups, nil)
		}
		groups[at] = append(groups[at], one)
	}
	return groups
}

func isTrue(value any) bool {
	number, isNumber := numberOf(value).(float64)
	return value != nil && isNumber && number != 0
}

// eval evaluates an expression for a group. null makes most of what it is in null.
func (q *querying) eval(e *expression, group [][]row) any {
	switch e.op {
	case "value":
		return e.value
	case "column":
		return columnOf(e, group)
	case "call":
		return q.call(e, group)
	case "and", "or":
		left := isTrue(q.eval(e.args[0], group))
		if left == (e.op == "or") {
			return truth(left)
		}
		return truth(isTrue(q.eval(e.args[1], group)))
	}
	args := make([]any, len(e.args))
	for i, arg := range e.args {
		args[i] = q.eval(arg, group)
	}
	if e.op == "is null" {
		return truth(args[0] == nil)
	}
	if args[0] == nil || len(args) > 1 && args[1] == nil {
		return nil
	}
	return operate(e.op, args)
}

func columnOf(e *expression, group [][]row) any {
	if len(group) == 0 || len(group[0]) <= e.at || group[0][e.at].record == nil || e.field.hidden || e.field.Type == "password" {
		return nil
	}
	return plain(group[0][e.at].get(e.field))
}

// operate applies an operator to values that are not null.
func operate(op string, args []any) any {
	switch op {
	case "not":
		return truth(!isTrue(args[0]))
	case "in":
		return truth(slices.ContainsFunc(args[1:], func(one any) bool { return one != nil && compare(args[0], one) == 0 }))
	case "like":
		return truth(like(textOf(args[0]), strings.ReplaceAll(textOf(args[1]), `\`, `\\`)))
	case "between":
		return truth(args[2] != nil && compare(args[0], args[1]) >= 0 && compare(args[0], args[2]) <= 0)
	case "||":
		return textOf(args[0]) + textOf(args[1])
	}
	order := compare(args[0], args[1])
	switch op {
	case "=", "==":
		return truth(order == 0)
	case "!=", "<>":
		return truth(order != 0)
	case "<":
		return truth(order < 0)
	case "<=":
		return truth(order <= 0)
	case ">":
		return truth(order > 0)
	case ">=":
		return truth(order >= 0)
	}
	left, _ := numberOf(args[0]).(float64)
	right, _ := numberOf(args[1]).(float64)
	return calculate(op, left, right)
}

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
func (q *querying) call(e *expression, group [][]row) any {
	if aggregate(e.name) {
		var values []any
		for _, one := range group {
			if value := q.eval(e.args[0], [][]row{one}); value != nil {
				values = append(values, value)
			}
		}
		return fold(e.name, values)
	}
	for _, arg := range e.args {
		value := q.eval(arg, group)
		switch {
		case value == nil:
			continue // of coalesce, the next
		case e.name == "length":
			return float64(len([]rune(textOf(value))))
		case e.name == "lower":
			return strings.ToLower(textOf(value))
		case e.name == "upper":
			return strings.ToUpper(textOf(value))
		case e.name == "abs":
			number, _ := numberOf(value).(float64)
			return math.Abs(number)
		}
		return value
	}
	return nil
}

func aggregate(name string) bool {
	return slices.Contains([]string{"count", "count distinct", "sum", "total", "avg", "min", "max"}, name)
}

// aggregates reports whether an expression is about a whole group.
func (e *expression) aggregates() bool {
	return e.op == "call" && aggregate(e.name) || slices.ContainsFunc(e.args, (*expression).aggregates)
}

// fold computes an aggregate of values that are not null.
func fold(name string, values []any) any {
	switch name {
	case "count":
		return float64(len(values))
	case "count distinct":
		slices.SortFunc(values, compare)
		return float64(len(slices.CompactFunc(values, func(a, b any) bool { return compare(a, b) == 0 })))
	case "min", "max":
		if len(values) == 0 {
			return nil
		}
		if name == "min" {
			return slices.MinFunc(values, compare)
		}
		return slices.MaxFunc(values, compare)
	}
	var sum float64
	for _, value := range values {
		number, _ := numberOf(value).(float64)
		sum += number
	}
	switch {
	case len(values) == 0 && name != "total":
		return nil
	case name == "avg":
		return sum / float64(len(values))
	}
	return sum
}
