package yjs

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/lib0"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// rawUpdate is an update that is written by hand: blocks of structs, each of one client.
type rawUpdate struct{ blocks [][]byte }

// block adds the structs of a client, each from its first byte on.
func (f *rawUpdate) block(client, clock uint64, structs ...[]byte) {
	b := lib0.AppendUint(nil, uint64(len(structs)))
	b = lib0.AppendUint(lib0.AppendUint(b, client), clock)
	f.blocks = append(f.blocks, append(b, bytes.Join(structs, nil)...))
}

func (f *rawUpdate) update(deletes deleteSet) []byte {
	to := lib0.AppendUint(nil, uint64(len(f.blocks)))
	return deletes.normal().append(append(to, bytes.Join(f.blocks, nil)...))
}

// forgedText is a struct with a text, written by hand.
func forgedText(origin, right id, parent parentRef, text string) []byte {
	in := updateStruct{length: uint32(len(text)), origin: origin, rightOrigin: right, parent: parent, content: content{refString, []byte(text)}}
	return in.append(nil, 0)
}

func forgedType(parent parentRef) []byte {
	in := updateStruct{length: 1, origin: noID, rightOrigin: noID, parent: parent, content: content{refType, []byte{typeText}}}
	return in.append(nil, 0)
}

// forgedValue is a struct with the value of a path.
func forgedValue(key string, c content) []byte {
	in := updateStruct{length: 1, origin: noID, rightOrigin: noID, parent: rootRef(filesRoot), sub: &key, content: c}
	return in.append(nil, 0)
}

func rootRef(name string) parentRef { return parentRef{item: noID, root: name} }

// lively is a document with deletions, an old value, objects and something that waits.
func lively(t testing.TB) *Document {
	t.Helper()
	d := opened(t, traces(t)["at_random_3.json"].State)
	path := core.MustPath("a.txt")
	for _, edits := range [][]replica.Edit{{{Insert: "some 😀 text"}}, {{At: 2, Delete: 3}}} {
		if _, err := d.Edit(path, edits); err != nil {
			t.Fatal(err)
		}
	}
	var f rawUpdate
	f.block(77, 5, forgedText(noID, noID, rootRef("x"), "waits"))
	apply(t, d, f.update(deleteSet{{78, 1, 2}}))
	if d.Stats().Pending != 2 {
		t.Fatalf("got %+v, want something that waits", d.Stats())
	}
	return d
}

// wantRefused applies an update within a limit of work. It must be refused with a code
// and change nothing.
func wantRefused(t *testing.T, update []byte, limit int, code core.Code) {
	t.Helper()
	d := lively(t)
	before, stats := encoded(t, d, nil), d.Stats()
	if _, err := d.apply(update, limit); !core.IsCode(err, code) {
		t.Fatalf("got %v, want code %s", err, code)
	}
	check(t, d)
	if got := encoded(t, d, nil); !slices.Equal(got, before) {
		t.Errorf("state: got %x, want %x as before", got, before)
	}
	if got := d.Stats(); got != stats {
		t.Errorf("stats: got %+v, want %+v as before", got, stats)
	}
	if _, err := d.Edit(core.MustPath("a.txt"), []replica.Edit{{Insert: "goes on"}}); err != nil {
		t.Errorf("an edit afterwards: got %v", err)
	}
	check(t, d)
}

// Each client claims to have known nothing to the left of a place in a long text, so each
// item must be compared with all others there.
func TestUpdateThatTakesTooMuchWork(t *testing.T) {
	var f rawUpdate
	// What was integrated before that is rolled back too: a text that replaces another.
	f.block(1<<50, 0, forgedValue("index.html", content{refType, []byte{typeText}}))
	const crowd = 800
	f.block(1<<41, 0, forgedText(noID, noID, rootRef("crowd"), strings.Repeat("x", crowd+1)))
	for i := range uint64(crowd) {
		f.block(1<<40-i, 0, forgedText(noID, id{1 << 41, uint32(i + 1)}, parentRef{}, "y"))
	}
	wantRefused(t, f.update(nil), crowd*crowd/2, core.CodePayloadTooLarge)
}

