package yjs

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/lib0"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// greatest is the greatest clock.
const greatest = math.MaxUint32

// numbers writes bytes, and numbers of any size behind them.
func numbers(to []byte, written ...uint64) []byte {
	for _, n := range written {
		to = lib0.AppendUint(to, n)
	}
	return to
}

func TestClocksBeyond32Bits(t *testing.T) {
	letter := lib0.AppendBytes(nil, "x")
	garbage := []byte{byte(refGC), 1}
	one := func(clock uint64, structs ...[]byte) []byte {
		var f rawUpdate
		f.block(5, clock, structs...)
		return f.update(nil)
	}
	origin := func(info byte, clock uint64) []byte {
		return append(numbers([]byte{byte(refString) | info}, 6, clock), letter...)
	}
	for name, update := range map[string][]byte{
		"a clock":                    one(greatest+1, garbage),
		"the end of a struct":        one(greatest, garbage),
		"the end of a second struct": one(greatest-1, garbage, garbage),
		"the end of a gap":           one(greatest-1, numbers([]byte{byte(refSkip)}, 2)),
		"the length of garbage":      one(0, numbers([]byte{byte(refGC)}, greatest+2)),
		"the length of a deletion":   one(0, numbers([]byte{byte(refDeleted) | hasOrigin}, 6, 0, greatest+2)),
		"the length of a gap":        one(0, numbers([]byte{byte(refSkip)}, greatest+2), garbage),
		"an origin":                  one(0, origin(hasOrigin, greatest+2)),
		"the end of an origin":       one(0, origin(hasOrigin, greatest)),
		"a right origin":             one(0, origin(hasRightOrigin, greatest+2)),
		"the end of a right origin":  one(0, origin(hasRightOrigin, greatest)),
		"a parent":                   one(0, append(numbers([]byte{byte(refString), 0}, 6, greatest+2), letter...)),
		"the end of a parent":        one(0, append(numbers([]byte{byte(refString), 0}, 6, greatest), letter...)),
		"a clock in a deletion set":  numbers(nil, 0, 1, 5, 1, greatest+2, 1),
		"a length in a deletion set": numbers(nil, 0, 1, 5, 1, 0, greatest+2),
		"an end in a deletion set":   numbers(nil, 0, 1, 5, 1, greatest, 1),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := decodeUpdate(update); !errors.Is(err, errClock) {
				t.Errorf("got %v, want %v", err, errClock)
			}
			wantRefused(t, update, maxCost, core.CodeInvalidRequest)
		})
	}
}

// The greatest clocks that there are wait, are integrated, deleted and read again.
func TestClocksOf32Bits(t *testing.T) {
	var early, late rawUpdate
	early.block(5, 0, numbers([]byte{byte(refGC)}, greatest-2))
	late.block(5, greatest-2, forgedText(noID, noID, rootRef("x"), "ab"))
	late.block(4, 0, forgedText(id{5, greatest - 1}, noID, parentRef{}, "c"))
	d := opened(t, nil)
	apply(t, d, late.update(deleteSet{{5, greatest - 1, 1}, {6, greatest - 1, 1}}))
	if got := d.Stats().Pending; got != 4 {
		t.Fatalf("got %d parts that wait, want 4", got)
	}
	waits := opened(t, encoded(t, d, nil))
	apply(t, waits, early.update(nil))
	check(t, waits)
	if got := waits.Stats(); got.Pending != 1 || waits.store.state(5) != greatest {
		t.Errorf("got %+v and the state %d, want one part that waits and %d", got, waits.store.state(5), uint64(greatest))
	}
	check(t, opened(t, encoded(t, waits, nil)))
}

func TestVectorWithClocksBeyond32Bits(t *testing.T) {
	d := lively(t)
	for _, clock := range []uint64{greatest, greatest + 1, greatest + 2, lib0.MaxInteger} {
		entries := [][]byte{}
		for number := range d.store.clients {
			entries = append(entries, numbers(nil, number, clock))
		}
		for _, q := range d.pending.queues {
			entries = append(entries, numbers(nil, q.client, clock))
		}
		vector := numbers(nil, uint64(len(entries)))
		update := encoded(t, d, append(vector, slices.Concat(entries...)...))
		if got, err := decodeUpdate(update); err != nil || len(got.queues) > 0 {
			t.Errorf("whose clocks are %d gets %x, want no structs", clock, update)
		}
	}
}

// The clocks of a document's own client number have 32 bits: it changes the number in
// time.
func TestClocksThatRunOut(t *testing.T) {
	for _, test := range []struct {
		state  uint64
		remain bool
	}{{maxOwnState, true}, {maxOwnState + 1, false}, {greatest, false}} {
		d := opened(t, nil)
		var f rawUpdate
		f.block(5, 0, numbers([]byte{byte(refGC)}, test.state))
		apply(t, d, f.update(nil))
		d.client = 5
		path := core.MustPath("a.txt")
		if _, err := d.Edit(path, []replica.Edit{{Insert: "text"}}); err != nil {
			t.Fatal(err)
		}
		check(t, d)
		if remains := d.client == 5; remains != test.remain {
			t.Errorf("behind %d: it writes as %d, so the number remains: %v, want %v", test.state, d.client, remains, test.remain)
		}
		if got, _ := opened(t, encoded(t, d, nil)).Text(path); got != "text" {
			t.Errorf("behind %d: got %q, want what was written", test.state, got)
		}
	}
}

// Rounds of integration are counted from the beginning again. Items that were met long
// ago, in rounds with the numbers that come next, do not count as met.
func TestRoundsThatRunOut(t *testing.T) {
	var f rawUpdate
	f.block(20, 0, forgedValue("a.txt", content{refType, []byte{typeText}}), forgedText(noID, noID, parentRef{item: id{20, 0}}, "a"))
	f.block(9, 0, forgedText(id{20, 1}, noID, parentRef{}, "o"))
	f.block(5, 0, forgedText(id{20, 1}, noID, parentRef{}, "b"))
	f.block(2, 0, forgedText(id{5, 0}, noID, parentRef{}, "2"))
	f.block(1, 0, forgedText(id{5, 0}, noID, parentRef{}, "1"))
	d := opened(t, f.update(nil))
	d.store.rounds = maxRounds + 1
	for _, c := range d.store.clients {
		for _, it := range c.items {
			it.seen = 2
		}
	}
	f = rawUpdate{}
	f.block(7, 0, forgedText(id{5, 0}, noID, parentRef{}, "x"))
	apply(t, d, f.update(nil))
	if got, _ := d.Text(core.MustPath("a.txt")); got != "ab12xo" || d.store.rounds > 10 {
		t.Errorf("got %q after round %d, want %q after few", got, d.store.rounds, "ab12xo")
	}
}
