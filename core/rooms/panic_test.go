package rooms_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/core/rooms"
	"github.com/atelierhq/atelier/ports/replica"
)

// panickingReplicas makes documents that panic at the next update once they are told to.
type panickingReplicas struct{ breaks atomic.Bool }

func (f *panickingReplicas) Open(state []byte) (replica.Document, error) {
	doc, err := yjs.Maker{}.Open(state)
	return panickingDocument{doc, f}, err
}

type panickingDocument struct {
	replica.Document
	by *panickingReplicas
}

func (d panickingDocument) Apply(update []byte) (replica.Change, error) {
	if d.by.breaks.Swap(false) {
		panic("the document is broken")
	}
	return d.Document.Apply(update)
}

func TestADocumentThatPanicsEndsItsRoomAlone(t *testing.T) {
	play(t, func(h *house) {
		f := &panickingReplicas{}
		h.documents = f
		h.restart()
		ann, bob := h.join(h.owner), h.join(h.owner)
		ann.types(index, "one", " two")
		time.Sleep(3 * time.Second)
		f.breaks.Store(true)
		if err := ann.member.Update(ann.edit(index, "two", " three")); !errors.Is(err, rooms.ErrMoved) {
			h.t.Errorf("got %v, want %v", err, rooms.ErrMoved)
		}
		ann.wantOver(time.Second, rooms.ErrMoved)
		bob.wantOver(time.Second, rooms.ErrMoved)
		again := h.joinWith(h.owner, ann.doc)
		want := strings.Replace(page, "one", "one two three", 1)
		h.join(h.owner).want(index, want)
		again.types(index, "three", "!")
		time.Sleep(3 * time.Second)
		if got := h.onDisk(index); got != strings.Replace(want, "three", "three!", 1) {
			h.t.Errorf("got %q on the disk, want what was typed before and after", got)
		}
	})
}