func TestUpdateWithTooManyStructs(t *testing.T) {
	var structs [][]byte
	for range replica.MaxStructs + 1 {
		structs = append(structs, forgedText(noID, noID, rootRef("x"), "x"))
	}
	var f rawUpdate
	f.block(1<<40, 0, structs...)
	wantRefused(t, f.update(nil), maxCost, core.CodePayloadTooLarge)
}

func TestUpdateWithTooMuchContent(t *testing.T) {
	d := opened(t, nil)
	var err error
	applied := 0
	for client := uint64(1); err == nil && client < 100; client++ {
		var f rawUpdate
		f.block(client, 0, forgedText(noID, noID, rootRef("x"), strings.Repeat("x", 16<<20)))
		before := d.Stats()
		if _, err = d.Apply(f.update(nil)); err != nil && d.Stats() != before {
			t.Errorf("got %+v, want %+v as before", d.Stats(), before)
		}
		applied++
	}
	if want := replica.MaxContentBytes>>24 + 1; !core.IsCode(err, core.CodePayloadTooLarge) || applied != want {
		t.Errorf("got %v after %d updates, want code %s after %d", err, applied, core.CodePayloadTooLarge, want)
	}
}

func TestStructsThatCannotBe(t *testing.T) {
	anyNested := append(bytes.Repeat([]byte{117, 1}, 1000), 126)
	for name, structs := range map[string][]byte{
		"an origin of its own future":  forgedText(id{5, 0}, noID, parentRef{}, "x"),
		"a right origin of its future": forgedText(noID, id{5, 3}, parentRef{}, "x"),
		"a parent of its future":       forgedText(noID, noID, parentRef{item: id{5, 0}}, "x"),
		"no length":                    forgedText(noID, noID, rootRef("x"), ""),
		"garbage of no length":         {byte(refGC), 0},
		"no UTF-8":                     forgedText(noID, noID, rootRef("x"), "\xff"),
		"an unknown kind":              append([]byte{11}, lib0.AppendBytes([]byte{1}, "x")...),
		"an unknown type":              append(lib0.AppendBytes([]byte{byte(refType), 1}, "x"), 7),
		"an object that is no JSON":    lib0.AppendBytes(lib0.AppendBytes([]byte{byte(refEmbed), 1}, "x"), "{"),
		"a value nested too deep":      append(append(lib0.AppendBytes([]byte{byte(refAny), 1}, "x"), 1), anyNested...),
		"more values than bytes":       append(lib0.AppendBytes([]byte{byte(refAny), 1}, "x"), 0xff, 0xff, 3, 126),
		"a length beyond all numbers":  lib0.AppendUint([]byte{byte(refGC)}, lib0.MaxInteger+1),
		"a clock beyond all numbers":   append(lib0.AppendUint([]byte{byte(refSkip)}, lib0.MaxInteger), byte(refGC), 1),
	} {
		t.Run(name, func(t *testing.T) {
			var f rawUpdate
			f.block(5, 0, structs)
			if name == "a clock beyond all numbers" {
				f = rawUpdate{}
				f.block(5, 1, structs[:len(structs)-2], structs[len(structs)-2:])
			}
			wantRefused(t, f.update(nil), maxCost, core.CodeInvalidRequest)
		})
	}
}

// Neighbours in different lists, origins that cross and parents that hold nothing can
// be forged. They are taken in without harm.
func TestStructsThatContradictEachOther(t *testing.T) {
	var f rawUpdate
	f.block(9, 0, forgedType(rootRef("a")), forgedText(noID, noID, parentRef{item: id{9, 0}}, "inside"), forgedText(noID, noID, rootRef("b"), "abc"))
	f.block(8, 0,
		forgedText(id{9, 2}, id{9, 8}, parentRef{}, "between lists"),
		forgedText(id{9, 9}, id{9, 8}, parentRef{}, "crossed"),
		forgedText(noID, noID, parentRef{item: id{9, 2}}, "in a text of no type"),
		forgedText(noID, id{9, 0}, parentRef{}, "before"))
	d := lively(t)
	for range 2 {
		apply(t, d, f.update(deleteSet{{9, 0, 1}, {8, 3, 2}}))
		check(t, d)
	}
	check(t, opened(t, encoded(t, d, nil)))
}

