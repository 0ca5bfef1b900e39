package yjs_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/yprotocol"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// TestFramesOfYProtocols compares package yprotocol with the real y-protocols, in both
// directions.
func TestFramesOfYProtocols(t *testing.T) {
	p := startPeer(t)
	p.do(command{Do: "reset", Clients: []peerClient{{ID: 7, GC: true}, {ID: 8, GC: true}}})
	p.do(command{Do: "set", At: 0, Path: "a.txt", Value: "text 😀"})
	ours := open(t, nil)
	var frames [][]byte
	for i, frame := range p.do(command{Do: "frames", At: 0}).Updates {
		message, err := yprotocol.Read(frame)
		want := []yprotocol.Kind{yprotocol.SyncStep1, yprotocol.SyncStep2, yprotocol.Update, yprotocol.Awareness, yprotocol.QueryAwareness, yprotocol.PermissionDenied}[i]
		if err != nil || message.Kind != want {
			t.Fatalf("frame %d, %x: got %+v, %v, want kind %d", i, frame, message, err, want)
		}
		if got := message.Frame(); !slices.Equal(got, frame) {
			t.Errorf("frame %d written again: got %x, want %x", i, got, frame)
		}
		takeIn(t, ours, message)
		frames = append(frames, message.Frame())
	}
	if got, _ := ours.Text(core.MustPath("a.txt")); got != "text 😀" {
		t.Errorf("text: got %q, want the client's", got)
	}
	want := []string{
		"sync 0 answered by true", "sync 1 answered by false", "sync 2 answered by false",
		`awareness [[7,{"user":{"name":"Zoë"},"cursor":null}]]`, "query", "denied no ü",
	}
	if got := p.do(command{Do: "read", At: 1, Updates: frames}).Lines; !slices.Equal(got, want) {
		t.Errorf("read by y-protocols: got %q, want %q", got, want)
	}
	if got := p.do(command{Do: "state", At: 1}).Texts["a.txt"]; got != "text 😀" {
		t.Errorf("text of who read our frames: got %q", got)
	}
}

// takeIn handles a message like a room.
func takeIn(t *testing.T, d replica.Document, message yprotocol.Message) {
	t.Helper()
	switch message.Kind {
	case yprotocol.SyncStep1:
		mustEncode(t, d, message.Body)
	case yprotocol.SyncStep2, yprotocol.Update:
		mustApply(t, d, message.Body)
	case yprotocol.Awareness:
		states, err := yprotocol.ReadStates(message.Body)
		if err != nil || len(states) != 1 || states[0].Client != 7 || string(states[0].Value) != `{"user":{"name":"Zoë"},"cursor":null}` {
			t.Errorf("awareness: got %+v, %v, want that of client 7", states, err)
		}
	}
}

// TestAwarenessOfYProtocols lets the real y-protocols hear of somebody who comes,
// changes and leaves.
func TestAwarenessOfYProtocols(t *testing.T) {
	p := startPeer(t)
	p.do(command{Do: "reset", Clients: []peerClient{{ID: 7, GC: true}}})
	var frames [][]byte
	for clock, value := range []string{1: `{"a":1}`, 2: `{"a":2}`, 3: ""} {
		state := core.Awareness{Client: 9, Clock: uint64(min(clock, 2))}
		if value != "" {
			state.Value = []byte(value)
		}
		body := yprotocol.WriteStates([]core.Awareness{state})
		frames = append(frames, yprotocol.Message{Kind: yprotocol.Awareness, Body: body}.Frame())
	}
	want := []string{`awareness []`, `awareness [[9,{"a":1}]]`, `awareness [[9,{"a":2}]]`, `awareness []`}
	if got := p.do(command{Do: "read", At: 0, Updates: frames}).Lines; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDifferencesOfYjs asks for what is missing from every clock on, even within
// surrogate pairs.
func TestDifferencesOfYjs(t *testing.T) {
	p := startPeer(t)
	p.do(command{Do: "reset", Clients: []peerClient{{ID: 7, GC: true}}})
	ours := open(t, nil)
	for _, update := range p.do(command{Do: "set", At: 0, Path: "a.txt", Value: "a😀b😀ü"}).Updates {
		mustApply(t, ours, update)
	}
	for clock := range byte(9) {
		vector := []byte{1, 7, clock}
		want := p.do(command{Do: "diff", At: 0, Vector: vector}).Updates[0]
		if got := mustEncode(t, ours, vector); !slices.Equal(got, want) {
			t.Errorf("from clock %d on: got %x, want %x", clock, got, want)
		}
	}
}

// TestYjsReadsWhatWaits gives Yjs the state of a replica with pending structs, and then
// what these wait for.
func TestYjsReadsWhatWaits(t *testing.T) {
	p := startPeer(t)
	p.do(command{Do: "reset", Seed: 3, Clients: []peerClient{{ID: 7, GC: true}, {ID: 8, GC: true, Listens: true}}})
	updates := p.do(command{Do: "edit", At: 0, Times: 60}).Updates
	ours := open(t, nil)
	for i, update := range updates {
		if i%5 != 0 {
			mustApply(t, ours, update)
		}
	}
	if ours.Stats().Pending == 0 {
		t.Fatal("nothing waits")
	}
	p.do(command{Do: "apply", At: 1, Updates: [][]byte{mustEncode(t, ours, nil)}})
	if got := p.do(command{Do: "state", At: 1}); !got.Pending || !slices.Equal(got.Vector, ours.StateVector()) {
		t.Errorf("got pending %v and the state vector %x, want true and %x", got.Pending, got.Vector, ours.StateVector())
	}
	for i, update := range updates {
		if i%5 == 0 {
			mustApply(t, ours, update)
			p.do(command{Do: "apply", At: 1, Updates: [][]byte{update}})
		}
	}
	got, want := p.do(command{Do: "state", At: 1}), p.do(command{Do: "state", At: 0})
	if got.Pending || !maps.Equal(got.Texts, want.Texts) || !maps.Equal(texts(ours), allowed(want.Texts)) {
		t.Errorf("got %q, pending %v, ours %q, want %q", got.Texts, got.Pending, texts(ours), want.Texts)
	}
}
