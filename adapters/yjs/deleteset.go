package yjs

import (
	"cmp"
	"slices"

	"github.com/atelierhq/atelier/adapters/internal/lib0"
)

// deletion says that units of a client, from clock on, are deleted.
type deletion struct {
	client        uint64
	clock, length uint32
}

func (d deletion) end() uint32 { return d.clock + d.length }

// deleteSet is a list of deletions. A normal set is in the order of updates: the highest
// client first, clocks ascending, without overlaps.
type deleteSet []deletion

// normal sorts the set in place and merges adjacent deletions.
func (set deleteSet) normal() deleteSet {
	slices.SortFunc(set, func(a, b deletion) int {
		return cmp.Or(cmp.Compare(b.client, a.client), cmp.Compare(a.clock, b.clock))
	})
	kept := set[:0]
	for _, d := range set {
		if last := len(kept) - 1; last >= 0 && kept[last].client == d.client && kept[last].end() >= d.clock {
			kept[last].length = max(kept[last].end(), d.end()) - kept[last].clock
			continue
		}
		kept = append(kept, d)
	}
	return kept
}

// without returns the normal set without the units of another normal set.
func (set deleteSet) without(other deleteSet) deleteSet {
	var rest deleteSet
	for _, d := range set {
		at, _ := slices.BinarySearchFunc(other, d, func(o, d deletion) int {
			return cmp.Or(cmp.Compare(d.client, o.client), cmp.Compare(o.end(), d.clock+1))
		})
		for ; at < len(other) && other[at].client == d.client && other[at].clock < d.end(); at++ {
			if o := other[at]; o.clock > d.clock {
				rest = append(rest, deletion{d.client, d.clock, o.clock - d.clock})
			}
			behind := min(other[at].end(), d.end())
			d.clock, d.length = behind, d.end()-behind
		}
		if d.length > 0 {
			rest = append(rest, d)
		}
	}
	return rest
}

// units returns the item's units, as their deletion.
func (it *item) units() deletion { return deletion{it.client.number, it.clock, it.length} }

// deletions returns a store's deletions as a normal set.
func (s *store) deletions() deleteSet {
	var set deleteSet
	for _, c := range s.newestFirst() {
		for _, it := range c.items {
			if !it.deleted {
				continue
			}
			if last := len(set) - 1; last >= 0 && set[last].client == c.number && set[last].end() == it.clock {
				set[last].length += it.length
				continue
			}
			set = append(set, it.units())
		}
	}
	return set
}

// append encodes a normal set.
func (set deleteSet) append(to []byte) []byte {
	clients := 0
	for i := range set {
		if i == 0 || set[i].client != set[i-1].client {
			clients++
		}
	}
	to = lib0.AppendUint(to, uint64(clients))
	for len(set) > 0 {
		n := slices.IndexFunc(set, func(d deletion) bool { return d.client != set[0].client })
		if n < 0 {
			n = len(set)
		}
		to = lib0.AppendUint(to, set[0].client)
		to = lib0.AppendUint(to, uint64(n))
		for _, d := range set[:n] {
			to = lib0.AppendUint(to, uint64(d.clock))
			to = lib0.AppendUint(to, uint64(d.length))
		}
		set = set[n:]
	}
	return to
}

func readDeleteSet(r *lib0.Reader) deleteSet {
	var set deleteSet
	for clients := r.Count(2); clients > 0 && r.Err() == nil; clients-- {
		client := r.Uint()
		for n := r.Count(2); n > 0 && r.Err() == nil; n-- {
			d := deletion{client, readClock(r), readClock(r)}
			endOf(r, d.clock, d.length)
			if d.length > 0 {
				set = append(set, d)
			}
			if len(set) > maxDecoded {
				r.Fail(errTooLarge)
			}
		}
	}
	return set
}
