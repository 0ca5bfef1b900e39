package yjs

import (
	"slices"

	"github.com/atelierhq/atelier/adapters/internal/lib0"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// commit ends the transaction and returns its changes as an update for others.
func (tx *transaction) commit() replica.Change {
	tx.settle()
	if len(tx.clients)+len(tx.deleted) == 0 {
		return replica.Change{}
	}
	return replica.Change{Update: tx.encode(), Paths: tx.changedPaths(), Buried: tx.buried}
}

// settle compacts what the transaction added, deleted or cut.
func (tx *transaction) settle() {
	tx.deleted = tx.deleted.normal()
	tx.clients = slices.DeleteFunc(tx.clients, func(c *clientStructs) bool { return c.before == c.state() })
	sortClients(tx.clients)
	c := compaction{tx.doc.store, tx.deleted, tx.clients, tx.cuts, tx.doc.seams}
	c.collect()
	tx.doc.seams = c.join()
}

// encode encodes the transaction's changes as an update.
func (tx *transaction) encode() []byte {
	to := make([]byte, 0, 64)
	to = lib0.AppendUint(to, uint64(len(tx.clients)))
	for _, c := range tx.clients {
		to = appendStored(to, c, c.before, c.state())
	}
	return tx.deleted.append(to)
}

func (tx *transaction) changedPaths() []core.ProjectPath {
	slices.Sort(tx.paths)
	var paths []core.ProjectPath
	for _, key := range slices.Compact(tx.paths) {
		if path, err := core.ParsePath(key); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// rollback undoes the transaction. It rebuilds the store from the earlier state, of which
// nothing has been collected yet.
func (tx *transaction) rollback() {
	old := tx.doc.store
	clients := old.newestFirst()
	clients = slices.DeleteFunc(clients, func(c *clientStructs) bool { return tx.before(c) == 0 })
	state := lib0.AppendUint(nil, uint64(len(clients)))
	for _, c := range clients {
		state = appendStored(state, c, 0, tx.before(c))
	}
	state = old.deletions().without(tx.deleted.normal()).append(state)
	tx.doc.rebuild(state)
}
