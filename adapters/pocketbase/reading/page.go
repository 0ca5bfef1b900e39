// Package reading reads the records of a PocketBase as the project's members see them.
//
// PocketBase's own lists count pages, so that a record that comes or goes shifts all others. Page
// has the same filters and orders, and goes on behind the sort keys of the last record.
package reading

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"github.com/pocketbase/dbx"
	pb "github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/search"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Page returns the records after a position. An invalid filter or order has code
// core.CodeValidationFailed.
func Page(ctx context.Context, app *pb.BaseApp, from *pb.Collection, query backend.RecordQuery) (backend.RecordPage, error) {
	made, err := selectionOf(app, from, query)
	if err != nil {
		return backend.RecordPage{}, err
	}
	total, err := made.count(ctx)
	if err != nil {
		return backend.RecordPage{}, err
	}
	page, err := made.page(ctx, query)
	page.Total = total
	return page, err
}

// selection is a query for records, in an order without equals.
type selection struct {
	from  *pb.Collection
	query *dbx.SelectQuery
	// id tells records apart: the row, or the id of a view's record.
	id    string
	order []sortKey
	// joined says that the query has a record as often as it has related ones.
	joined bool
	// random says that there are no positions in the order.
	random bool
}

// selectionOf reads a filter and an order as PocketBase does.
func selectionOf(app *pb.BaseApp, from *pb.Collection, query backend.RecordQuery) (*selection, error) {
	s := &selection{from: from, query: app.RecordQuery(from), id: "[[" + from.Name + "._rowid_]]"}
	if from.IsView() {
		s.id = "[[" + from.Name + ".id]]"
	}
	fields := pb.NewRecordFieldResolver(app, from, &pb.RequestInfo{Context: pb.RequestInfoContextDefault, Method: "GET"}, true)
	if err := s.filter(fields, query.Filter); err != nil {
		return nil, core.Wrap(core.CodeValidationFailed, err, "%s", err)
	}
	if err := s.sort(fields, query.Sort); err != nil {
		return nil, core.Wrap(core.CodeValidationFailed, err, "%s", err)
	}
	if err := fields.UpdateQuery(s.query); err != nil {
		return nil, core.Wrap(core.CodeValidationFailed, err, "%s", err)
	}
	s.joined = len(s.query.Info().Join) > 0
	s.query.Distinct(false)
	return s, nil
}

func (s *selection) filter(fields search.FieldResolver, filter string) error {
	if len(filter) > search.MaxFilterLength {
		return search.ErrFilterLengthLimit
	}
	if filter == "" {
		return nil
	}
	condition, err := search.FilterData(filter).BuildExprWithLimit(fields, search.DefaultFilterExprLimit)
	if err == nil && condition != nil {
		s.query.AndWhere(condition)
	}
	return err
}

// count returns how many records match.
func (s *selection) count(ctx context.Context) (total int64, err error) {
	what := "COUNT(*)"
	if s.joined {
		what = "COUNT(DISTINCT " + s.id + ")"
	}
	counting := *s.query
	err = counting.Select(what).WithContext(ctx).Row(&total)
	return total, s.problem(err)
}

// page reads the records after a position.
func (s *selection) page(ctx context.Context, query backend.RecordQuery) (backend.RecordPage, error) {
	page := backend.RecordPage{Records: []json.RawMessage{}}
	s.arrange()
	if err := s.after(query.After); err != nil {
		return page, err
	}
	rows, err := s.query.Offset(int64(query.Skip)).Limit(int64(query.Limit) + 1).WithContext(ctx).Rows()
	if err != nil {
		return page, s.problem(err)
	}
	defer rows.Close()
	var last []any
	size := 0
	for rows.Next() {
		if len(page.Records) == query.Limit || size >= backend.MaxPageBytes {
			if !s.random {
				page.Next = encodePosition(last)
			}
			break
		}
		record, keys, err := s.scan(rows)
		if err != nil {
			return page, s.problem(err)
		}
		last, size = keys, size+len(record)
		page.Records = append(page.Records, record)
	}
	return page, s.problem(errors.Join(rows.Err(), rows.Close()))
}

// scan reads a record and its sort keys, which keep the types that they have in SQLite.
func (s *selection) scan(rows *dbx.Rows) (json.RawMessage, []any, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, nil, err
	}
	texts, keys := make([]sql.NullString, len(columns)-len(s.order)), make([]any, len(s.order))
	var into []any
	for i := range texts {
		into = append(into, &texts[i])
	}
	for i := range keys {
		into = append(into, &keys[i])
	}
	if err := rows.Scan(into...); err != nil {
		return nil, nil, err
	}
	values := make(dbx.NullStringMap, len(texts))
	for i := range texts {
		values[columns[i]] = texts[i]
	}
	record, err := Record(s.from, values)
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(record)
	return text, keys, err
}

// problem says whose fault an error of SQLite is. What PocketBase's reading lets through, SQLite
// may refuse.
func (s *selection) problem(err error) error {
	if err == nil {
		return nil
	}
	if strings.Contains(err.Error(), "SQL logic error") {
		return core.Wrap(core.CodeValidationFailed, err, "it cannot be carried out")
	}
	return core.Wrap(core.CodeUnavailable, err, "the records could not be read")
}

// Record returns a record as the project's members see it. PublicExport always omits
// passwords and token keys.
func Record(from *pb.Collection, values dbx.NullStringMap) (map[string]any, error) {
	record := pb.NewRecord(from)
	for _, field := range from.Fields {
		var raw any
		if value := values[field.GetName()]; value.Valid {
			raw = value.String
		}
		value, err := field.PrepareValue(record, raw)
		if err != nil {
			return nil, err
		}
		record.SetRaw(field.GetName(), value)
	}
	record.Unhide(from.Fields.FieldNames()...)
	record.IgnoreEmailVisibility(true)
	return record.PublicExport(), nil
}
