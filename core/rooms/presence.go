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
	// maxClients is how many clients of the document a member may show at once: one for
	// each document that is open behind its connection.
	maxClients = 8
	// clientTTL is how long a client is there that does not renew what it shows.
	clientTTL = 30 * time.Second
	// maxDeparted is how many clients are remembered that are gone.
	maxDeparted = 4096
)

// presence is what the clients in a room show of themselves. Its zero value is empty.
type presence struct {
	present map[uint64]*shown
	// departed are clients that are gone, for clientTTL: clients pass on what they heard of
	// others a moment before, and that makes none of them theirs.
	departed map[uint64]departure
}

// shown is what a client shows, which member said so last, and when.
type shown struct {
	core.Awareness
	by   *Member
	seen time.Time
}

// departure is whose a client was, and when it went.
type departure struct {
	person core.ID
	at     time.Time
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
// person, nor for one that just went.
//
// When the member would show more than maxClients, it changes nothing and returns
// core.CodeRateLimited.
func (p *presence) merge(by *Member, states []core.Awareness, now time.Time) ([]change, error) {
	arrived := map[uint64]bool{}
	for _, s := range states {
		known := p.present[s.Client]
		if s.Value != nil && p.takes(by, s) && (known == nil || known.by != by) {
			arrived[s.Client] = true
		}
	}
	if len(arrived) > 0 && len(arrived)+p.shownBy(by) > maxClients {
		return nil, core.Errorf(core.CodeRateLimited, "a connection shows at most %d clients: open another one for more", maxClients)
	}
	if p.present == nil {
		p.present, p.departed = map[uint64]*shown{}, map[uint64]departure{}
	}
	var news []change
	for _, s := range states {
		if !p.takes(by, s) {
			continue
		}
		news = append(news, change{s, by, p.present[s.Client] == nil})
		if s.Value == nil {
			p.part(s.Client, now)
			continue
		}
		delete(p.departed, s.Client)
		p.present[s.Client] = &shown{s, by, now}
	}
	return news, nil
}

// takes reports whether what a member says of a client counts.
func (p *presence) takes(by *Member, s core.Awareness) bool {
	known := p.present[s.Client]
	gone := s.Value == nil
	if known == nil {
		left, departed := p.departed[s.Client]
		return !gone && (!departed || left.person == by.actor.UserID)
	}
	switch {
	case known.by.actor.UserID != by.actor.UserID, s.Clock < known.Clock:
		return false
	case s.Clock == known.Clock:
		return gone && known.by == by
	}
	return true
}

// shownBy counts the clients that a member spoke for last.
func (p *presence) shownBy(by *Member) int {
	count := 0
	for _, s := range p.present {
		if s.by == by {
			count++
		}
	}
	return count
}

// part takes away a client that is there.
func (p *presence) part(client uint64, now time.Time) {
	if len(p.departed) < maxDeparted {
		p.departed[client] = departure{p.present[client].by.actor.UserID, now}
	}
	delete(p.present, client)
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
func (p *presence) leave(by *Member, now time.Time) []change {
	return p.remove(now, func(s *shown) bool { return s.by == by })
}

// expire removes the clients that did not renew what they show for clientTTL, and
// returns what tells everybody so. Clients that follow events are there as long as
// their connection.
func (p *presence) expire(now time.Time) []change {
	maps.DeleteFunc(p.departed, func(_ uint64, left departure) bool { return now.Sub(left.at) >= clientTTL })
	return p.remove(now, func(s *shown) bool { return s.by.way == Documents && now.Sub(s.seen) >= clientTTL })
}

func (p *presence) remove(now time.Time, leaves func(*shown) bool) []change {
	var gone []change
	for client, s := range p.present {
		if leaves(s) {
			gone = append(gone, change{core.Awareness{Client: client, Clock: s.Clock}, s.by, false})
			p.part(client, now)
		}
	}
	slices.SortFunc(gone, func(a, b change) int { return cmp.Compare(a.Client, b.Client) })
	return gone
}
