package walship_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/walship"
)

// history is a segment with what the database is after each of its transactions.
type history struct {
	base, segment []byte
	// ends are the lengths of the segment after each transaction, states the databases then; the
	// first is the base.
	ends   []int
	states [][]byte
}

func newHistory(t *testing.T) history {
	t.Helper()
	dir := newDurable(t)
	h := history{base: contentOf(t, filepath.Join(dir, "data.db"))}
	h.ends, h.states = []int{0}, [][]byte{h.base}
	d := open(t, dir)
	for i, text := range []string{"a", "b" + string(make([]byte, 1000)), "c"} {
		d.keep(t, text)
		h.segment = contentOf(t, filepath.Join(dir, "wal-1"))
		h.ends = append(h.ends, len(h.segment))
		at := open(t, copied(t, dir))
		at.wants(t, []string{"a", "b", "c"}[:i+1]...)
		h.states = append(h.states, contentOf(t, at.path))
	}
	return h
}

// apply applies a damaged segment to the base.
func (h history) apply(t *testing.T, dir string, segment []byte) []byte {
	t.Helper()
	database := filepath.Join(dir, "data.db")
	write(t, database, h.base)
	file, err := os.OpenFile(database, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := walship.Apply(bytes.NewReader(segment), file); err != nil {
		t.Fatal(err)
	}
	return contentOf(t, database)
}

// TestATornSegmentHasItsWholeTransactions cuts the segment at every byte.
func TestATornSegmentHasItsWholeTransactions(t *testing.T) {
	h, dir := newHistory(t), t.TempDir()
	whole := 0
	for length := range len(h.segment) + 1 {
		if whole+1 < len(h.ends) && length == h.ends[whole+1] {
			whole++
		}
		if got := h.apply(t, dir, h.segment[:length]); !bytes.Equal(got, h.states[whole]) {
			t.Fatalf("of %d bytes: got another database than after %d transactions", length, whole)
		}
	}
	if whole != 3 {
		t.Errorf("got %d transactions, want 3", whole)
	}
}

// TestADamagedSegmentHasWhatIsBeforeTheDamage changes every byte.
func TestADamagedSegmentHasWhatIsBeforeTheDamage(t *testing.T) {
	h, dir := newHistory(t), t.TempDir()
	whole := 0
	for at := range h.segment {
		for at >= h.ends[whole+1] {
			whole++
		}
		damaged := bytes.Clone(h.segment)
		damaged[at] ^= 0x5a
		if got := h.apply(t, dir, damaged); !bytes.Equal(got, h.states[whole]) && !bytes.Equal(got, h.states[len(h.states)-1]) {
			t.Fatalf("byte %d: got a database that never was", at)
		}
	}
}

// TestATornSegmentGoesOn opens a torn segment, and ships to the next.
func TestATornSegmentGoesOn(t *testing.T) {
	h := newHistory(t)
	for _, length := range []int{0, 1, 31, 32, h.ends[1] - 1, h.ends[1], h.ends[2] - 1, h.ends[2] + 100} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "data.db"), h.base)
		write(t, filepath.Join(dir, "wal-1"), h.segment[:length])
		var want []string
		for i, text := range []string{"a", "b", "c"} {
			if length >= h.ends[i+1] {
				want = append(want, text)
			}
		}
		d := open(t, dir)
		d.wants(t, want...)
		d.keep(t, "d")
		holds(t, dir, append(want, "d")...)
	}
}
