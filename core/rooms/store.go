package rooms

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

const (
	// compactAfter is after how many updates the database gets one in their place.
	compactAfter = 100
	// heldApart is how many frames that waited for the database go out one by one. More,
	// as when a version is restored, go out as one.
	heldApart = 32
)

// portion is what the database gets of a document at once.
type portion struct {
	// whole says that update takes the place of all that the database has.
	whole bool
	// update is nil where only the bases are new.
	update []byte
	// bases are what the disk had of what is not written yet, texts what it is to get.
	bases, texts map[core.ProjectPath]*string
	// vector is what the database knows with it.
	vector []byte
	// held is how many frames wait for it, and news is one in their place.
	held int
	news []byte
}

// store has the database know what the room has; whole has it keep that as one update,
// which needs no look at the disk. The error has code CodeConflict when another process
// has taken the room, which is abandoned then. The caller has saving.
func (r *room) store(ctx context.Context, whole bool) error {
	var next *portion
	err := r.withText(func(d *document) (err error) {
		next, err = d.portion(whole)
		return err
	})
	if err != nil || next == nil {
		return err
	}
	if err = r.put(ctx, next); core.IsCode(err, core.CodeConflict) {
		r.abandon()
		return err
	}
	return r.withText(func(d *document) error {
		if err != nil {
			d.unstored = true
			return err
		}
		for _, frame := range d.stores(next) {
			r.toDocuments(frame)
		}
		r.answerAll()
		return nil
	})
}

func (r *room) put(ctx context.Context, p *portion) error {
	table := r.service.deps.Store.Tables().Rooms
	if p.whole {
		return table.Replace(ctx, r.project, r.service.owner, p.update, p.bases, false)
	}
	return table.Append(ctx, r.project, r.service.owner, p.update, p.bases)
}

// portion returns what the database does not have, or all; nil when it has that.
func (d *document) portion(whole bool) (*portion, error) {
	whole = whole || d.appended >= compactAfter
	texts := d.unwritten()
	if d.lost || !d.unstored && !d.asked && !whole {
		d.kept = texts
		return nil, nil
	}
	d.asked = false
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

// stores books what the database has got, and returns the frames that waited for it.
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

// unwritten are the texts that are not written yet; nil stands for one that is deleted.
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

// bases are what the disk had of what is not written yet.
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

// confirm has the next store ask the database, where another process may have taken the
// room, also when there is nothing new to be stored.
func (r *room) confirm() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.text != nil && !bool(r.service.deps.Exclusive) {
		r.text.asked = true
	}
}

// forget has the database forget what the disk had before what is written by now: the
// next room would else take what somebody writes there after a crash for a change of
// that, and have the text of people a second time.
func (r *room) forget(ctx context.Context) error {
	r.mu.Lock()
	if d := r.text; d != nil && d.based && len(d.dirty) == 0 {
		d.asked = true
	}
	r.mu.Unlock()
	return r.store(ctx, false)
}

// keep has the database know what the room has, and no more.
func (r *room) keep(ctx context.Context) error {
	if err := r.saving.take(ctx); err != nil {
		return err
	}
	defer r.saving.give()
	return r.store(ctx, false)
}
