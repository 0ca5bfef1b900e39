package yjs_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// defaultOperations is how many edits a run makes; YJS_OPERATIONS asks for more.
const defaultOperations = 5000

// TestSameAsYjs lets replicas of the real Yjs edit at random. It delivers their updates
// shuffled, duplicated, merged, late and in part, to one of ours and to a twin of the
// real one. Both must have the same texts and the same structs at all times.
func TestSameAsYjs(t *testing.T) {
	operations := defaultOperations
	if asked := os.Getenv("YJS_OPERATIONS"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil {
			t.Fatalf("YJS_OPERATIONS: %v", err)
		}
		operations = n
	}
	seed := uint64(1)
	if asked := os.Getenv("YJS_SEED"); asked != "" {
		seed, _ = strconv.ParseUint(asked, 10, 64)
	}
	p := startPeer(t)
	for done := 0; done < operations && !t.Failed(); seed++ {
		s := newSession(t, p, seed)
		for range 25 {
			done += s.round()
		}
		s.settle()
	}
}

// Replicas of a session at the peer: three people, then the twin of ours, then one that
// only receives ours, and one that joins at the end.
const (
	people = 3
	twin   = 3
	shadow = 4
	joiner = 5
)

// session is one document.
type session struct {
	t      *testing.T
	p      *peer
	seed   uint64
	random *rand.Rand
	// rich lets people write formats and objects in texts. undo lets them undo, which
	// may give an item origins that cross; then replicas of the real Yjs do not always
	// agree with each other either.
	rich, undo bool
	ours       replica.Document
	written    [][]byte   // all updates, of everybody
	late       [][][]byte // what has not been delivered to each replica and to ours
}

func newSession(t *testing.T, p *peer, seed uint64) *session {
	s := &session{t: t, p: p, seed: seed, random: rand.New(rand.NewPCG(seed, 7)), rich: seed%2 == 0, undo: seed%4 == 0, late: make([][][]byte, people+1)}
	clients := make([]peerClient, joiner+1)
	for i := range clients {
		clients[i] = peerClient{ID: 1 + s.random.Uint64N(1<<53-1), GC: i >= people || s.random.IntN(4) > 0, Listens: i >= people}
	}
	if seed%3 == 0 { // neighbours, so that the order among clients is not that of ids alone
		for i := range clients {
			clients[i].ID = uint64(10 - i)
		}
	}
	p.do(command{Do: "reset", Seed: int64(seed), Clients: clients})
	ours, err := yjs.Maker{}.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.ours = ours
	return s
}

// round lets somebody edit and delivers some of what is under way; it returns how many
// edits were made.
func (s *session) round() int {
	times := 1 + s.random.IntN(12)
	if s.random.IntN(6) == 0 {
		times = s.editOurs()
	} else {
		by := s.random.IntN(people)
		s.publish(s.p.do(command{Do: "edit", At: by, Times: times, Rich: s.rich, Undo: s.undo}).Updates, by)
	}
	for to := range s.late {
		if s.random.IntN(2) == 0 {
			s.deliver(to, s.random.IntN(len(s.late[to])+1))
		}
	}
	s.compare(false)
	return times
}

// publish puts updates on their way to everybody but their author.
func (s *session) publish(updates [][]byte, by int) {
	s.written = append(s.written, updates...)
	for to := range s.late {
		if to != by {
			s.late[to] = append(s.late[to], updates...)
		}
	}
}

// editOurs writes as the server does.
func (s *session) editOurs() int {
	path := core.MustPath([]string{"index.html", "src/app.ts", "a"}[s.random.IntN(3)])
	if s.random.IntN(20) == 0 {
		s.tell(s.ours.Remove(path))
		return 1
	}
	text, _ := s.ours.Text(path)
	inserts := []string{"", "x", "ß😀\n", "line\r\n"}
	if s.rich { // where there are formats, people may cut a surrogate pair
		inserts[2] = "ß字\n"
	}
	edits := randomEdits(s.random, text, inserts)
	change, err := s.ours.Edit(path, edits)
	if err != nil {
		s.t.Fatalf("seed %d: edit %v of %q: %v", s.seed, edits, text, err)
	}
	got, _ := s.ours.Text(path)
	if want := edited(text, edits); got != want {
		s.t.Fatalf("seed %d: edit %v of %q: got %q, want %q", s.seed, edits, text, got, want)
	}
	s.tell(change)
	return max(1, len(edits))
}

// tell gives a change of ours to everybody.
func (s *session) tell(change replica.Change) {
	if change.Update != nil {
		s.publish([][]byte{change.Update}, people)
		s.p.do(command{Do: "apply", At: twin, Updates: [][]byte{change.Update}})
		s.p.do(command{Do: "apply", At: shadow, Updates: [][]byte{change.Update}})
	}
}

