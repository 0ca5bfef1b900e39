package rooms

import (
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
)

// members are the connections to a room.
type members struct {
	seats map[*Member]*seat
	// late are members whose queue is or was full.
	late []*Member
	// lateTime is how long a member has to read half of a full queue.
	lateTime time.Duration
}

// seat is the room's record of a member.
type seat struct {
	requests requests
	// replying says that the member is being sent a sync reply.
	replying bool
}

func (all *members) add(m *Member) { all.seats[m] = &seat{} }

func (all *members) has(m *Member) bool { return all.seats[m] != nil }

func (all *members) count() int { return len(all.seats) }

// remove removes a member. Other connections of the person may get the sync reply that it
// has kept from them.
func (all *members) remove(m *Member) {
	all.replied(m)
	delete(all.seats, m)
}

// toDocuments queues a frame for all members that hold the document.
func (all *members) toDocuments(frame *Frame) {
	for m := range all.seats {
		if m.way == Documents {
			all.push(m, frame)
		}
	}
}

// toEvents queues an event for the members that follow events and are chosen.
func (all *members) toEvents(event Event, chosen func(*Member) bool) {
	frame := &Frame{Event: event}
	for m := range all.seats {
		if m.way == Events && chosen(m) {
			all.push(m, frame)
		}
	}
}

// push queues a frame. It dismisses a member that does not keep up, because no frame may
// be left out.
func (all *members) push(m *Member, frame *Frame) {
	if m.isOut() {
		return
	}
	full, over := m.queue.add(frame)
	switch {
	case over:
		m.dismiss(ErrTooSlow)
	case full:
		all.late = append(all.late, m)
		space := m.queue.awaited()
		time.AfterFunc(all.lateTime, func() {
			if m.queue.awaited() == space {
				m.dismiss(ErrTooSlow)
			}
		})
	}
	m.arrived.Send()
}

// behind returns the members whose queue is full.
func (all *members) behind() []*Member {
	if len(all.late) == 0 {
		return nil
	}
	all.late = slices.DeleteFunc(all.late, func(m *Member) bool { return m.isOut() || m.queue.awaited() == nil })
	return slices.Clone(all.late)
}

// hasFollowers reports whether any member follows events.
func (all *members) hasFollowers() bool {
	for m := range all.seats {
		if m.way == Events {
			return true
		}
	}
	return false
}

// ask notes a member's request, and wakes the member for the reply.
func (all *members) ask(m *Member, note func(*requests)) {
	if seat := all.seats[m]; seat != nil {
		note(&seat.requests)
		m.wake()
	}
}

// repliesTo counts the sync replies that are being sent to a person.
func (all *members) repliesTo(person core.ID) (count int) {
	for m, seat := range all.seats {
		if seat.replying && m.actor.UserID == person {
			count++
		}
	}
	return count
}

// replied notes that a member has got its sync reply, and wakes other connections of the
// person.
func (all *members) replied(m *Member) {
	if seat := all.seats[m]; seat == nil || !seat.replying {
		return
	}
	all.seats[m].replying = false
	all.wakeWaiting(func(other *Member) bool { return other != m && other.actor.UserID == m.actor.UserID })
}

// wakeWaiting wakes the chosen members that wait for a sync reply.
func (all *members) wakeWaiting(chosen func(*Member) bool) {
	for m, seat := range all.seats {
		if seat.requests.syncs > 0 && chosen(m) {
			m.wake()
		}
	}
}
