package sql

import "github.com/atelierhq/atelier/core"

// Table is a table that a query can read. Rows returns its rows, with plain values (package values)
// in the order of the columns.
type Table struct {
	Columns []string
	Rows    func() [][]any
}

// Tables finds a table by its name, and returns nil for an unknown one.
type Tables func(name string) *Table

// Column says where a column of the result comes from.
type Column struct {
	Name string
	// Table and Field are the column of a table that it shows, empty if it is computed.
	Table, Field string
	// Counts means that the column counts rows.
	Counts bool
}

// Select is a parsed SELECT.
type Select struct {
	distinct bool
	columns  []resultColumn
	from     []*source
	where    *expression
	group    []*expression
	having   *expression
	order    []ordering
	limit    *expression
	offset   *expression
}

// resultColumn is a column of the result. Without a value it is *, or with a source, source.*.
type resultColumn struct {
	value  *expression
	name   string
	source string
}

// source is a table that a SELECT reads, under a name.
type source struct {
	table, name string
	// left means LEFT JOIN, on is the condition of the join, if it has one.
	left bool
	on   *expression
	// columns and rows are those of the table, once the query is bound.
	columns []string
	rows    func() [][]any
}

// ordering is one of the expressions of ORDER BY.
type ordering struct {
	by   *expression
	down bool
}

// expression is an operator with its operands, or as op says, a "column", a "value" or the "call"
// of a function.
type expression struct {
	op    string
	name  string
	value any
	args  []*expression
	// source and column are the indexes of a column, once the query is bound. A source below 0
	// is a column of the result: -1 the first, -2 the second.
	source, column int
}

// errorf is an error in a query.
func errorf(format string, args ...any) error {
	return core.Errorf(core.CodeValidationFailed, format, args...)
}
