package rooms

import (
	"slices"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

// memberOf is a member of a person's that holds the document.
func memberOf(person core.ID) *Member {
	return &Member{way: Documents, actor: core.Actor{UserID: person}}
}

func awareness(client, clock uint64, value string) core.Awareness {
	s := core.Awareness{Client: client, Clock: clock}
	if value != "" {
		s.Value = []byte(value)
	}
	return s
}

// send merges states that a member sent, and returns the clients that changed.
func send(t *testing.T, p *presence, by *Member, now time.Time, states ...core.Awareness) []uint64 {
	t.Helper()
	news, err := p.merge(by, states, now)
	if err != nil {
		t.Fatalf("merge: %v", err)
	}
	return changed(news)
}

func changed(news []change) (numbers []uint64) {
	for _, c := range news {
		numbers = append(numbers, c.Client)
	}
	return numbers
}

func present(p *presence) (numbers []uint64) {
	for _, s := range p.states() {
		numbers = append(numbers, s.Client)
	}
	return numbers
}

func wantClients(t *testing.T, what string, got []uint64, want ...uint64) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got clients %v, want %v", what, got, want)
	}
}

func TestPresence(t *testing.T) {
	var p presence
	now := time.Unix(1_700_000_000, 0)
	ann, annAgain, bob := memberOf("ann"), memberOf("ann"), memberOf("bob")
	wantClients(t, "an arrival", send(t, &p, ann, now, awareness(10, 1, `{"a":1}`)), 10)
	wantClients(t, "the same again", send(t, &p, ann, now, awareness(10, 1, `{"a":1}`)))
	wantClients(t, "an older one", send(t, &p, ann, now, awareness(10, 0, `{"a":0}`)))
	wantClients(t, "a change", send(t, &p, ann, now, awareness(10, 2, `{"a":2}`)), 10)
	wantClients(t, "another's belief that it is gone", send(t, &p, annAgain, now, awareness(10, 2, "")))
	wantClients(t, "others, passed on", send(t, &p, bob, now, awareness(10, 2, `{"a":2}`), awareness(20, 1, `{}`)), 20)
	wantClients(t, "another person's client", send(t, &p, bob, now, awareness(10, 9, `{"a":"bob"}`), awareness(10, 10, "")))
	wantClients(t, "one that is gone and was never there", send(t, &p, bob, now, awareness(30, 5, "")))
	wantClients(t, "who is there", present(&p), 10, 20)
	if got := string(p.states()[0].Value); got != `{"a":2}` {
		t.Errorf("client 10: got %s, want its last state", got)
	}
	wantClients(t, "one that says itself that it goes", send(t, &p, ann, now, awareness(10, 2, "")), 10)
	wantClients(t, "who is left", present(&p), 20)
	wantClients(t, "one that comes back with the same clock", send(t, &p, annAgain, now, awareness(10, 2, `{}`)), 10)
}

func TestPresenceTellsArrivalsFromChanges(t *testing.T) {
	var p presence
	ann := memberOf("ann")
	for _, c := range []struct {
		state core.Awareness
		want  bool
	}{{awareness(1, 1, `{}`), true}, {awareness(1, 2, `{}`), false}, {awareness(1, 3, ""), false}, {awareness(1, 4, `{}`), true}} {
		news, err := p.merge(ann, []core.Awareness{c.state}, time.Unix(0, 0))
		if err != nil || len(news) != 1 || news[0].came != c.want || news[0].by != ann {
			t.Errorf("clock %d: got %+v, %v, want that it came: %v", c.state.Clock, news, err, c.want)
		}
	}
}

func TestPresenceEndsWithTheMember(t *testing.T) {
	var p presence
	now := time.Unix(1_700_000_000, 0)
	first, second, bob := memberOf("ann"), memberOf("ann"), memberOf("bob")
	send(t, &p, first, now, awareness(12, 3, `{}`), awareness(11, 4, `{}`))
	send(t, &p, bob, now, awareness(20, 1, `{}`))
	send(t, &p, second, now, awareness(12, 4, `{}`)) // reconnected before the first one ended
	gone := p.leave(first, now)
	wantClients(t, "gone", changed(gone), 11)
	if gone[0].Value != nil || gone[0].Clock != 4 {
		t.Errorf("got %+v, want no value at clock 4, which others accept", gone[0])
	}
	wantClients(t, "left", present(&p), 12, 20)
	wantClients(t, "a member that left before", changed(p.leave(first, now)))
}

func TestPresenceExpires(t *testing.T) {
	var p presence
	now := time.Unix(1_700_000_000, 0)
	ann, follower := memberOf("ann"), memberOf("bob")
	follower.way = Events
	send(t, &p, ann, now, awareness(10, 1, `{}`), awareness(11, 1, `{}`))
	send(t, &p, follower, now, awareness(12, 1, `{}`))
	send(t, &p, ann, now.Add(20*time.Second), awareness(11, 2, `{}`))
	wantClients(t, "just in time", changed(p.expire(now.Add(clientTTL-1))))
	wantClients(t, "not renewed", changed(p.expire(now.Add(clientTTL))), 10)
	wantClients(t, "renewed, and one that follows events", present(&p), 11, 12)
}

func TestAConnectionShowsSoManyClientsAndNoMore(t *testing.T) {
	var p presence
	now := time.Unix(1_700_000_000, 0)
	ann, annAgain, bob := memberOf("ann"), memberOf("ann"), memberOf("bob")
	for client := range uint64(maxClients) {
		send(t, &p, ann, now, awareness(client, 1, `{}`))
	}
	if _, err := p.merge(ann, []core.Awareness{awareness(5, 2, `{"new":1}`), awareness(9999, 1, `{}`)}, now); !core.IsCode(err, core.CodeRateLimited) {
		t.Errorf("one more: got %v, want code %s", err, core.CodeRateLimited)
	}
	if got := string(p.states()[5].Value); got != `{}` {
		t.Errorf("client 5: got %s, want nothing changed", got)
	}
	wantClients(t, "a change", send(t, &p, ann, now, awareness(5, 2, `{"new":1}`)), 5)
	wantClients(t, "somebody else's, beside what was passed on", send(t, &p, bob, now, append(p.states(), awareness(20, 1, `{}`))...), 20)
	send(t, &p, annAgain, now, awareness(30, 1, `{}`))
	var moved []core.Awareness
	for client := range uint64(maxClients) {
		moved = append(moved, awareness(client, 9, `{}`))
	}
	if _, err := p.merge(annAgain, moved, now); !core.IsCode(err, core.CodeRateLimited) {
		t.Errorf("clients of another connection: got %v, want code %s", err, core.CodeRateLimited)
	}
}

func TestNobodyBringsBackTheClientOfAnother(t *testing.T) {
	var p presence
	now := time.Unix(1_700_000_000, 0)
	ann, annAgain, bob := memberOf("ann"), memberOf("ann"), memberOf("bob")
	send(t, &p, ann, now, awareness(10, 1, `{}`))
	p.leave(ann, now)
	wantClients(t, "passed on a moment later", send(t, &p, bob, now, awareness(10, 1, `{}`)))
	wantClients(t, "the person's own, connected anew", send(t, &p, annAgain, now, awareness(10, 1, `{}`)), 10)
	p.leave(annAgain, now)
	p.expire(now.Add(clientTTL))
	wantClients(t, "somebody's who is given the number much later", send(t, &p, bob, now.Add(clientTTL), awareness(10, 1, `{}`)), 10)
}
