package backends

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Export is a file with all records of a collection, in a format that Import accepts.
type Export struct {
	// Name is the name of the file.
	Name string

	engine     Engine
	at         backend.Place
	collection backend.Collection
	format     Format
}

// Export prepares a file with the records of a collection.
func (s *Records) Export(ctx context.Context, by core.Actor, at backend.Place, collection string, format Format) (*Export, error) {
	from, err := s.collection(ctx, by, readingOf(at.Env), at, collection)
	if err != nil {
		return nil, err
	}
	return &Export{from.Name + "." + string(format), s.deps.Engine, at, from, format}, nil
}

// Write writes the records of one moment. After an error, the output is incomplete.
func (e *Export) Write(ctx context.Context, to io.Writer) error {
	var file interface {
		add(line []byte) error
		end() error
	} = &objectFile{to: to}
	if e.format == FormatCSV {
		table := &tableFile{to: csv.NewWriter(to)}
		if e.collection.Type != backend.View {
			for _, c := range columnsOf(e.collection) {
				table.names = append(table.names, c.name)
			}
		}
		file = table
	}
	lines := &lineWriter{each: file.add}
	if err := e.engine.Dump(ctx, e.at, e.collection.Name, lines); err != nil {
		return err
	}
	return file.end()
}

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
	// names are the columns. Those of a view come from its first record.
	names []string
	begun bool
}

func (f *tableFile) add(line []byte) error {
	var record map[string]json.RawMessage
	if err := json.Unmarshal(line, &record); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the records could not be read")
	}
	if f.names == nil {
		delete(record, "collectionId")
		delete(record, "collectionName")
		f.names = slices.Sorted(maps.Keys(record))
	}
	if err := f.begin(); err != nil {
		return err
	}
	cells := make([]string, len(f.names))
	for i, name := range f.names {
		cells[i] = cellOf(record[name])
	}
	return f.to.Write(cells)
}

// begin writes the header before the first record.
func (f *tableFile) begin() error {
	if f.begun {
		return nil
	}
	f.begun = true
	return f.to.Write(f.names)
}

func (f *tableFile) end() error {
	if err := f.begin(); err != nil {
		return err
	}
	f.to.Flush()
	return f.to.Error()
}

// cellOf formats a value for a table: texts unchanged, lists and objects as JSON, and null
// as an empty cell.
func cellOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return guarded(text)
	}
	if string(value) == "[]" {
		return ""
	}
	return string(value)
}
