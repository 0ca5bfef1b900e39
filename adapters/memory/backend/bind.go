package backend

import (
	"strings"

	port "github.com/atelierhq/atelier/ports/backend"
)

// bind finds the collections and fields that a query names. It binds a copy: a view's query is
// used by many at a time.
func (q *querying) bind() error {
	bound := *q.selection
	bound.from, bound.columns, bound.order, bound.group = nil, nil, nil, nil
	for _, from := range q.from {
		one := *from
		if one.collection = q.state.named(one.table); one.collection == nil {
			return sqlError("no such table: %s", one.table)
		}
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
	q.selection = &bound
	return b.err
}

// named returns a collection by its name alone.
func (s *state) named(name string) *collection {
	for _, c := range s.collections {
		if strings.EqualFold(c.Name, name) {
			return c
		}
	}
	return nil
}

// binder binds the expressions of a query, and keeps the first error.
type binder struct {
	from []*source
	err  error
}

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
		if f := one.collection.byName(name); f != nil {
			bound.at, bound.field = at, f
			return &bound
		}
	}
	if b.err == nil {
		b.err = sqlError("no such column: %s", e.name)
	}
	return &expression{op: "value"}
}

// columns binds the columns of the result, and writes out those of a *.
func (b *binder) columns(from []selected) []selected {
	var bound []selected
	for _, column := range from {
		if column.value != nil {
			bound = append(bound, selected{value: b.bind(column.value), name: column.name})
			continue
		}
		found := false
		for at, one := range b.from {
			if column.of != "" && !strings.EqualFold(column.of, one.name) {
				continue
			}
			found = true
			for _, f := range one.collection.fields {
				bound = append(bound, selected{value: &expression{op: "column", name: f.Name, at: at, field: f}, name: f.Name})
			}
		}
		if !found && b.err == nil {
			b.err = sqlError("no tables specified")
		}
	}
	return bound
}

// order binds what is sorted by: a column of the result by its name, or an expression. The
// place of a column of the result counts from -1 down.
func (b *binder) order(by *expression, columns []selected) *expression {
	for i, column := range columns {
		if by.op == "column" && strings.EqualFold(by.name, column.name) {
			return &expression{op: "column", at: -i - 1}
		}
	}
	return b.bind(by)
}

// deriveFields gives a view the fields that its query returns.
func (s *state) deriveFields(c *collection) *port.Problem {
	q := &querying{selection: c.query, state: s}
	if err := q.bind(); err != nil {
		return &port.Problem{Collection: c.Name, Member: "viewQuery", Message: sentence(err)}
	}
	for _, column := range q.columns {
		f := &field{Field: port.Field{ID: column.name, Name: column.name, Type: "json"}, key: column.name}
		switch e := column.value; {
		case column.name == "id":
			f.Type, f.system = "text", true
		case e.op == "column":
			f.Type, f.options, f.hidden = e.field.Type, e.field.options, e.field.hidden
		case e.op == "call" && strings.HasPrefix(e.name, "count"):
			f.Type = "number"
		}
		c.fields = append(c.fields, f)
	}
	if c.byName("id") == nil {
		return &port.Problem{Collection: c.Name, Member: "viewQuery", Message: "A view needs a column id."}
	}
	return nil
}

// viewed returns the records of a view.
func (s *state) viewed(c *collection) []row {
	table, err := s.run(c.query, maxViewRows)
	if err != nil {
		return nil
	}
	found := make([]row, 0, len(table.Rows))
	for i, values := range table.Rows {
		made := row{c, &record{number: int64(i + 1), values: make(map[string]any)}}
		for at, f := range c.fields {
			if f.Name == "id" {
				made.id = textOf(values[at])
				continue
			}
			value := values[at]
			if f.Type != "json" {
				value = f.normalize(value)
			}
			made.values[f.key] = value
		}
		found = append(found, made)
	}
	return found
}

// maxViewRows bounds the records of a view.
const maxViewRows = 100_000
