package records

import (
	"regexp"
	"slices"

	"github.com/atelierhq/atelier/adapters/memory/backend/values"
)

// Target returns the collection whose records a relation names, nil if f is not a relation.
func (s *State) Target(f *Field) *Collection {
	if f.Type != "relation" {
		return nil
	}
	return s.Collection(f.Options.CollectionID)
}

// Related returns the records that a relation of a record names.
func (s *State) Related(from Row, f *Field) []Row {
	target := s.Target(f)
	if !from.Exists() || target == nil {
		return nil
	}
	var rows []Row
	for _, id := range values.Texts(from.Get(f)) {
		if r, ok := s.Find(target, id); ok {
			rows = append(rows, r)
		}
	}
	return rows
}

// Naming returns the records whose relation f names a record.
func (s *State) Naming(to Row, of *Collection, f *Field) []Row {
	if !to.Exists() {
		return nil
	}
	var rows []Row
	for _, r := range s.Rows(of) {
		if slices.Contains(values.Texts(r.Get(f)), to.ID) {
			rows = append(rows, r)
		}
	}
	return rows
}

var backPattern = regexp.MustCompile(`^(\w+)_via_(\w+)$`)

// BackRelation finds the relation to c that a name such as comments_via_post follows backwards: the
// field post of the collection comments. It returns nil for a name that means no such relation.
func (s *State) BackRelation(c *Collection, name string) (*Collection, *Field) {
	parts := backPattern.FindStringSubmatch(name)
	if parts == nil {
		return nil, nil
	}
	of := s.Collection(parts[1])
	if of == nil {
		return nil, nil
	}
	f := of.ByName(parts[2])
	if f == nil || s.Target(f) != c {
		return nil, nil
	}
	return of, f
}
