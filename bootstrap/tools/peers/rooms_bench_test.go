package peers

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// The history of a room: people type single keys in some files, in runs, now and then
// deleting one.
const (
	typists    = 3
	typedFiles = 10
	typedKeys  = 100_000
)

// key is an update that one of the people sends.
type key struct {
	by     int
	update []byte
}

// history is a sequence of edits in a room.
type history struct {
	// begin is the state of the room before, and end behind it.
	begin, end []byte
	keys       []key
}

// newHistory continues the state of a room. The same state has the same history, but
// for the numbers of the clients.
func newHistory(b *testing.B, state []byte) *history {
	b.Helper()
	whole, h, random := openDocument(b, state), &history{}, rand.New(rand.NewPCG(1, 2))
	for n := range typedFiles {
		edit(b, whole, typedPath(n), replica.Edit{Insert: strings.Repeat("const value = compute(1, 2)\n", 300)})
	}
	h.begin = encode(b, whole)
	var people [typists]replica.Document
	for n := range people {
		people[n] = openDocument(b, h.begin)
	}
	for len(h.keys) < typedKeys {
		by, path := random.IntN(typists), typedPath(random.IntN(typedFiles))
		text, _ := people[by].Text(path)
		at := random.IntN(len(text))
		for range min(20+random.IntN(40), typedKeys-len(h.keys)) {
			one := replica.Edit{At: at, Insert: "k"}
			if random.IntN(8) == 0 && at > 0 {
				at--
				one = replica.Edit{At: at, Delete: 1}
			} else {
				at++
			}
			h.keys = append(h.keys, key{by, edit(b, people[by], path, one)})
		}
	}
	for _, copy := range people {
		if _, err := whole.Apply(encode(b, copy)); err != nil {
			b.Fatal(err)
		}
	}
	h.end = encode(b, whole)
	return h
}

func typedPath(n int) core.ProjectPath { return core.MustPath(fmt.Sprintf("src/typed%d.ts", n)) }

func openDocument(b *testing.B, state []byte) replica.Document {
	b.Helper()
	doc, err := yjs.Maker{}.Open(state)
	if err != nil {
		b.Fatal(err)
	}
	return doc
}

func edit(b *testing.B, doc replica.Document, path core.ProjectPath, one replica.Edit) []byte {
	b.Helper()
	change, err := doc.Edit(path, []replica.Edit{one})
	if err != nil {
		b.Fatal(err)
	}
	return change.Update
}

func encode(b *testing.B, doc replica.Document) []byte {
	b.Helper()
	state, err := doc.Encode(nil)
	if err != nil {
		b.Fatal(err)
	}
	return state
}

// underway is how many keys are in flight: several people type concurrently, and nobody
// waits for what others typed. It stays well below the queue of a member.
const underway = 32

// play lets the people type the history in a room, with one more member present, and
// returns what each key cost the server.
func (h *history) play(b *testing.B, at place, stays *member, pid int) time.Duration {
	b.Helper()
	var people [typists]*member
	for n := range people {
		people[n] = at.join(b)
		people[n].joined()
		defer people[n].leave()
	}
	told, before := int64(0), stays.updates.Load()
	tell := func(k key) {
		people[k.by].send(syncUpdate, k.update)
		told++
	}
	allHear := func(count int64) {
		for _, m := range people {
			m.hears(count)
		}
		stays.hears(before + count)
	}
	tell(key{update: h.begin})
	allHear(told)
	spent := cpuOf(b, pid)
	for _, k := range h.keys {
		tell(k)
		allHear(told - underway)
	}
	allHear(told)
	// What is typed is on the disk two seconds later, which is part of its cost.
	time.Sleep(2 * time.Second)
	return (cpuOf(b, pid) - spent) / time.Duration(len(h.keys))
}

// roomsBeside is how many rooms with the same history are opened to measure the memory of
// one, and lateJoins how many members join afterwards.
const (
	roomsBeside = 40
	lateJoins   = 21
)

