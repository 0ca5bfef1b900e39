package rooms

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/replica"
)

// somebody is the author of edits that a crash kept from the disk.
var somebody = core.Author{Kind: core.AuthorUser, Name: "Somebody"}

// opener opens the document for the first member that has a copy of it.
type opener struct {
	*scope
	disk     *disk
	saver    *saver
	rewriter *rewriter
	// mu is held while the document is opened.
	mu sync.Mutex
}

// open opens the document, once.
func (o *opener) open(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state.isShared() {
		return nil
	}
	if o.life.Err() != nil {
		return ErrMoved
	}
	state, err := o.claims.acquire(ctx, o.project)
	if err != nil {
		return err
	}
	withdraw, err := o.deps.Unsaved.Keep(ctx, o.project, o.saver.save)
	if err != nil {
		return err
	}
	if err := o.load(ctx, state); err != nil {
		withdraw()
		return err
	}
	if err := o.rewriter.rewrite(ctx, rewriteAbove); err != nil {
		o.deps.Log.Warn("could not compact the texts of a room", "error", err)
	}
	// Without this, a client could get a text that the database does not have. After a
	// crash the path would have another text, and the client would bring back its own.
	if err := o.saver.store(ctx); err != nil {
		withdraw()
		o.state.lock().document = nil
		o.state.unlock()
		return err
	}
	o.state.lock().document.withdraw = withdraw
	o.state.unlock()
	return nil
}

// load makes the document from the stored state and the disk.
func (o *opener) load(ctx context.Context, state core.RoomState) error {
	doc, err := o.restore(ctx, &state)
	if err != nil {
		return err
	}
	listing, err := o.deps.Reader.List(ctx, o.project)
	if err != nil {
		return err
	}
	d := newDocument(doc, state, o.saver.edited)
	paths := d.paths(listing.Entries)
	o.state.lock().share(d)
	o.state.unlock()
	if err = o.disk.merge(ctx, paths); err != nil {
		o.state.lock().document = nil
		o.state.unlock()
	}
	return err
}

// restore opens the stored document. If that fails, it starts a new one, which load
// fills from the disk.
func (o *opener) restore(ctx context.Context, state *core.RoomState) (replica.Document, error) {
	var doc replica.Document
	err := recovered(func() (err error) {
		if doc, err = o.deps.Documents.Open(nil); err != nil {
			return err
		}
		for _, update := range state.Updates {
			if _, err = doc.Apply(update); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		return doc, nil
	}
	o.deps.Log.Error("could not open a stored room: starting it anew", "error", err)
	if err := o.deps.Store.Tables().Rooms.Replace(ctx, o.project, o.claims.owner, nil, nil, true); err != nil {
		return nil, err
	}
	*state = core.RoomState{Epoch: state.Epoch + 1}
	return o.deps.Documents.Open(nil)
}

// newDocument wraps a restored document. It assumes that the disk has the document's
// texts, except for those that were not written yet.
func newDocument(doc replica.Document, state core.RoomState, edited ctxsync.Signal) *document {
	d := &document{
		doc: doc, edited: edited, disk: map[core.ProjectPath]string{}, dirty: map[core.ProjectPath]core.Author{},
		stored: doc.StateVector(), based: len(state.Bases) > 0, appended: len(state.Updates), withdraw: func() {}, unknown: true,
	}
	for _, path := range doc.Paths() {
		d.disk[path], _ = doc.Text(path)
	}
	for path, base := range state.Bases {
		d.dirty[path] = somebody
		delete(d.disk, path)
		if base != nil {
			d.disk[path] = *base
		}
	}
	return d
}

// paths returns the shared paths and those of the files to share: the first that fit,
// in the order of their paths.
func (d *document) paths(entries []core.FileEntry) []core.ProjectPath {
	paths := d.doc.Paths()
	known := map[core.ProjectPath]bool{}
	for _, path := range paths {
		known[path] = true
	}
	for path := range d.dirty {
		if !known[path] {
			known[path] = true
			paths = append(paths, path)
		}
	}
	var bytes int64
	for _, entry := range entries {
		if known[entry.Path] || entry.Size > MaxSharedBytes {
			continue
		}
		if bytes += entry.Size; bytes > maxDocumentBytes {
			break
		}
		paths = append(paths, entry.Path)
	}
	return paths
}
