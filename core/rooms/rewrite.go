package rooms

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// Documents only grow: each piece that anybody typed stays, at least as a tombstone. So
// texts with very many pieces are rewritten now and then, preferably when the room opens
// and nobody has them open. That is an ordinary change of the document, which stock clients
// accept, also those that return with an old copy.
//
// The offline edits of such a client belong to a text that no longer exists. So the
// database keeps the former document from the last rewrite: the client's edits still apply
// there, and their effect is carried over to the current text.
const (
	// rewriteAbove is the number of pieces above which a document's texts are rewritten when
	// its room opens. It is a quarter of replica.MaxStructs.
	rewriteAbove = replica.MaxStructs / 4
	// rewriteIdleAbove is the same while people are in the room but idle.
	rewriteIdleAbove = replica.MaxStructs / 4 * 3
)

// rewriter rewrites the texts of a document, and carries over edits of the former ones.
type rewriter struct {
	*scope
	saver *saver
	// mu is held while the former document is opened.
	mu sync.Mutex
}

// rewrite rewrites the texts of a document with more than above pieces, if that frees half
// of them. The next store replaces the document in the database.
func (r *rewriter) rewrite(ctx context.Context, above int) error {
	var former []byte
	err := r.state.withDocument(func(d *document) (err error) {
		if d.lost || d.doc.Stats().Structs <= above || len(d.dirty) > 0 || len(d.held) > 0 || d.doc.Stats().Pending > 0 {
			return nil
		}
		former, err = d.doc.Encode(nil)
		return err
	})
	if err != nil || former == nil || len(former) > core.MaxRoomUpdateBytes {
		return err
	}
	// The former document is stored first: until the rewrite it equals this one, so that a
	// crash in between is harmless.
	if err := r.deps.Store.Tables().FormerRooms.Put(ctx, r.project, r.claims.owner, former); err != nil {
		return err
	}
	return r.state.withDocument(func(d *document) error {
		before := d.doc.Stats().Structs
		change := d.doc.Renew(above / 2)
		if change.Update == nil {
			return nil
		}
		d.former, d.unknown = nil, true
		d.appended = compactAfter
		d.changed(change, core.Author{})
		r.deps.Log.Info("compacted the texts of a room", "before", before, "pieces", d.doc.Stats().Structs)
		return nil
	})
}

// rewriteIdle rewrites texts while people are in the room and nobody types.
func (r *rewriter) rewriteIdle() {
	due := false
	_ = r.state.withDocument(func(d *document) error {
		due = d.isQuiet(r.deps.Now()) && d.doc.Stats().Structs > rewriteIdleAbove
		return nil
	})
	if !due {
		return
	}
	ctx, cancel := context.WithTimeout(r.life, followWithin)
	defer cancel()
	err := r.rewrite(ctx, rewriteIdleAbove)
	if err == nil {
		err = r.saver.store(ctx)
	}
	if err != nil && r.life.Err() == nil {
		r.deps.Log.Warn("could not compact the texts of a room", "error", err)
	}
}

// carryOver carries over edits of texts that were rewritten since.
func (r *rewriter) carryOver(update []byte, by core.Author) {
	if err := r.openFormer(); err != nil {
		r.deps.Log.Warn("could not carry over edits of a former document", "error", err)
		return
	}
	_ = r.state.withOpenDocument(func(d *document) error {
		if d.former == nil {
			return nil // The texts were deleted.
		}
		before := map[core.ProjectPath]string{}
		for _, path := range d.former.Paths() {
			before[path], _ = d.former.Text(path)
		}
		typed, err := d.former.Apply(update)
		if err != nil {
			return nil
		}
		for _, path := range typed.Paths {
			d.carryOver(path, before, by)
		}
		return nil
	})
}

// carryOver carries edits of the former text of a path over to the current one.
func (d *document) carryOver(path core.ProjectPath, before map[core.ProjectPath]string, by core.Author) {
	read, had := before[path]
	wrote, there := d.former.Text(path)
	now, shared := d.doc.Text(path)
	if !had || !there || !shared {
		return
	}
	change, err := d.doc.Edit(path, Rebase(read, wrote, now))
	if err != nil {
		d.log.Warn("could not carry over edits of a former text", "path", path, "error", err)
		return
	}
	// Held until stored: after a crash, a client that has both the edits and their effect
	// would add them twice if the database had neither.
	d.book(change, by, true)
}

// openFormer opens the former document, if the database has one.
func (r *rewriter) openFormer() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	unknown := false
	if err := r.state.withDocument(func(d *document) error { unknown = d.unknown; return nil }); err != nil || !unknown {
		return err
	}
	ctx, cancel := context.WithTimeout(r.life, followWithin)
	defer cancel()
	state, err := r.deps.Store.Tables().FormerRooms.ByProject(ctx, r.project)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	var former replica.Document
	if err == nil {
		if err := recovered(func() (err error) { former, err = r.deps.Documents.Open(state); return err }); err != nil {
			return err
		}
	}
	return r.state.withDocument(func(d *document) error {
		d.former, d.unknown = former, false
		return nil
	})
}
