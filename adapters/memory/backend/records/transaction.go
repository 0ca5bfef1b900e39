package records

import (
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/memory/backend/values"
	port "github.com/atelierhq/atelier/ports/backend"
)

// Transaction is a change under way. The embedded state is the changed copy, which comes in force
// when the caller of Begin puts it there.
type Transaction struct {
	*State
	// Events are what happened to records, in order.
	Events []Event

	before *State
}

// Action says what happened to a record.
type Action string

// The actions.
const (
	Create Action = "create"
	Update Action = "update"
	Delete Action = "delete"
)

// Event is something that happened to a record.
type Event struct {
	Action Action
	Row
	// Seen is the state in which the rules are asked: with the record in it.
	Seen *State
}

// Begin returns a transaction on a copy of a state.
func Begin(from *State) *Transaction { return &Transaction{State: from.clone(), before: from} }

// NewID returns an id as PocketBase makes them.
func NewID() string { return strings.ToLower(rand.Text()[:15]) }

// Put creates a record or changes one. It returns an *Invalid for values that the fields do not
// accept.
func (tx *Transaction) Put(r Row, action Action) error {
	now := time.Now().UTC().Format(values.DateFormat)
	flaws := make(map[string]*Flaw)
	for _, f := range r.Collection.Fields {
		if f.Type == "autodate" && (f.Options.OnCreate && action == Create || f.Options.OnUpdate) {
			r.Values[f.Key] = now
		}
		if f.System && f.Name == "id" || f.Type == "password" {
			continue
		}
		if flaw := f.Check(tx.State, r.Get(f)); flaw != nil {
			flaws[f.Name] = flaw
		}
	}
	if name := tx.conflict(r); name != "" {
		flaws[name] = flawUnique
	}
	if len(flaws) > 0 {
		return &Invalid{Message: "Failed to " + string(action) + " record.", Flaws: flaws}
	}
	if r.Number == 0 {
		tx.last++
		r.Number = tx.last
	}
	tx.stored[r.Collection.ID][r.ID] = r.Record
	tx.Events = append(tx.Events, Event{Action: action, Row: r, Seen: tx.State})
	return nil
}

// Remove deletes a record, with those whose relations cascade. It returns an *Invalid if a
// required relation of another record names it.
func (tx *Transaction) Remove(r Row) error {
	if tx.stored[r.Collection.ID][r.ID] == nil {
		return nil // a circle of relations
	}
	delete(tx.stored[r.Collection.ID], r.ID)
	tx.dropFiles(r.Collection.ID + "/" + r.ID + "/")
	tx.Events = append(tx.Events, Event{Action: Delete, Row: r, Seen: tx.before})
	for _, c := range tx.Collections {
		if c.Type == port.View {
			continue
		}
		for _, f := range c.Fields {
			if tx.Target(f) != r.Collection {
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
func (tx *Transaction) unlink(removed Row, c *Collection, f *Field) error {
	for _, other := range tx.Naming(removed, c, f) {
		rest := slices.DeleteFunc(values.Texts(other.Get(f)), func(id string) bool { return id == removed.ID })
		if len(rest) == 0 && f.Options.CascadeDelete {
			if err := tx.Remove(other); err != nil {
				return err
			}
			continue
		}
		if len(rest) == 0 && f.Options.Required {
			return &Invalid{Message: "Failed to delete record. Make sure that the record is not part of a required relation reference."}
		}
		other = other.Clone()
		other.Values[f.Key] = f.Normalize(rest)
		tx.stored[c.ID][other.ID] = other.Record
		tx.Events = append(tx.Events, Event{Action: Update, Row: other, Seen: tx.State})
	}
	return nil
}
