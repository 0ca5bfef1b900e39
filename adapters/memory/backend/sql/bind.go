package sql

import (
	"slices"
	"strings"
)

// bind finds the tables and columns that a query names. It binds a copy, because others may run the
// query at the same time.
func (q *run) bind() error {
	bound := *q.Select
	bound.from, bound.columns, bound.order, bound.group = nil, nil, nil, nil
	for _, from := range q.from {
		one := *from
		table := q.tables(one.table)
		if table == nil {
			return errorf("no such table: %s", one.table)
		}
		one.columns, one.rows = table.Columns, table.Rows
		bound.from = append(bound.from, &one)
	}
	b := &binder{from: bound.from}
	for i, one := range bound.from {
		b.from = bound.from[:i+1]
		one.on = b.bind(one.on)
	}
	bound.columns = b.columns(q.columns)
	bound.where, bound.having = b.bind(q.where), b.bind(q.having)
	for _, by := range q.group {
		bound.group = append(bound.group, b.bind(by))
	}
	for _, order := range q.order {
		bound.order = append(bound.order, ordering{by: b.order(order.by, bound.columns), down: order.down})
	}
	bound.limit, bound.offset = (&binder{}).bind(q.limit), (&binder{}).bind(q.offset)
	q.Select = &bound
	return b.err
}

// binder binds the expressions of a query, and keeps the first error.
type binder struct {
	from []*source
	err  error
}

// bind binds a copy of an expression, which may be nil.
func (b *binder) bind(e *expression) *expression {
	if e == nil {
		return nil
	}
	bound := *e
	bound.args = nil
	for _, arg := range e.args {
		bound.args = append(bound.args, b.bind(arg))
	}
	if e.op != "column" {
		return &bound
	}
	of, name, qualified := strings.Cut(e.name, ".")
	if !qualified {
		of, name = "", of
	}
	for at, one := range b.from {
		if of != "" && !strings.EqualFold(of, one.name) {
			continue
		}
		if column := slices.Index(one.columns, name); column >= 0 {
			bound.source, bound.column = at, column
			return &bound
		}
	}
	if b.err == nil {
		b.err = errorf("no such column: %s", e.name)
	}
	return &expression{op: "value"}
}

// columns binds the columns of the result, and writes out those of a *.
func (b *binder) columns(from []resultColumn) []resultColumn {
	var bound []resultColumn
	for _, column := range from {
		if column.value != nil {
			bound = append(bound, resultColumn{value: b.bind(column.value), name: column.name})
			continue
		}
		found := false
		for at, one := range b.from {
			if column.source != "" && !strings.EqualFold(column.source, one.name) {
				continue
			}
			found = true
			for i, name := range one.columns {
				bound = append(bound, resultColumn{value: &expression{op: "column", name: name, source: at, column: i}, name: name})
			}
		}
		if !found && b.err == nil {
			b.err = errorf("no tables specified")
		}
	}
	return bound
}

// order binds what is sorted by: a column of the result by its name, or an expression.
func (b *binder) order(by *expression, columns []resultColumn) *expression {
	for i, column := range columns {
		if by.op == "column" && strings.EqualFold(by.name, column.name) {
			return &expression{op: "column", source: -i - 1}
		}
	}
	return b.bind(by)
}
