package rooms

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Bounds of who is in a room.
const (
	// maxClients is how many clients of a document may be there at once.
	maxClients = 256
	// clientTTL is how long a client is there that does not renew what it shows.
	clientTTL = 30 * time.Second
)

// presence is what the clients in a room show of themselves. Its zero value is empty.
type presence struct {
	present map[uint64]*shown
}

// shown is what a client shows, which member said so last, and when.
type shown struct {
	core.Awareness
	by   *Member
	seen time.Time
}

// change is what is new of a client, and of whose.
type change struct {
	core.Awareness
	by *Member
	// came says that the client was not there before.
	came bool
}

// merge takes in what a member sent and returns what is new, for everybody. Only a
// greater clock changes what a client shows, except that the member that it came from
// may also say with the same one that the client is gone: clients pass on what they
// hear of others, and what they believe of them. Nobody speaks for a client of another
// person.
//
// When more than maxClients would be there, it changes nothing and returns
// core.CodePayloadTooLarge.
func (p *presence) merge(by *Member, states []core.Awareness, now time.Time) ([]change, error) {
	arrived := map[uint64]bool{}
	for _, s := range states {
		if p.present[s.Client] == nil && s.Value != nil {
			arrived[s.Client] = true
		}
	}
	if len(p.present)+len(arrived) > maxClients {
		return nil, core.Errorf(core.CodePayloadTooLarge, "more than %d clients are in the room", maxClients)
	}
	if p.present == nil {
		p.present = map[uint64]*shown{}
	}
	var news []change
	for _, s := range states {
		came := p.present[s.Client] == nil
		if p.take(by, s, now) {
			news = append(news, change{s, by, came})
		}
	}
	return news, nil
}

func (p *presence) take(by *Member, s core.Awareness, now time.Time) bool {
	known := p.present[s.Client]
	gone := s.Value == nil
	switch {
	case known == nil && gone:
		return false
	case known != nil && known.by.actor.UserID != by.actor.UserID:
		return false
	case known != nil && s.Clock < known.Clock:
		return false
	case known != nil && s.Clock == known.Clock && !(gone && known.by == by):
		return false
	case gone:
		delete(p.present, s.Client)
	default:
		p.present[s.Client] = &shown{s, by, now}
	}
	return true
}

// states returns what all clients show, by their numbers.
func (p *presence) states() []core.Awareness {
	states := make([]core.Awareness, 0, len(p.present))
	for _, client := range slices.Sorted(maps.Keys(p.present)) {
		states = append(states, p.present[client].Awareness)
	}
	return states
}

// leave removes the clients that a member spoke for last, and returns what tells
// everybody so.
func (p *presence) leave(by *Member) []change {
	return p.remove(func(s *shown) bool { return s.by == by })
}

// expire removes the clients that did not renew what they show for clientTTL, and
// returns what tells everybody so. Clients that follow events are there as long as
// their connection.
func (p *presence) expire(now time.Time) []change {
	return p.remove(func(s *shown) bool { return s.by.way == Documents && now.Sub(s.seen) >= clientTTL })
}

func (p *presence) remove(leaves func(*shown) bool) []change {
	var gone []change
	for client, s := range p.present {
		if leaves(s) {
			gone = append(gone, change{core.Awareness{Client: client, Clock: s.Clock}, s.by, false})
			delete(p.present, client)
		}
	}
	slices.SortFunc(gone, func(a, b change) int { return cmp.Compare(a.Client, b.Client) })
	return gone
}
