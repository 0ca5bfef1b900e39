package backends

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Bounds of an import. Hashing a password is slow on purpose.
const (
	MaxImportBytes     = 64 << 20
	MaxImportRecords   = 10_000
	MaxImportPasswords = 100
)

// Format is the format of a file of records.
type Format string

// The forms of files.
const (
	FormatJSON Format = "json"
	FormatCSV  Format = "csv"
)

// importRow is a record of a file.
type importRow struct {
	// place describes its position in the file for people.
	place  string
	fields map[string]json.RawMessage
}

// Import creates the records of a file, all or none, and returns their number. The file is
// CSV with a header of field names, or JSON: a list of records, or an object with the
// member items. Values of file fields are ignored.
//
// An invalid file has core.CodeInvalidRequest. A record that the collection rejects has
// core.CodeValidationFailed, with its position.
func (s *Records) Import(ctx context.Context, by core.Actor, at backend.Place, collection string, format Format, content []byte) (int, error) {
	into, err := s.changeable(ctx, by, at, collection)
	if err != nil {
		return 0, err
	}
	rows, err := readRows(into, format, content)
	if err != nil {
		return 0, err
	}
	if err := checkAmount(rows); err != nil {
		return 0, err
	}
	if rows, err = inOrder(into, rows); err != nil || len(rows) == 0 {
		return 0, err
	}
	all := make([]json.RawMessage, len(rows))
	for i, row := range rows {
		if all[i], err = json.Marshal(row.fields); err != nil {
			return 0, err
		}
	}
	if err := s.deps.Engine.Insert(ctx, at, into.Name, all); err != nil {
		return 0, located(err, rows)
	}
	s.deps.Changes.Changed(at)
	return len(rows), s.changed(ctx, by, at, fmt.Sprintf("%s %s (%s)", http.MethodPost, into.Name, records(int64(len(rows)))))
}

func readRows(into backend.Collection, format Format, content []byte) ([]importRow, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if !utf8.Valid(content) {
		return nil, core.Errorf(core.CodeInvalidRequest, "the file is not UTF-8")
	}
	columns := columnsOf(into)
	if into.Type == backend.Auth {
		columns = append(columns, column{kindPassword, kindPassword})
	}
	if format == FormatCSV {
		return readTable(columns, content)
	}
	return readObjects(columns, content)
}

func checkAmount(rows []importRow) error {
	if len(rows) > MaxImportRecords {
		return core.Errorf(core.CodeValidationFailed, "the file has %d records, and an import at most %d: divide it", len(rows), MaxImportRecords)
	}
	passwords := 0
	for _, row := range rows {
		if row.fields[kindPassword] != nil {
			passwords++
		}
	}
	if passwords > MaxImportPasswords {
		return core.Errorf(core.CodeValidationFailed, "the file has %d passwords, and an import at most %d: leave them out, and people set new ones by mail", passwords, MaxImportPasswords)
	}
	return nil
}

