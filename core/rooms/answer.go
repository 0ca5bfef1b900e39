package rooms

import (
	"weak"

	"github.com/atelierhq/atelier/core"
)

// asked is a member's open questions, guarded by the room's mu. Several questions are
// answered by one frame.
type asked struct {
	// questions counts the open questions, and vector is the member's state vector in the
	// last of them. told counts the further questions that the last answer covered.
	questions, told int
	vector          []byte
	// presence says that the member asked for the awareness states of all clients.
	presence bool
	// recall says that the room is to ask what the member has.
	recall bool
}

// Sync asks for everything that a member with this state vector lacks; it takes ownership
// of vector. The answer is Frame.Missing, which covers all questions before it and is sent
// once the database has its content. It is encoded only when it is sent, so that the
// questions of a member that reads nothing take no memory. A malformed vector ends the
// membership, with code core.CodeInvalidRequest.
func (m *Member) Sync(vector []byte) error {
	return m.room.withDocument(func(*document) error {
		m.asked.questions++
		m.asked.vector = vector
		m.wake()
		return nil
	})
}

// Present asks for the awareness states of all clients.
func (m *Member) Present() {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	m.asked.presence = true
	m.wake()
}

// recall asks a member for the edits that the room refused while the member could only
// read. Its later edits build on those, and would wait for them forever.
func (r *room) recall(m *Member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.way == Documents {
		m.asked.recall = true
		m.wake()
	}
}

// wake makes Next look for open questions. The caller holds the room's mu.
func (m *Member) wake() {
	m.curious.Store(true)
	select {
	case m.arrived <- struct{}{}:
	default:
	}
}

// answer returns the next answer for the member, nil if there is none now. The caller has
// sent the previous answer.
func (m *Member) answer() (*Frame, error) {
	if !m.curious.Swap(false) {
		return nil, nil
	}
	r := m.room
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answered(m)
	frame, err := r.next(m)
	if frame != nil {
		m.curious.Store(true)
	}
	return frame, err
}

// next makes the next answer for a member. The caller holds mu.
func (r *room) next(m *Member) (*Frame, error) {
	a := &m.asked
	if again := a.told; again > 0 {
		a.told = 0
		return &Frame{Again: again}, nil
	}
	if a.presence {
		a.presence = false
		if states := r.presence.states(); len(states) > 0 {
			return &Frame{Awareness: states}, nil
		}
	}
	if r.text == nil || r.closed {
		return nil, nil
	}
	if a.recall {
		a.recall = false
		return &Frame{Asks: r.text.doc.StateVector()}, nil
	}
	if a.questions == 0 {
		return nil, nil
	}
	// Held changes of the disk cannot be separated from the rest of the document, so the
	// answer waits until the database has them. A person gets few answers at a time, on
	// however many connections.
	if len(r.text.held) > 0 || r.answersOf(m.actor.UserID) >= maxAnswers {
		return nil, nil
	}
	var frame *Frame
	err := r.careful(func(d *document) (err error) {
		frame, err = d.missing(a.vector)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.answering[m] = true
	a.told, a.questions, a.vector = a.questions-1, 0, nil
	return frame, nil
}

// maxAnswers is how many connections of a person are sent an answer at a time. A dead
// connection counts until the service notices, and must not block the one with which the
// person returned.
const maxAnswers = 4

// answersOf counts the answers that are being sent to a person. The caller holds mu.
func (r *room) answersOf(person core.ID) (count int) {
	for m := range r.answering {
		if m.actor.UserID == person {
			count++
		}
	}
	return count
}

// answered notes that a member has got its answer, and wakes other connections of the
// person. The caller holds mu.
func (r *room) answered(m *Member) {
	if !r.answering[m] {
		return
	}
	delete(r.answering, m)
	for other := range r.members {
		if other != m && other.asked.questions > 0 && other.actor.UserID == m.actor.UserID {
			other.wake()
		}
	}
}

// answerAll wakes the members whose questions waited for the database. The caller holds
// mu.
func (r *room) answerAll() {
	for m := range r.members {
		if m.asked.questions > 0 {
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
	frame := &Frame{Missing: missing}
	if nothing {
		d.whole = weak.Make(frame)
	}
	return frame, nil
}

// size is the approximate size of a frame, in bytes.
func (f *Frame) size() int {
	size := frameBytes + len(f.Missing) + len(f.Update)
	for _, state := range f.Awareness {
		size += len(state.Value)
	}
	switch event := f.Event.(type) {
	case FileChanged:
		if event.Content != nil {
			size += len(*event.Content)
		}
	case ChatEvent:
		size += sizeOf(event.Event.Payload)
	}
	return size
}

// frameBytes is the approximate size of a frame without its content.
const frameBytes = 256

// sizeOf is the approximate size of the texts of a chat's event, in bytes.
func sizeOf(payload core.Payload) int {
	switch said := payload.(type) {
	case core.UserMessage:
		return len(said.Text)
	case core.AssistantMessage:
		return len(said.Text)
	case core.ToolCall:
		return len(said.Args)
	case core.ToolResult:
		return len(said.Result)
	case core.ToolError:
		return len(said.Error)
	}
	return 0
}
