package backends

import (
	"encoding/json"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// ordering sorts imported records behind the records that they refer to, because a relation
// can only name existing records.
type ordering struct {
	rows []imported
	// own are the collection's relations to itself.
	own    []string
	byID   map[string]int
	begun  []bool
	placed []bool
	sorted []imported
}

func inOrder(into backend.Collection, rows []imported) ([]imported, error) {
	o := ordering{rows: rows, byID: make(map[string]int), begun: make([]bool, len(rows)), placed: make([]bool, len(rows))}
	for _, field := range into.Fields {
		if field.Type == kindRelation && textOption(field, "collectionId") == into.ID {
			o.own = append(o.own, field.Name)
		}
	}
	for i, row := range rows {
		for _, id := range textsOf(row.fields["id"]) {
			o.byID[id] = i
		}
	}
	if len(o.own) == 0 || len(o.byID) == 0 {
		return rows, nil
	}
	for i := range rows {
		if err := o.place(i); err != nil {
			return nil, err
		}
	}
	return o.sorted, nil
}

// place appends a record after the records that it refers to.
func (o *ordering) place(i int) error {
	if o.placed[i] {
		return nil
	}
	if o.begun[i] {
		return core.Errorf(core.CodeValidationFailed, "%s: the records refer to each other in a circle", o.rows[i].place)
	}
	o.begun[i] = true
	for _, relation := range o.own {
		for _, id := range textsOf(o.rows[i].fields[relation]) {
			if first, known := o.byID[id]; known {
				if err := o.place(first); err != nil {
					return err
				}
			}
		}
	}
	o.placed[i] = true
	o.sorted = append(o.sorted, o.rows[i])
	return nil
}

// textsOf returns the strings in a value: a string or a list of strings.
func textsOf(value json.RawMessage) []string {
	var one string
	if json.Unmarshal(value, &one) == nil {
		return []string{one}
	}
	var many []string
	if json.Unmarshal(value, &many) != nil {
		return nil
	}
	return many
}
