package rooms

import (
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	// queueLength is how many frames may wait for a member.
	queueLength = 256
	// lateTime is members.lateTime at the usual pace.
	lateTime = 500 * time.Millisecond
	// queueBytes is how many bytes may wait for a member. A single frame may be larger.
	queueBytes = 8 << 20
	// mostQueued and mostBytes bound the queue with frames from senders that do not wait
	// for readers (see pace).
	mostQueued = 4 * queueLength
	mostBytes  = 4 * queueBytes
)

// queue has the frames that wait for a member. Most queues are empty most of the time
// and take no memory then. Its zero value is empty.
type queue struct {
	mu     sync.Mutex
	frames []*Frame
	// bytes is the approximate size of the frames.
	bytes int
	// space is made when the queue becomes full, and closed once half of it is read.
	space chan struct{}
}

// add adds a frame. full says that the frame filled the queue. over says that the queue
// was already beyond its bounds, and that the frame was not added.
func (q *queue) add(frame *Frame) (full, over bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.frames) >= mostQueued || q.bytes >= mostBytes {
		return false, true
	}
	q.frames = append(q.frames, frame)
	q.bytes += frame.size()
	if full = q.space == nil && (len(q.frames) >= queueLength || q.bytes >= queueBytes); full {
		q.space = make(chan struct{})
	}
	return full, false
}

// pop removes and returns the oldest frame, nil if there is none.
func (q *queue) pop() *Frame {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.frames) == 0 {
		return nil
	}
	frame := q.frames[0]
	q.bytes -= frame.size()
	q.frames[0] = nil
	if q.frames = q.frames[1:]; len(q.frames) == 0 {
		q.frames = nil
	}
	if q.space != nil && len(q.frames) <= queueLength/2 && q.bytes <= queueBytes/2 {
		close(q.space)
		q.space = nil
	}
	return frame
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.frames)
}

// awaited returns the channel that is closed when half of a full queue is read, nil if
// the queue is not full.
func (q *queue) awaited() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.space
}

// pace provides back-pressure: it waits until the members whose queue is full have read
// half of it or are dismissed. Callers that bring changes into the room call it
// afterwards, without the lock. So a burst is no faster than its readers, and only a member
// that does not read is dismissed, however slow this process is.
func (g *lockedState) pace() {
	for _, m := range g.behind() {
		space := m.queue.awaited()
		if space == nil {
			continue
		}
		select {
		case <-space:
		case <-m.gone:
		}
	}
}

func (g *lockedState) behind() []*Member {
	s := g.lock()
	defer g.unlock()
	return s.members.behind()
}

// tell queues an event for the members that follow events and whose rights satisfy may. It
// waits for members with a full queue.
func (g *lockedState) tell(event Event, may func(rights) bool) {
	defer g.pace()
	s := g.lock()
	defer g.unlock()
	s.members.toEvents(event, func(m *Member) bool { return may(m.may()) })
}

func everybody(rights) bool { return true }

// size is the approximate size of a frame, in bytes.
func (f *Frame) size() int {
	size := frameBytes + len(f.SyncReply) + len(f.Update)
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
