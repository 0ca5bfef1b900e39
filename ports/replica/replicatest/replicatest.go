// Package replicatest tests replicas, made by a replica.Maker, against their port.
package replicatest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// Run tests the documents of a replica.Maker against their contract.
func Run(t *testing.T, maker replica.Maker) {
	clauses := []struct {
		name  string
		check func(t *testing.T, r replicas)
	}{
		{"an empty document has nothing", isEmpty},
		{"an edit is read back", edits},
		{"an edit creates a missing text", creates},
		{"offsets count bytes, and characters of every width stay whole", countsBytes},
		{"an edit that is out of order, out of bounds or within a character is refused and changes nothing", refusesEdits},
		{"a text that was removed is gone, and one made again is empty", removes},
		{"paths are sorted", sortsPaths},
		{"a change names the paths that it changed", namesPaths},
		{"what changes nothing is the zero change", saysNothing},
		{"updates lead to the same texts in every order", converges},
		{"an update that comes twice changes nothing the second time", ignoresDuplicates},
		{"an update whose predecessor is missing waits for it", waits},
		{"deletions that come before what they delete wait for it", waitsForDeleted},
		{"what waits is part of the state", keepsWaiting},
		{"a late joiner has what the others have", joinsLate},
		{"a state vector asks for what is missing alone", encodesDifference},
		{"the change of an update is all that a third replica needs", passesChangesOn},
		{"texts written at one place by two people do not interleave", keepsRuns},
		{"what was written inside a deleted part stays", keepsConcurrentText},
		{"of two texts made for one path one wins everywhere", choosesOne},
		{"a removal wins over what is written at the same time", removalWins},
		{"replicas that edit at random agree", agreesAtRandom},
		{"a document that was encoded and opened goes on as before", reopens},
		{"an invalid update is refused and changes nothing", refusesMalformed},
		{"mangled updates never panic", survivesMangled},
		{"an invalid state vector is refused", refusesVectors},
		{"too large an update, text or wait is refused and changes nothing", holdsBounds},
		{"what was deleted takes no memory", forgets},
		{"stats tell what there is", counts},
		{"rewritten texts are the same in fewer pieces, and detect late updates", renews},
		{"a document that rests now and then is the same as one that does not", rests},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.check(t, replicas{t, maker}) })
	}
}

// replicas opens documents for a test.
type replicas struct {
	t     *testing.T
	maker replica.Maker
}

// doc is a document whose calls must not fail.
type doc struct {
	replica.Document
	t *testing.T
}

func (r replicas) open(state []byte) doc {
	r.t.Helper()
	d, err := r.maker.Open(state)
	if err != nil {
		r.t.Fatalf("open: %v", err)
	}
	return doc{d, r.t}
}

// pair returns two replicas with the same text at one path.
func (r replicas) pair(text string) (a, b doc) {
	r.t.Helper()
	a = r.open(nil)
	a.edit("a.txt", 0, 0, text)
	return a, r.open(a.encode(nil))
}

func (d doc) edit(path string, at, remove int, insert string) []byte {
	d.t.Helper()
	change, err := d.Edit(core.MustPath(path), []replica.Edit{{At: at, Delete: remove, Insert: insert}})
	if err != nil {
		d.t.Fatalf("edit: %v", err)
	}
	return change.Update
}

// apply applies updates; it ignores the nil update of a zero Change.
func (d doc) apply(updates ...[]byte) replica.Change {
	d.t.Helper()
	var change replica.Change
	for _, update := range updates {
		if update == nil {
			continue
		}
		var err error
		if change, err = d.Apply(update); err != nil {
			d.t.Fatalf("apply: %v", err)
		}
	}
	return change
}

func (d doc) encode(since []byte) []byte {
	d.t.Helper()
	update, err := d.Encode(since)
	if err != nil {
		d.t.Fatalf("encode: %v", err)
	}
	return update
}

func (d doc) texts() map[string]string {
	texts := map[string]string{}
	for _, path := range d.Paths() {
		text, there := d.Text(path)
		if !there {
			d.t.Errorf("%s is listed and has no text", path)
		}
		texts[path.String()] = text
	}
	return texts
}

func (d doc) want(path, want string) {
	d.t.Helper()
	if got, there := d.Text(core.MustPath(path)); got != want || !there {
		d.t.Errorf("%s: got %q, %v, want %q", path, got, there, want)
	}
}

