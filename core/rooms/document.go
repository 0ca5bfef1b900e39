package rooms

import (
	"log/slog"
	"time"
	"weak"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/replica"
)

// Bounds of the shared document.
const (
	// MaxSharedBytes is the largest file that is in the document.
	// A text that outgrows it is saved and leaves the document.
	MaxSharedBytes = 256 << 10
	// maxDocumentBytes bounds the files of a project that are in its document together.
	maxDocumentBytes = 32 << 20
)

// document is a room's shared document and its state relative to the database and the disk.
type document struct {
	doc replica.Document
	// members get what changes, and edited wakes the goroutine that saves.
	members *members
	edited  ctxsync.Signal
	now     func() time.Time
	log     *slog.Logger
	// disk has the content of each shared path on the disk when it was last read.
	disk map[core.ProjectPath]string
	// dirty has the paths whose text the disk lacks, each with its last author.
	dirty map[core.ProjectPath]core.Author
	// stored is the state vector of what the database has. unstored says that the document has
	// changes beyond it; since is when the first of them came, last when the last did.
	stored      []byte
	unstored    bool
	since, last time.Time
	// based says that the database has bases. mustStore says that the next store must
	// reach the database even if there is nothing new.
	based, mustStore bool
	// held are changes of the disk that clients get only once the database has them. If a
	// client had them before a crash, the next room would take them from the disk, and the
	// client's copy would add them a second time.
	held []*Frame
	// whole is the frame for members that have nothing, as long as the document does not
	// change.
	whole weak.Pointer[Frame]
	// kept are the unwritten texts that the database has.
	kept map[core.ProjectPath]*string
	// appended counts the updates that the database has, between compactions.
	appended int
	// former is the document from before its texts were rewritten, for clients that return with
	// edits of that one. unknown says that it must be read from the database first.
	former  replica.Document
	unknown bool
	// lost says that another process has claimed the room, so that nothing may be saved.
	lost bool
	// withdraw tells the registry that this process has no unsaved edits any more.
	withdraw func()
}

// Vector returns the room's state vector, for a sync request to the member.
func (m *Member) Vector() ([]byte, error) {
	var vector []byte
	err := m.room.state.withOpenDocument(func(d *document) error {
		vector = d.doc.StateVector()
		return nil
	})
	return vector, err
}

// Update applies a change of the document. It returns core.CodeForbidden, with nothing changed,
// if the member may only read; other errors are those of replica.Document.Apply.
func (m *Member) Update(update []byte) error {
	if !m.may().write {
		return core.Errorf(core.CodeForbidden, "you may read this project, not change it")
	}
	defer m.room.state.pace()
	by := core.Author{Kind: core.AuthorUser, Name: m.user.Name}
	buried := false
	err := m.room.state.withOpenDocument(func(d *document) error {
		change, err := d.doc.Apply(update)
		d.whole = weak.Pointer[Frame]{} // Pending updates are part of it.
		if err == nil {
			buried = change.Buried > 0
			d.changed(change, by)
		}
		return err
	})
	if err == nil && buried {
		m.room.rewriter.carryOver(update, by)
	}
	return err
}

// isQuiet reports whether everything is stored, written and sent, and nothing has changed for
// restAfter.
func (d *document) isQuiet(now time.Time) bool {
	return !d.unstored && len(d.dirty) == 0 && len(d.held) == 0 && now.Sub(d.last) >= restAfter
}

// rest releases memory while nobody types.
func (d *document) rest() {
	if d.isQuiet(d.now()) {
		d.doc.Rest()
		d.unknown, d.former = d.unknown || d.former != nil, nil
	}
}

// changed books a change and sends it to everybody. An author without a name means that the
// change comes from the disk, so it need not be written there.
func (d *document) changed(change replica.Change, by core.Author) {
	d.book(change, by, by.Name == "")
}

// book is changed with a choice: if hold is true, nobody gets the change before the database
// has it.
func (d *document) book(change replica.Change, by core.Author, hold bool) {
	if change.Update == nil && len(change.Paths) == 0 {
		return
	}
	d.whole = weak.Pointer[Frame]{}
	now := d.now()
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
		d.members.toDocuments(frame)
	}
	d.edited.Send()
}

// mergeFile merges the disk's content of a path into the room's text, with a three-way merge:
// the difference between the disk's last known and current content is applied to the text. text
// is nil if the disk has no file there, or none that can be shared.
func (d *document) mergeFile(path core.ProjectPath, text *string) error {
	before, had := d.disk[path]
	if text == nil {
		if !had {
			return nil
		}
		// Deleting a file wins over typing in it.
		delete(d.disk, path)
		delete(d.dirty, path)
		d.changed(d.doc.Remove(path), core.Author{})
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
		d.unshare(path)
		return nil
	}
	if err != nil {
		return err
	}
	d.disk[path] = *text
	d.changed(change, core.Author{})
	return nil
}

// unshare removes a path from the document that cannot be shared any more. The file stays.
func (d *document) unshare(path core.ProjectPath) {
	delete(d.disk, path)
	delete(d.dirty, path)
	d.changed(d.doc.Remove(path), core.Author{})
}
