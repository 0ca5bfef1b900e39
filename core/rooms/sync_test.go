package rooms_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
	"github.com/atelierhq/atelier/ports/replica"
)

// encodeCounter makes documents and counts what they encode for members that have nothing.
type encodeCounter struct{ encoded, bytes atomic.Int64 }

func (w *encodeCounter) Open(state []byte) (replica.Document, error) {
	doc, err := yjs.Maker{}.Open(state)
	return weighedDocument{doc, w}, err
}

type weighedDocument struct {
	replica.Document
	by *encodeCounter
}

func (d weighedDocument) Encode(since []byte) ([]byte, error) {
	encoded, err := d.Document.Encode(since)
	if len(since) == 1 {
		d.by.encoded.Add(1)
		d.by.bytes.Add(int64(len(encoded)))
	}
	return encoded, err
}

var nothing = []byte{0}

// questioned is a house whose project has a large file, and a reader who asks for all of
// it and reads no answer.
func questioned(h *house, times int) (*encodeCounter, *rooms.Member) {
	h.t.Helper()
	w := &encodeCounter{}
	h.documents = w
	h.restart()
	h.write(core.FileChange{Op: core.OpWrite, Path: core.MustPath("large.txt"), Content: []byte(strings.Repeat("large ", 40_000))})
	reader, err := h.service.Join(h.t.Context(), h.person("reader", core.RoleNone), h.project, rooms.Documents)
	h.must(err)
	w.encoded.Store(0) // Forget what the room stored when it opened.
	w.bytes.Store(0)
	for range times {
		h.must(reader.Sync(nothing))
	}
	synctest.Wait()
	return w, reader
}

func TestUnreadSyncRepliesHoldNoMemory(t *testing.T) {
	play(t, func(h *house) {
		w, reader := questioned(h, 200)
		if got := w.bytes.Load(); got != 0 {
			h.t.Errorf("got %d bytes encoded for somebody who reads nothing, want none", got)
		}
		first, err := reader.Next(h.t.Context())
		h.must(err)
		again, err := reader.Next(h.t.Context())
		h.must(err)
		if len(first.SyncReply) < 240_000 || again.Repeats != 199 {
			h.t.Errorf("got %d bytes and %d answers behind them, want all of the file and an answer to each question", len(first.SyncReply), again.Repeats)
		}
		if got := w.encoded.Load(); got != 1 {
			h.t.Errorf("got the document encoded %d times, want once", got)
		}
	})
}

func TestAPersonIsSentFewSyncRepliesAtATime(t *testing.T) {
	play(t, func(h *house) {
		w, first := questioned(h, 1)
		second, err := h.service.Join(h.t.Context(), h.owner, h.project, rooms.Documents)
		h.must(err)
		third, err := h.service.Join(h.t.Context(), h.owner, h.project, rooms.Documents)
		h.must(err)
		for _, m := range []*rooms.Member{first, second, third} {
			h.must(m.Sync(nothing))
		}
		whole, err := first.Next(h.t.Context())
		h.must(err)
		same, err := second.Next(h.t.Context())
		h.must(err)
		if &whole.SyncReply[0] != &same.SyncReply[0] || w.encoded.Load() != 1 {
			h.t.Errorf("got the document encoded %d times, want one answer for two people", w.encoded.Load())
		}
		for range 3 {
			another, err := h.service.Join(h.t.Context(), h.owner, h.project, rooms.Documents)
			h.must(err)
			h.must(another.Sync(nothing))
			if frame, err := another.Next(h.t.Context()); err != nil || frame.SyncReply == nil {
				h.t.Errorf("got %+v, %v, want the answer although connections that may be lost have not taken theirs", frame, err)
			}
		}
		ctx, cancel := context.WithCancel(h.t.Context())
		waited := make(chan *rooms.Frame, 1)
		go func() {
			frame, _ := third.Next(ctx)
			waited <- frame
		}()
		synctest.Wait()
		select {
		case frame := <-waited:
			h.t.Errorf("got %d bytes, want nothing while four connections of the person are sent answers", len(frame.SyncReply))
		default:
		}
		second.Leave()
		if frame := <-waited; frame == nil || frame.SyncReply == nil {
			h.t.Errorf("got %+v, want the answer when the other connection is gone", frame)
		}
		cancel()
	})
}

func TestASyncReplyHasWhatCameBeforeTheRequest(t *testing.T) {
	play(t, func(h *house) {
		ann, bob := h.join(h.owner), h.join(h.owner)
		h.must(ann.member.Sync(ann.doc.StateVector()))
		ann.types(index, "one", " two")
		bob.want(index, strings.Replace(page, "one", "one two", 1))
		if got := h.join(h.person("eve", core.RoleMember)).text(index); got != strings.Replace(page, "one", "one two", 1) {
			h.t.Errorf("got %q, want what was typed a moment ago", got)
		}
	})
}

func TestAMemberThatReadsNothingHoldsABoundedNumberOfBytes(t *testing.T) {
	play(t, func(h *house) {
		slow, err := h.service.Join(h.t.Context(), h.owner, h.project, rooms.Documents)
		h.must(err)
		ann := h.join(h.person("ann", core.RoleMember))
		for i := range 60 {
			ann.types(core.MustPath(fmt.Sprintf("%d.txt", i)), "", strings.Repeat("x", 200_000))
		}
		frames, bytes := 0, 0
		for {
			frame, err := slow.Next(h.t.Context())
			if err != nil {
				if err != rooms.ErrTooSlow {
					h.t.Errorf("got %v, want %v", err, rooms.ErrTooSlow)
				}
				break
			}
			frames++
			bytes += len(frame.Update)
		}
		if bytes > 9<<20 {
			h.t.Errorf("got %d bytes in %d frames, want 8 MiB and a frame", bytes, frames)
		}
	})
}
