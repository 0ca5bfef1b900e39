package replicatest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// converges delivers the same concurrent updates in many orders.
func converges(t *testing.T, r replicas) {
	a, b := r.pair("0123456789")
	c := r.open(a.encode(nil))
	state := a.encode(nil)
	updates := [][]byte{
		a.edit("a.txt", 0, 0, "start "), a.edit("a.txt", 8, 3, "A"), b.edit("a.txt", 2, 5, ""), b.edit("b.txt", 0, 0, "b"),
		c.edit("a.txt", 4, 0, "c"), c.edit("b.txt", 0, 0, "c"), c.Remove(core.MustPath("b.txt")).Update,
	}
	random := rand.New(rand.NewPCG(1, 2))
	first := r.open(state)
	first.apply(updates...)
	for range 200 {
		random.Shuffle(len(updates), func(i, j int) { updates[i], updates[j] = updates[j], updates[i] })
		d := r.open(state)
		d.apply(updates...)
		wantSame(t, d, first)
	}
}

func ignoresDuplicates(t *testing.T, r replicas) {
	a, b := r.pair("text")
	updates := [][]byte{a.edit("a.txt", 4, 0, "s"), a.edit("a.txt", 0, 1, "n"), a.Remove(core.MustPath("a.txt")).Update, a.edit("a.txt", 0, 0, "again")}
	b.apply(updates...)
	before := b.encode(nil)
	for i, update := range append(updates, a.encode(nil), before) {
		if change := b.apply(update); change.Update != nil || change.Paths != nil {
			t.Errorf("update %d once more: got %+v, want nothing", i, change)
		}
	}
	if got := b.encode(nil); !slices.Equal(got, before) {
		t.Errorf("the state changed: got %x, want %x", got, before)
	}
	wantSame(t, a, b)
}

func waits(t *testing.T, r replicas) {
	a, b := r.pair("text")
	first, second, third := a.edit("a.txt", 4, 0, "1"), a.edit("a.txt", 5, 0, "2"), a.edit("a.txt", 6, 0, "3")
	for _, early := range [][]byte{third, second, third} {
		if change := b.apply(early); change.Update != nil || change.Paths != nil {
			t.Errorf("an early update: got %+v, want nothing", change)
		}
	}
	b.want("a.txt", "text")
	if got := b.Stats().Pending; got != 2 {
		t.Errorf("got %d parts that wait, want 2", got)
	}
	change := b.apply(first)
	b.want("a.txt", "text123")
	c := r.open(nil)
	c.apply(b.encode(nil))
	wantSame(t, b, c)
	if len(change.Paths) != 1 {
		t.Errorf("the update that ends the wait changed %v, want a.txt", change.Paths)
	}
	wantSame(t, a, b)
}

func waitsForDeleted(t *testing.T, r replicas) {
	a, b := r.pair("text")
	written := a.edit("a.txt", 2, 0, "long part")
	deleted := a.edit("a.txt", 3, 5, "")
	b.apply(deleted)
	b.want("a.txt", "text")
	b.apply(written)
	b.want("a.txt", "telartxt")
	wantSame(t, a, b)
}

func keepsWaiting(t *testing.T, r replicas) {
	a, b := r.pair("text")
	base := b.encode(nil)
	first, second := a.edit("a.txt", 4, 0, "12"), a.edit("a.txt", 5, 1, "")
	third := a.edit("a.txt", 5, 0, "3")
	b.apply(third, second)
	reopened, fresh := r.open(b.encode(nil)), r.open(base)
	if got, want := reopened.Stats().Pending, b.Stats().Pending; got != want || got == 0 {
		t.Errorf("reopened: got %d parts that wait, want %d", got, want)
	}
	fresh.apply(b.encode(fresh.StateVector()))
	for _, d := range []doc{reopened, fresh} {
		d.apply(first)
		wantSame(t, d, a)
	}
}

func joinsLate(t *testing.T, r replicas) {
	a, b := r.pair("text")
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 300 {
		by, other := a, b
		if n%2 == 0 {
			by, other = b, a
		}
		path := []string{"a.txt", "b.txt"}[n%3/2]
		text, _ := by.Text(core.MustPath(path))
		from, to := randomSpan(random, text)
		other.apply(by.edit(path, from, min(to-from, 5), fmt.Sprint(n)))
	}
	late := r.open(a.encode(nil))
	wantSame(t, late, a)
	wantSame(t, late, b)
	a.apply(late.edit("a.txt", 0, 0, "late "))
	wantSame(t, late, a)
}

