package records

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/memory/backend/values"
	port "github.com/atelierhq/atelier/ports/backend"
)

// State is everything that a place holds at one moment. Once it is in force, nothing of it
// changes.
type State struct {
	// Schema is the schema in force as it was given.
	Schema      port.Schema
	Collections []*Collection
	// Files are by their paths: collection id, record id, name.
	Files map[string][]byte
	// Secret signs the tokens.
	Secret string
	// OTPs are by the ids that their requests were given.
	OTPs map[string]OTP
	// Links are the ids of users whom providers of OAuth have vouched for.
	Links map[Link]string

	// stored are the records by the collections' ids.
	stored map[string]table
	// last is the number of the latest record.
	last int64
}

// table is the records of a collection by their ids.
type table map[string]*Record

// OTP is a one-time password that was mailed.
type OTP struct {
	// Collection and Record are ids, SentTo is the address.
	Collection, Record, Password, SentTo string
	Until                                time.Time
	// Tries counts the guesses.
	Tries int
}

// Link is a person at a provider, for a collection of users.
type Link struct{ Collection, Provider, Subject string }

// New returns a state without collections.
func New() *State {
	return &State{Files: map[string][]byte{}, Secret: NewSecret(), OTPs: map[string]OTP{}, Links: map[Link]string{}, stored: map[string]table{}}
}

// NewSecret returns a text that nobody can guess.
func NewSecret() string { return rand.Text() + rand.Text() }

// clone returns a copy that may be changed, but for its records.
func (s *State) clone() *State {
	to := *s
	to.stored, to.Files, to.OTPs, to.Links = make(map[string]table, len(s.stored)), maps.Clone(s.Files), maps.Clone(s.OTPs), maps.Clone(s.Links)
	for id, records := range s.stored {
		to.stored[id] = maps.Clone(records)
	}
	return &to
}

// WithoutSessions returns a copy in which no token and no one-time password is valid.
func (s *State) WithoutSessions() *State {
	to := s.clone()
	to.Secret = NewSecret()
	clear(to.OTPs)
	return to
}

// Collection returns a collection by its name or id, or nil.
func (s *State) Collection(name string) *Collection {
	for _, c := range s.Collections {
		if c.Name == name || c.ID == name {
			return c
		}
	}
	return nil
}

// Rows returns the records of a collection, the oldest first.
func (s *State) Rows(c *Collection) []Row {
	if c.Type == port.View {
		return s.viewed(c)
	}
	found := make([]Row, 0, len(s.stored[c.ID]))
	for _, r := range s.stored[c.ID] {
		found = append(found, Row{c, r})
	}
	slices.SortFunc(found, func(a, b Row) int { return int(a.Number - b.Number) })
	return found
}

// Find returns a record by its id.
func (s *State) Find(c *Collection, id string) (Row, bool) {
	if c.Type != port.View {
		r := s.stored[c.ID][id]
		return Row{c, r}, r != nil
	}
	for _, r := range s.viewed(c) {
		if r.ID == id {
			return r, true
		}
	}
	return Row{}, false
}

// FileBytes returns the size of all files.
func (s *State) FileBytes() int64 {
	var sum int64
	for _, content := range s.Files {
		sum += int64(len(content))
	}
	return sum
}

// dropFiles removes the files below a path.
func (s *State) dropFiles(prefix string) {
	maps.DeleteFunc(s.Files, func(path string, _ []byte) bool { return strings.HasPrefix(path, prefix) })
}

// Stats counts what the state holds.
func (s *State) Stats() port.Stats {
	stats := port.Stats{Bytes: 1 << 10, FileBytes: s.FileBytes(), Collections: map[string]int64{}}
	for _, c := range s.Collections {
		if c.Type == port.View {
			continue
		}
		count := int64(len(s.stored[c.ID]))
		stats.Collections[c.Name] = count
		stats.Records += count
		if c.Type == port.Auth {
			stats.Users += count
		}
		for _, r := range s.stored[c.ID] {
			text, _ := json.Marshal(r.Values)
			stats.Bytes += int64(len(text))
		}
	}
	return stats
}

// Weigh counts the records that would lose a value.
func (s *State) Weigh(change port.Change) (int64, error) {
	c := s.Collection(change.Collection)
	if c == nil || c.Type == port.View {
		return 0, nil
	}
	if change.Field == "" {
		return int64(len(s.stored[c.ID])), nil
	}
	from := c.first(func(f *Field) bool { return f.ID == change.Field })
	if from == nil {
		return 0, nil
	}
	var to *Field
	if change.To != nil && change.To.Type == from.Type {
		var problem *port.Problem
		if to, problem = newField(*change.To, c.Name); problem != nil {
			return 0, problem
		}
	}
	var count int64
	for _, r := range s.Rows(c) {
		value := r.Get(from)
		if to == nil && !values.IsZero(value) || to != nil && to.Check(s, value) != nil {
			count++
		}
	}
	return count, nil
}
