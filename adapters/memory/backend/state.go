package backend

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"

	port "github.com/atelierhq/atelier/ports/backend"
)

// state is everything that a place holds at one moment. Once it is in force, nothing of it
// changes.
type state struct {
	schema      port.Schema
	collections []*collection
	// tables are the records by the collections' ids.
	tables map[string]table
	// files are by their paths: collection id, record id, name.
	files map[string][]byte
	// secret signs the tokens.
	secret string
	otps   map[string]otp
	// last is the number of the latest record.
	last int64
}

// table is the records of a collection by their ids.
type table map[string]*record

// record is a record. Its values are by the keys of fields: text (string), number (float64),
// bool, several texts ([]string), or anything JSON has.
type record struct {
	id string
	// number orders the records by their creation.
	number int64
	values map[string]any
}

// row is a record of a collection.
type row struct {
	collection *collection
	*record
}

func newState() *state {
	return &state{tables: map[string]table{}, files: map[string][]byte{}, secret: rand.Text() + rand.Text(), otps: map[string]otp{}}
}

// clone returns a copy that may be changed, but for its records.
func (s *state) clone() *state {
	to := *s
	to.tables, to.files, to.otps = make(map[string]table, len(s.tables)), maps.Clone(s.files), maps.Clone(s.otps)
	for id, records := range s.tables {
		to.tables[id] = maps.Clone(records)
	}
	return &to
}

// collection returns a collection by its name or id, or nil.
func (s *state) collection(name string) *collection {
	for _, c := range s.collections {
		if c.Name == name || c.ID == name {
			return c
		}
	}
	return nil
}

// rows returns the records of a collection, the oldest first.
func (s *state) rows(c *collection) []row {
	if c.Type == port.View {
		return s.viewed(c)
	}
	found := make([]row, 0, len(s.tables[c.ID]))
	for _, r := range s.tables[c.ID] {
		found = append(found, row{c, r})
	}
	slices.SortFunc(found, func(a, b row) int { return int(a.number - b.number) })
	return found
}

// find returns a record by its id.
func (s *state) find(c *collection, id string) (row, bool) {
	if c.Type != port.View {
		r := s.tables[c.ID][id]
		return row{c, r}, r != nil
	}
	for _, r := range s.viewed(c) {
		if r.id == id {
			return r, true
		}
	}
	return row{}, false
}

// get returns the value of a field.
func (r row) get(f *field) any {
	if f.Name == "id" && f.system {
		return r.id
	}
	if value, ok := r.values[f.key]; ok {
		return value
	}
	return f.zero()
}

// text returns the value of a system field that is a text.
func (r row) text(name string) string {
	text, _ := r.values[name].(string)
	return text
}

func (s *state) fileBytes() int64 {
	var sum int64
	for _, content := range s.files {
		sum += int64(len(content))
	}
	return sum
}

func (s *state) stats() port.Stats {
	stats := port.Stats{Bytes: 1 << 10, FileBytes: s.fileBytes(), Collections: map[string]int64{}}
	for _, c := range s.collections {
		if c.Type == port.View {
			continue
		}
		count := int64(len(s.tables[c.ID]))
		stats.Collections[c.Name] = count
		stats.Records += count
		if c.Type == port.Auth {
			stats.Users += count
		}
		for _, r := range s.tables[c.ID] {
			text, _ := json.Marshal(r.values)
			stats.Bytes += int64(len(text))
		}
	}
	return stats
}

// weigh counts the records that would lose a value.
func (s *state) weigh(change port.Change) (int64, error) {
	c := s.collection(change.Collection)
	if c == nil || c.Type == port.View {
		return 0, nil
	}
	if change.Field == "" {
		return int64(len(s.tables[c.ID])), nil
	}
	at := slices.IndexFunc(c.fields, func(f *field) bool { return f.ID == change.Field })
	if at < 0 {
		return 0, nil
	}
	from, to := c.fields[at], (*field)(nil)
	if change.To != nil && change.To.Type == from.Type {
		var problem *port.Problem
		if to, problem = newField(*change.To, c.Name); problem != nil {
			return 0, problem
		}
	}
	var count int64
	for _, r := range s.rows(c) {
		value := r.get(from)
		if to == nil && !isZero(value) || to != nil && to.check(s, value) != nil {
			count++
		}
	}
	return count, nil
}
