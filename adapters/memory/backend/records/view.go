package records

import (
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/sql"
	"github.com/atelierhq/atelier/adapters/memory/backend/values"
	port "github.com/atelierhq/atelier/ports/backend"
)

// maxViewRows bounds the records of a view.
const maxViewRows = 100_000

// Query runs a SELECT on the collections and returns at most so many rows. Hidden fields read as
// null.
func (s *State) Query(query *sql.Select, most int) (port.Table, error) {
	return query.Run(s.table, most)
}

// table returns a collection as queries see it.
func (s *State) table(name string) *sql.Table { return tableOf(s, name, false) }

// tableOf returns a collection without what is hidden. For everybody, these are also the addresses
// that users hide.
func tableOf(s *State, name string, forEverybody bool) *sql.Table {
	c := s.named(name)
	if c == nil {
		return nil
	}
	columns := make([]string, len(c.Fields))
	for i, f := range c.Fields {
		columns[i] = f.Name
	}
	return &sql.Table{Columns: columns, Rows: func() [][]any {
		stored := s.Rows(c)
		rows := make([][]any, len(stored))
		for i, r := range stored {
			rows[i] = make([]any, len(c.Fields))
			for at, f := range c.Fields {
				isSecret := forEverybody && c.Type == port.Auth && f.Name == "email" && r.Get(c.ByName("emailVisibility")) != true
				if !f.Hidden && f.Type != "password" && !isSecret {
					rows[i][at] = values.Plain(r.Get(f))
				}
			}
		}
		return rows
	}}
}

// named returns a collection by its name alone, whose letters may be in either case.
func (s *State) named(name string) *Collection {
	for _, c := range s.Collections {
		if strings.EqualFold(c.Name, name) {
			return c
		}
	}
	return nil
}

// deriveFields gives a view the fields that its query returns.
func (s *State) deriveFields(c *Collection) *port.Problem {
	columns, err := c.query.Columns(s.table)
	if err != nil {
		return &port.Problem{Collection: c.Name, Member: "viewQuery", Message: Sentence(err)}
	}
	for _, column := range columns {
		f := &Field{ID: column.Name, Name: column.Name, Type: "json", Key: column.Name}
		switch {
		case column.Name == "id":
			f.Type, f.System = "text", true
		case column.Table != "":
			from := s.named(column.Table).ByName(column.Field)
			f.Type, f.Options, f.Hidden = from.Type, from.Options, from.Hidden
		case column.Counts:
			f.Type = "number"
		}
		c.Fields = append(c.Fields, f)
	}
	if c.ByName("id") == nil {
		return &port.Problem{Collection: c.Name, Member: "viewQuery", Message: "A view needs a column id."}
	}
	return nil
}

// viewed returns the records of a view.
func (s *State) viewed(c *Collection) []Row {
	result, err := c.query.Run(func(name string) *sql.Table { return tableOf(s, name, true) }, maxViewRows)
	if err != nil {
		return nil
	}
	found := make([]Row, 0, len(result.Rows))
	for i, columns := range result.Rows {
		made := NewRow(c)
		made.Number = int64(i + 1)
		for at, f := range c.Fields {
			value := columns[at]
			switch {
			case f.Name == "id":
				made.ID = values.Text(value)
			case f.Type == "json":
				made.Values[f.Key] = value
			default:
				made.Values[f.Key] = f.Normalize(value)
			}
		}
		found = append(found, made)
	}
	return found
}