// Types within types, as deep as an update can be long.
func TestTypesNestedDeep(t *testing.T) {
	const depth = 200_000
	structs := [][]byte{forgedType(rootRef("deep"))}
	for clock := range uint32(depth) {
		structs = append(structs, forgedType(parentRef{item: id{5, clock}}))
	}
	var f rawUpdate
	f.block(5, 0, structs...)
	d := opened(t, nil)
	apply(t, d, f.update(nil))
	if got := d.Stats().Structs; got != depth+1 {
		t.Errorf("got %d structs, want %d", got, depth+1)
	}
	apply(t, d, (&rawUpdate{}).update(deleteSet{{5, 0, 1}}))
	check(t, d)
	if got := d.Stats().Structs; got != 2 {
		t.Errorf("after the deletion: got %d structs, want the type and its garbage", got)
	}
}

// Somebody else writes under the number of this replica.
func TestForgedOwnClient(t *testing.T) {
	d := opened(t, nil)
	path := core.MustPath("a.txt")
	if _, err := d.Edit(path, []replica.Edit{{Insert: "own"}}); err != nil {
		t.Fatal(err)
	}
	var f rawUpdate
	f.block(d.client, uint64(d.store.state(d.client)), forgedText(noID, noID, rootRef("x"), "forged"))
	was := d.client
	apply(t, d, f.update(nil))
	if d.client == was {
		t.Errorf("it still writes as %d, want another number", was)
	}
	if _, err := d.Edit(path, []replica.Edit{{At: 3, Insert: " text"}}); err != nil {
		t.Fatal(err)
	}
	if got, _ := opened(t, encoded(t, d, nil)).Text(path); got != "own text" {
		t.Errorf("got %q, want %q", got, "own text")
	}
}

// Keys that no path may have, and values that are no text, are carried and not seen.
func TestWhatIsNoText(t *testing.T) {
	d := opened(t, nil)
	var f rawUpdate
	f.block(5, 0,
		forgedValue("../up", content{refType, []byte{typeText}}),
		forgedValue("", content{refType, []byte{typeText}}),
		forgedValue("map.txt", content{ref: refType, text: []byte{1}}),
		forgedValue("any.txt", content{ref: refAny, text: []byte{126}}),
		forgedValue("a.txt", content{refType, []byte{typeText}}))
	change, err := d.Apply(f.update(nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Paths(); len(got) != 1 || got[0].String() != "a.txt" {
		t.Errorf("paths: got %v, want a.txt", got)
	}
	for _, path := range change.Paths {
		if path.String() == "../up" || path.IsRoot() {
			t.Errorf("changed paths: got %v, want none that is refused", change.Paths)
		}
	}
	if got, want := encoded(t, d, nil), f.update(nil); !slices.Equal(got, want) {
		t.Errorf("state: got %x, want all of %x", got, want)
	}
	if _, err := d.Edit(core.MustPath("any.txt"), []replica.Edit{{Insert: "now a text"}}); err != nil {
		t.Fatal(err)
	}
	if got, _ := d.Text(core.MustPath("any.txt")); got != "now a text" {
		t.Errorf("got %q, want a text in place of the value", got)
	}
}

func TestDeleteSets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		a, b := randomDeletes(random), randomDeletes(random)
		units := a.units()
		for unit := range b.units() {
			delete(units, unit)
		}
		got := a.normal().without(b.normal())
		if left := got.units(); len(left) != len(units) {
			t.Fatalf("%v without %v: got %v, want %v", a, b, got, units)
		}
		for _, d := range got {
			for clock := d.clock; clock < d.end(); clock++ {
				if !units[id{d.client, clock}] {
					t.Fatalf("%v without %v: got %v, want %v", a, b, got, units)
				}
			}
		}
	}
}

func randomDeletes(random *rand.Rand) deleteSet {
	var set deleteSet
	for range random.IntN(6) {
		set = append(set, deletion{random.Uint64N(2), random.Uint32N(20), 1 + random.Uint32N(6)})
	}
	return set.normal()
}

func (set deleteSet) units() map[id]bool {
	units := map[id]bool{}
	for _, d := range set {
		for clock := d.clock; clock < d.end(); clock++ {
			units[id{d.client, clock}] = true
		}
	}
	return units
}
