package backend

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

// errDryRun undoes the transaction of a dry run.
var errDryRun = errors.New("the run is dry")

// Insert implements backend.Transfers.
func (e *Engine) Insert(ctx context.Context, place port.Place, name string, batch port.Insertion) (changed int, err error) {
	set, err := e.find(place)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return 0, err
	}
	err = set.change(func(tx *records.Transaction) error {
		into, err := stored(tx.State, name)
		if err != nil {
			return err
		}
		if into.Type == port.View {
			return core.Errorf(core.CodeValidationFailed, "%s is a view: its records come from other collections", into.Name)
		}
		refused := &port.RefusedRecords{}
		for i, row := range batch.Records {
			isNew, err := insert(tx, into, row)
			if reasons := reasonsOf(err); reasons != nil {
				refused.Add(i, reasons)
			} else if err != nil {
				return err
			}
			if err == nil && !isNew {
				changed++
			}
		}
		if batch.DryRun && refused.Records == 0 {
			return errDryRun
		}
		return refused.Err()
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return changed, err
}

// stored returns a collection of the schema by its name or id.
func stored(s *records.State, name string) (*records.Collection, error) {
	if found := s.Collection(name); found != nil {
		return found, nil
	}
	return nil, core.NotFound("collection")
}

// insert creates or changes a record as a member would, with the dates that it gives.
func insert(tx *records.Transaction, into *records.Collection, given json.RawMessage) (isNew bool, err error) {
	r := &request{state: tx.State, tx: tx, owner: true}
	if err := json.Unmarshal(given, &r.Body); err != nil || r.Body == nil {
		return false, &records.Invalid{Message: "A record must be an object."}
	}
	d := &draft{request: r, row: records.NewRow(into), isNew: true}
	action := records.Create
	if there, ok := tx.Find(into, r.text("id")); ok {
		d.row, d.isNew, action = there.Clone(), false, records.Update
	}
	if into.Type == port.Auth && r.text("password") == "" && d.isNew {
		r.Body["password"] = rand.Text()
	}
	if err := d.fill(tx); err != nil {
		return d.isNew, err
	}
	if err := tx.Put(d.row, action); err != nil {
		return d.isNew, err
	}
	for _, f := range into.Fields {
		if date := r.text(f.Name); f.Type == "autodate" && date != "" {
			d.row.Values[f.Key] = date
		}
	}
	return d.isNew, nil
}

// reasonsOf returns why a record was not accepted, by the names of the fields; nil for another error.
func reasonsOf(err error) map[string]string {
	var invalid *records.Invalid
	if !errors.As(err, &invalid) {
		return nil
	}
	if len(invalid.Flaws) == 0 {
		return map[string]string{"": invalid.Message}
	}
	reasons := make(map[string]string, len(invalid.Flaws))
	for name, flaw := range invalid.Flaws {
		reasons[name] = flaw.Message
	}
	return reasons
}

// Dump implements backend.Transfers.
func (e *Engine) Dump(ctx context.Context, place port.Place, name string, to io.Writer) error {
	present, err := e.read(ctx, place)
	if err != nil {
		return err
	}
	from, err := stored(present, name)
	if err != nil {
		return err
	}
	owner := presenter{&request{state: present, owner: true}}
	out := bufio.NewWriter(to)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, one := range present.Rows(from) {
		if err := lines.Encode(owner.visible(one)); err != nil {
			return err
		}
	}
	return out.Flush()
}
