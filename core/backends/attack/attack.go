package attack

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Engine is the part of an engine that an attack needs.
type Engine interface {
	Serve(w http.ResponseWriter, r *http.Request, place backend.Place, as backend.Identity)
	Apply(ctx context.Context, place backend.Place, schema backend.Schema) error
	Copy(ctx context.Context, from, to backend.Place) error
	Remove(ctx context.Context, place backend.Place) error
}

// Bounds of an attack.
const (
	// maxTime bounds all of it.
	maxTime = time.Minute
	// maxVariants bounds the victim's records in a collection, maxReal the existing records
	// that are attacked, too.
	maxVariants, maxReal = 6, 3
)

// Run attacks a scratch copy of a place with a schema and returns the findings, worst
// first. A place without data is attacked with the victim's records only. Run always
// removes the copy, even after ctx has ended.
//
// A schema that the engine rejects has its *backend.Problem. If the engine fails, the code
// is core.CodeUnavailable and nothing is known.
func Run(ctx context.Context, engine Engine, from backend.Place, schema backend.Schema) (found []core.Finding, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	scratch := from
	scratch.Copy = core.NewID()
	defer func() {
		if removed := engine.Remove(context.WithoutCancel(ctx), scratch); err == nil {
			err = removed
		}
	}()
	if err := engine.Copy(ctx, from, scratch); err != nil && !core.IsCode(err, core.CodeNotFound) {
		return nil, err
	}
	if err := engine.Apply(ctx, scratch, withCheapPasswords(schema)); err != nil {
		return nil, err
	}
	r := newRun(ctx, engine, scratch, schema)
	r.attack()
	if r.err != nil {
		return nil, r.err
	}
	return r.sorted(), nil
}

// withCheapPasswords returns a schema in which hashing a password takes the least work, unless it
// says how much. An attack makes many users, and hashing would be most of its work.
func withCheapPasswords(schema backend.Schema) backend.Schema {
	cheap := backend.Schema{Collections: slices.Clone(schema.Collections)}
	for i, collection := range cheap.Collections {
		if collection.Type == backend.Auth {
			cheap.Collections[i].Fields = withCheapPassword(collection.Fields)
		}
	}
	return cheap
}

func withCheapPassword(fields []backend.Field) []backend.Field {
	const name, cost = "password", "cost"
	fields = slices.Clone(fields)
	at := slices.IndexFunc(fields, func(f backend.Field) bool { return f.Name == name })
	if at < 0 {
		at, fields = len(fields), append(fields, backend.Field{ID: name, Name: name, Type: name})
	}
	if _, said := fields[at].Options[cost]; !said {
		options := map[string]json.RawMessage{cost: json.RawMessage("4")}
		maps.Copy(options, fields[at].Options)
		fields[at].Options = options
	}
	return fields
}

// run is one attack with its actors.
type run struct {
	*writer
	// strangers are end users who own nothing.
	strangers []*actor
}

// reader performs an actor's reads, writer an actor's changes.
type (
	reader struct{ *report }
	writer struct{ *reader }
)

// report collects the findings.
type report struct {
	*world
	found map[core.ID]*core.Finding
}

// world is the attacked data.
type world struct {
	*line
	// targets are the collections.
	targets []*target
	guest   *actor
	// aside are the ids of records that do not concern anybody.
	aside map[string]bool
	// marks are in the planted records.
	marks marks
}

// target is a collection.
type target struct {
	backend.Collection
	// fields are those that a request may name, including the system fields of auth collections.
	fields []field
	// planted are the victim's records. real are existing records, and total is their number.
	planted, real []record
	total         int
	// owners are filters that relate a record to the end users who own it.
	owners []string
	// open is true if a guest can sign up here.
	open bool
}

// record is a record as its owner sees it.
type record struct {
	id     string
	values map[string]any
}

// actor is an attacker.
type actor struct {
	kind core.Attacker
	as   backend.Identity
	// id and home are a stranger's record and its collection.
	id   string
	home *target
	// made are the ids of the records that the actor created.
	made map[string]bool
	// climbed describes what a stranger has written into the own account, "" for nothing.
	climbed string
	// reads are the fields that the actor has read, by collection.
	reads map[string]map[string]bool
}

func newActor(kind core.Attacker) *actor {
	return &actor{kind: kind, made: make(map[string]bool), reads: make(map[string]map[string]bool)}
}

func newRun(ctx context.Context, engine Engine, place backend.Place, schema backend.Schema) *run {
	w := &world{line: &line{ctx: ctx, engine: engine, place: place}, guest: newActor(core.AttackGuest), aside: make(map[string]bool), marks: make(marks)}
	for _, collection := range schema.Collections {
		w.targets = append(w.targets, &target{Collection: collection, fields: fieldsOf(collection)})
	}
	for _, t := range w.targets {
		t.owners = w.ownersOf(t)
	}
	return &run{writer: &writer{&reader{&report{w, make(map[core.ID]*core.Finding)}}}}
}

// attack sends all requests, in the order that doc.go describes.
func (r *run) attack() {
	r.look()
	r.plant()
	r.recruit()
	actors := append([]*actor{r.guest}, r.strangers...)
	for _, a := range actors {
		r.create(a)
	}
	for _, a := range actors {
		r.read(a)
		r.infer(a)
		r.download(a)
	}
	r.listen(actors)
	for _, a := range actors {
		r.change(a)
	}
	for _, a := range actors {
		r.remove(a)
	}
	for _, a := range r.strangers {
		r.climb(a)
	}
}

// target returns a collection by its id or name, or nil.
func (r *world) target(idOrName string) *target {
	for _, t := range r.targets {
		if t.ID == idOrName || t.Name == idOrName {
			return t
		}
	}
	return nil
}

// victims returns the records that are attacked individually.
func (t *target) victims() []record { return slices.Concat(t.planted, t.real) }

// sorted returns the findings, worst first.
func (r *report) sorted() []core.Finding {
	weights := map[core.FindingWeight]int{core.FindingHigh: 0, core.FindingMedium: 1, core.FindingInfo: 2}
	found := make([]core.Finding, 0, len(r.found))
	for _, one := range slices.Collect(maps.Values(r.found)) {
		found = append(found, *one)
	}
	slices.SortFunc(found, func(a, b core.Finding) int {
		return cmp.Or(cmp.Compare(weights[a.Severity], weights[b.Severity]), cmp.Compare(a.Collection, b.Collection), cmp.Compare(a.As, b.As), cmp.Compare(a.Action, b.Action), cmp.Compare(a.ID, b.ID))
	})
	return found
}