// readObjects reads records in JSON.
func readObjects(columns []column, content []byte) ([]importRow, error) {
	var records []map[string]json.RawMessage
	if err := json.Unmarshal(content, &records); err != nil {
		var list struct {
			Items []map[string]json.RawMessage `json:"items"`
		}
		if json.Unmarshal(content, &list) != nil || list.Items == nil {
			return nil, core.Wrap(core.CodeInvalidRequest, err, `the file must be a list of records in JSON, or {"items": [records]}`)
		}
		records = list.Items
	}
	rows := make([]importRow, len(records))
	for i, record := range records {
		rows[i] = importRow{fmt.Sprintf("record %d", i+1), make(map[string]json.RawMessage, len(record))}
		for name, value := range record {
			if err := rows[i].set(columns, name, func(c column) (json.RawMessage, error) { return c.typed(value) }); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// readTable reads records in CSV. In some countries, spreadsheets separate with semicolons.
func readTable(columns []column, content []byte) ([]importRow, error) {
	reader := csv.NewReader(bytes.NewReader(content))
	first, _, _ := bytes.Cut(content, []byte("\n"))
	if !bytes.ContainsRune(first, ',') && bytes.ContainsRune(first, ';') {
		reader.Comma = ';'
	}
	names, err := reader.Read()
	if err != nil {
		return nil, core.Wrap(core.CodeInvalidRequest, err, "the first line of the table must have the names of the fields")
	}
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if slices.Contains(names[:i], names[i]) {
			return nil, core.Errorf(core.CodeInvalidRequest, "the table has the column %.100q twice", names[i])
		}
	}
	var rows []importRow
	for {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, core.Wrap(core.CodeInvalidRequest, err, "the table is broken: %s", strings.TrimPrefix(err.Error(), "record on "))
		}
		line, _ := reader.FieldPos(0)
		row := importRow{fmt.Sprintf("line %d", line), make(map[string]json.RawMessage, len(cells))}
		for i, cell := range cells {
			if err := row.set(columns, names[i], func(c column) (json.RawMessage, error) { return c.cell(cell) }); err != nil {
				return nil, err
			}
		}
		rows = append(rows, row)
	}
}

// set sets the column of a record to the value that convert returns.
func (r importRow) set(columns []column, name string, convert func(column) (json.RawMessage, error)) error {
	if name == "collectionId" || name == "collectionName" || name == "expand" {
		return nil // every record has them
	}
	at := slices.IndexFunc(columns, func(c column) bool { return c.name == name })
	if at < 0 {
		return core.Errorf(core.CodeValidationFailed, "%s: the collection has no field %.100q", r.place, name)
	}
	value, err := convert(columns[at])
	if err != nil {
		return core.Errorf(core.CodeValidationFailed, "%s: %s", r.place, messageOf(err))
	}
	if value != nil {
		r.fields[name] = value
	}
	return nil
}

// located adds the position in the file to the error of a rejected record.
func located(err error, rows []importRow) error {
	refusal := new(backend.Refusal)
	if !errors.As(err, &refusal) || refusal.Index >= len(rows) {
		return err
	}
	place := rows[refusal.Index].place
	if refusal.Field != "" {
		place += ", " + refusal.Field
	}
	return core.Errorf(core.CodeValidationFailed, "%s: %s", place, strings.TrimSuffix(refusal.Message, "."))
}

// ordering sorts imported records behind the records that they refer to, because a relation
// can only name existing records.
type ordering struct {
	rows []importRow
	// own are the collection's relations to itself.
	own    []string
	byID   map[string]int
	begun  []bool
	placed []bool
	sorted []importRow
}

func inOrder(into backend.Collection, rows []importRow) ([]importRow, error) {
	o := ordering{rows: rows, byID: make(map[string]int), begun: make([]bool, len(rows)), placed: make([]bool, len(rows))}
	for _, field := range into.Fields {
		if field.Type == kindRelation && textOption(field, "collectionId") == into.ID {
			o.own = append(o.own, field.Name)
		}
	}
	for i, row := range rows {
		for _, id := range textsOf(row.fields["id"]) {
			o.byID[id] = i
		}
	}
	if len(o.own) == 0 || len(o.byID) == 0 {
		return rows, nil
	}
	for i := range rows {
		if err := o.place(i); err != nil {
			return nil, err
		}
	}
	return o.sorted, nil
}

// place appends a record after the records that it refers to.
func (o *ordering) place(i int) error {
	if o.placed[i] {
		return nil
	}
	if o.begun[i] {
		return core.Errorf(core.CodeValidationFailed, "%s: the records refer to each other in a circle", o.rows[i].place)
	}
	o.begun[i] = true
	for _, relation := range o.own {
		for _, id := range textsOf(o.rows[i].fields[relation]) {
			if first, known := o.byID[id]; known {
				if err := o.place(first); err != nil {
					return err
				}
			}
		}
	}
	o.placed[i] = true
	o.sorted = append(o.sorted, o.rows[i])
	return nil
}

// textsOf returns the strings in a value: a string or a list of strings.
func textsOf(value json.RawMessage) []string {
	var one string
	if json.Unmarshal(value, &one) == nil {
		return []string{one}
	}
	var many []string
	if json.Unmarshal(value, &many) != nil {
		return nil
	}
	return many
}
