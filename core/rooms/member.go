package rooms

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/core"
)

// Way is how a member takes part in a room.
type Way int

// The ways to take part.
const (
	// Documents is for members that hold a copy of the document.
	Documents Way = iota
	// Events is for members that are told what happens.
	Events
)

// queueLength is how many frames wait for a member (contract, section 7).
const queueLength = 256

// Reasons why a member is shown out.
var (
	ErrLostAccess = core.Errorf(core.CodeForbidden, "you have no access to the project any more")
	ErrTooSlow    = core.Errorf(core.CodeRateLimited, "you read more slowly than the room writes")
	ErrMoved      = core.Errorf(core.CodeUnavailable, "the room is closing here: come again")
)

// Frame is one thing that a member is told. One field is set. Members share frames:
// nobody changes one.
type Frame struct {
	// Missing answers Member.Sync.
	Missing []byte
	// Update is a change of the document.
	Update []byte
	// Awareness is what clients show of themselves now.
	Awareness []core.Awareness
	// Event is for members that follow events.
	Event Event
}

// Member is one connection to a room. Its methods may be called by several goroutines.
type Member struct {
	room  *room
	way   Way
	actor core.Actor
	user  Person
	// client is the number of a member that follows events among all clients.
	client uint64

	// arrived wakes who waits for frames; gone is closed when the member is shown out.
	arrived chan struct{}
	gone    chan struct{}
	out     sync.Once
	why     error

	// mu guards what the gate said last, and the frames that wait for the member. Most
	// members have none waiting most of the time, and hold no memory for them then.
	mu     sync.Mutex
	rights rights
	frames []*Frame
}

// rights are what a member may do in the room.
type rights struct{ write, chat bool }

// Next returns the next frame, in order. Its error is ctx's, or the reason for which the
// member was shown out: ErrLostAccess, ErrTooSlow, ErrMoved, or what the session's check
// returned. One goroutine at a time may wait here.
func (m *Member) Next(ctx context.Context) (*Frame, error) {
	select {
	case <-m.gone:
		return nil, m.why
	default:
	}
	for {
		if frame := m.pop(); frame != nil {
			return frame, nil
		}
		select {
		case <-m.arrived:
		case <-m.gone:
			return nil, m.why
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Waits reports whether there is a frame for Next.
func (m *Member) Waits() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.frames) > 0
}

// pop takes the frame that waits longest, nil when there is none.
func (m *Member) pop() *Frame {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.frames) == 0 {
		return nil
	}
	frame := m.frames[0]
	m.frames[0] = nil
	if m.frames = m.frames[1:]; len(m.frames) == 0 {
		m.frames = nil
	}
	return frame
}

// Leave ends the membership. What the member wrote is saved.
func (m *Member) Leave() {
	m.dismiss(context.Canceled)
	m.room.remove(m)
}

// dismiss shows the member out, once.
func (m *Member) dismiss(why error) {
	m.out.Do(func() {
		m.why = why
		close(m.gone)
	})
}

// push queues a frame. A member that does not keep up is shown out: nothing may be left
// out of what it is told.
func (m *Member) push(frame *Frame) {
	if !m.queue(frame) {
		m.dismiss(ErrTooSlow)
		return
	}
	select {
	case m.arrived <- struct{}{}:
	default:
	}
}

// queue adds a frame to those that wait, unless there are too many.
func (m *Member) queue(frame *Frame) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.frames) >= queueLength {
		return false
	}
	m.frames = append(m.frames, frame)
	return true
}

func (m *Member) may() rights {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rights
}

func (m *Member) allow(now rights) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rights = now
}
