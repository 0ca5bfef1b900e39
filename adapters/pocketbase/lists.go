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

	"github.com/atelierhq/atelier/adapters/pocketbase/reading"
	"github.com/atelierhq/atelier/adapters/pocketbase/turns"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// List implements backend.Lists.
func (e *Engine) List(ctx context.Context, place backend.Place, collection string, query backend.RecordQuery) (backend.RecordPage, error) {
	var page backend.RecordPage
	err := e.places.read(ctx, place, func(app *application) error {
		from, err := app.collection(collection)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, app.limits.Query+turns.Patience)
		defer cancel()
		page, err = reading.Page(ctx, app.BaseApp, from, query)
		switch {
		case isTooSlow(err):
			return core.Errorf(core.CodeValidationFailed, "%s", app.limits.tooSlow())
		case mentions(err, "string or blob too big"):
			return core.Errorf(core.CodeValidationFailed, "%s", textTooLong)
		}
		return err
	})
	return page, err
}

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
	whole, cancel := withoutDeadline(life)
	err = app.dump(whole, collection, file)
	cancel()
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
		record, err := reading.Record(from, values)
		if err != nil {
			return err
		}
		if err := out.Encode(record); err != nil {
			return err
		}
	}
	return rows.Err()
}
