package rooms

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/replica"
)

// somebody is the author of edits that a crash kept from the disk.
var somebody = core.Author{Kind: core.AuthorUser, Name: "Somebody"}

// share opens the document, once.
func (r *room) share(ctx context.Context) error {
	r.opening.Lock()
	defer r.opening.Unlock()
	if r.state.isShared() {
		return nil
	}
	if r.life.Err() != nil {
		return ErrMoved
	}
	state, err := r.service.claims.acquire(ctx, r.project)
	if err != nil {
		return err
	}
	withdraw, err := r.service.deps.Unsaved.Keep(ctx, r.project, r.save)
	if err != nil {
		return err
	}
	if err := r.load(ctx, state); err != nil {
		withdraw()
		return err
	}
	if err := r.remake(ctx, renewAbove); err != nil {
		r.service.deps.Log.Warn("could not rewrite the texts of a room", "project", r.project, "error", err)
	}
	// Without this, a client could get a text that the database does not have. After a
	// crash the path would have another text, and the client would bring back its own.
	if err := r.keep(ctx); err != nil {
		withdraw()
		r.state.lock().document = nil
		r.state.unlock()
		return err
	}
	r.state.lock().document.withdraw = withdraw
	r.state.unlock()
	return nil
}

// load makes the document from what is stored and from the disk.
func (r *room) load(ctx context.Context, state core.RoomState) error {
	doc, err := r.restore(ctx, &state)
	if err != nil {
		return err
	}
	listing, err := r.service.deps.Files.List(ctx, r.project)
	if err != nil {
		return err
	}
	d := newDocument(doc, state)
	paths := d.paths(listing.Entries)
	d.edited, d.now, d.log = r.edited, r.service.deps.Now, r.service.deps.Log.With("project", r.project)
	s := r.state.lock()
	d.members = &s.members
	s.document = d
	r.state.unlock()
	err = r.service.deps.Files.Amend(ctx, r.project, core.Author{}, func(ctx context.Context, snapshot files.Snapshot) ([]core.FileChange, error) {
		for _, path := range paths {
			if err := r.compare(ctx, snapshot, path); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}, nil)
	if err != nil {
		r.state.lock().document = nil
		r.state.unlock()
	}
	return err
}

// restore opens the stored document. If that fails, it starts a new one, which load
// fills from the disk.
func (r *room) restore(ctx context.Context, state *core.RoomState) (replica.Document, error) {
	var doc replica.Document
	err := recovered(func() (err error) {
		if doc, err = r.service.deps.Documents.Open(nil); err != nil {
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
	r.service.deps.Log.Error("stored room cannot be opened and is begun anew", "project", r.project, "error", err)
	if err := r.service.deps.Store.Tables().Rooms.Replace(ctx, r.project, r.service.claims.owner, nil, nil, true); err != nil {
		return nil, err
	}
	*state = core.RoomState{Epoch: state.Epoch + 1}
	return r.service.deps.Documents.Open(nil)
}

// newDocument wraps a restored document. It assumes that the disk has the document's
// texts, except for those that were not written yet.
func newDocument(doc replica.Document, state core.RoomState) *document {
	d := &document{
		doc: doc, disk: map[core.ProjectPath]string{}, dirty: map[core.ProjectPath]core.Author{},
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
