package records

import (
	port "github.com/atelierhq/atelier/ports/backend"
)

// Migrate returns the state with another schema, or a *Problem. It does not read the rules.
func (s *State) Migrate(schema port.Schema) (*State, error) {
	to := s.clone()
	to.Schema, to.Collections = schema, nil
	for _, from := range schema.Collections {
		c, problem := newCollection(from, to.Collections)
		if problem != nil {
			return nil, problem
		}
		if before := s.Collection(from.ID); before != nil && before.ID == from.ID && before.Type != from.Type {
			return nil, &port.Problem{Collection: from.Name, Member: "type", Message: "The type of a collection cannot change."}
		}
		to.Collections = append(to.Collections, c)
	}
	for _, c := range to.Collections {
		if problem := to.checkReferences(c); problem != nil {
			return nil, problem
		}
	}
	to.dropMissing()
	for _, c := range to.Collections {
		if before := s.Collection(c.ID); before != nil && c.Type != port.View {
			to.convert(c, before)
		}
		if problem := to.checkUnique(c); problem != nil {
			return nil, problem
		}
	}
	return to, nil
}

// checkReferences checks what a collection says of others: its relations, and the query of a view.
func (s *State) checkReferences(c *Collection) *port.Problem {
	for _, f := range c.Fields {
		if f.Type == "relation" && s.Target(f) == nil {
			return &port.Problem{Collection: c.Name, Field: f.Name, Member: "collectionId", Message: "The relation's collection is missing."}
		}
	}
	if c.Type == port.View {
		return s.deriveFields(c)
	}
	return nil
}

// dropMissing removes the records and files of collections that are gone.
func (s *State) dropMissing() {
	for id := range s.stored {
		if c := s.Collection(id); c == nil || c.ID != id {
			delete(s.stored, id)
			s.dropFiles(id + "/")
		}
	}
	for _, c := range s.Collections {
		if s.stored[c.ID] == nil && c.Type != port.View {
			s.stored[c.ID] = table{}
		}
	}
}

// convert gives the records of a collection the values that its new fields can have.
func (s *State) convert(c, before *Collection) {
	for id, r := range s.stored[c.ID] {
		converted := make(map[string]any, len(c.Fields))
		for _, f := range c.Fields {
			value, ok := r.Values[f.Key]
			if !ok {
				continue
			}
			if was := before.byKey(f.Key); was == nil || was.Type != f.Type || was.Many() != f.Many() {
				value = f.Normalize(value)
			}
			converted[f.Key] = value
		}
		s.stored[c.ID][id] = &Record{ID: id, Number: r.Number, Values: converted}
	}
}

// checkUnique checks the present records against the unique indexes.
func (s *State) checkUnique(c *Collection) *port.Problem {
	if c.Type == port.View {
		return nil
	}
	for _, r := range s.Rows(c) {
		if s.conflict(r) != "" {
			return &port.Problem{Collection: c.Name, Member: "indexes", Message: "Some records have the same values in a unique index."}
		}
	}
	return nil
}

// conflict returns the name of a field whose unique index a record would break.
func (s *State) conflict(r Row) string {
	for _, index := range r.Collection.unique {
		for _, other := range s.stored[r.Collection.ID] {
			if other.ID != r.ID && index.same(r, Row{r.Collection, other}) {
				return index.fields[0].Name
			}
		}
	}
	return ""
}
