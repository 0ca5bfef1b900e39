package rooms

import (
	"time"
	"weak"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// Bounds of what is shared.
const (
	// MaxSharedBytes is the largest file that is in the document (contract, section 7).
	// A text that outgrows it is saved and leaves the document.
	MaxSharedBytes = 256 << 10
	// maxDocumentBytes bounds the files of a project that are in its document together.
	maxDocumentBytes = 32 << 20
)

// document is what a room shares, and how it stands to the disk. It is guarded by the
// room's mu.
type document struct {
	doc replica.Document
	// disk is what the disk had of each path when it was last looked at. Paths that are
	// not shared are not in it.
	disk map[core.ProjectPath]string
	// dirty are the paths of which the room has more than the disk, and who wrote last.
	dirty map[core.ProjectPath]core.Author
	// stored is the state vector of what the database has; unstored says that there is
	// more, and since is when the first of it came, last when the last did.
	stored      []byte
	unstored    bool
	since, last time.Time
	// based says that the database has bases, asked that it is to be asked also when
	// there is nothing new.
	based, asked bool
	// held are changes of the disk that the clients do not have yet, because the database
	// does not. If the process died now, the next room would take them from the disk once
	// more, and a client's copy would bring them a second time.
	held []*Frame
	// whole is what somebody is sent who has nothing, while it is what the document is.
	whole weak.Pointer[Frame]
	// kept are the unwritten texts that the database has.
	kept map[core.ProjectPath]*string
	// appended counts the updates that the database has, between compactions.
	appended int
	// former is the document as it was before its texts were rewritten, for those who come with
	// edits of that one; unknown says that the database has to be asked for it.
	former  replica.Document
	unknown bool
	// lost says that the room is another process's, and nothing is to be saved.
	lost bool
	// withdraw says that there is nothing to be saved here any more.
	withdraw func()
}

// Vector returns what the room has, for the member's own answer.
func (m *Member) Vector() ([]byte, error) {
	var vector []byte
	err := m.room.withDocument(func(d *document) error {
		vector = d.doc.StateVector()
		return nil
	})
	return vector, err
}

// Update takes in a change of the document. Somebody who may only read has code
// core.CodeForbidden, and nothing changes; other errors are those of
// replica.Document.Apply.
func (m *Member) Update(update []byte) error {
	if !m.may().write {
		return core.Errorf(core.CodeForbidden, "you may read this project, not change it")
	}
	defer m.room.pace()
	by := core.Author{Kind: core.AuthorUser, Name: m.user.Name}
	buried := false
	err := m.room.withDocument(func(d *document) error {
		change, err := d.doc.Apply(update)
		d.whole = weak.Pointer[Frame]{} // What waits is part of it.
		if err == nil {
			buried = change.Buried > 0
			m.room.changed(change, by)
		}
		return err
	})
	if err == nil && buried {
		m.room.unearth(update, by)
	}
	return err
}

// withDocument does something with the document for a member.
func (r *room) withDocument(do func(*document) error) error {
	return r.withText(func(d *document) error {
		if r.closed {
			return ErrMoved
		}
		return do(d)
	})
}

// withText does something with the document under mu, also when the room is closing,
// and nothing when there is none. A document that breaks takes its room with it: the
// next member opens it again.
func (r *room) withText(do func(*document) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.text == nil {
		return nil
	}
	return r.careful(do)
}

// careful is withText for a caller that holds mu, of a room that has a document.
func (r *room) careful(do func(*document) error) error {
	err := guarded(func() error { return do(r.text) })
	if core.IsCode(err, core.CodeInternal) {
		r.service.deps.Log.Error("room broke", "project", r.project, "error", err)
		r.closed, r.text.lost = true, true
		r.end()
		return ErrMoved
	}
	return err
}

// isQuiet reports whether all is where it belongs, and has been for restAfter.
func (d *document) isQuiet(now time.Time) bool {
	return !d.unstored && len(d.dirty) == 0 && len(d.held) == 0 && now.Sub(d.last) >= restAfter
}

// changed books a change and tells everybody. An author without a name is the disk, to
// which nothing has to be written. The caller holds mu.
func (r *room) changed(change replica.Change, by core.Author) {
	r.book(change, by, by.Name == "")
}

// book is changed, and keeps the change from everybody until the database has it, if hold
// says so.
func (r *room) book(change replica.Change, by core.Author, hold bool) {
	if change.Update == nil && len(change.Paths) == 0 {
		return
	}
	d := r.text
	d.whole = weak.Pointer[Frame]{}
	now := r.service.deps.Now()
	if !d.unstored {
		d.unstored, d.since = true, now
	}
	d.last = now
	if by.Name != "" {
		for _, path := range change.Paths {
			d.dirty[path] = by
		}
	}
	switch frame := (&Frame{Update: change.Update}); {
	case change.Update == nil:
	case hold:
		d.held = append(d.held, frame)
	default:
		r.toDocuments(frame)
	}
	select {
	case r.edited <- struct{}{}:
	default:
	}
}

// meet lays what the disk has of a path over the room's text: what lies between what
// the disk had before and has now is carried over to it. text is nil when the disk has
// no file there, or none that is shared. The caller holds mu.
func (r *room) meet(path core.ProjectPath, text *string) error {
	d := r.text
	before, had := d.disk[path]
	if text == nil {
		if !had {
			return nil
		}
		// Whoever deletes a file wins over those who type in it.
		delete(d.disk, path)
		delete(d.dirty, path)
		r.changed(d.doc.Remove(path), core.Author{})
		return nil
	}
	if had && before == *text {
		return nil
	}
	now, there := d.doc.Text(path)
	if _, dirty := d.dirty[path]; dirty && !there {
		// Somebody deleted it in the room.
		d.disk[path] = *text
		return nil
	}
	change, err := d.doc.Edit(path, Rebase(before, *text, now))
	if core.IsCode(err, core.CodePayloadTooLarge) {
		r.unshare(path)
		return nil
	}
	if err != nil {
		return err
	}
	d.disk[path] = *text
	r.changed(change, core.Author{})
	return nil
}

// unshare takes a path out of the document that has become too large for it. The file
// stays. The caller holds mu.
func (r *room) unshare(path core.ProjectPath) {
	d := r.text
	delete(d.disk, path)
	delete(d.dirty, path)
	r.changed(d.doc.Remove(path), core.Author{})
}
