package sitehost

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/requestid"
)

// FastPath wraps listener for server if the server speaks HTTP without TLS. Simple
// requests for files of published sites are answered from memory before net/http sees
// them: a goroutine, deadlines and sorted headers for each request make up most of the
// cost of such an answer. All other requests reach the server unchanged. Call it before
// the server begins to serve. With an access log every request reaches the server.
func (h *Handler) FastPath(server *http.Server, listener net.Listener) net.Listener {
	if h.accessLog != nil {
		return listener
	}
	notify := server.ConnState
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		if fast, ok := conn.(*fastConn); ok {
			fast.between = state == http.StateNew || state == http.StateIdle
		}
		if notify != nil {
			notify(conn, state)
		}
	}
	return fastListener{listener, h, cmp.Or(server.IdleTimeout, server.ReadTimeout), cmp.Or(server.ReadHeaderTimeout, server.ReadTimeout)}
}

type fastListener struct {
	net.Listener
	hosts      *Handler
	idle, head time.Duration
}

// Accept implements net.Listener.
func (l fastListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if plain, ok := conn.(*net.TCPConn); ok {
		return &fastConn{TCPConn: plain, hosts: l.hosts, idle: l.idle, head: l.head, between: true}, nil
	}
	return conn, err
}

// fastConn is a connection on which net/http sees only requests that cannot be answered
// from memory. A request is answered here if it arrives whole and net/http has read
// nothing of it. Only net/http's goroutine for the connection reads from it, except while
// a handler runs: then only another goroutine reads.
type fastConn struct {
	*net.TCPConn
	hosts *Handler
	// idle is how long the client may pause between two requests, and head how long it
	// may take to send the rest of a head. 0 is no limit.
	idle, head time.Duration
	// between means that the next byte is the first of a request.
	between bool
	// left means that request boundaries are unknown from now on, because net/http has
	// read on its own.
	left bool
	// again is when the deadlines are renewed.
	again time.Time

	mu sync.Mutex
	// busy means that an answer is being sent; closed means that none may follow.
	busy, closed bool
}

// Read implements net.Conn. It returns the requests that are left for net/http.
func (c *fastConn) Read(p []byte) (int, error) {
	for {
		n, err := c.TCPConn.Read(p)
		if n == 0 || c.left {
			return n, err
		}
		request, whole := readHead(p[:n])
		if !c.between || !whole {
			c.leave()
			return n, err
		}
		if answered, err := c.answer(request); err != nil {
			return 0, err
		} else if !answered {
			c.between = false
			return n, nil
		}
	}
}

// leave leaves the connection to net/http. An incomplete head has to be completed soon.
// net/http enforces that, except for the first head that it reads.
func (c *fastConn) leave() {
	if c.between && c.head > 0 {
		_ = c.SetReadDeadline(time.Now().Add(c.head))
	}
	c.left = true
}

// answer sends the answer to a request that can be answered from memory.
func (c *fastConn) answer(request *plainRequest) (answered bool, err error) {
	if request == nil {
		return false, nil
	}
	head, body := c.hosts.answerFromMemory(request)
	if body == nil {
		return false, nil
	}
	now := time.Now()
	if !c.begin(now) {
		return true, net.ErrClosed
	}
	defer c.end()
	return true, c.send(request.id, head, body, now)
}

// begin renews the deadlines for an answer and the next request. It returns false if the
// connection was closed.
func (c *fastConn) begin(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.busy = true
	c.hosts.answering.Add(1)
	if now.Before(c.again) {
		return true
	}
	c.again = now.Add(extendEvery)
	_ = c.SetWriteDeadline(now.Add(writeLimit + extendEvery))
	if c.idle > 0 {
		_ = c.SetReadDeadline(now.Add(c.idle + extendEvery))
	}
	return true
}

func (c *fastConn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = false
	c.hosts.answering.Add(-1)
	if c.closed {
		_ = c.TCPConn.Close()
	}
}

// Close implements net.Conn. It does not wait: the current answer is the last.
func (c *fastConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.busy {
		return nil
	}
	return c.TCPConn.Close()
}

// Drain waits until the current answers on fast paths are sent, or ctx ends. It is needed
// because http.Server.Shutdown considers their connections idle.
func (h *Handler) Drain(ctx context.Context) error {
	for h.answering.Load() > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(drainEvery):
		}
	}
	return nil
}

// drainEvery is how often Drain checks.
const drainEvery = 10 * time.Millisecond

// copyBytes is the largest body that is copied after its head, which is cheaper than a
// system call with two buffers.
const copyBytes = 4 << 10

// headBuffers is a pool of *[]byte for heads with short bodies.
var headBuffers = sync.Pool{New: func() any { return new(make([]byte, 0, 2*copyBytes)) }}

// send writes the head, the request id, the date and the body in one call.
func (c *fastConn) send(id string, head, body []byte, now time.Time) error {
	buffer := headBuffers.Get().(*[]byte)
	defer headBuffers.Put(buffer)
	message := append((*buffer)[:0], head...)
	message = append(message, requestid.Header+": "...)
	if id != "" {
		message = append(message, id...)
	} else {
		message = requestid.AppendNew(message)
	}
	message = append(message, "\r\n"...)
	message = now.UTC().AppendFormat(message, "Date: "+http.TimeFormat+"\r\n\r\n")
	*buffer = message[:0]
	if len(body) <= copyBytes {
		_, err := c.TCPConn.Write(append(message, body...))
		return err
	}
	pieces := net.Buffers{message, body}
	_, err := pieces.WriteTo(c.TCPConn)
	return err
}
