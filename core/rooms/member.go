package rooms

import (
	"context"
	"sync"
	"sync/atomic"

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

// Reasons why a member is shown out.
var (
	ErrLostAccess = core.Errorf(core.CodeForbidden, "you have no access to the project any more")
	ErrTooSlow    = core.Errorf(core.CodeRateLimited, "you read more slowly than the room writes")
	ErrMoved      = core.Errorf(core.CodeUnavailable, "the room is closing here: come again")
)

// Frame is one thing that a member is told. One field is set. Members share frames:
// nobody changes one.
type Frame struct {
	// Missing answers Member.Sync, and Again counts further questions of the member that
	// the Missing before it answered as well.
	Missing []byte
	Again   int
	// Asks has the member tell what somebody lacks who has what this vector says.
	Asks []byte
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

	queue queue
	// asked is what the member wants to know, guarded by the room's mu; curious says that
	// there may be something to answer.
	asked   asked
	curious atomic.Bool

	// mu guards what the gate said last.
	mu     sync.Mutex
	rights rights
}

// rights are what a member may do in the room.
type rights struct{ write, chat bool }

// Next returns the next frame, in order. Its error is ctx's, or the reason for which the
// member was shown out: ErrLostAccess, ErrTooSlow, ErrMoved, what the session's check
// returned, or what was wrong with a question. One goroutine at a time may wait here.
func (m *Member) Next(ctx context.Context) (*Frame, error) {
	if m.isOut() {
		return nil, m.why
	}
	for {
		if frame, err := m.answer(); frame != nil || err != nil {
			return frame, err
		}
		if frame := m.queue.pop(); frame != nil {
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
func (m *Member) Waits() bool { return m.queue.length() > 0 }

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

func (m *Member) isOut() bool {
	select {
	case <-m.gone:
		return true
	default:
		return false
	}
}

func (m *Member) may() rights {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rights
}

// allow notes what the gate says now, and reports whether the member may write that might
// not before.
func (m *Member) allow(now rights) (promoted bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	promoted = now.write && !m.rights.write
	m.rights = now
	return promoted
}
