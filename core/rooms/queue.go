package rooms

import (
	"slices"
	"sync"
	"time"
)

const (
	// queueLength is how many frames wait for a member (contract, section 7).
	queueLength = 256
	// lateTime is how long a member has to read half of a full queue.
	lateTime = 500 * time.Millisecond
	// queueBytes is how many bytes wait for a member. One frame may have more.
	queueBytes = 8 << 20
	// mostQueued and mostBytes bound what comes meanwhile from where nobody waits.
	mostQueued = 4 * queueLength
	mostBytes  = 4 * queueBytes
)

// queue is what waits for a member. Most members have nothing waiting most of the time,
// and hold no memory for it then. Its zero value is empty.
type queue struct {
	mu     sync.Mutex
	frames []*Frame
	// bytes is about how many bytes they have.
	bytes int
	// space is there from when the queue is full until half of it is read, which closes
	// it.
	space chan struct{}
}

// add adds a frame. full says that the queue has become so with it; over says that too
// much waits already, and the frame is not added.
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

// pop takes the frame that waits longest, nil when there is none.
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

// awaited returns what is closed when a full queue is read, nil while it is not full.
func (q *queue) awaited() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.space
}

// push queues a frame. A member that does not keep up is shown out: nothing may be left
// out of what it is told. The caller holds the room's mu.
func (m *Member) push(frame *Frame) {
	if m.isOut() {
		return
	}
	full, over := m.queue.add(frame)
	switch {
	case over:
		m.dismiss(ErrTooSlow)
	case full:
		m.room.late = append(m.room.late, m)
		space := m.queue.awaited()
		time.AfterFunc(lateTime, func() {
			if m.queue.awaited() == space {
				m.dismiss(ErrTooSlow)
			}
		})
	}
	select {
	case m.arrived <- struct{}{}:
	default:
	}
}

// pace waits for the members whose queue is full, until they have read half of it or are
// shown out. Whoever brings something into the room waits behind it, without mu: a burst
// is no faster than those who read it, and however long this process takes to pass it
// on, only who does not read is shown out.
func (r *room) pace() {
	for _, m := range r.behind() {
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

// behind returns the members whose queue is full.
func (r *room) behind() []*Member {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.late) == 0 {
		return nil
	}
	r.late = slices.DeleteFunc(r.late, func(m *Member) bool { return m.isOut() || m.queue.awaited() == nil })
	return slices.Clone(r.late)
}
