package rooms

import "weak"

// requests are a member's open requests. One reply answers
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
	s := m.room.state.lock()
	defer m.room.state.unlock()
	if s.closed {
		return ErrMoved
	}
	s.members.ask(m, func(open *requests) {
		open.syncs++
		open.vector = vector
	})
	return nil
}

// QueryAwareness asks for the awareness states of all clients.
func (m *Member) QueryAwareness() {
	s := m.room.state.lock()
	defer m.room.state.unlock()
	s.members.ask(m, func(open *requests) { open.awareness = true })
}

// resync asks a member for the edits that the room refused while the member could only
// read. Its later edits build on those, and would wait for them forever.
func (m *Member) resync() {
	if m.way != Documents {
		return
	}
	s := m.room.state.lock()
	defer m.room.state.unlock()
	s.members.ask(m, func(open *requests) { open.resync = true })
}

// wake makes Next look for open requests.
func (m *Member) wake() {
	m.requested.Store(true)
	m.arrived.Send()
}

// reply returns the next reply to the member's requests, nil if there is none now. The
// previous reply has been sent.
func (m *Member) reply() (*Frame, error) {
	if !m.requested.Swap(false) {
		return nil, nil
	}
	s := m.room.state.lock()
	defer m.room.state.unlock()
	s.members.replied(m)
	frame, err := s.reply(m)
	if frame != nil {
		m.requested.Store(true)
	}
	return frame, err
}

// reply makes the next reply for a member.
func (s *state) reply(m *Member) (frame *Frame, err error) {
	seat := s.members.seats[m]
	if seat == nil {
		return nil, nil
	}
	open := &seat.requests
	if repeats := open.repeats; repeats > 0 {
		open.repeats = 0
		return &Frame{Repeats: repeats}, nil
	}
	if open.awareness {
		open.awareness = false
		if states := s.presence.states(); len(states) > 0 {
			return &Frame{Awareness: states}, nil
		}
	}
	if s.closed {
		return nil, nil
	}
	err = s.withDocument(func(d *document) (err error) {
		frame, err = d.reply(open, s.members.repliesTo(m.actor.UserID))
		return err
	})
	if err != nil || frame == nil || frame.SyncReply == nil {
		return frame, err
	}
	seat.replying = true
	open.repeats, open.syncs, open.vector = open.syncs-1, 0, nil
	return frame, nil
}

// maxReplies is how many connections of a person are sent a sync reply at a time. A dead
// connection counts until the service notices, and must not block the one with which the
// person returned.
const maxReplies = 4

// reply makes a sync request or reply for a member, nil if there is none now. replies is how
// many sync replies are being sent to the person.
func (d *document) reply(open *requests, replies int) (*Frame, error) {
	if open.resync {
		open.resync = false
		return &Frame{SyncRequest: d.doc.StateVector()}, nil
	}
	// Held changes of the disk cannot be separated from the rest of the document, so the
	// reply waits until the database has them. A person gets few replies at a time, on
	// however many connections.
	if open.syncs == 0 || len(d.held) > 0 || replies >= maxReplies {
		return nil, nil
	}
	return d.missing(open.vector)
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
