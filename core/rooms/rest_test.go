package rooms_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/ports/replica"
)

// restCounter makes documents and counts how often they rest.
type restCounter struct{ rests atomic.Int64 }

func (w *restCounter) Open(state []byte) (replica.Document, error) {
	doc, err := yjs.Maker{}.Open(state)
	return watchedDocument{doc, w}, err
}

type watchedDocument struct {
	replica.Document
	by *restCounter
}

func (d watchedDocument) Rest() {
	d.by.rests.Add(1)
	d.Document.Rest()
}

func TestADocumentRestsWhileNobodyTypes(t *testing.T) {
	play(t, func(h *house) {
		w := &restCounter{}
		h.documents = w
		h.restart()
		ada, bob := h.join(h.owner), h.join(h.owner)
		before := w.rests.Load()
		for range 60 {
			ada.types(index, "one", "!")
			time.Sleep(time.Second)
		}
		if got := w.rests.Load(); got != before {
			t.Errorf("got %d rests in a minute in which somebody typed, want none", got-before)
		}
		time.Sleep(time.Minute)
		if w.rests.Load() == before {
			t.Error("got no rest in a minute without a word")
		}
		ada.types(index, "one", "?")
		want := strings.Replace(page, "one", "one?"+strings.Repeat("!", 60), 1)
		bob.want(index, want)
		h.join(h.owner).want(index, want)
		time.Sleep(3 * time.Second)
		if got := h.onDisk(index); got != want {
			t.Errorf("got %q on the disk, want %q", got, want)
		}
	})
}
