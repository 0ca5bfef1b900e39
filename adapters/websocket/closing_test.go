package websocket_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	ws "github.com/coder/websocket"

	"github.com/atelierhq/atelier/adapters/internal/yprotocol"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

func TestLossOfAccessEndsBothWays(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.person("visitor", core.RoleNone)
	copyist, follower, owner := h.dial("visitor"), h.dial("visitor", "atelier.v1"), h.follows("owner")
	h.hide()
	h.wantClosed("a copy", copyist, 4403)
	h.wantClosed("a follower", follower, 4403)
	owner.say(`{"type":"ping"}`)
	owner.until("pong")
}

func TestASessionThatWasEndedEndsItsSockets(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	copyist, follower := h.dial("owner"), h.dial("owner", "atelier.v1")
	h.endSessions(core.Errorf(core.CodeUnauthenticated, "the session was ended"))
	h.wantClosed("a copy", copyist, 4401)
	h.wantClosed("a follower", follower, 4401)
}

func TestASocketEndsWhenItsTokenRunsOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, protocols := range [][]string{nil, {"atelier.v1"}} {
		until := time.Now().Add(500 * time.Millisecond).Truncate(time.Millisecond)
		by := h.owner
		by.Until = core.At(until)
		h.admit("short", by)
		conn := h.dial("short", protocols...)
		h.wantClosed("the socket", conn, 4401)
		if left := time.Until(until); left > 0 {
			t.Errorf("got closed %s before the token ran out", left)
		}
	}
	by := h.owner
	by.Until = core.At(time.Now().Add(-time.Second))
	h.admit("late", by)
	h.wantClosed("a token that ran out on the way", h.dial("late"), 4401)
}

func TestClientsComeAgainWhenTheServiceStops(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	copyist, follower := h.dial("owner"), h.dial("owner", "atelier.v1")
	stopped := make(chan error, 1)
	go func() { stopped <- h.rooms.Close(context.Background()) }()
	h.wantClosed("a copy", copyist, ws.StatusServiceRestart)
	h.wantClosed("a follower", follower, ws.StatusServiceRestart)
	h.must(<-stopped)
	ctx := conformance.Bounded(t)
	h.must(h.handler.Wait(ctx))
	if _, response, err := ws.Dial(ctx, h.address("owner"), nil); err == nil || response == nil || response.StatusCode == 101 {
		t.Errorf("got %+v, %v, want a refusal", response, err)
	}
}

func TestWhoReadsTooSlowlyIsShownOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	copyist, follower := h.raw("owner"), h.raw("owner", "Sec-WebSocket-Protocol: atelier.v1")
	restless := h.follows("owner")
	for range 3000 {
		restless.say(`{"type":"presence.update","cursor":"` + strings.Repeat("x", 2000) + `"}`)
	}
	restless.say(`{"type":"ping"}`)
	restless.until("pong")
	for conn, want := range map[net.Conn]int{copyist: 1013, follower: 4408} {
		h.must(conn.SetReadDeadline(time.Now().Add(conformance.Patience)))
		if got := lastClose(conn); got != want {
			t.Errorf("got closed with %d, want %d", got, want)
		}
	}
}

// lastClose reads frames until there is one that closes, and returns its code.
func lastClose(conn net.Conn) int {
	for {
		var head [10]byte
		if _, err := io.ReadFull(conn, head[:2]); err != nil {
			return 0
		}
		length := int64(head[1])
		switch length {
		case 126:
			_, _ = io.ReadFull(conn, head[2:4])
			length = int64(binary.BigEndian.Uint16(head[2:4]))
		case 127:
			_, _ = io.ReadFull(conn, head[2:10])
			length = int64(binary.BigEndian.Uint64(head[2:10]))
		}
		var payload bytes.Buffer
		if _, err := io.CopyN(&payload, conn, length); err != nil {
			return 0
		}
		if head[0]&0x0f == 8 && payload.Len() >= 2 {
			return int(binary.BigEndian.Uint16(payload.Bytes()))
		}
	}
}

