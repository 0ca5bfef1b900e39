package recordfile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Writer is an io.Writer that takes records as lines of JSON and writes a file that Read accepts.
// End completes it.
type Writer struct {
	lines *lineWriter
	file  recordWriter
}

// recordWriter writes records in a format.
type recordWriter interface {
	add(line []byte) error
	end() error
}

// NewWriter returns a writer of the records of a collection.
func NewWriter(to io.Writer, from backend.Collection, format Format) *Writer {
	var file recordWriter = &objectFile{to: to}
	if format == CSV {
		table := &tableFile{to: csv.NewWriter(to)}
		if from.Type != backend.View {
			table.columns = columnsOf(backend.Schema{}, from)
		}
		file = table
	}
	return &Writer{&lineWriter{each: file.add}, file}
}

// Write implements io.Writer.
func (w *Writer) Write(content []byte) (int, error) { return w.lines.Write(content) }

// End writes what follows the last record.
func (w *Writer) End() error { return w.file.end() }

// lineWriter is an io.Writer that calls each with every line, without the line break.
type lineWriter struct {
	each func(line []byte) error
	rest []byte
}

// Write implements io.Writer.
func (w *lineWriter) Write(content []byte) (int, error) {
	w.rest = append(w.rest, content...)
	from := 0
	for {
		length := bytes.IndexByte(w.rest[from:], '\n')
		if length < 0 {
			break
		}
		if err := w.each(w.rest[from : from+length]); err != nil {
			return 0, err
		}
		from += length + 1
	}
	w.rest = append(w.rest[:0], w.rest[from:]...)
	return len(content), nil
}

// objectFile writes {"items": [records]}.
type objectFile struct {
	to    io.Writer
	begun bool
}

func (f *objectFile) add(line []byte) error {
	before := ",\n"
	if !f.begun {
		before = "{\"items\": [\n"
	}
	f.begun = true
	_, err := f.to.Write(append([]byte(before), line...))
	return err
}

func (f *objectFile) end() error {
	after := "\n]}\n"
	if !f.begun {
		after = "{\"items\": []}\n"
	}
	_, err := io.WriteString(f.to, after)
	return err
}

// tableFile writes CSV with a header.
type tableFile struct {
	to *csv.Writer
	// columns of a view come from its first record.
	columns []column
	begun   bool
}

func (f *tableFile) add(line []byte) error {
	var record map[string]json.RawMessage
	if err := json.Unmarshal(line, &record); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the records could not be read")
	}
	if f.columns == nil {
		for _, name := range slices.Sorted(maps.Keys(record)) {
			if !isEverywhere(name) {
				f.columns = append(f.columns, column{name: name})
			}
		}
	}
	if err := f.begin(); err != nil {
		return err
	}
	cells := make([]string, len(f.columns))
	for i, c := range f.columns {
		cells[i] = c.cellOf(record[c.name])
	}
	return f.to.Write(cells)
}

// begin writes the header before the first record.
func (f *tableFile) begin() error {
	if f.begun {
		return nil
	}
	f.begun = true
	names := make([]string, len(f.columns))
	for i, c := range f.columns {
		names[i] = c.name
	}
	return f.to.Write(names)
}

func (f *tableFile) end() error {
	if err := f.begin(); err != nil {
		return err
	}
	f.to.Flush()
	return f.to.Error()
}

// cellOf formats a value for a table: texts unchanged, lists, objects and all of a JSON field as
// JSON, and null as an empty cell.
func (c column) cellOf(value json.RawMessage) string {
	var text string
	isText := json.Unmarshal(value, &text) == nil && c.kind != kindJSON
	switch {
	case string(value) == "null", string(value) == "[]" && c.kind != kindJSON:
		return ""
	case isText:
		return guarded(text)
	}
	return string(value)
}
