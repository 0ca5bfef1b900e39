package rooms

import "github.com/atelierhq/atelier/core"

// Bounds of the connections to a room.
const (
	// maxMembers is how many connections a room holds.
	maxMembers = 512
	// maxConnections is how many of them a person may have.
	maxConnections = 16
)

// Reasons why a connection is refused or evicted.
var (
	ErrManyConnections = core.Errorf(core.CodeRateLimited, "you already have %d connections to the room, the maximum: close one and try again", maxConnections)
	ErrFull            = core.Errorf(core.CodeRateLimited, "the room is full with %d connections: try again later", maxMembers)
)

// evictFor returns the member that a new one replaces, nil if there is room for both. If the
// room is full, a member that may write replaces one that may only read. It returns
// ErrManyConnections or ErrFull if the new member cannot join.
func (all *members) evictFor(m *Member) (*Member, error) {
	own := 0
	for other := range all.seats {
		if other.actor.UserID == m.actor.UserID {
			own++
		}
	}
	if own >= maxConnections {
		return nil, ErrManyConnections
	}
	if len(all.seats) < maxMembers {
		return nil, nil
	}
	reader := all.mostConnectedReader()
	if reader == nil || !m.may().write {
		return nil, ErrFull
	}
	return reader, nil
}

// mostConnectedReader returns a connection of the person with the most read-only
// connections, nil if there is none.
func (all *members) mostConnectedReader() *Member {
	connections := map[core.ID]int{}
	var found *Member
	for m := range all.seats {
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
