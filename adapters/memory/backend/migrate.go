package backend

import (
	"maps"
	"strings"

	port "github.com/atelierhq/atelier/ports/backend"
)

// migrate returns the state with another schema, or a *Problem.
func (s *state) migrate(schema port.Schema) (*state, error) {
	to := s.clone()
	to.schema, to.collections = schema, nil
	for _, from := range schema.Collections {
		c, problem := newCollection(from, to.collections)
		if problem != nil {
			return nil, problem
		}
		if before := s.collection(from.ID); before != nil && before.ID == from.ID && before.Type != from.Type {
			return nil, &port.Problem{Collection: from.Name, Member: "type", Message: "The type of a collection cannot change."}
		}
		to.collections = append(to.collections, c)
	}
	for _, c := range to.collections {
		if problem := to.checkReferences(c); problem != nil {
			return nil, problem
		}
	}
	to.dropMissing()
	for _, c := range to.collections {
		if before := s.collection(c.ID); before != nil && c.Type != port.View {
			to.convert(c, before)
		}
		if problem := to.checkUnique(c); problem != nil {
			return nil, problem
		}
	}
	return to, nil
}

// checkReferences checks what a collection says of others: relations, views and rules.
func (s *state) checkReferences(c *collection) *port.Problem {
	for _, f := range c.fields {
		if f.Type == "relation" && s.collection(f.options.CollectionID) == nil {
			return &port.Problem{Collection: c.Name, Field: f.Name, Member: "collectionId", Message: "The relation's collection is missing."}
		}
	}
	if c.Type == port.View {
		if problem := s.deriveFields(c); problem != nil {
			return problem
		}
	}
	for _, rule := range c.rules() {
		if rule.text == nil || *rule.text == "" {
			continue
		}
		if _, err := (&compiler{state: s, base: c, trusted: true}).compile(*rule.text); err != nil {
			return &port.Problem{Collection: c.Name, Member: rule.member, Message: sentence(err)}
		}
	}
	return nil
}

// dropMissing removes the records and files of collections that are gone.
func (s *state) dropMissing() {
	for id := range s.tables {
		if c := s.collection(id); c == nil || c.ID != id {
			delete(s.tables, id)
			s.dropFiles(id + "/")
		}
	}
	for _, c := range s.collections {
		if s.tables[c.ID] == nil && c.Type != port.View {
			s.tables[c.ID] = table{}
		}
	}
}

func (s *state) dropFiles(prefix string) {
	maps.DeleteFunc(s.files, func(path string, _ []byte) bool { return strings.HasPrefix(path, prefix) })
}

// convert gives the records of a collection the values that its new fields can have.
func (s *state) convert(c, before *collection) {
	for id, r := range s.tables[c.ID] {
		values := make(map[string]any, len(c.fields))
		for _, f := range c.fields {
			value, ok := r.values[f.key]
			if !ok {
				continue
			}
			if was := before.byKey(f.key); was == nil || was.Type != f.Type || was.many() != f.many() {
				value = f.normalize(value)
			}
			values[f.key] = value
		}
		s.tables[c.ID][id] = &record{id: id, number: r.number, values: values}
	}
}

// checkUnique checks the present records against the unique indexes.
func (s *state) checkUnique(c *collection) *port.Problem {
	for _, r := range s.rows(c) {
		if c.Type != port.View && s.conflict(r) != "" {
			return &port.Problem{Collection: c.Name, Member: "indexes", Message: "Some records have the same values in a unique index."}
		}
	}
	return nil
}

// conflict returns the name of a field whose unique index a record would break.
func (s *state) conflict(r row) string {
	for _, index := range r.collection.unique {
		for _, other := range s.tables[r.collection.ID] {
			if other.id != r.id && index.same(r, row{r.collection, other}) {
				return index.fields[0].Name
			}
		}
	}
	return ""
}
