package peers

import (
	"net"
	"slices"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// The rooms of BenchmarkMembers: a hundred members, and the number of changes in each of
// several rounds. A stuck member leaves more unread than the system buffers, so the room
// must go on without it, and finally removes it.
const (
	manyMembers  = 100
	changeRounds = 5
	roundChanges = 400
	changeBytes  = 1 << 10
)

// audience is people who listen to one who types.
type audience struct {
	b       *testing.B
	doc     replica.Document
	typist  *member
	members []*member
	told    int64
}

// gather fills a room with somebody who types, and members who take the seats.
func gather(b *testing.B, at place, seats []place) *audience {
	b.Helper()
	typist := at.join(b)
	a := &audience{b: b, doc: openDocument(b, typist.joined()), typist: typist}
	for _, seat := range seats {
		m := seat.join(b)
		m.joined()
		a.members = append(a.members, m)
	}
	return a
}

// delays is how long changes took, in order of that: to everybody, and to each one.
type delays struct{ all, each []time.Duration }

// reach has changes made and undone, of a number of bytes.
func (a *audience) reach(changes, bytes int) (took delays) {
	a.b.Helper()
	text := string(slices.Repeat([]byte("k"), bytes))
	for n := range changes {
		one := replica.Edit{Insert: text}
		if n%2 == 1 {
			one = replica.Edit{Delete: bytes}
		}
		update := edit(a.b, a.doc, core.MustPath("heard.txt"), one)
		start := time.Now()
		a.typist.send(syncUpdate, update)
		a.told++
		var last time.Duration
		for _, m := range a.members {
			m.hears(a.told)
			one := m.latest.Load().Sub(start)
			took.each, last = append(took.each, one), max(last, one)
		}
		took.all = append(took.all, last)
	}
	return took
}

// add adds the results of several rounds.
func (r *delays) add(other delays) {
	r.all, r.each = append(r.all, other.all...), append(r.each, other.each...)
}

// quantile is the time within which a part of the changes came.
func quantile(times []time.Duration, part float64) float64 {
	slices.Sort(times)
	return milliseconds(times[min(len(times)-1, int(part*float64(len(times))))])
}

func (a *audience) leave() {
	for _, m := range append(a.members, a.typist) {
		m.leave()
	}
}

// stuck is a member that reads nothing, on a connection that holds little for it.
func (p *project) stuck() net.Conn {
	p.b.Helper()
	conn := p.raw()
	if err := conn.SetReadBuffer(4 << 10); err != nil {
		p.b.Fatal(err)
	}
	return conn
}

// BenchmarkMembers has somebody type in a room of a hundred members, beside a room of
// one member, with one among them that reads nothing, and beside the y-websocket server.
// Those who read, a hundred at a time, share the machine with the service.
func BenchmarkMembers(b *testing.B) {
	s := signUp(b, process.Start(b, process.Build(b), "MAX_STREAMS_PER_PERSON=0"))
	node := startNodeRooms(b)
	alone, full, impeded, peers := s.createFrom("blank"), s.createFrom("blank"), s.createFrom("blank"), node.room("members")
	one, all := gather(b, alone.room(), alone.seats(1)), gather(b, full.room(), full.seats(manyMembers))
	others, theirs := gather(b, impeded.room(), impeded.seats(manyMembers)), gather(b, peers, slices.Repeat([]place{peers}, manyMembers))
	for _, a := range []*audience{one, all, others, theirs} {
		a.reach(200, 1)
	}
	for b.Loop() {
		var single, many, peer, free, held delays
		for range changeRounds {
			single.add(one.reach(roundChanges, 1))
			many.add(all.reach(roundChanges, 1))
			peer.add(theirs.reach(roundChanges, 1))
		}
		for range changeRounds {
			conn := impeded.stuck()
			free.add(all.reach(roundChanges, changeBytes))
			held.add(others.reach(roundChanges, changeBytes))
			conn.Close()
		}
		median, whole := quantile(single.all, 0.5), quantile(many.all, 0.99)
		b.ReportMetric(median, "ms-one")
		b.ReportMetric(quantile(many.each, 0.5), "ms-each")
		b.ReportMetric(quantile(many.all, 0.5), "ms-all")
		b.ReportMetric(whole, "ms-all-p99")
		b.ReportMetric(quantile(peer.all, 0.5), "ms-node-all")
		b.ReportMetric(quantile(peer.all, 0.99), "ms-node-all-p99")
		b.ReportMetric(whole/median, "x-one")
		b.ReportMetric(whole/quantile(many.each, 0.5), "x-each")
		b.ReportMetric(whole/quantile(peer.all, 0.99), "x-node")
		b.ReportMetric(quantile(held.all, 0.5)/quantile(free.all, 0.5), "x-unstuck")
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
