package recordfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// File is a file that was read.
type File struct {
	// Rows are its records in the order in which they can be inserted, without those that are
	// refused.
	Rows []Row
	// Records is how many records it has, Again how many rows only complete one before.
	Records, Again int
	// NewIDs is how many records have an id in the file that the collection does not accept, and so
	// got another.
	NewIDs int

	refused core.RefusedRows
}

// Row is a record of a file.
type Row struct {
	// Line is its place for people (core.RefusedRow).
	Line   int
	Record json.RawMessage

	id string
	// refers are the ids in relations to the same collection, by the names of the fields.
	refers map[string][]string
	// isFirst says that the record is there again, complete.
	isFirst bool
}

// Read reads a file with records for a collection of a schema. What is wrong in the records is not
// an error (Refusals); a broken file has core.CodeInvalidRequest, and one with too much in it
// core.CodeValidationFailed.
func Read(schema backend.Schema, into backend.Collection, format Format, content []byte) (*File, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if !utf8.Valid(content) {
		return nil, core.Errorf(core.CodeInvalidRequest, "the file is not UTF-8")
	}
	r := newReader(schema, into)
	read := r.objects
	if format == CSV {
		read = r.table
	}
	if err := read(content); err != nil {
		return nil, err
	}
	if r.file.Records > MaxRecords {
		return nil, core.Errorf(core.CodeValidationFailed, "the file has %d records, and an import at most %d: divide it", r.file.Records, MaxRecords)
	}
	if r.passwords > MaxPasswords {
		return nil, core.Errorf(core.CodeValidationFailed, "the file has %d passwords, and an import at most %d: leave them out, and people set new ones by mail", r.passwords, MaxPasswords)
	}
	r.file.NewIDs = r.columns[0].ids.derived
	r.file.Rows = inOrder(r.file.Rows)
	for _, row := range r.file.Rows {
		if row.isFirst {
			r.file.Again++
		}
	}
	return &r.file, nil
}

// Insertion returns what to insert. If records of the file are refused, it only looks for others.
func (f *File) Insertion() backend.Insertion {
	batch := backend.Insertion{Records: make([]json.RawMessage, len(f.Rows)), DryRun: f.refused.Total > 0}
	for i, row := range f.Rows {
		batch.Records[i] = row.Record
	}
	return batch
}

// Refusals returns what is wrong in the file, together with what an engine refused of its rows.
func (f *File) Refusals(by *backend.RefusedRecords) core.RefusedRows {
	// One that is there twice may be refused twice.
	all := core.RefusedRows{Total: f.refused.Total + min(by.Records, len(f.Rows)-f.Again), Items: slices.Clone(f.refused.Items)}
	for _, refusal := range by.Refusals {
		if refusal.Index < len(f.Rows) {
			rule := core.PhraseOf(string(bytes.TrimSuffix([]byte(refusal.Message), []byte("."))))
			all.Items = append(all.Items, core.RefusedRow{Line: f.Rows[refusal.Index].Line, Field: refusal.Field, Rule: rule})
		}
	}
	slices.SortStableFunc(all.Items, func(a, b core.RefusedRow) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Field, b.Field))
	})
	all.Items = slices.CompactFunc(all.Items, func(a, b core.RefusedRow) bool { return a.Line == b.Line && a.Field == b.Field })
	all.Items = all.Items[:min(len(all.Items), core.MaxRefusedRows)]
	return all
}

// reader reads a file.
type reader struct {
	columns []column
	// own are the collection's relations to itself.
	own       []string
	ids       map[string]bool
	passwords int
	file      File
}

func newReader(schema backend.Schema, into backend.Collection) *reader {
	r := &reader{columns: columnsOf(schema, into), ids: make(map[string]bool)}
	if into.Type == backend.Auth {
		r.columns = append(r.columns, column{name: kindPassword, kind: kindPassword})
	}
	for _, field := range into.Fields {
		if field.Type == kindRelation && field.Text("collectionId") == into.ID {
			r.own = append(r.own, field.Name)
		}
	}
	return r
}

// draft is a record that is being read.
type draft struct {
	*reader
	line   int
	fields map[string]json.RawMessage
	// isWrong says that the record is refused.
	isWrong bool
}

// begin counts a record, and returns nil for one that is too many to be kept.
func (r *reader) begin(line int) *draft {
	r.file.Records++
	if r.file.Records > MaxRecords {
		return nil
	}
	return &draft{reader: r, line: line, fields: make(map[string]json.RawMessage, len(r.columns))}
}

// set sets a field to what a conversion returned.
func (d *draft) set(name string, value json.RawMessage, err error) {
	if err != nil {
		d.refuse(name, err)
	} else if value != nil {
		d.fields[name] = value
	}
}

// refuse notes what is wrong in a record.
func (d *draft) refuse(field string, err error) {
	if !d.isWrong {
		d.file.refused.Total++
	}
	d.isWrong = true
	d.note(d.line, field, err)
}

func (r *reader) note(line int, field string, err error) {
	if len(r.file.refused.Items) < core.MaxRefusedRows {
		r.file.refused.Items = append(r.file.refused.Items, core.RefusedRow{Line: line, Field: field, Rule: ruleOf(err)})
	}
}

var errTwice = core.Errorf(core.CodeValidationFailed, "another record of the file has this id")

// end keeps the record unless it is refused.
func (d *draft) end() {
	row := Row{Line: d.line, Record: encode(d.fields)}
	if ids := textsOf(d.fields["id"]); len(ids) == 1 {
		row.id = ids[0]
		if d.ids[row.id] {
			d.refuse("id", errTwice)
		}
		d.ids[row.id] = true
	}
	for _, name := range d.own {
		if ids := textsOf(d.fields[name]); len(ids) > 0 && ids[0] != "" {
			if row.refers == nil {
				row.refers = make(map[string][]string)
			}
			row.refers[name] = ids
		}
	}
	if d.fields[kindPassword] != nil {
		d.passwords++
	}
	if !d.isWrong {
		d.file.Rows = append(d.file.Rows, row)
	}
}