// wantSame checks that two replicas have the same texts and the same changes.
func wantSame(t *testing.T, a, b doc) {
	t.Helper()
	if got, want := a.texts(), b.texts(); !maps.Equal(got, want) {
		t.Errorf("got the texts %q, want the other replica's %q", got, want)
	}
	if got, want := a.StateVector(), b.StateVector(); !slices.Equal(got, want) {
		t.Errorf("got the state vector %x, want the other replica's %x", got, want)
	}
	if got := a.Stats().Pending + b.Stats().Pending; got != 0 {
		t.Errorf("got %d parts that wait, want none", got)
	}
}

// sync exchanges what two replicas lack.
func (d doc) sync(other doc) {
	d.t.Helper()
	mine, theirs := d.encode(other.StateVector()), other.encode(d.StateVector())
	d.apply(theirs)
	other.apply(mine)
}

func isEmpty(t *testing.T, r replicas) {
	d := r.open(nil)
	if got := d.Paths(); len(got) != 0 {
		t.Errorf("paths: got %v, want none", got)
	}
	if text, there := d.Text(core.MustPath("a.txt")); there || text != "" {
		t.Errorf("text: got %q, %v, want none", text, there)
	}
	wantSame(t, d, r.open(d.encode(nil)))
	if _, err := d.Apply(d.encode(d.StateVector())); err != nil {
		t.Errorf("its own empty update: %v", err)
	}
}

func edits(t *testing.T, r replicas) {
	d := r.open(nil)
	d.edit("a.txt", 0, 0, "one three")
	d.edit("a.txt", 4, 0, "two ")
	d.want("a.txt", "one two three")
	d.edit("a.txt", 0, 4, "")
	d.want("a.txt", "two three")
	edits := []replica.Edit{{At: 0, Delete: 3, Insert: "2"}, {At: 4, Insert: "x"}, {At: 4, Delete: 1, Insert: "T"}, {At: 9, Insert: "!"}}
	if _, err := d.Edit(core.MustPath("a.txt"), edits); err != nil {
		t.Fatalf("edit: %v", err)
	}
	d.want("a.txt", "2 xThree!")
}

func creates(t *testing.T, r replicas) {
	d := r.open(nil)
	change, err := d.Edit(core.MustPath("src/ü.css"), nil)
	if err != nil || change.Update == nil {
		t.Fatalf("got the update %x, %v, want one", change.Update, err)
	}
	d.want("src/ü.css", "")
	other := r.open(nil)
	other.apply(change.Update)
	wantSame(t, other, d)
	if _, err := d.Edit(core.ProjectPath{}, nil); !core.IsCode(err, core.CodeInvalidRequest) {
		t.Errorf("the root: got %v, want code %s", err, core.CodeInvalidRequest)
	}
}

func countsBytes(t *testing.T, r replicas) {
	const text = "aß漢😀👩‍👩‍👧\r\nz"
	random := rand.New(rand.NewPCG(1, 2))
	a, b := r.pair(text)
	current := text
	for range 300 {
		from, to := randomSpan(random, current)
		insert := []string{"", "x", "é", "字", "😀", "\n"}[random.IntN(6)]
		b.apply(a.edit("a.txt", from, to-from, insert))
		current = current[:from] + insert + current[to:]
		a.want("a.txt", current)
		b.want("a.txt", current)
		if len(current) > 200 {
			current = text
			whole, _ := a.Text(core.MustPath("a.txt"))
			b.apply(a.edit("a.txt", 0, len(whole), text))
		}
	}
	wantSame(t, a, b)
}

// randomSpan returns a part of a text that begins and ends between characters.
func randomSpan(random *rand.Rand, text string) (from, to int) {
	places := []int{len(text)}
	for at := range text {
		places = append(places, at)
	}
	from, to = places[random.IntN(len(places))], places[random.IntN(len(places))]
	return min(from, to), max(from, to)
}

