package recordfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

var errNoField = core.Errorf(core.CodeValidationFailed, "the collection has no such field: leave it out, or add it to the schema")

// table reads records in CSV.
func (r *reader) table(content []byte) error {
	rows := csv.NewReader(bytes.NewReader(content))
	rows.Comma = separatorOf(content)
	rows.FieldsPerRecord, rows.ReuseRecord = -1, true
	columns, err := r.header(rows)
	if err != nil {
		return err
	}
	for {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return core.Wrap(core.CodeInvalidRequest, err, "the table is broken: %s", strings.TrimPrefix(err.Error(), "record on "))
		}
		line, _ := rows.FieldPos(0)
		one := r.begin(line)
		if one == nil {
			continue
		}
		if len(cells) != len(columns) {
			one.refuse("", core.Errorf(core.CodeValidationFailed, "must have as many cells as the first line: %d, not %d", len(columns), len(cells)))
			continue
		}
		for i, c := range columns {
			if c.name != "" {
				value, err := c.cell(unguarded(cells[i]))
				one.set(c.name, value, err)
			}
		}
		one.end()
	}
}

// separatorOf returns the sign between cells. In some countries spreadsheets write semicolons, and
// databases tabs.
func separatorOf(content []byte) rune {
	first, _, _ := bytes.Cut(content, []byte("\n"))
	for _, sign := range ",;\t" {
		if bytes.ContainsRune(first, sign) {
			return sign
		}
	}
	return ','
}

// header reads the names of the columns. One to pass over has no name.
func (r *reader) header(rows *csv.Reader) ([]column, error) {
	first, err := rows.Read()
	if err != nil {
		return nil, core.Wrap(core.CodeInvalidRequest, err, "the first line of the table must have the names of the fields")
	}
	names := make([]string, len(first))
	for i, name := range first {
		names[i] = strings.TrimSpace(name)
		if slices.Contains(names[:i], names[i]) {
			return nil, core.Errorf(core.CodeInvalidRequest, "the table has the column %.100q twice", names[i])
		}
	}
	columns := make([]column, len(names))
	missing := false
	for i, name := range names {
		found, ok := find(r.columns, name, func(other string) bool { return slices.Contains(names, other) })
		columns[i] = found
		if !ok && !isEverywhere(name) {
			r.note(1, shortened(name), errNoField)
			missing = true
		}
	}
	if missing {
		r.file.refused.Total++
	}
	return columns, nil
}

// shortened bounds a name that a file has.
func shortened(name string) string {
	signs := []rune(name)
	return string(signs[:min(len(signs), 100)])
}
