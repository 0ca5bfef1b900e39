package reading

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pocketbase/dbx"
	pb "github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/search"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// sortKey is an expression by which records are ordered.
type sortKey struct {
	expression string
	down       bool
}

// sort reads the order, and ends it with what tells records apart.
func (s *selection) sort(fields search.FieldResolver, order string) error {
	var all []search.SortField
	if order != "" {
		all = search.ParseSortFromString(order)
	}
	if len(all) > search.DefaultSortExprLimit {
		return search.ErrSortExprLimit
	}
	chars := backend.OrderChars(len(all) + 1)
	for _, one := range all {
		if len(one.Name) > search.MaxSortFieldLength {
			return search.ErrSortFieldLengthLimit
		}
		expression, err := s.expression(fields, one.Name)
		if err != nil {
			return err
		}
		s.order = append(s.order, sortKey{s.shortened(expression, one.Name, chars), one.Direction == search.SortDesc})
		s.random = s.random || one.Name == randomOrder
	}
	s.order = append(s.order, sortKey{s.shortened(s.id, rowOrder, chars), !s.from.IsView()})
	return nil
}

// The orders of PocketBase that are no fields.
const (
	randomOrder = "@random"
	rowOrder    = "@rowid"
)

// expression returns what a name stands for in an order.
func (s *selection) expression(fields search.FieldResolver, name string) (string, error) {
	switch {
	case name == randomOrder:
		return "RANDOM()", nil
	case name == rowOrder && !s.from.IsView():
		return s.id, nil
	}
	found, err := fields.Resolve(name)
	if err != nil || len(found.Params) > 0 || found.Identifier == "" || strings.EqualFold(found.Identifier, "null") {
		return "", fmt.Errorf("invalid sort field %q", name)
	}
	return found.Identifier, nil
}

// shortened returns an expression with the first characters of texts. Those of fields that are
// short anyway stay as they are, so that indexes are used.
func (s *selection) shortened(expression, name string, chars int) string {
	if name == randomOrder || name == rowOrder && !s.from.IsView() {
		return expression
	}
	if field := s.from.Fields.GetByName(name); field != nil && !s.from.IsView() {
		switch field.Type() {
		case pb.FieldTypeNumber, pb.FieldTypeBool, pb.FieldTypeDate, pb.FieldTypeAutodate:
			return expression
		}
	}
	return fmt.Sprintf("(CASE WHEN typeof(%[1]s) IN ('text', 'blob') THEN substr(%[1]s, 1, %[2]d) ELSE %[1]s END)", expression, chars)
}

// arrange makes the query return its records in the order, with their keys behind their fields.
func (s *selection) arrange() {
	if s.joined {
		s.query.GroupBy(s.id)
	}
	for i, key := range s.order {
		// Of several related records, the first counts.
		direction, first := "ASC", "MIN"
		if key.down {
			direction, first = "DESC", "MAX"
		}
		if s.joined {
			s.order[i].expression = first + "(" + key.expression + ")"
		}
		// The sign makes SQLite return the stored value, whatever the column says of its type.
		s.query.AndSelect(fmt.Sprintf("+(%s) AS key%d", s.order[i].expression, i))
		s.query.AndOrderBy("(" + s.order[i].expression + ") " + direction)
	}
}

// after leaves the records behind a position, which is empty for the beginning.
func (s *selection) after(position string) error {
	if position == "" {
		return nil
	}
	values, err := decodePosition(position)
	if err != nil || len(values) != len(s.order) || s.random {
		return core.Wrap(core.CodeInvalidCursor, err, "the position does not belong to this order: begin again")
	}
	params := make(dbx.Params, len(values))
	condition := "1=0"
	for i := len(values) - 1; i >= 0; i-- {
		of, value := s.order[i], fmt.Sprintf("position%d", i)
		params[value] = values[i]
		// NULL comes before everything else.
		beyond := fmt.Sprintf("%s > {:%s}", of.expression, value)
		switch {
		case values[i] == nil && of.down:
			beyond = "1=0"
		case values[i] == nil:
			beyond = of.expression + " IS NOT NULL"
		case of.down:
			beyond = fmt.Sprintf("(%[1]s < {:%[2]s} OR %[1]s IS NULL)", of.expression, value)
		}
		condition = fmt.Sprintf("(%s OR (%s IS {:%s} AND %s))", beyond, of.expression, value, condition)
	}
	if s.joined {
		s.query.AndHaving(dbx.NewExp(condition, params))
	} else {
		s.query.AndWhere(dbx.NewExp(condition, params))
	}
	return nil
}

// encodePosition writes the keys of a record with their types, which SQLite compares as well.
func encodePosition(keys []any) string {
	parts := make([][]byte, len(keys))
	for i, key := range keys {
		switch key := key.(type) {
		case int64:
			parts[i] = strconv.AppendInt([]byte("i"), key, 10)
		case float64:
			parts[i] = strconv.AppendFloat([]byte("f"), key, 'x', -1, 64)
		case string:
			parts[i] = append([]byte("t"), key...)
		case []byte:
			parts[i] = append([]byte("b"), key...)
		default:
			parts[i] = []byte("n")
		}
	}
	// Bytes are always encoded.
	text, _ := json.Marshal(parts)
	return string(text)
}

// decodePosition reads what encodePosition writes.
func decodePosition(position string) ([]any, error) {
	var parts [][]byte
	if err := json.Unmarshal([]byte(position), &parts); err != nil {
		return nil, err
	}
	keys := make([]any, len(parts))
	for i, part := range parts {
		if len(part) == 0 {
			return nil, strconv.ErrSyntax
		}
		var err error
		switch rest := part[1:]; part[0] {
		case 'i':
			keys[i], err = strconv.ParseInt(string(rest), 10, 64)
		case 'f':
			keys[i], err = strconv.ParseFloat(string(rest), 64)
		case 't':
			keys[i] = string(rest)
		case 'b':
			keys[i] = rest
		}
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}