func encodesDifference(t *testing.T, r replicas) {
	a, b := r.pair(strings.Repeat("a long text that is not sent again ", 100))
	vector := b.StateVector()
	a.edit("a.txt", 10, 0, "new")
	update := a.encode(vector)
	if len(update) > 200 {
		t.Errorf("got %d bytes for three new ones, want few", len(update))
	}
	b.apply(update)
	wantSame(t, a, b)
	// The vector may end within what somebody wrote in one go.
	c := r.open(nil)
	early := r.open(nil)
	early.apply(c.edit("a.txt", 0, 0, "ab"))
	c.edit("a.txt", 2, 0, "c😀d")
	early.apply(c.encode(early.StateVector()))
	wantSame(t, early, c)
}

func passesChangesOn(t *testing.T, r replicas) {
	a, b := r.pair("text")
	third := r.open(b.encode(nil))
	updates := [][]byte{a.edit("a.txt", 4, 0, "1"), a.edit("b.txt", 0, 0, "b"), a.edit("a.txt", 0, 4, ""), a.edit("a.txt", 1, 0, "2")}
	slices.Reverse(updates)
	for _, update := range append(updates, updates...) {
		if change := b.apply(update); change.Update != nil {
			third.apply(change.Update)
		}
	}
	wantSame(t, b, a)
	wantSame(t, third, a)
}

func keepsRuns(t *testing.T, r replicas) {
	a, b := r.pair("<>")
	for n := range 5 {
		a.edit("a.txt", 1+n, 0, string(rune('a'+n)))
		b.edit("a.txt", 1+n, 0, string(rune('A'+n)))
	}
	a.sync(b)
	wantSame(t, a, b)
	if got, _ := a.Text(core.MustPath("a.txt")); got != "<abcdeABCDE>" && got != "<ABCDEabcde>" {
		t.Errorf("got %q, want both runs whole", got)
	}
}

func keepsConcurrentText(t *testing.T, r replicas) {
	a, b := r.pair("keep delete keep")
	a.edit("a.txt", 4, 8, "")
	b.edit("a.txt", 8, 0, "new")
	b.edit("a.txt", 0, 4, "")
	a.sync(b)
	wantSame(t, a, b)
	a.want("a.txt", "newkeep")
}

func choosesOne(t *testing.T, r replicas) {
	for range 20 { // who wins is a matter of chance
		a, b := r.open(nil), r.open(nil)
		a.edit("a.txt", 0, 0, "from a")
		b.edit("a.txt", 0, 0, "from b")
		a.sync(b)
		wantSame(t, a, b)
		got, _ := a.Text(core.MustPath("a.txt"))
		if got != "from a" && got != "from b" {
			t.Fatalf("got %q, want one of the two texts", got)
		}
		b.apply(a.edit("a.txt", 0, len(got), "both"))
		b.want("a.txt", "both")
	}
}

func removalWins(t *testing.T, r replicas) {
	a, b := r.pair("text")
	a.Remove(core.MustPath("a.txt"))
	b.edit("a.txt", 4, 0, " and more")
	a.sync(b)
	wantSame(t, a, b)
	if got := a.Paths(); len(got) != 0 {
		t.Errorf("got %v, want nothing", got)
	}
}

// agreesAtRandom lets three replicas edit, and delivers what they write out of
// order, twice and late.
func agreesAtRandom(t *testing.T, r replicas) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 5))
		all := []doc{r.open(nil), r.open(nil), r.open(nil)}
		late := make([][][]byte, len(all))
		for range 200 {
			by := random.IntN(len(all))
			update := all[by].editAtRandom(random)
			for to := range all {
				if to == by || update == nil {
					continue
				}
				late[to] = append(late[to], update)
				random.Shuffle(len(late[to]), func(i, j int) { late[to][i], late[to][j] = late[to][j], late[to][i] })
				if random.IntN(2) == 0 {
					n := random.IntN(len(late[to]) + 1)
					all[to].apply(late[to][:n]...)
					late[to] = late[to][random.IntN(n+1):] // some come again
				}
			}
		}
		for to := range all {
			all[to].apply(late[to]...)
		}
		wantSame(t, all[0], all[1])
		wantSame(t, all[0], all[2])
		wantSame(t, all[0], r.open(all[0].encode(nil)))
	}
}

func (d doc) editAtRandom(random *rand.Rand) []byte {
	path := []string{"a.txt", "b.txt", "c/ü.txt"}[random.IntN(3)]
	if random.IntN(30) == 0 {
		return d.Remove(core.MustPath(path)).Update
	}
	text, _ := d.Text(core.MustPath(path))
	from, to := randomSpan(random, text)
	if random.IntN(4) > 0 {
		to = from
	}
	return d.edit(path, from, to-from, []string{"a", "b\n", "word ", "😀", "ß"}[random.IntN(5)])
}
