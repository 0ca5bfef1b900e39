package yjs

import (
	"bytes"
	"math"

	"github.com/atelierhq/atelier/ports/replica"
)

// restState replaces the store of a document at rest. A store takes several times the memory.
type restState struct {
	state, vector []byte
	stats         replica.Stats
}

// Rest implements replica.Document.
func (d *Document) Rest() {
	if d.rest != nil {
		return
	}
	stored := d.store.encode(nil, pendingStructs{})
	d.rest = &restState{state: bytes.Clone(stored), vector: d.store.appendVector(nil), stats: d.store.stats()}
	d.store, d.seams = nil, nil
}

// wake rebuilds the store of a document at rest.
func (d *Document) wake() {
	if d.rest == nil {
		return
	}
	d.rebuild(d.rest.state)
	d.rest = nil
}

// rebuild builds a store from a state that came from a store, and therefore exceeds no
// limit.
func (d *Document) rebuild(state []byte) {
	d.store = newStore()
	tx := d.begin()
	tx.limit = math.MaxInt
	decoded, _ := decodeUpdate(state)
	for _, in := range schedule(d.store, decoded.queues).ready {
		tx.integrate(in)
	}
	_, _ = tx.apply(decoded.deletes)
	tx.settle()
}