// lateJoin returns how long joining a room with a history takes, from the first byte of
// the connection to the last of the state, and what it costs the server.
func lateJoin(b *testing.B, at place, pid int) (wait, cpu time.Duration) {
	b.Helper()
	before := cpuOf(b, pid)
	wait = median(lateJoins, func() time.Duration {
		start := time.Now()
		m := at.join(b)
		m.joined()
		defer m.leave()
		return time.Since(start)
	})
	return wait, (cpuOf(b, pid) - before) / lateJoins
}

// roomBytes returns the memory that a room with the history adds to a process, with one
// member: immediately after the typing, and after a while without any.
func (h *history) roomBytes(b *testing.B, typed place, beside []place, pid int) (busy, quiet int64) {
	b.Helper()
	everydayTyping(b, typed)
	before := memoryOf(b, pid)
	for _, at := range beside {
		m := at.join(b)
		m.joined()
		m.send(syncUpdate, h.end)
		m.hears(1)
	}
	each := func(after time.Duration) int64 {
		time.Sleep(after)
		everydayTyping(b, typed)
		return (memoryOf(b, pid) - before) / int64(len(beside))
	}
	return each(roomSettles), each(roomRests)
}

// roomSettles is after which time what was typed is on the disk, and roomRests after which
// the room counts as at rest.
const (
	roomSettles = 3 * time.Second
	roomRests   = 40 * time.Second
)

// everydayTyping makes the garbage collector run, as any use of a server does: garbage is
// not part of the memory of rooms at rest.
func everydayTyping(b *testing.B, at place) {
	b.Helper()
	a := gather(b, at, []place{at})
	a.reach(8000, 1)
	a.leave()
	time.Sleep(roomSettles)
}

// BenchmarkRoom lets three people type 100,000 keys in a room and others join it
// afterwards, and opens rooms with the same history. It compares them with the y-websocket
// server of Yjs's authors, which persists nothing and authenticates nobody.
func BenchmarkRoom(b *testing.B) {
	s := signUp(b, process.Start(b, process.Build(b)))
	node := startNodeRooms(b)
	ours, theirs := s.createFrom("blank").room(), node.room("typed")
	// The member who stays keeps the room open.
	stays := ours.join(b)
	h := newHistory(b, stays.joined())
	var oursBeside, theirsBeside []place
	for n := range roomsBeside {
		oursBeside, theirsBeside = append(oursBeside, s.createFrom("blank").room()), append(theirsBeside, node.room(fmt.Sprintf("beside%d", n)))
	}
	staysThere := theirs.join(b)
	staysThere.joined()
	for b.Loop() {
		theirsKey, oursKey := h.play(b, theirs, staysThere, node.pid), h.play(b, ours, stays, s.PID())
		theirsWait, theirsJoin := lateJoin(b, theirs, node.pid)
		oursWait, oursJoin := lateJoin(b, ours, s.PID())
		theirsBusy, theirsQuiet := h.roomBytes(b, theirs, theirsBeside, node.pid)
		oursBusy, oursQuiet := h.roomBytes(b, ours, oursBeside, s.PID())
		report(b, "key", float64(oursKey.Microseconds()), float64(theirsKey.Microseconds()), "us")
		report(b, "join", milliseconds(oursWait), milliseconds(theirsWait), "ms")
		report(b, "join-cpu", milliseconds(oursJoin), milliseconds(theirsJoin), "ms")
		report(b, "busy-room", float64(oursBusy)/(1<<20), float64(theirsBusy)/(1<<20), "MiB")
		report(b, "quiet-room", float64(oursQuiet)/(1<<20), float64(theirsQuiet)/(1<<20), "MiB")
	}
}

// report reports a cost here and with the y-websocket server, and the ratio.
func report(b *testing.B, what string, ours, theirs float64, unit string) {
	b.ReportMetric(ours, unit+"/"+what)
	b.ReportMetric(theirs, unit+"-node/"+what)
	b.ReportMetric(ours/theirs, "x-node/"+what)
}
