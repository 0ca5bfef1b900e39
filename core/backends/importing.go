package backends

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends/recordfile"
	"github.com/atelierhq/atelier/ports/backend"
)

// ImportCount counts what an import has done.
type ImportCount struct {
	// Records is how many records the file has. Updated of them were there and were changed, the
	// others were created.
	Records, Updated int
	// NewIDs of them got another id than the file gives them.
	NewIDs int
}

// Import writes the records of a file, all or none. The file is CSV with a header of field names,
// or JSON: a list of records, or an object with the member items. A record whose id is there is
// changed in the fields of the file. Values of file fields are ignored.
//
// An invalid file has core.CodeInvalidRequest. Records that the collection does not accept have
// core.CodeValidationFailed, with their places and reasons (core.Error.Rows).
func (s *Records) Import(ctx context.Context, by core.Actor, at backend.Place, collection string, format recordfile.Format, content []byte) (ImportCount, error) {
	into, err := s.changeable(ctx, by, at, collection)
	if err != nil {
		return ImportCount{}, err
	}
	schema, err := s.deps.Engine.Schema(ctx, at)
	if err != nil {
		return ImportCount{}, err
	}
	file, err := recordfile.Read(schema, into, format, content)
	if err != nil || file.Records == 0 {
		return ImportCount{}, err
	}
	updated, err := s.deps.Engine.Insert(ctx, at, into.Name, file.Insertion())
	refused := new(backend.RefusedRecords)
	if err != nil && !errors.As(err, &refused) {
		return ImportCount{}, err
	}
	if rows := file.Refusals(refused); len(rows.Items) > 0 {
		return ImportCount{}, refusal(format, rows)
	}
	if err != nil {
		return ImportCount{}, err
	}
	s.deps.Changes.Changed(at)
	target := fmt.Sprintf("%s %s (%s)", http.MethodPost, into.Name, records(int64(file.Records)))
	return ImportCount{file.Records, updated - file.Again, file.NewIDs}, s.changed(ctx, by, at, target)
}

// refusal is the error of an import that refuses rows. Its message names the first.
func refusal(format recordfile.Format, rows core.RefusedRows) error {
	first := rows.Items[0]
	message := core.Phrasef("line %d, %s: %s", first.Line, first.Field, first.Rule)
	switch isTable := format == recordfile.CSV; {
	case isTable && first.Field == "":
		message = core.Phrasef("line %d: %s", first.Line, first.Rule)
	case !isTable && first.Field == "":
		message = core.Phrasef("record %d: %s", first.Line, first.Rule)
	case !isTable:
		message = core.Phrasef("record %d, %s: %s", first.Line, first.Field, first.Rule)
	}
	if rows.Total > 1 {
		message = core.Phrasef("%d records are refused. The first is %s", rows.Total, message)
	}
	return &core.Error{Code: core.CodeValidationFailed, Message: message.String(), Format: message.Format, Args: message.Args, Rows: &rows}
}
