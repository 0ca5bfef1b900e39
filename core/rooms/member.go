package rooms

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
)

// Protocol is how a member takes part in a room.
type Protocol int

// The ways to take part.
const (
	// Documents is for members that hold a copy of the document.
	Documents Protocol = iota
	// Events is for members that follow events.
	Events
)

// Reasons why a member is dismissed.
var (
	ErrLostAccess = core.Errorf(core.CodeForbidden, "you no longer have access to the project")
	ErrTooSlow    = core.Errorf(core.CodeRateLimited, "your connection is too slow for the room")
	ErrMoved      = core.Errorf(core.CodeUnavailable, "the room is closing: try again")
)

// Frame is one message to a member. One field is set. Members share frames: nobody may
// change one.
type Frame struct {
	// SyncReply answers Member.Sync. Repeats counts further sync requests of the member that
	// the SyncReply before it also answered.
	SyncReply []byte
	Repeats   int
	// SyncRequest asks the member for everything that this state vector lacks.
	SyncRequest []byte
	// Update is a change of the document.
	Update []byte
	// Awareness has the current states of clients.
	Awareness []core.Awareness
	// Event is for members that follow events.
	Event Event
}

// Member is one connection to a room. Its methods may be called by several goroutines.
type Member struct {
	room  *room
	way   Protocol
	actor core.Actor
	user  Person
	// client is the number of a member that follows events among all clients.
	client uint64

	// arrived wakes a goroutine that waits for frames; gone is closed when the member is
	// dismissed.
	arrived ctxsync.Signal
	gone    chan struct{}
	out     sync.Once
	why     error

	queue queue
	// requested says that the room may have requests of the member to reply to.
	requested atomic.Bool

	// mu guards the gate's last answer.
	mu     sync.Mutex
	rights rights
}

// Next returns the next frame, in order. Its error is ctx's, or the reason why the member
// was dismissed: ErrLostAccess, ErrTooSlow, ErrMoved, the error of the session's check,
// or that of a malformed request. Only one goroutine at a time may call it.
func (m *Member) Next(ctx context.Context) (*Frame, error) {
	if m.isOut() {
		return nil, m.why
	}
	for {
		if frame, err := m.reply(); frame != nil || err != nil {
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

// Leave ends the membership. The member's edits are saved.
func (m *Member) Leave() {
	m.dismiss(context.Canceled)
	s := m.room.state.lock()
	defer m.room.state.unlock()
	s.leave(m)
}

// dismiss ends the membership with a reason, once.
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

// allow notes the gate's current answer, and reports whether the member has gained the
// right to write.
func (m *Member) allow(now rights) (promoted bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	promoted = now.write && !m.rights.write
	m.rights = now
	return promoted
}
