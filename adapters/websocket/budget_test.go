package websocket_test

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	ws "github.com/coder/websocket"

	"github.com/atelierhq/atelier/adapters/websocket"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/streams"
)

// within gives the house a budget, before anybody has come.
func (h *house) within(places, perPerson int64) *streams.Budget {
	budget := streams.New(places, perPerson)
	h.handler = websocket.New(websocket.Deps{Rooms: h.rooms, Streams: budget, Now: time.Now, Log: slog.New(slog.NewTextHandler(h.log, nil))})
	return budget
}

func TestWhoHasTooManyStreamsGetsNoSocket(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	budget := h.within(64, 4)
	other, err := budget.Open(h.owner.UserID) // A stream of another kind.
	h.must(err)
	conns := []*ws.Conn{h.dial("owner"), h.dial("owner", "atelier.v1"), h.dial("owner")}
	h.wantClosed("one more copy", h.dial("owner"), ws.StatusTryAgainLater)
	h.wantClosed("one more follower", h.dial("owner", "atelier.v1"), 4429)
	h.person("guest", core.RoleMember)
	guest := h.dial("guest")
	_ = guest.CloseNow()
	other()
	conns = append(conns, h.dial("owner"))
	for _, conn := range conns {
		_ = conn.CloseNow()
	}
	h.eventually("all places given back", func() bool { people, _ := budget.Count(); return people == 0 })
}

func TestWithoutAPlaceTheHandshakeIsRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	budget := h.within(8, 0)
	for range 8 {
		_, err := budget.Open("somebody")
		h.must(err)
	}
	first := h.dial("owner") // There is one place for somebody who has none.
	defer first.CloseNow()
	_, response, err := ws.Dial(t.Context(), h.address("owner"), &ws.DialOptions{HTTPClient: h.client})
	if err == nil || response == nil || response.StatusCode != http.StatusTeapot {
		t.Fatalf("got %+v, %v, want the handshake refused", response, err)
	}
	if body, err := io.ReadAll(response.Body); err != nil || !strings.HasPrefix(string(body), string(core.CodeUnavailable)) {
		t.Errorf("got %q, %v, want %s", body, err, core.CodeUnavailable)
	}
}

func TestASocketThatIsNotOpenedKeepsNoPlace(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	budget := h.within(64, 0)
	h.hide()
	h.person("stranger", core.RoleNone)
	for range 3 {
		if _, _, err := ws.Dial(t.Context(), h.address("stranger"), &ws.DialOptions{HTTPClient: h.client}); err == nil {
			t.Error("got a socket for a stranger, want none")
		}
	}
	for range 16 {
		h.dial("owner")
	}
	h.wantClosed("one more than the room has for a member", h.dial("owner"), ws.StatusTryAgainLater)
	if people, _ := budget.Count(); people != 16 {
		t.Errorf("got %d places taken, want those of the 16 sockets", people)
	}
}
