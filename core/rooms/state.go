package rooms

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// lockedState is a room's state behind its lock. Only lock hands the state out, so the methods
// of state, and of the types that it consists of, run under the lock.
type lockedState struct {
	mu    sync.Mutex
	state state
}

// lock takes the lock and returns the state, which may be used until unlock.
func (g *lockedState) lock() *state {
	g.mu.Lock()
	return &g.state
}

func (g *lockedState) unlock() { g.mu.Unlock() }

// withDocument is state.withDocument for callers that do not have the state.
func (g *lockedState) withDocument(do func(*document) error) error {
	s := g.lock()
	defer g.unlock()
	return s.withDocument(do)
}

// withOpenDocument is withDocument for a member; it returns ErrMoved if the room has closed.
func (g *lockedState) withOpenDocument(do func(*document) error) error {
	s := g.lock()
	defer g.unlock()
	return s.withDocument(func(d *document) error {
		if s.closed {
			return ErrMoved
		}
		return do(d)
	})
}

// isShared reports whether the document is open.
func (g *lockedState) isShared() bool {
	s := g.lock()
	defer g.unlock()
	return s.document != nil
}

// abandon closes the room without saving, because another process has claimed it.
func (g *lockedState) abandon() {
	s := g.lock()
	defer g.unlock()
	s.closed = true
	if s.document != nil {
		s.document.lost = true
	}
	s.end()
}

// state is who is in a room, and its document.
type state struct {
	// life ends when the room closes, and end ends it.
	life context.Context
	end  context.CancelFunc
	now  func() time.Time
	log  *slog.Logger

	closed   bool
	members  members
	presence presence
	// preview is the last state of the preview, nil if unknown; previewAsked says that it
	// was asked for.
	preview      *core.PreviewState
	previewAsked bool
	// document is nil until the first member opens it.
	document *document
}

// join adds a member. It returns errClosed if the room is closing.
func (s *state) join(m *Member) error {
	if s.closed || s.life.Err() != nil {
		return errClosed
	}
	evicted, err := s.members.evictFor(m)
	if err != nil {
		return err
	}
	if evicted != nil {
		evicted.dismiss(ErrFull)
		s.remove(evicted)
	}
	s.members.add(m)
	if m.way == Documents {
		return nil
	}
	s.members.push(m, &Frame{Event: Welcome{ClientID: m.client, Peers: s.presence.peers()}})
	if s.preview != nil {
		s.members.push(m, &Frame{Event: PreviewStatus{*s.preview}})
	}
	return s.show(m, []core.Awareness{{Client: m.client, Clock: 1, Value: awarenessOf(m.user, nil, nil, nil)}})
}

// leave removes a member; the room closes after the last.
func (s *state) leave(m *Member) {
	if !s.members.has(m) {
		return
	}
	s.remove(m)
	if s.members.count() == 0 {
		s.closed = true
		s.end()
	}
}

// remove removes a member and its clients.
func (s *state) remove(m *Member) {
	s.members.remove(m)
	s.announce(s.presence.leave(m, s.now()))
}

// close dismisses the members, and lets nobody else in.
func (s *state) close() {
	s.closed = true
	for m := range s.members.seats {
		m.dismiss(ErrMoved)
	}
}

// isFirstFollower returns true once, for the first member that follows events.
func (s *state) isFirstFollower() bool {
	first := !s.previewAsked && s.preview == nil
	s.previewAsked = true
	return first
}

// share makes d the room's document.
func (s *state) share(d *document) {
	d.members, d.now, d.log = &s.members, s.now, s.log
	s.document = d
}

// withDocument calls do with the document, even if the room is closing, and does nothing if
// there is no document. If the document breaks, the room closes, and the next member opens
// it again.
func (s *state) withDocument(do func(*document) error) error {
	if s.document == nil {
		return nil
	}
	err := recovered(func() error { return do(s.document) })
	if core.IsCode(err, core.CodeInternal) {
		s.log.Error("room failed", "error", err)
		s.closed, s.document.lost = true, true
		s.end()
		return ErrMoved
	}
	return err
}

// recovered turns a panic of the document into an error: a broken room is opened again from
// what is stored, and the process goes on.
func recovered(do func() error) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = core.Wrap(core.CodeInternal, fmt.Errorf("panic: %v", broken), "the document failed")
		}
	}()
	return do()
}
