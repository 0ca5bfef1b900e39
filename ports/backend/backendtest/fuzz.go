package backendtest

import (
	"net/url"
	"regexp"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// changing matches what has another value each time it is asked for.
var changing = regexp.MustCompile(`(?i)@(random|now|second|minute)`)

// maxFuzzedBytes bounds the parameters: longer ones only take longer.
const maxFuzzedBytes = 2 << 10

// Fuzz sends lists with any parameters to two worlds that differ in what is hidden, as clauses of
// Run do with sensible ones: an answer is in words, and tells nothing of that. The worlds are copies,
// on which PocketBase does not slow guesses down.
func Fuzz(f *testing.F, harness Harness) {
	s := newSuite(f, harness, many)
	s.place.Copy = core.NewID()
	one, other := s.newWorld(f, 1), s.newWorld(f, 2)
	g := newGrammar(3)
	for range 20 {
		values := g.values(1, slices.Concat(partlyHidden(), secretNames()), sortNames())
		f.Add(values.Get("filter"), values.Get("sort"), values.Get("expand"), values.Get("fields"))
	}
	f.Fuzz(func(t *testing.T, filter, sort, expand, fields string) {
		if len(filter)+len(sort)+len(expand)+len(fields) > maxFuzzedBytes || changing.MatchString(filter+" "+sort) {
			t.Skip()
		}
		for _, collection := range []string{"notes", "users", "boxes"} {
			q := query{collection, url.Values{"filter": {filter}, "sort": {sort}, "expand": {expand}, "fields": {fields}}, 0}
			q.ask(t, one.guest, other.guest)
			q.ask(t, one.anna, other.anna)
		}
	})
}
