package pocketbase

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/pocketbase/dbx"
	pb "github.com/pocketbase/pocketbase/core"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Dump implements backend.Transfers. It writes the records to a file first: a slow reader
// must not hold a transaction, because the database's log grows meanwhile.
func (e *Engine) Dump(ctx context.Context, place backend.Place, collection string, to io.Writer) error {
	set, done, err := e.places.use(place)
	if err != nil {
		return err
	}
	defer done()
	file, err := os.CreateTemp(e.config.Dir, "dump-")
	if err != nil {
		return faultOf(err)
	}
	defer file.Close()
	if err := os.Remove(file.Name()); err != nil {
		return faultOf(err)
	}
	app, life, release, err := set.borrow(ctx)
	if err != nil {
		return err
	}
	err = app.dump(life, collection, file)
	release()
	if err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return faultOf(err)
	}
	_, err = io.Copy(to, file)
	return err
}

// dump writes the records of one query, which reads a consistent state.
func (a *application) dump(ctx context.Context, name string, file *os.File) error {
	from, err := a.collection(name)
	if err != nil {
		return err
	}
	query := a.RecordQuery(from)
	if !from.IsView() {
		query.OrderBy("_rowid_")
	}
	rows, err := query.WithContext(ctx).Rows()
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the records could not be read")
	}
	out := bufio.NewWriter(file)
	err = writeRows(rows, from, json.NewEncoder(out))
	if err != nil {
		err = core.Wrap(core.CodeUnavailable, err, "the records could not be read")
	}
	return errors.Join(err, rows.Close(), out.Flush())
}

func writeRows(rows *dbx.Rows, from *pb.Collection, out *json.Encoder) error {
	out.SetEscapeHTML(false)
	for rows.Next() {
		values := make(dbx.NullStringMap)
		if err := rows.ScanMap(values); err != nil {
			return err
		}
		record, err := recordOf(from, values)
		if err != nil {
			return err
		}
		if err := out.Encode(record); err != nil {
			return err
		}
	}
	return rows.Err()
}

// recordOf returns a record as the project's members see it. PublicExport always omits
// passwords and token keys.
func recordOf(from *pb.Collection, values dbx.NullStringMap) (map[string]any, error) {
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
