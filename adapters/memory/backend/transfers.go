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

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

// Insert implements backend.Transfers.
func (e *Engine) Insert(ctx context.Context, place port.Place, name string, records []json.RawMessage) error {
	set, err := e.find(place)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	return set.change(func(tx *transaction) error {
		into, err := tx.stored(name)
		if err != nil {
			return err
		}
		if into.Type == port.View {
			return core.Errorf(core.CodeValidationFailed, "%s is a view: its records come from other collections", into.Name)
		}
		for i, values := range records {
			if err := tx.insert(set, into, values); err != nil {
				return refusalOf(err, i)
			}
		}
		return nil
	})
}

// stored returns a collection of the schema by its name or id.
func (s *state) stored(name string) (*collection, error) {
	if found := s.collection(name); found != nil {
		return found, nil
	}
	return nil, core.NotFound("collection")
}

// insert creates a record as a member would, with the dates that it gives.
func (tx *transaction) insert(set *dataSet, into *collection, values json.RawMessage) error {
	r := &request{set: set, state: tx.state, tx: tx, owner: true}
	if err := json.Unmarshal(values, &r.body); err != nil || r.body == nil {
		return refusal(400, "A record must be an object.")
	}
	if into.Type == port.Auth && r.text("password") == "" {
		r.body["password"] = rand.Text()
	}
	made, err := r.fill(row{into, &record{values: make(map[string]any)}}, tx)
	if err != nil {
		return err
	}
	if err := tx.put(made, "create"); err != nil {
		return err
	}
	for _, f := range into.fields {
		if date := r.text(f.Name); f.Type == "autodate" && date != "" {
			made.values[f.key] = date
		}
	}
	return nil
}

// refusalOf says which record was not accepted, and why.
func refusalOf(err error, index int) error {
	var known *failure
	if !errors.As(err, &known) {
		return err
	}
	refused := &port.Refusal{Index: index, Message: known.message}
	if fields := slices.Sorted(maps.Keys(known.data)); len(fields) > 0 {
		refused.Field = fields[0]
		if flaw, ok := known.data[refused.Field].(map[string]any); ok {
			refused.Message = textOf(flaw["message"])
		}
	}
	return refused
}

// Dump implements backend.Transfers.
func (e *Engine) Dump(ctx context.Context, place port.Place, name string, to io.Writer) error {
	set, err := e.find(place)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	present := set.state.Load()
	if present == nil {
		return errGone()
	}
	from, err := present.stored(name)
	if err != nil {
		return err
	}
	r := &request{set: set, state: present, owner: true}
	out := bufio.NewWriter(to)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, one := range present.rows(from) {
		if err := lines.Encode(r.visible(one)); err != nil {
			return err
		}
	}
	return out.Flush()
}
