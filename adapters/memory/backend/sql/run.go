package sql

import (
	"reflect"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/values"
	port "github.com/atelierhq/atelier/ports/backend"
)

// maxSteps bounds the rows that a query looks at: about what backend.MaxQueryTime allows.
const maxSteps = 1_000_000

// run is a query under way. A group of joined rows is evaluated at a time, mostly of one.
type run struct {
	*Select
	tables Tables
	steps  int
}

// joinedRow has a row of each source, nil where a LEFT JOIN found none.
type joinedRow [][]any

// Columns returns where the columns of the result come from.
func (s *Select) Columns(tables Tables) ([]Column, error) {
	q := &run{Select: s, tables: tables}
	if err := q.bind(); err != nil {
		return nil, err
	}
	columns := make([]Column, len(q.columns))
	for i, from := range q.columns {
		columns[i].Name = from.name
		switch value := from.value; value.op {
		case "column":
			of := q.from[value.source]
			columns[i].Table, columns[i].Field = of.table, of.columns[value.column]
		case "call":
			columns[i].Counts = strings.HasPrefix(value.name, "count")
		}
	}
	return columns, nil
}

// Run carries out the query and returns at most so many rows.
func (s *Select) Run(tables Tables, most int) (port.Table, error) {
	q := &run{Select: s, tables: tables}
	if err := q.bind(); err != nil {
		return port.Table{}, err
	}
	rows := q.join()
	if q.steps > maxSteps {
		return port.Table{}, errorf("the query takes too long; add a condition or a LIMIT")
	}
	table := port.Table{Columns: make([]string, len(q.columns)), Rows: [][]any{}}
	for i, column := range q.columns {
		table.Columns[i] = column.name
	}
	var found []result
	for _, group := range q.groups(rows) {
		if q.having == nil || values.IsTrue(q.eval(q.having, group)) {
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

// result evaluates a group.
func (q *run) result(group []joinedRow) result {
	var one result
	for _, column := range q.columns {
		one.values = append(one.values, q.eval(column.value, group))
	}
	for _, order := range q.order {
		if order.by.source < 0 {
			one.by = append(one.by, one.values[-order.by.source-1])
			continue
		}
		one.by = append(one.by, q.eval(order.by, group))
	}
	return one
}

// sorted applies DISTINCT and ORDER BY.
func (q *run) sorted(found []result) []result {
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
			if c := values.Compare(a.by[i], b.by[i]); c != 0 {
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
func (q *run) window(found []result) []result {
	number := func(e *expression, preset int) int {
		if e == nil {
			return preset
		}
		value, _ := q.eval(e, []joinedRow{nil}).(float64)
		if value < 0 {
			return preset
		}
		return int(min(value, float64(len(found))))
	}
	from := number(q.offset, 0)
	return found[from:min(from+number(q.limit, len(found)), len(found))]
}

// join returns the rows of the sources that fit together.
func (q *run) join() []joinedRow {
	sources := make([][][]any, len(q.from))
	for i, from := range q.from {
		sources[i] = from.rows()
	}
	return q.extend(nil, sources, nil)
}

// extend joins chosen rows of the first sources with those of the others.
func (q *run) extend(chosen joinedRow, sources [][][]any, to []joinedRow) []joinedRow {
	if len(chosen) == len(sources) {
		if q.where == nil || values.IsTrue(q.eval(q.where, []joinedRow{chosen})) {
			to = append(to, slices.Clone(chosen))
		}
		return to
	}
	next, matched := q.from[len(chosen)], false
	for _, row := range sources[len(chosen)] {
		if q.steps++; q.steps > maxSteps {
			return nil
		}
		with := append(slices.Clone(chosen), row)
		if next.on == nil || values.IsTrue(q.eval(next.on, []joinedRow{with})) {
			matched = true
			to = q.extend(with, sources, to)
		}
	}
	if next.left && !matched {
		to = q.extend(append(slices.Clone(chosen), nil), sources, to)
	}
	return to
}

// groups gathers rows that belong together: by GROUP BY, all for an aggregate without it, each
// for itself otherwise.
func (q *run) groups(rows []joinedRow) [][]joinedRow {
	var groups [][]joinedRow
	if len(q.group) == 0 {
		aggregates := slices.ContainsFunc(q.columns, func(c resultColumn) bool { return c.value.aggregates() })
		if aggregates {
			return [][]joinedRow{rows}
		}
		for _, one := range rows {
			groups = append(groups, []joinedRow{one})
		}
		return groups
	}
	var keys [][]any
	for _, one := range rows {
		key := make([]any, len(q.group))
		for i, by := range q.group {
			key[i] = q.eval(by, []joinedRow{one})
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
