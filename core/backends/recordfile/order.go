package recordfile

import (
	"encoding/json"
)

// ordering sorts records behind the records that they refer to, because a relation can only name
// existing records.
type ordering struct {
	rows   []Row
	byID   map[string]int
	begun  []bool
	placed []bool
	sorted []Row
}

// inOrder returns the rows in their order. Where records refer to each other in a circle, one is
// there twice: first without its relations.
func inOrder(rows []Row) []Row {
	o := ordering{rows: rows, byID: make(map[string]int), begun: make([]bool, len(rows)), placed: make([]bool, len(rows))}
	refers := false
	for i, row := range rows {
		if row.id != "" {
			o.byID[row.id] = i
		}
		refers = refers || len(row.refers) > 0
	}
	if !refers || len(o.byID) == 0 {
		return rows
	}
	for i := range rows {
		o.place(i)
	}
	return o.sorted
}

// place appends a record after the records that it refers to.
func (o *ordering) place(i int) {
	if o.placed[i] {
		return
	}
	if o.begun[i] {
		// It is there from now on; the record itself follows when all that it refers to is.
		o.placed[i] = true
		o.sorted = append(o.sorted, o.rows[i].alone())
		return
	}
	o.begun[i] = true
	for _, ids := range o.rows[i].refers {
		for _, id := range ids {
			if first, known := o.byID[id]; known {
				o.place(first)
			}
		}
	}
	o.placed[i] = true
	o.sorted = append(o.sorted, o.rows[i])
}

// alone returns the record without the relations to its own collection.
func (r Row) alone() Row {
	var fields map[string]json.RawMessage
	// It was encoded from such a map.
	_ = json.Unmarshal(r.Record, &fields)
	for name := range r.refers {
		delete(fields, name)
	}
	return Row{Line: r.Line, Record: encode(fields), isFirst: true}
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