// deliver gives a replica some of its missing updates, out of order, some of them merged
// and some twice. The replica number people is ours, and its twin.
func (s *session) deliver(to, count int) {
	s.random.Shuffle(len(s.late[to]), func(i, j int) { s.late[to][i], s.late[to][j] = s.late[to][j], s.late[to][i] })
	updates := slices.Clone(s.late[to][:count])
	s.late[to] = s.late[to][count:]
	if len(s.written) > 0 && s.random.IntN(3) == 0 {
		updates = append(updates, s.written[s.random.IntN(len(s.written))])
	}
	if len(updates) > 1 && s.random.IntN(3) == 0 {
		updates = s.p.do(command{Do: "merge", Updates: updates}).Updates
	}
	if len(updates) == 0 {
		return
	}
	if to < people {
		s.p.do(command{Do: "apply", At: to, Updates: updates})
		return
	}
	s.p.do(command{Do: "apply", At: twin, Updates: updates})
	for _, update := range updates {
		change, err := s.ours.Apply(update)
		if err != nil {
			s.t.Fatalf("seed %d: apply: %v", s.seed, err)
		}
		if change.Update != nil {
			s.p.do(command{Do: "apply", At: shadow, Updates: [][]byte{change.Update}})
		}
	}
}

// settle delivers all, and compares everybody.
func (s *session) settle() {
	for to := range s.late {
		s.deliver(to, len(s.late[to]))
	}
	// Updates that people's undo managers and formats create by themselves, and content
	// that only a state contains.
	for by := range people {
		update := s.p.do(command{Do: "diff", At: by, Vector: s.ours.StateVector()}).Updates
		s.written = append(s.written, update...)
		s.late[people] = append(s.late[people], update...)
		s.deliver(people, 1)
	}
	s.compare(true)
	state := mustEncode(s.t, s.ours, nil)
	late, err := yjs.Maker{}.Open(state)
	if err != nil {
		s.t.Fatalf("seed %d: open: %v", s.seed, err)
	}
	s.p.do(command{Do: "apply", At: joiner, Updates: [][]byte{state}})
	want := s.p.do(command{Do: "state", At: joiner, Whole: true})
	if got := texts(late); !maps.Equal(got, allowed(want.Texts)) {
		s.t.Errorf("seed %d: a late joiner: got %q, want %q", s.seed, got, want.Texts)
	}
	if got := mustEncode(s.t, late, nil); !slices.Equal(got, want.State) {
		s.t.Errorf("seed %d: a late joiner's state: got %x, want %x", s.seed, got, want.State)
	}
}

// allowed leaves out the paths that no project may hold.
func allowed(texts map[string]string) map[string]string {
	texts = maps.Clone(texts)
	maps.DeleteFunc(texts, func(path, _ string) bool { _, err := core.ParsePath(path); return err != nil })
	return texts
}

// compare compares our replica with its twin.
func (s *session) compare(settled bool) {
	s.t.Helper()
	want := s.p.do(command{Do: "state", At: twin, Whole: settled})
	if got := texts(s.ours); !maps.Equal(got, allowed(want.Texts)) {
		s.t.Fatalf("seed %d: texts: got %q, want %q", s.seed, got, want.Texts)
	}
	if got := s.ours.Stats().Pending > 0; got != want.Pending {
		s.t.Fatalf("seed %d: pending: got %v, want %v", s.seed, s.ours.Stats().Pending, want.Pending)
	}
	if got := s.ours.StateVector(); !slices.Equal(got, want.Vector) {
		s.t.Fatalf("seed %d: state vector: got %x, want %x", s.seed, got, want.Vector)
	}
	if !settled {
		return
	}
	s.compareStructs(want.State)
	for other := range shadow + 1 {
		if other < people {
			s.p.do(command{Do: "apply", At: other, Updates: [][]byte{mustEncode(s.t, s.ours, nil)}})
		}
		if got := s.p.do(command{Do: "state", At: other}).Texts; !s.undo && !maps.Equal(got, want.Texts) {
			s.t.Fatalf("seed %d: replica %d: got %q, want %q", s.seed, other, got, want.Texts)
		}
	}
	if want.Pending {
		s.t.Fatalf("seed %d: something is pending at the end", s.seed)
	}
}

func (s *session) compareStructs(state []byte) {
	s.t.Helper()
	got := s.p.do(command{Do: "structs", State: mustEncode(s.t, s.ours, nil)}).Lines
	want := s.p.do(command{Do: "structs", State: state}).Lines
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			s.t.Fatalf("seed %d: struct %d of %d: got %s, want %s", s.seed, i, len(want), around(got, i), around(want, i))
		}
	}
}

func around(lines []string, at int) string {
	return fmt.Sprintf("%q", lines[min(len(lines), max(0, at-1)):min(len(lines), at+2)])
}

func texts(d replica.Document) map[string]string {
	all := map[string]string{}
	for _, path := range d.Paths() {
		all[path.String()], _ = d.Text(path)
	}
	return all
}

func mustEncode(t testing.TB, d replica.Document, since []byte) []byte {
	t.Helper()
	update, err := d.Encode(since)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return update
}

// randomEdits returns a few edits of a text.
func randomEdits(random *rand.Rand, text string, inserts []string) []replica.Edit {
	places := []int{len(text)}
	for at := range text {
		places = append(places, at)
	}
	var edits []replica.Edit
	at := 0
	for range 1 + random.IntN(3) {
		from := places[random.IntN(len(places))]
		to := places[random.IntN(len(places))]
		if from < at || to < from || to-from > 200 {
			continue
		}
		edits = append(edits, replica.Edit{At: from, Delete: to - from, Insert: inserts[random.IntN(len(inserts))]})
		at = to
	}
	return edits
}

// edited returns a text with edits.
func edited(text string, edits []replica.Edit) string {
	made, at := "", 0
	for _, e := range edits {
		made += text[at:e.At] + e.Insert
		at = e.At + e.Delete
	}
	return made + text[at:]
}
