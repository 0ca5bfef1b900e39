package rooms_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
)

// reader is somebody who needs a while for each frame.
type reader struct {
	h      *house
	doc    *client
	mu     sync.Mutex
	frames []*rooms.Frame
	over   error
}

func (h *house) reads(way rooms.Protocol, each time.Duration) *reader {
	h.t.Helper()
	member, err := h.service.Join(h.t.Context(), h.owner, h.project, way)
	h.must(err)
	copied, err := yjs.Maker{}.Open(nil)
	h.must(err)
	r := &reader{h: h, doc: &client{h: h, member: member, doc: copied}}
	if way == rooms.Documents {
		h.must(member.Sync(copied.StateVector()))
	}
	go func() {
		for r.take(member) {
			time.Sleep(each)
		}
	}()
	return r
}

// take takes the next frame. It is false at the end of the membership.
func (r *reader) take(member *rooms.Member) bool {
	frame, err := member.Next(context.Background())
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over = err; err == nil {
		r.frames = append(r.frames, frame)
	}
	return err == nil
}

// ended returns why the membership ended, nil while it goes on.
func (r *reader) ended() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.over
}

// all waits until no more frames come, and fails if the reader was dismissed.
func (r *reader) all() []*rooms.Frame {
	r.h.t.Helper()
	time.Sleep(10 * time.Second)
	if err := r.ended(); err != nil {
		r.h.t.Fatalf("got %v after %d frames, want nobody shown out who reads", err, len(r.frames))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.frames
}

// text is the text of a path after all frames were applied.
func (r *reader) text(path core.ProjectPath) string {
	r.h.t.Helper()
	for _, frame := range r.all() {
		for _, update := range [][]byte{frame.SyncReply, frame.Update} {
			if update != nil {
				_, err := r.doc.doc.Apply(update)
				r.h.must(err)
			}
		}
	}
	return r.doc.text(path)
}

func TestABurstOfEditsShowsNobodyOutWhoReads(t *testing.T) {
	play(t, func(h *house) {
		ann, bob, eve := h.join(h.owner), h.reads(rooms.Documents, time.Millisecond), h.reads(rooms.Events, time.Millisecond)
		for range 2000 {
			h.must(ann.member.Update(ann.edit(index, "one", "!")))
			h.must(ann.member.Show([]core.Awareness{{Client: 7, Clock: uint64(time.Now().UnixMilli()), Value: []byte(`{}`)}}))
		}
		if got, want := bob.text(index), ann.text(index); got != want {
			t.Errorf("got %d bytes, want all %d that were typed", len(got), len(want))
		}
		eve.all()
	})
}

func TestWhoReadsTooSlowlyHoldsNobodyUpForLong(t *testing.T) {
	play(t, func(h *house) {
		ann, slow := h.join(h.owner), h.reads(rooms.Documents, 10*time.Millisecond)
		begun := time.Now()
		for range 2000 {
			h.must(ann.member.Update(ann.edit(index, "one", "!")))
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("took %v, want half a second at most for each that does not keep up", took)
		}
		time.Sleep(time.Second)
		if err := slow.ended(); err != rooms.ErrTooSlow {
			t.Errorf("got %v, want %v", err, rooms.ErrTooSlow)
		}
	})
}

func TestManyFilesAtOnceShowNobodyOut(t *testing.T) {
	play(t, func(h *house) {
		bob, eve := h.reads(rooms.Documents, time.Millisecond), h.reads(rooms.Events, time.Millisecond)
		var changes []core.FileChange
		for i := range 1500 {
			changes = append(changes, core.FileChange{Op: core.OpWrite, Path: core.MustPath(fmt.Sprintf("%d.css", i)), Content: []byte("a {}")})
		}
		// The room hears of everything in one notice, as after the bus was down.
		_, err := h.newPipeline(memory.NewBus()).Apply(h.t.Context(), h.project, core.Author{Kind: core.AuthorAgent, Name: "agent"}, changes, nil)
		h.must(err)
		h.must(h.bus.Publish(h.t.Context(), core.Notice{Kind: core.NoticeLagged, ProjectID: h.project}))
		if got := bob.text(changes[1499].Path); got != "a {}" {
			t.Errorf("got %q in the last file, want what was written", got)
		}
		told := 0
		for _, frame := range eve.all() {
			if _, is := frame.Event.(rooms.FileChanged); is {
				told++
			}
		}
		if told != len(changes) {
			t.Errorf("got %d files told, want all %d", told, len(changes))
		}
	})
}

func TestManyEventsThatABusLeftOutShowNobodyOut(t *testing.T) {
	play(t, func(h *house) {
		chat := core.NewID()
		h.must(h.store.Tables().Chats.Create(h.t.Context(), core.Chat{ID: chat, ProjectID: h.project}))
		eve := h.reads(rooms.Events, time.Millisecond)
		said := func(count int) (last core.Event) {
			for range count {
				appended, err := h.store.Tables().Events.Append(h.t.Context(), chat, core.At(time.Now()), []core.Payload{core.MessageDelta{Delta: "a"}})
				h.must(err)
				last = appended[0]
			}
			return last
		}
		for _, event := range []core.Event{said(1), said(1200)} {
			h.must(h.bus.Publish(h.t.Context(), core.Notice{Kind: core.NoticeChatEvent, ProjectID: h.project, ChatID: chat, Event: &event}))
		}
		var seq int64
		for _, frame := range eve.all() {
			if told, is := frame.Event.(rooms.ChatEvent); is {
				if seq++; told.Event.Seq != seq {
					t.Fatalf("got event %d, want %d", told.Event.Seq, seq)
				}
			}
		}
		if seq != 1201 {
			t.Errorf("got %d events, want 1201", seq)
		}
	})
}
