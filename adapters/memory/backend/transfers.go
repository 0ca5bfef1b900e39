package backend

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

// Insert implements backend.Transfers.
func (e *Engine) Insert(ctx context.Context, place port.Place, name string, rows []json.RawMessage) error {
	set, err := e.find(place)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	return set.change(func(tx *records.Transaction) error {
		into, err := stored(tx.State, name)
		if err != nil {
			return err
		}
		if into.Type == port.View {
			return core.Errorf(core.CodeValidationFailed, "%s is a view: its records come from other collections", into.Name)
		}
		for i, row := range rows {
			if err := insert(tx, into, row); err != nil {
				return refusalOf(err, i)
			}
		}
		return nil
	})
}

// stored returns a collection of the schema by its name or id.
func stored(s *records.State, name string) (*records.Collection, error) {
	if found := s.Collection(name); found != nil {
		return found, nil
	}
	return nil, core.NotFound("collection")
}

// insert creates a record as a member would, with the dates that it gives.
func insert(tx *records.Transaction, into *records.Collection, given json.RawMessage) error {
	r := &request{state: tx.State, tx: tx, owner: true}
	if err := json.Unmarshal(given, &r.Body); err != nil || r.Body == nil {
		return &records.Invalid{Message: "A record must be an object."}
	}
	if into.Type == port.Auth && r.text("password") == "" {
		r.Body["password"] = rand.Text()
	}
	d := &draft{request: r, row: records.NewRow(into), isNew: true}
	if err := d.fill(tx); err != nil {
		return err
	}
	if err := tx.Put(d.row, records.Create); err != nil {
		return err
	}
	for _, f := range into.Fields {
		if date := r.text(f.Name); f.Type == "autodate" && date != "" {
			d.row.Values[f.Key] = date
		}
	}
	return nil
}

// refusalOf says which record was not accepted, and why.
func refusalOf(err error, index int) error {
	var invalid *records.Invalid
	if !errors.As(err, &invalid) {
		return err
	}
	refused := &port.Refusal{Index: index, Message: invalid.Message}
	if fields := slices.Sorted(maps.Keys(invalid.Flaws)); len(fields) > 0 {
		refused.Field, refused.Message = fields[0], invalid.Flaws[fields[0]].Message
	}
	return refused
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
