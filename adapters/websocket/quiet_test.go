package websocket_test

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	ws "github.com/coder/websocket"
)

// pipes is a listener with in-memory connections, for tests in a synctest bubble.
type pipes struct {
	conns chan net.Conn
	close sync.Once
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error {
	p.close.Do(func() { close(p.done) })
	return nil
}

// Addr implements net.Listener.
func (p *pipes) Addr() net.Addr { return pipeAddr{} }

func (p *pipes) dial(string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p.conns <- there
	return here, nil
}

type pipeAddr struct{}

// Network implements net.Addr.
func (pipeAddr) Network() string { return "pipe" }

// String implements net.Addr.
func (pipeAddr) String() string { return "pipe:80" }

// play runs a test in a bubble of its own time.
func play(t *testing.T, test func(h *house)) {
	synctest.Test(t, func(t *testing.T) {
		listener := newPipes()
		test(newHouseAt(t, listener, listener.dial))
	})
}

// listen reads until the socket ends, and tells when something came and that it ended.
func listen(conn *ws.Conn) (heard, over chan time.Time) {
	heard, over = make(chan time.Time, 10_000), make(chan time.Time, 1)
	go func() {
		for {
			if _, _, err := conn.Read(context.Background()); err != nil {
				over <- time.Now()
				return
			}
			heard <- time.Now()
		}
	}()
	return heard, over
}

// TestAQuietSocketStays has a client that says nothing stay for hours, and hear enough
// not to take the room for dead.
func TestAQuietSocketStays(t *testing.T) {
	play(t, func(h *house) {
		copyist := h.dial("owner")
		// Who is in the copyist's room would be heard of there.
		h.build()
		follower := h.dial("owner", "atelier.v1")
		heard, over := listen(copyist)
		_, followerOver := listen(follower)
		last := time.Now()
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		for heard <- time.Now(); len(heard) > 0; {
			at := <-heard
			if silence := at.Sub(last); silence > 29*time.Second {
				t.Fatalf("got %s of silence, after which clients of y-websocket leave", silence)
			}
			last = at
		}
		if len(over)+len(followerOver) > 0 {
			t.Error("got a quiet socket closed")
		}
		h.must(copyist.CloseNow())
		h.must(follower.CloseNow())
	})
}

// TestAClientThatIsGoneWithoutAWordIsNoticed has clients that silently lose their
// network.
func TestAClientThatIsGoneWithoutAWordIsNoticed(t *testing.T) {
	play(t, func(h *house) {
		for _, header := range []string{"", "Sec-WebSocket-Protocol: atelier.v1"} {
			// It receives everything, like a buffer on the way, and answers nothing.
			conn := h.raw("owner", header)
			gone := make(chan time.Time, 1)
			began := time.Now()
			go func() {
				_, _ = io.Copy(io.Discard, conn)
				gone <- time.Now()
			}()
			if took := (<-gone).Sub(began); took < 20*time.Second || took > 50*time.Second {
				t.Errorf("%s: got the connection closed after %s, want that of two pings", header, took)
			}
		}
		watch := h.follows("owner")
		if peers, _ := watch.until("welcome")["peers"].([]any); len(peers) > 0 {
			t.Errorf("got the peers %v, want nobody", peers)
		}
		h.must(watch.conn.CloseNow())
	})
}
