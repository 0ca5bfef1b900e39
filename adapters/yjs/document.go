package yjs

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// Maker opens documents.
type Maker struct{}

var _ replica.Maker = Maker{}

// Open implements replica.Maker.
func (Maker) Open(state []byte) (replica.Document, error) {
	d := &Document{store: newStore()}
	if len(state) > 0 {
		tx, err := d.apply(state, maxOpenCost)
		if err != nil {
			return nil, err
		}
		tx.settle()
	}
	d.client = d.newClient()
	return d, nil
}

// Document is a replica of a Yjs document.
type Document struct {
	// store is nil while the document is at rest.
	store   *store
	rest    *restState
	pending pendingStructs
	// client is the client number of the document's own edits.
	client       uint64
	transactions uint64
	seams        []seam // reused memory
}

var _ replica.Document = (*Document)(nil)

// newClient chooses an unused client number of 32 bits, as Yjs does.
func (d *Document) newClient() uint64 {
	for {
		if client := uint64(rand.Uint32()); d.store.state(client) == 0 {
			return client
		}
	}
}

// Apply implements replica.Document.
func (d *Document) Apply(encoded []byte) (replica.Change, error) {
	d.wake()
	own := d.store.state(d.client)
	tx, err := d.apply(encoded, maxCost)
	if err != nil {
		return replica.Change{}, err
	}
	if d.store.state(d.client) > own { // another replica uses the same number
		d.client = d.newClient()
	}
	return tx.commit(), nil
}

// apply integrates an update within a limit of work, and returns the open transaction.
// After a failure the document is unchanged.
func (d *Document) apply(encoded []byte, limit int) (*transaction, error) {
	if len(encoded) > replica.MaxUpdateBytes {
		return nil, refused(errTooLarge)
	}
	decoded, err := decodeUpdate(encoded)
	if err != nil {
		return nil, refused(err)
	}
	next := schedule(d.store, decoded.queues)
	waiting := d.pending.with(next)
	if waiting.count() > replica.MaxPending {
		return nil, refused(errTooLarge)
	}
	tx := d.begin()
	tx.limit = limit
	waiting, err = tx.run(next.ready, waiting, decoded.deletes)
	if err != nil {
		tx.rollback()
		return nil, refused(err)
	}
	d.pending = waiting
	return tx, nil
}

// run integrates ready structs, including pending ones, and carries out deletions. It
// returns what is still pending.
func (tx *transaction) run(ready []*updateStruct, waiting pendingStructs, deletes deleteSet) (pendingStructs, error) {
	s := tx.doc.store
	for {
		for _, in := range ready {
			tx.integrate(in)
			if err := tx.bounded(); err != nil {
				return pendingStructs{}, err
			}
		}
		if !waiting.unblocked(s) {
			break
		}
		again := schedule(s, waiting.queues)
		waiting.queues, waiting.until = again.rest, again.until
		ready = again.ready
	}
	rest, err := tx.apply(append(slices.Clone(waiting.deletes), deletes...))
	waiting.deletes = rest.normal()
	if err == nil && waiting.count() > replica.MaxPending {
		err = errTooLarge
	}
	return waiting, err
}

// refused turns an error about foreign bytes into an error of core.
func refused(err error) error {
	if errors.Is(err, errTooLarge) || errors.Is(err, errCostly) {
		return core.Wrap(core.CodePayloadTooLarge, err, "the update or the document is too large")
	}
	return core.Wrap(core.CodeInvalidRequest, err, "the update is malformed")
}

// text returns the item of a path's text, or nil.
func (d *Document) text(key string) *item {
	it := d.store.files.entries[key]
	if it == nil || it.deleted || !it.isText() {
		return nil
	}
	return it
}

// Text implements replica.Document.
func (d *Document) Text(path core.ProjectPath) (string, bool) {
	d.wake()
	it := d.text(path.String())
	if it == nil {
		return "", false
	}
	var text strings.Builder
	text.Grow(it.typ().shownBytes())
	for part := it.typ().start; part != nil; part = part.right {
		if part.isShown() {
			text.Write(part.text.bytes())
		}
	}
	return text.String(), true
}

// shownBytes returns the length of the visible text in a type.
func (t *sharedType) shownBytes() int {
	size := 0
	for part := t.start; part != nil; part = part.right {
		if part.isShown() {
			size += part.text.len()
		}
	}
	return size
}

// isShown reports whether the item is a visible part of its text.
func (it *item) isShown() bool { return !it.deleted && it.ref == refString }

// Paths implements replica.Document.
func (d *Document) Paths() []core.ProjectPath {
	d.wake()
	var keys []string
	for key := range d.store.files.entries {
		if d.text(key) != nil {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	var paths []core.ProjectPath
	for _, key := range keys {
		if path, err := core.ParsePath(key); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// StateVector implements replica.Document.
func (d *Document) StateVector() []byte {
	if d.rest != nil {
		return bytes.Clone(d.rest.vector)
	}
	return d.store.appendVector(nil)
}

// Encode implements replica.Document.
func (d *Document) Encode(since []byte) ([]byte, error) {
	vector, err := decodeVector(since)
	if errors.Is(err, errTooLarge) {
		return nil, core.Wrap(core.CodePayloadTooLarge, err, "the state vector has too many entries")
	}
	if err != nil {
		return nil, core.Wrap(core.CodeInvalidRequest, err, "the state vector is malformed")
	}
	if d.rest != nil && len(vector) == 0 && d.pending.count() == 0 {
		return bytes.Clone(d.rest.state), nil
	}
	d.wake()
	return d.encode(vector), nil
}

// Stats implements replica.Document.
func (d *Document) Stats() replica.Stats {
	var stats replica.Stats
	if d.rest != nil {
		stats = d.rest.stats
	} else {
		stats = d.store.stats()
	}
	stats.Pending = d.pending.count()
	return stats
}

// stats counts what has been integrated.
func (s *store) stats() replica.Stats {
	return replica.Stats{Structs: s.structs, Content: s.content, Clients: len(s.clients)}
}
