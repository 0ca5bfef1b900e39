package backend

import (
	"crypto/rand"
	"maps"
	"slices"
	"strings"
	"time"

	port "github.com/atelierhq/atelier/ports/backend"
)

// transaction is a change under way.
type transaction struct {
	// state is the changed copy, before what it was made from.
	*state
	before *state
	events []event
}

// event is something that happened to a record.
type event struct {
	// action is create, update or delete.
	action string
	row
	// seen is the state in which the rules are asked: with the record in it.
	seen *state
}

// newID returns an id as PocketBase makes them.
func newID() string { return strings.ToLower(rand.Text()[:15]) }

// put creates a record or changes one, and refuses values that the fields do not accept.
func (tx *transaction) put(r row, action string) error {
	now := time.Now().UTC().Format(dateFormat)
	flaws := make(map[string]*flaw)
	for _, f := range r.collection.fields {
		if f.Type == "autodate" && (f.options.OnCreate && action == "create" || f.options.OnUpdate) {
			r.values[f.key] = now
		}
		if f.system && f.Name == "id" || f.Type == "password" {
			continue
		}
		if flaw := f.check(tx.state, r.get(f)); flaw != nil {
			flaws[f.Name] = flaw
		}
	}
	if name := tx.conflict(r); name != "" {
		flaws[name] = flawUnique
	}
	if len(flaws) > 0 {
		return flawed("Failed to "+action+" record.", flaws)
	}
	if r.number == 0 {
		tx.last++
		r.number = tx.last
	}
	tx.tables[r.collection.ID][r.id] = r.record
	tx.events = append(tx.events, event{action: action, row: r, seen: tx.state})
	return nil
}

// changed returns a copy of a record that may be changed.
func changed(r row) row {
	return row{r.collection, &record{id: r.id, number: r.number, values: maps.Clone(r.values)}}
}

// remove deletes a record, with those whose relations cascade. A relation that is required
// keeps its record.
func (tx *transaction) remove(r row) error {
	if tx.tables[r.collection.ID][r.id] == nil {
		return nil // a circle of relations
	}
	delete(tx.tables[r.collection.ID], r.id)
	tx.dropFiles(r.collection.ID + "/" + r.id + "/")
	tx.events = append(tx.events, event{action: "delete", row: r, seen: tx.before})
	for _, c := range tx.collections {
		if c.Type == port.View {
			continue
		}
		for _, f := range c.fields {
			if f.Type != "relation" || tx.collection(f.options.CollectionID) != r.collection {
				continue
			}
			if err := tx.unlink(r, c, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// unlink takes a removed record out of a relation that names it.
func (tx *transaction) unlink(removed row, c *collection, f *field) error {
	for _, other := range tx.naming(removed, c, f) {
		rest := slices.DeleteFunc(textsOf(other.get(f)), func(id string) bool { return id == removed.id })
		if len(rest) == 0 && f.options.CascadeDelete {
			if err := tx.remove(other); err != nil {
				return err
			}
			continue
		}
		if len(rest) == 0 && f.options.Required {
			return refusal(400, "Failed to delete record. Make sure that the record is not part of a required relation reference.")
		}
		other = changed(other)
		other.values[f.key] = f.normalize(rest)
		tx.tables[c.ID][other.id] = other.record
		tx.events = append(tx.events, event{action: "update", row: other, seen: tx.state})
	}
	return nil
}
