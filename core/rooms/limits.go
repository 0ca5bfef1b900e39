package rooms

import "github.com/atelierhq/atelier/core"

// Bounds of the connections to a room (contract, section 1.3).
const (
	// maxMembers is how many connections a room holds.
	maxMembers = 512
	// maxConnections is how many of them a person may have.
	maxConnections = 16
)

// Reasons why a connection gets no place in a room, or loses it.
var (
	ErrManyConnections = core.Errorf(core.CodeRateLimited, "you have %d connections to the room, which is the most: close one and come again", maxConnections)
	ErrFull            = core.Errorf(core.CodeRateLimited, "the room holds %d connections and is full: come again later", maxMembers)
)

// makePlace returns an error unless there is a place for a new member. If the room is
// full, a member that may write takes the place of one that may only read. The caller
// holds mu.
func (r *room) makePlace(m *Member) error {
	own := 0
	for other := range r.members {
		if other.actor.UserID == m.actor.UserID {
			own++
		}
	}
	if own >= maxConnections {
		return ErrManyConnections
	}
	if len(r.members) < maxMembers {
		return nil
	}
	reader := r.mostPresentReader()
	if reader == nil || !m.may().write {
		return ErrFull
	}
	reader.dismiss(ErrFull)
	r.part(reader)
	return nil
}

// mostPresentReader returns a connection of the person with the most read-only
// connections, nil if there is none. The caller holds mu.
func (r *room) mostPresentReader() *Member {
	connections := map[core.ID]int{}
	var found *Member
	for m := range r.members {
		if m.may().write {
			continue
		}
		person := m.actor.UserID
		connections[person]++
		if found == nil || connections[person] > connections[found.actor.UserID] {
			found = m
		}
	}
	return found
}