func refusesEdits(t *testing.T, r replicas) {
	d := r.open(nil)
	d.edit("a.txt", 0, 0, "a😀b")
	before := d.encode(nil)
	for name, edits := range map[string][]replica.Edit{
		"behind the end":         {{At: 7, Insert: "x"}},
		"deletes behind the end": {{At: 5, Delete: 2}},
		"negative":               {{At: -1, Insert: "x"}},
		"deletes backwards":      {{At: 1, Delete: -1}},
		"a great number":         {{At: 1, Delete: 1<<63 - 1}},
		"overlapping":            {{At: 0, Delete: 5}, {At: 1, Insert: "x"}},
		"out of order":           {{At: 5, Insert: "x"}, {At: 1, Insert: "y"}},
		"within a character":     {{At: 3, Insert: "x"}},
		"deletes half of one":    {{At: 1, Delete: 2}},
		"no UTF-8":               {{At: 0, Insert: "\xff"}},
		"half a surrogate pair":  {{At: 0, Insert: "\xed\xa0\xbd"}},
		"the second is wrong":    {{At: 0, Insert: "x"}, {At: 2, Insert: "y"}},
	} {
		if _, err := d.Edit(core.MustPath("a.txt"), edits); !core.IsCode(err, core.CodeInvalidRequest) {
			t.Errorf("%s: got %v, want code %s", name, err, core.CodeInvalidRequest)
		}
		if _, err := d.Edit(core.MustPath("new.txt"), edits[len(edits)-1:]); err == nil && name != "the second is wrong" {
			d.Remove(core.MustPath("new.txt"))
			t.Errorf("%s of an empty text: got no error", name)
		}
	}
	if got := d.encode(nil); !slices.Equal(got, before) {
		t.Errorf("the state changed: got %x, want %x", got, before)
	}
}

func removes(t *testing.T, r replicas) {
	a, b := r.pair("text")
	path := core.MustPath("a.txt")
	change := a.Remove(path)
	b.apply(change.Update)
	for _, d := range []doc{a, b} {
		if text, there := d.Text(path); there || len(d.Paths()) != 0 {
			t.Errorf("got %q and the paths %v, want nothing", text, d.Paths())
		}
	}
	b.apply(a.edit("a.txt", 0, 0, "new"))
	b.want("a.txt", "new")
	wantSame(t, a, b)
}

func sortsPaths(t *testing.T, r replicas) {
	d := r.open(nil)
	for _, path := range []string{"b", "a/b", "a.txt", "ä", "a"} {
		d.edit(path, 0, 0, "x")
	}
	want := []core.ProjectPath{core.MustPath("a"), core.MustPath("a.txt"), core.MustPath("a/b"), core.MustPath("b"), core.MustPath("ä")}
	if got := d.Paths(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func namesPaths(t *testing.T, r replicas) {
	a, b := r.open(nil), r.open(nil)
	wantPaths := func(what string, got []core.ProjectPath, want ...string) {
		t.Helper()
		paths := []core.ProjectPath{}
		for _, path := range want {
			paths = append(paths, core.MustPath(path))
		}
		if !slices.Equal(got, paths) {
			t.Errorf("%s: got %v, want %v", what, got, paths)
		}
	}
	change, err := a.Edit(core.MustPath("b.txt"), []replica.Edit{{Insert: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	wantPaths("an edit", change.Paths, "b.txt")
	wantPaths("its update", b.apply(change.Update).Paths, "b.txt")
	a.edit("a.txt", 0, 0, "y")
	a.edit("b.txt", 1, 0, "y")
	wantPaths("several edits", b.apply(a.encode(b.StateVector())).Paths, "a.txt", "b.txt")
	removed := a.Remove(core.MustPath("a.txt"))
	wantPaths("a removal", removed.Paths, "a.txt")
	wantPaths("its update", b.apply(removed.Update).Paths, "a.txt")
	wantPaths("a deletion", b.apply(a.edit("b.txt", 0, 1, "")).Paths, "b.txt")
}

func saysNothing(t *testing.T, r replicas) {
	d := r.open(nil)
	d.edit("a.txt", 0, 0, "x")
	before := d.encode(nil)
	for name, edits := range map[string][]replica.Edit{"no edits": nil, "an edit of nothing": {{At: 1}}} {
		change, err := d.Edit(core.MustPath("a.txt"), edits)
		if err != nil || change.Update != nil || change.Paths != nil {
			t.Errorf("%s: got %+v, %v, want nothing", name, change, err)
		}
	}
	if change := d.Remove(core.MustPath("b.txt")); change.Update != nil || change.Paths != nil {
		t.Errorf("removing what is not there: got %+v, want nothing", change)
	}
	if change := d.apply(before); change.Update != nil || change.Paths != nil {
		t.Errorf("its own state: got %+v, want nothing", change)
	}
	if got := d.encode(nil); !slices.Equal(got, before) {
		t.Errorf("the state changed: got %x, want %x", got, before)
	}
}
