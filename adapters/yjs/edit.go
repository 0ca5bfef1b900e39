package yjs

import (
	"slices"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// maxOwnState is the clock above which a document goes on under another client number.
// Clocks have 32 bits, and one edit takes less than half of them.
const maxOwnState = 1 << 31

// Edit implements replica.Document.
func (d *Document) Edit(path core.ProjectPath, edits []replica.Edit) (replica.Change, error) {
	if path.IsRoot() {
		return replica.Change{}, core.Errorf(core.CodeInvalidRequest, "the project's root has no text")
	}
	text, _ := d.Text(path) // which wakes the document
	if err := checkEdits(text, edits); err != nil {
		return replica.Change{}, err
	}
	// An edit cuts at most two items and adds one.
	if d.store.structs+3*len(edits)+1 > replica.MaxStructs {
		return replica.Change{}, core.Errorf(core.CodePayloadTooLarge, "the document has too many parts")
	}
	if d.store.state(d.client) > maxOwnState {
		d.client = d.newClient()
	}
	tx := d.begin()
	in := tx.textFor(path.String())
	c := &cursor{tx: tx, in: in, right: in.start}
	for _, e := range edits {
		c.advance(e.At)
		c.insert(e.Insert)
		c.delete(e.At + e.Delete)
	}
	return tx.commit(), nil
}

// checkEdits checks edits of a text against the rules of replica.Document.
func checkEdits(text string, edits []replica.Edit) error {
	at, size := 0, len(text)
	for i, e := range edits {
		switch {
		case e.At < at || e.Delete < 0 || e.Delete > len(text) || e.At > len(text)-e.Delete:
			return core.Errorf(core.CodeInvalidRequest, "edit %d is out of order or beyond the end of the text", i)
		case !isBoundary(text, e.At) || !isBoundary(text, e.At+e.Delete):
			return core.Errorf(core.CodeInvalidRequest, "edit %d splits a character", i)
		case !utf8.ValidString(e.Insert):
			return core.Errorf(core.CodeInvalidRequest, "edit %d inserts invalid UTF-8", i)
		}
		at, size = e.At+e.Delete, size+len(e.Insert)-e.Delete
		if size > replica.MaxTextBytes && len(e.Insert) > 0 {
			return core.Errorf(core.CodePayloadTooLarge, "the text becomes longer than %d bytes", replica.MaxTextBytes)
		}
	}
	return nil
}

func isBoundary(text string, at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }

// Remove implements replica.Document.
func (d *Document) Remove(path core.ProjectPath) replica.Change {
	d.wake()
	tx := d.begin()
	if it := d.store.files.entries[path.String()]; it != nil {
		tx.delete(it)
	}
	return tx.commit()
}

// textFor returns the type that holds a path's text, and creates it if needed.
func (tx *transaction) textFor(key string) *sharedType {
	if it := tx.doc.text(key); it != nil {
		return it.typ()
	}
	files := tx.doc.store.files
	return tx.write(files, &key, files.entries[key], nil, content{refType, []byte{typeText}}, 1).typ()
}

// write inserts an item of the document's own between two others and returns it.
func (tx *transaction) write(parent *sharedType, sub *string, left, right *item, c content, length uint32) *item {
	in := updateStruct{
		id: id{tx.doc.client, tx.doc.store.state(tx.doc.client)}, length: length,
		origin: noID, rightOrigin: noID, parent: parent.ref(), sub: sub, content: c,
	}
	if left != nil {
		in.origin = left.lastID()
	}
	if right != nil {
		in.rightOrigin = right.id()
	}
	return tx.integrate(&in)
}

// cursor is a position in a text, between two items. at is the number of bytes before it
// in the text before the edits.
type cursor struct {
	tx          *transaction
	in          *sharedType
	left, right *item
	at          int
}

// next steps over an item.
func (c *cursor) next() {
	c.left, c.right = c.right, c.right.right
}

// advance moves the cursor to a byte, immediately after the byte before it.
func (c *cursor) advance(to int) {
	for c.at < to {
		c.cut(to)
		if c.right.isShown() {
			c.at += c.right.text.len()
		}
		c.next()
	}
}

// cut makes the item at the cursor end at a byte, if it extends beyond it.
func (c *cursor) cut(at int) {
	if rest := at - c.at; c.right.isShown() && rest < c.right.text.len() {
		units := utf16Length(c.right.text.bytes()[:rest])
		c.tx.cleanEnd(c.right.client, c.right.clock+units-1)
	}
}

// insert writes at the cursor, which is after the new text then.
func (c *cursor) insert(text string) {
	if text == "" {
		return
	}
	written := slices.Clone([]byte(text))
	c.left = c.tx.write(c.in, nil, c.left, c.right, content{refString, written}, utf16Length(written))
	c.right = c.left.right
}

// delete deletes up to a byte.
func (c *cursor) delete(to int) {
	for c.at < to {
		c.cut(to)
		if it := c.right; it.isShown() {
			c.at += it.text.len()
			c.tx.delete(it)
		}
		c.next()
	}
}
