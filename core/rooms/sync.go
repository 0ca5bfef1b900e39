package rooms

import (
	"weak"

	"github.com/atelierhq/atelier/core"
)

// requests are a member's open requests, guarded by the room's mu. One reply answers
// several sync requests.
type requests struct {
	// syncs counts the open sync requests, and vector is the member's state vector in the
	// last of them. repeats counts the further requests that the last reply answered.
	syncs, repeats int
	vector         []byte
	// awareness says that the member wants the awareness states of all clients.
	awareness bool
	// resync says that the room is to send the member a sync request.
	resync bool
}

// Sync asks for everything that a member with this state vector lacks; it takes ownership
// of vector. Frame.SyncReply answers it and all requests before it, once the database has
// the reply's content. The reply is encoded only when it is sent, so that the requests of a
// member that reads nothing take no memory. A malformed vector ends the membership, with
// code core.CodeInvalidRequest.
func (m *Member) Sync(vector []byte) error {
	return m.room.withDocument(func(*document) error {
		m.requests.syncs++
		m.requests.vector = vector
		m.wake()
		return nil
	})
}

// QueryAwareness asks for the awareness states of all clients.
func (m *Member) QueryAwareness() {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	m.requests.awareness = true
	m.wake()
}

// resync asks a member for the edits that the room refused while the member could only
// read. Its later edits build on those, and would wait for them forever.
func (r *room) resync(m *Member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.way == Documents {
		m.requests.resync = true
		m.wake()
	}
}

// wake makes Next look for open requests.
func (m *Member) wake() {
	m.requested.Store(true)
	select {
	case m.arrived <- struct{}{}:
	default:
	}
}

// reply returns the next reply to the member's requests, nil if there is none now. The
// previous reply has been sent.
func (m *Member) reply() (*Frame, error) {
	if !m.requested.Swap(false) {
		return nil, nil
	}
	r := m.room
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replied(m)
	frame, err := r.reply(m)
	if frame != nil {
		m.requested.Store(true)
	}
	return frame, err
}

// reply makes the next reply for a member. The caller holds mu.
func (r *room) reply(m *Member) (*Frame, error) {
	open := &m.requests
	if repeats := open.repeats; repeats > 0 {
		open.repeats = 0
		return &Frame{Repeats: repeats}, nil
	}
	if open.awareness {
		open.awareness = false
		if states := r.presence.states(); len(states) > 0 {
			return &Frame{Awareness: states}, nil
		}
	}
	if r.text == nil || r.closed {
		return nil, nil
	}
	if open.resync {
		open.resync = false
		return &Frame{SyncRequest: r.text.doc.StateVector()}, nil
	}
	if open.syncs == 0 {
		return nil, nil
	}
	// Held changes of the disk cannot be separated from the rest of the document, so the
	// reply waits until the database has them. A person gets few replies at a time, on
	// however many connections.
	if len(r.text.held) > 0 || r.repliesTo(m.actor.UserID) >= maxReplies {
		return nil, nil
	}
	var frame *Frame
	err := r.careful(func(d *document) (err error) {
		frame, err = d.missing(open.vector)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.replying[m] = true
	open.repeats, open.syncs, open.vector = open.syncs-1, 0, nil
	return frame, nil
}

// maxReplies is how many connections of a person are sent a sync reply at a time. A dead
// connection counts until the service notices, and must not block the one with which the
// person returned.
const maxReplies = 4

// repliesTo counts the sync replies that are being sent to a person. The caller holds mu.
func (r *room) repliesTo(person core.ID) (count int) {
	for m := range r.replying {
		if m.actor.UserID == person {
			count++
		}
	}
	return count
}

// replied notes that a member has got its sync reply, and wakes other connections of the
// person. The caller holds mu.
func (r *room) replied(m *Member) {
	if !r.replying[m] {
		return
	}
	delete(r.replying, m)
	for other := range r.members {
		if other != m && other.requests.syncs > 0 && other.actor.UserID == m.actor.UserID {
			other.wake()
		}
	}
}

// wakeWaiting wakes the members whose sync requests waited for the database. The caller
// holds mu.
func (r *room) wakeWaiting() {
	for m := range r.members {
		if m.requests.syncs > 0 {
			m.wake()
		}
	}
}

// missing returns everything that a member lacks. Members that have nothing yet share one
// frame, as long as it is being sent to any of them and the document does not change.
func (d *document) missing(vector []byte) (*Frame, error) {
	// An empty vector is one byte: its number of entries.
	nothing := len(vector) <= 1
	if whole := d.whole.Value(); whole != nil && nothing {
		return whole, nil
	}
	missing, err := d.doc.Encode(vector)
	if err != nil {
		return nil, err
	}
	frame := &Frame{SyncReply: missing}
	if nothing {
		d.whole = weak.Make(frame)
	}
	return frame, nil
}
