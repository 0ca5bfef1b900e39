package rooms

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

const (
	// compactAfter is the number of stored updates after which one replaces them all.
	compactAfter = 100
	// heldApart is how many held frames are sent one by one. More, as when a version is
	// restored, are merged into one.
	heldApart = 32
)

// portion is the part of a document that one store writes.
type portion struct {
	// whole says that update replaces everything that the database has.
	whole bool
	// update is nil if only the bases are new.
	update []byte
	// bases has the disk's content of the unwritten paths, texts their new content.
	bases, texts map[core.ProjectPath]*string
	// vector is the state vector of the database afterwards.
	vector []byte
	// held is how many frames wait for it; news, if set, replaces them by one.
	held int
	news []byte
}

// journal is the log of the document's updates in the database. Its methods must not be called
// concurrently.
type journal struct{ *scope }

// store writes the document's changes to the database; with whole, it replaces all
// updates there by one. It returns core.CodeConflict and abandons the room if another
// process has claimed it.
func (j *journal) store(ctx context.Context, whole bool) error {
	var next *portion
	err := j.state.withDocument(func(d *document) (err error) {
		next, err = d.portion(whole)
		return err
	})
	if err != nil || next == nil {
		return err
	}
	if err = j.put(ctx, next); core.IsCode(err, core.CodeConflict) {
		j.state.abandon()
		return err
	}
	return j.state.withDocument(func(d *document) error {
		if err != nil {
			d.unstored = true
			return err
		}
		for _, frame := range d.stores(next) {
			d.members.toDocuments(frame)
		}
		d.members.wakeWaiting(func(*Member) bool { return true })
		return nil
	})
}

func (j *journal) put(ctx context.Context, p *portion) error {
	table := j.deps.Store.Tables().Rooms
	if p.whole {
		return table.Replace(ctx, j.project, j.claims.owner, p.update, p.bases, false)
	}
	return table.Append(ctx, j.project, j.claims.owner, p.update, p.bases)
}

// portion returns what the database lacks, or everything if whole is true; nil if there
// is nothing to store.
func (d *document) portion(whole bool) (*portion, error) {
	whole = whole || d.appended >= compactAfter
	texts := d.unwritten()
	if d.lost || !d.unstored && !d.mustStore && !whole {
		d.kept = texts
		return nil, nil
	}
	d.mustStore = false
	p := &portion{whole: whole, bases: d.bases(), texts: texts, vector: d.doc.StateVector(), held: len(d.held)}
	if !d.unstored && !whole {
		return p, nil
	}
	since := d.stored
	if whole {
		since = nil
	}
	var err error
	if p.update, err = d.doc.Encode(since); err == nil && p.held > heldApart {
		p.news, err = d.doc.Encode(d.stored)
	}
	if err != nil {
		return nil, err
	}
	d.unstored = false
	return p, nil
}

// stores books a portion that was stored, and returns the frames that waited for it.
func (d *document) stores(p *portion) []*Frame {
	d.stored, d.kept, d.based = p.vector, p.texts, len(p.bases) > 0
	d.appended++
	if p.whole {
		d.appended = 0
	}
	ready := slices.Clone(d.held[:p.held])
	d.held = slices.Delete(d.held, 0, p.held)
	if p.news != nil {
		return []*Frame{{Update: p.news}}
	}
	return ready
}

// unwritten returns the texts that are not on the disk yet; nil means a deleted one.
func (d *document) unwritten() map[core.ProjectPath]*string {
	texts := make(map[core.ProjectPath]*string, len(d.dirty))
	for path := range d.dirty {
		texts[path] = nil
		if text, there := d.doc.Text(path); there {
			texts[path] = &text
		}
	}
	return texts
}

// bases returns the disk's content of the paths that are not written yet.
func (d *document) bases() map[core.ProjectPath]*string {
	bases := make(map[core.ProjectPath]*string, len(d.dirty))
	for path := range d.dirty {
		bases[path] = nil
		if text, had := d.disk[path]; had {
			bases[path] = &text
		}
	}
	return bases
}

// confirm makes the next store reach the database even if there is nothing new, because
// another process may have claimed the room.
func (j *journal) confirm() {
	if !bool(j.deps.Exclusive) {
		_ = j.state.withDocument(func(d *document) error { d.mustStore = true; return nil })
	}
}

// dropBases removes the bases of texts that are on the disk by now from the database.
// Otherwise, after a crash, the next room would compare the disk with those old bases
// and get people's text a second time.
func (j *journal) dropBases(ctx context.Context) error {
	err := j.state.withDocument(func(d *document) error {
		d.mustStore = d.mustStore || d.based && len(d.dirty) == 0
		return nil
	})
	if err != nil {
		return err
	}
	return j.store(ctx, false)
}
