package rooms

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Bounds of the clients in a room.
const (
	// maxClients is how many clients of the document a member may show at once: one for
	// each document that is open behind its connection.
	maxClients = 8
	// clientTTL is how long a client stays without renewing its state.
	clientTTL = 30 * time.Second
	// maxDeparted is how many departed clients are remembered.
	maxDeparted = 4096
)

// presence has the awareness states of the clients in a room. Its zero value is empty.
type presence struct {
	present map[uint64]*clientState
	// departed are tombstones of clients that left, kept for clientTTL: other clients may
	// still pass on old states of theirs, which must not bring them back.
	departed map[uint64]departure
}

// clientState is a client's state, with the member that last sent it, and when.
type clientState struct {
	core.Awareness
	by   *Member
	seen time.Time
}

// departure says whose a departed client was, and when it left.
type departure struct {
	person core.ID
	at     time.Time
}

// change is a client's new state, and the member that sent it.
type change struct {
	core.Awareness
	by *Member
	// came says that the client is new.
	came bool
}

// merge applies the states that a member sent and returns the news for everybody. A state
// counts only if its clock is greater; with an equal clock the member that sent a client
// may still say that it left. Clients also pass on what they hear or assume about others.
// So nobody can speak for another person's client, not even if it has just left.
//
// If the member would show more than maxClients, merge changes nothing and returns
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
		p.present, p.departed = map[uint64]*clientState{}, map[uint64]departure{}
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
		p.present[s.Client] = &clientState{s, by, now}
	}
	return news, nil
}

// takes reports whether a state that a member sent counts.
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

// part removes a client and leaves a tombstone.
func (p *presence) part(client uint64, now time.Time) {
	if len(p.departed) < maxDeparted {
		p.departed[client] = departure{p.present[client].by.actor.UserID, now}
	}
	delete(p.present, client)
}

// states returns the states of all clients, ordered by their numbers.
func (p *presence) states() []core.Awareness {
	states := make([]core.Awareness, 0, len(p.present))
	for _, client := range slices.Sorted(maps.Keys(p.present)) {
		states = append(states, p.present[client].Awareness)
	}
	return states
}

// leave removes the clients that a member spoke for last, and returns the news for
// everybody.
func (p *presence) leave(by *Member, now time.Time) []change {
	return p.remove(now, func(s *clientState) bool { return s.by == by })
}

// expire removes the clients that did not renew their state for clientTTL, and returns
// the news for everybody. Clients that follow events stay as long as their connection.
func (p *presence) expire(now time.Time) []change {
	maps.DeleteFunc(p.departed, func(_ uint64, left departure) bool { return now.Sub(left.at) >= clientTTL })
	return p.remove(now, func(s *clientState) bool { return s.by.way == Documents && now.Sub(s.seen) >= clientTTL })
}

func (p *presence) remove(now time.Time, leaves func(*clientState) bool) []change {
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
