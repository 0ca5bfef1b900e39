package replicatest

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

func reopens(t *testing.T, r replicas) {
	random := rand.New(rand.NewPCG(9, 9))
	a := r.open(nil)
	for range 10 {
		for range 30 {
			a.editAtRandom(random)
		}
		b := r.open(a.encode(nil))
		wantSame(t, a, b)
		if got, want := b.Stats().Content, a.Stats().Content; got != want {
			t.Errorf("content: got %d bytes, want %d", got, want)
		}
		a = b
	}
}

func rests(t *testing.T, r replicas) {
	random := rand.New(rand.NewPCG(4, 4))
	author, lively, restful := r.open(nil), r.open(nil), r.open(nil)
	same := func() {
		t.Helper()
		wantSame(t, lively, restful)
		if got, want := restful.Stats(), lively.Stats(); got.Content != want.Content || got.Clients != want.Clients || got.Pending != want.Pending {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	for range 100 {
		known := author.StateVector()
		author.editAtRandom(random)
		update := author.encode(known)
		ahead := author.StateVector()
		author.editAtRandom(random)
		later := author.encode(ahead) // waits for what is missing
		if random.IntN(2) == 0 {
			lively.apply(later)
			restful.apply(later)
		}
		restful.Rest()
		if got, want := restful.StateVector(), lively.StateVector(); !bytes.Equal(got, want) {
			t.Errorf("at rest: got vector %v, want %v", got, want)
		}
		joined := r.open(restful.encode(nil))
		restful.Rest()
		for _, d := range []doc{lively, restful, joined} {
			d.apply(update)
			d.apply(later)
		}
		same()
		wantSame(t, lively, joined)
		restful.Rest()
		change, err := restful.Edit(core.MustPath("own.txt"), []replica.Edit{{Insert: "x"}})
		if err != nil {
			t.Fatal(err)
		}
		lively.apply(change.Update)
		restful.Rest()
		restful.Rest()
		same()
	}
	restful.Rest()
	if change := restful.Remove(core.MustPath("own.txt")); change.Update == nil {
		t.Error("removed at rest: got no change")
	}
}

func refusesMalformed(t *testing.T, r replicas) {
	a, _ := r.pair("text")
	a.edit("b.txt", 0, 0, "more 😀")
	a.edit("a.txt", 1, 2, "")
	before := a.encode(nil)
	for cut := range len(before) {
		if change, err := a.Apply(before[:cut]); !core.IsCode(err, core.CodeInvalidRequest) {
			t.Errorf("the first %d bytes of an update: got %+v, %v, want code %s", cut, change, err, core.CodeInvalidRequest)
		}
	}
	for name, update := range map[string][]byte{
		"bytes behind an update":     append(slices.Clone(before), 0),
		"a number without an end":    bytes.Repeat([]byte{0xff}, 100),
		"more parts than bytes":      {0xff, 0xff, 0xff, 0xff, 0x0f, 1, 1},
		"text in place of an update": []byte("<!doctype html>"),
	} {
		if _, err := a.Apply(update); !core.IsCode(err, core.CodeInvalidRequest) {
			t.Errorf("%s: got %v, want code %s", name, err, core.CodeInvalidRequest)
		}
		if _, err := r.maker.Open(update); !core.IsCode(err, core.CodeInvalidRequest) {
			t.Errorf("%s as a state: got %v, want code %s", name, err, core.CodeInvalidRequest)
		}
	}
	if got := a.encode(nil); !slices.Equal(got, before) {
		t.Errorf("the state changed: got %x, want %x", got, before)
	}
}

// survivesMangled applies updates in which bytes were changed. Some are still valid;
// refused ones change nothing, and every document can be encoded and opened.
func survivesMangled(t *testing.T, r replicas) {
	random := rand.New(rand.NewPCG(4, 2))
	source := r.open(nil)
	for range 40 {
		source.editAtRandom(random)
	}
	state := source.encode(nil)
	target := r.open(state)
	for range 4000 {
		mangled := slices.Clone(state)
		for range 1 + random.IntN(3) {
			mangled[random.IntN(len(mangled))] = byte(random.IntN(256))
		}
		before := target.encode(nil)
		if _, err := target.Apply(mangled); err == nil {
			if len(before) > 2*len(state) {
				target = r.open(state)
			}
			continue
		}
		if got := target.encode(nil); !slices.Equal(got, before) {
			t.Fatalf("a refused update changed the state: got %x, want %x", got, before)
		}
	}
	wantSameTexts(t, r.open(target.encode(nil)), target)
}

func wantSameTexts(t *testing.T, a, b doc) {
	t.Helper()
	got, want := a.texts(), b.texts()
	for path := range want {
		if got[path] != want[path] {
			t.Errorf("%s: got %q, want %q", path, got[path], want[path])
		}
	}
}

func refusesVectors(t *testing.T, r replicas) {
	a, _ := r.pair("text")
	vector := a.StateVector()
	for name, wrong := range map[string][]byte{
		"cut off":           vector[:len(vector)-1],
		"too long":          append(slices.Clone(vector), 1),
		"more than it says": {0xff, 0xff, 0x03, 1, 1},
	} {
		if _, err := a.Encode(wrong); !core.IsCode(err, core.CodeInvalidRequest) {
			t.Errorf("%s: got %v, want code %s", name, err, core.CodeInvalidRequest)
		}
	}
	if got, err := a.Encode([]byte{}); err != nil || !slices.Equal(got, a.encode(nil)) {
		t.Errorf("an empty vector: got %x, %v, want the whole state", got, err)
	}
}

func holdsBounds(t *testing.T, r replicas) {
	a, b := r.pair("text")
	before := a.encode(nil)
	wantTooLarge := func(what string, err error) {
		t.Helper()
		if !core.IsCode(err, core.CodePayloadTooLarge) {
			t.Errorf("%s: got %v, want code %s", what, err, core.CodePayloadTooLarge)
		}
		if got := a.encode(nil); !slices.Equal(got, before) {
			t.Errorf("%s: the state changed, want it as it was", what)
		}
	}
	_, err := a.Apply(make([]byte, replica.MaxUpdateBytes+1))
	wantTooLarge("a large update", err)
	_, err = a.Edit(core.MustPath("a.txt"), []replica.Edit{{Insert: strings.Repeat("x", replica.MaxTextBytes-3)}})
	wantTooLarge("a long text", err)
	_, err = a.Edit(core.MustPath("new.txt"), []replica.Edit{{Insert: strings.Repeat("x", replica.MaxTextBytes+1)}})
	wantTooLarge("a long new text", err)
	if change, err := a.Edit(core.MustPath("a.txt"), []replica.Edit{{Insert: strings.Repeat("x", replica.MaxTextBytes-4)}}); err != nil {
		t.Errorf("the longest text: got %v", err)
	} else {
		b.apply(change.Update)
		wantSame(t, a, b)
	}
	holdsPending(t, r)
}

// holdsPending sends all but the first of many edits, as one update: no two are
// next to each other, so they are that many parts.
func holdsPending(t *testing.T, r replicas) {
	a := r.open(nil)
	first := a.edit("a.txt", 0, 0, strings.Repeat("..", replica.MaxPending+10))
	vector := a.StateVector()
	edits := make([]replica.Edit, replica.MaxPending+1)
	for i := range edits {
		edits[i] = replica.Edit{At: 2*i + 1, Insert: "x"}
	}
	if _, err := a.Edit(core.MustPath("a.txt"), edits); err != nil {
		t.Fatalf("edit: %v", err)
	}
	update := a.encode(vector)
	b := r.open(nil)
	if _, err := b.Apply(update); !core.IsCode(err, core.CodePayloadTooLarge) {
		t.Errorf("too many parts that wait: got %v, want code %s", err, core.CodePayloadTooLarge)
	}
	if got := b.Stats().Pending; got != 0 {
		t.Errorf("got %d parts that wait, want none", got)
	}
	b.apply(first, update)
	wantSame(t, a, b)
}

// forgets rewrites a text many times over: only tombstones are left of the old ones.
func forgets(t *testing.T, r replicas) {
	a, b := r.pair(strings.Repeat("x", 2000))
	for n := range 500 {
		rewritten := strings.Repeat(string(rune('a'+n%26)), 2000)
		b.apply(a.edit("a.txt", 0, 2000, rewritten))
	}
	for _, d := range []doc{a, b} {
		if got := len(d.encode(nil)); got > 20_000 {
			t.Errorf("state: got %d bytes for a text of 2000, want the old ones gone", got)
		}
		if got := d.Stats(); got.Content > 3000 || got.Structs > 1100 {
			t.Errorf("got %+v, want the content of one text", got)
		}
	}
	b.apply(a.Remove(core.MustPath("a.txt")).Update)
	if got := b.Stats(); got.Content > 0 || got.Structs > 10 {
		t.Errorf("after the removal: got %+v, want next to nothing", got)
	}
}

func counts(t *testing.T, r replicas) {
	a, b := r.pair("text")
	if got := a.Stats(); got.Clients != 1 || got.Pending != 0 || got.Structs < 1 || got.Content < 4 {
		t.Errorf("got %+v, want one client and its text", got)
	}
	structs := a.Stats().Structs
	for n := range 50 { // a run of typing is one piece
		b.apply(a.edit("a.txt", 4+n, 0, "x"))
	}
	if got := a.Stats().Structs; got > structs+1 {
		t.Errorf("after a run of typing: got %d structs, want at most %d", got, structs+1)
	}
	a.apply(b.edit("a.txt", 0, 0, "y"))
	if got := a.Stats(); got.Clients != 2 || got != b.Stats() {
		t.Errorf("got %+v and %+v, want the same, with two clients", got, b.Stats())
	}
}