func TestMessagesThatEndASocket(t *testing.T) {
	h := newHouse(t)
	frame := func(kind yprotocol.Kind, body []byte) []byte {
		return yprotocol.Message{Kind: kind, Body: body}.Frame()
	}
	for name, c := range map[string]struct {
		message []byte
		want    ws.StatusCode
	}{
		"nothing":                     {nil, 4400},
		"an unknown message":          {[]byte{9, 9}, 4400},
		"half a message":              {[]byte{0, 2, 9, 1}, 4400},
		"a refusal, which is ours":    {frame(yprotocol.PermissionDenied, []byte("no")), 4400},
		"a broken state vector":       {frame(yprotocol.SyncStep1, []byte{9}), 4400},
		"a broken update":             {frame(yprotocol.Update, []byte{9, 9, 9}), 4400},
		"a broken answer":             {frame(yprotocol.SyncStep2, []byte{1}), 4400},
		"a broken awareness":          {frame(yprotocol.Awareness, []byte{5, 1}), 4400},
		"awareness that is no object": {frame(yprotocol.Awareness, yprotocol.WriteStates([]core.Awareness{{Client: 1, Clock: 1, Value: []byte("7")}})), 4400},
		"too much awareness":          {frame(yprotocol.Awareness, make([]byte, yprotocol.MaxAwarenessBytes+1)), 1013},
		"too long a state vector":     {frame(yprotocol.SyncStep1, make([]byte, yprotocol.MaxVectorBytes+1)), 1013},
		"too long a frame":            {make([]byte, yprotocol.MaxFrameBytes+1), 1013},
		"far too long a frame":        {make([]byte, 2*yprotocol.MaxFrameBytes), 1013},
	} {
		conn := h.dial("owner")
		// The socket may end before all of a long message is sent.
		_ = conn.Write(t.Context(), ws.MessageBinary, c.message)
		h.wantClosed(name, conn, c.want)
	}
}

func TestMessagesOfTheOtherKindEndASocket(t *testing.T) {
	h := newHouse(t)
	copyist, follower := h.dial("owner"), h.dial("owner", "atelier.v1")
	h.must(copyist.Write(t.Context(), ws.MessageText, []byte(`{"type":"ping"}`)))
	h.must(follower.Write(t.Context(), ws.MessageBinary, []byte{3}))
	h.wantClosed("text from a copy", copyist, ws.StatusUnsupportedData)
	h.wantClosed("bytes from a follower", follower, ws.StatusUnsupportedData)
}

func TestWhoMakesNothingButMistakesIsShownOut(t *testing.T) {
	h := newHouse(t)
	conn := h.dial("owner", "atelier.v1")
	for range 101 {
		h.must(conn.Write(t.Context(), ws.MessageText, []byte("x")))
	}
	h.wantClosed("the socket", conn, 4429)
}

func TestAMessageWithoutEndEndsTheSocket(t *testing.T) {
	h := newHouse(t)
	conn := h.dial("owner", "atelier.v1")
	_ = conn.Write(t.Context(), ws.MessageText, bytes.Repeat([]byte("x"), 3<<20))
	h.wantClosed("the socket", conn, 4413)
}

// TestWhoNeverAnswersCannotHoldASocket has clients that the service shows out, and that
// neither go nor say anything.
func TestWhoNeverAnswersCannotHoldASocket(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	stalled := h.raw("owner")
	// The head of a frame of 2^40 bytes, and a part that is already too long.
	_, err := stalled.Write([]byte{0x82, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	h.must(err)
	part := make([]byte, yprotocol.MaxFrameBytes+1<<10)
	_, _ = stalled.Write(part)
	h.raw("owner")
	h.raw("owner", "Sec-WebSocket-Protocol: atelier.v1")
	began, ctx := time.Now(), conformance.Bounded(t)
	h.must(h.rooms.Close(ctx))
	h.must(h.handler.Wait(ctx))
	if took := time.Since(began); took > 12*time.Second {
		t.Errorf("got all sockets closed after %s, want seconds", took)
	}
}

func TestBrokenWebSocketsEndOneSocketAlone(t *testing.T) {
	h := newHouse(t)
	ann := h.copies("owner", nil)
	ann.waitFor("the page", page)
	for name, sent := range map[string][]byte{
		"HTTP":                     []byte("GET / HTTP/1.1\r\n\r\n"),
		"a frame without a mask":   {0x82, 0x01, 0x03},
		"reserved bits":            {0xf2, 0x81, 0, 0, 0, 0, 3},
		"an unknown opcode":        {0x83, 0x81, 0, 0, 0, 0, 3},
		"a continuation of none":   {0x80, 0x81, 0, 0, 0, 0, 3},
		"a long ping":              {0x89, 0xfe, 1, 0, 0, 0, 0, 0},
		"a ping in parts":          {0x09, 0x81, 0, 0, 0, 0, 3},
		"a length that is no size": {0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0},
		"half a frame":             {0x82},
		"nothing":                  nil,
	} {
		conn := h.raw("owner")
		_, err := conn.Write(sent)
		h.must(err)
		if name == "half a frame" || name == "nothing" {
			conn.Close()
			continue
		}
		// Sooner than unanswered pings would close it.
		h.must(conn.SetReadDeadline(time.Now().Add(20 * time.Second)))
		if _, err := io.Copy(io.Discard, conn); isTimeout(err) {
			t.Errorf("%s: got the connection open, want it closed", name)
		}
	}
	ann.types(index, "one", " and two")
	h.copies("owner", nil).waitFor("what was typed", strings.Replace(page, "one", "one and two", 1))
}

func isTimeout(err error) bool {
	failure, ok := err.(net.Error)
	return ok && failure.Timeout()
}
