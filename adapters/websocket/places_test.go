package websocket_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	ws "github.com/coder/websocket"

	"github.com/atelierhq/atelier/adapters/internal/yprotocol"
	"github.com/atelierhq/atelier/core"
)

func TestWhoHasTooManyConnectionsIsToldSo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range 16 {
		h.dial("owner")
	}
	h.wantClosed("one more copy", h.dial("owner"), ws.StatusTryAgainLater)
	h.wantClosed("one more follower", h.dial("owner", "atelier.v1"), 4429)
}

func TestWhoShowsTooManyClientsIsToldSo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conn := h.dial("owner")
	var states []core.Awareness
	for client := range uint64(9) {
		states = append(states, core.Awareness{Client: client, Clock: 1, Value: []byte(`{}`)})
	}
	h.must(conn.Write(t.Context(), ws.MessageBinary, yprotocol.Message{Kind: yprotocol.Awareness, Body: yprotocol.WriteStates(states)}.Frame()))
	h.wantClosed("the socket", conn, ws.StatusTryAgainLater)
}

// TestStockClientsSeeACrowd has more people than fit one message, and clients that pass on
// all that they hear.
func TestStockClientsSeeACrowd(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for at := range 8 {
		name := fmt.Sprintf("reader%d", at)
		h.person(name, core.RoleNone)
		for connection := range 6 {
			conn := h.dial(name)
			var states []core.Awareness
			for client := range uint64(8) {
				states = append(states, core.Awareness{Client: uint64(at)<<20 + uint64(connection)<<8 + client, Clock: 1, Value: []byte(`{"note":"` + strings.Repeat("x", 7000) + `"}`)})
			}
			h.must(conn.Write(t.Context(), ws.MessageBinary, yprotocol.Message{Kind: yprotocol.Awareness, Body: yprotocol.WriteStates(states)}.Frame()))
			go func() {
				for {
					if _, _, err := conn.Read(t.Context()); err != nil {
						return
					}
				}
			}()
		}
	}
	p := startPeer(h)
	p.open("owner")
	p.waitFor(0, "sees all", func(s stock) bool { return len(s.Others) == 8*6*8 })
	p.do(command{"do": "show", "at": 0, "field": "cursor", "value": command{"file": "index.html", "selection": nil}})
	p.open("owner")
	p.waitFor(1, "sees the other", func(s stock) bool {
		for _, other := range s.Others {
			if strings.Contains(string(other), "index.html") {
				return true
			}
		}
		return false
	})
	for at := range 2 {
		if s := p.state(at); s.Closed != 0 {
			t.Errorf("client %d: got closed with %d, want it to stay", at, s.Closed)
		}
	}
}

func TestStockClientsComeAgainAfterWhatWasTooLarge(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := startPeer(h)
	p.open("owner")
	p.waitFor(0, "in sync", isSynced)
	p.do(command{"do": "show", "at": 0, "field": "note", "value": strings.Repeat("x", yprotocol.MaxStateBytes+1)})
	p.waitFor(0, "shown out", func(s stock) bool { return !s.Connected })
	p.do(command{"do": "show", "at": 0, "field": "note", "value": json.RawMessage("null")})
	p.waitFor(0, "back", func(s stock) bool { return s.Connected && s.Synced })
	p.do(command{"do": "insert", "at": 0, "path": "index.html", "index": 0, "text": "again "})
	if text := p.wantSame("what was typed then", "index.html", 0); !strings.HasPrefix(text, "again ") {
		t.Errorf("got %.20q, want what was typed", text)
	}
}
