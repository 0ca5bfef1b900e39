package rules

import (
	"slices"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/values"
)

// join chooses records, or values of a list, for a part of a path.
type join struct {
	// name tells joins apart; paths that begin alike share theirs.
	name string
	// parent is the slot from which the join goes on.
	parent int
	// cells returns what there is to choose.
	cells func(c *Condition, from cell) []cell
	// target is the collection of the records, nil for values.
	target *records.Collection
	// rule is the list rule of the target, which hides records from an untrusted filter.
	rule *Condition
	// many means that there may be more than one.
	many bool
}

// cell is a record that a join has chosen, or a value of a list; the zero value is neither.
type cell struct {
	records.Row
	value any
}

// admits reports whether the rule of the target lets a record be chosen. It always admits none.
func (j *join) admits(one cell) bool {
	if j.rule == nil || !one.Exists() {
		return true
	}
	shown, err := j.rule.Holds(one.Row)
	return shown && err == nil
}

// chain returns the joins that lead to a slot, the first first.
func (c *Condition) chain(slot int) []*join {
	var chain []*join
	for slot > 0 {
		chain = append(chain, c.joins[slot-1])
		slot = c.joins[slot-1].parent
	}
	slices.Reverse(chain)
	return chain
}

// every returns all cells that can be in a slot, and the zero cell if nothing can.
func (c *Condition) every(slot int) []cell {
	cells := []cell{c.chosen[0]}
	for _, j := range c.chain(slot) {
		var next []cell
		for _, from := range cells {
			next = append(next, j.cells(c, from)...)
		}
		if c.steps += len(next); c.steps > maxSteps {
			return []cell{{}}
		}
		cells = next
	}
	if len(cells) == 0 {
		return []cell{{}}
	}
	return cells
}

// cellsOf returns a cell for each record.
func cellsOf(rows []records.Row) []cell {
	cells := make([]cell, len(rows))
	for i, r := range rows {
		cells[i].Row = r
	}
	return cells
}

// valuesOf returns a cell for each value of a list.
func valuesOf(r records.Row, f *records.Field) []cell {
	if !r.Exists() {
		return nil
	}
	var cells []cell
	for _, text := range values.Texts(r.Get(f)) {
		cells = append(cells, cell{value: text})
	}
	return cells
}
