package rooms

import (
	"weak"

	"github.com/atelierhq/atelier/core"
)

// asked is what a member wants to know and has not been told. It is guarded by the room's
// mu.
type asked struct {
	// questions counts those that wait, and vector is what the member has by the last of
	// them; told counts those that the last answer covers as well.
	questions, told int
	vector          []byte
	// presence says that the member wants to know what all clients show.
	presence bool
	// recall says that the room wants to know what the member has.
	recall bool
}

// Sync asks for what a member lacks that has what vector says, which is the member's no
// longer. The answer is made when it is sent, so that the questions of somebody who reads
// nothing hold no memory: it comes as Frame.Missing when the database has what it tells,
// and covers all questions that came before it. A vector that is malformed ends the
// membership, with code core.CodeInvalidRequest.
func (m *Member) Sync(vector []byte) error {
	return m.room.withDocument(func(*document) error {
		m.asked.questions++
		m.asked.vector = vector
		m.wake()
		return nil
	})
}

// Present asks for what all clients show.
func (m *Member) Present() {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	m.asked.presence = true
	m.wake()
}

// recall asks a member for what the room did not take from it while it might only read.
// What it writes from now on builds upon that, and would wait for it for ever.
func (r *room) recall(m *Member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.way == Documents {
		m.asked.recall = true
		m.wake()
	}
}

// wake has Next look for what is to be answered. The caller holds the room's mu.
func (m *Member) wake() {
	m.curious.Store(true)
	select {
	case m.arrived <- struct{}{}:
	default:
	}
}

// answer returns the next answer for the member, nil when there is none now. Whoever calls
// it has sent the answer before.
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
	// What the document has of the disk cannot be told apart from the rest, so the answer
	// waits for the database where that lacks some of it. A person is sent few answers at a
	// time, on however many connections.
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

// maxAnswers is how many connections of a person are sent what they asked for at a time.
// One that the network lost keeps its turn until the service notices, and must not keep
// the one that the person came back with from its answer.
const maxAnswers = 4

// answersOf counts the answers that a person is being sent. The caller holds mu.
func (r *room) answersOf(person core.ID) (count int) {
	for m := range r.answering {
		if m.actor.UserID == person {
			count++
		}
	}
	return count
}

// answered notes that a member has been sent its answer, and lets other connections of
// the person have theirs. The caller holds mu.
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

// answerAll has those answered whose questions waited for the database. The caller holds
// mu.
func (r *room) answerAll() {
	for m := range r.members {
		if m.asked.questions > 0 {
			m.wake()
		}
	}
}

// missing returns what somebody lacks. Those who have nothing yet share one answer for as
// long as it is being sent to any of them and nothing changes.
func (d *document) missing(vector []byte) (*Frame, error) {
	// An empty vector is one byte, the number of its entries.
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

// size is about how many bytes a frame holds.
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

// frameBytes is about as much as a frame takes without what it says.
const frameBytes = 256

// sizeOf is about how many bytes the texts of a chat's event have.
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
