package websocket

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// writeTime is how long a client may take to receive a part of a message. Without a
	// deadline a client that never reads would stay forever. A client that the room has
	// removed as too slow learns so if it resumes reading within that time.
	writeTime = 30 * time.Second
	// writePart is the size of such a part.
	writePart = 64 << 10
	// bufferBytes holds most frames, in both directions. Thousands of idle sockets keep
	// their buffers.
	bufferBytes = 1 << 10
	// sentBytes is the size of the system's send buffer. A larger one would hide for long
	// that a client is too slow.
	sentBytes = 256 << 10
	// heldBytes is how much is collected for the next write.
	heldBytes = 16 << 10
)

// deadlineConn is a net.Conn whose reads and writes have deadlines.
type deadlineConn struct {
	net.Conn
	// early is what the client sent before the handshake was complete.
	early []byte
	// lastRead is when something last arrived, in nanoseconds of Unix time. writing counts
	// the writes in progress. closing means that the connection has its last deadline.
	lastRead atomic.Int64
	writing  atomic.Int32
	closing  atomic.Bool
	// mu is held during writes. While holding is set, writes are collected in held.
	mu      sync.Mutex
	holding bool
	held    []byte
}

// Read implements net.Conn.
func (c *deadlineConn) Read(into []byte) (int, error) {
	if len(c.early) > 0 {
		n := copy(into, c.early)
		c.early = c.early[n:]
		return n, nil
	}
	n, err := c.Conn.Read(into)
	if n > 0 {
		c.lastRead.Store(time.Now().UnixNano())
	}
	return n, err
}

// Write implements net.Conn.
func (c *deadlineConn) Write(data []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.holding {
		return c.write(data)
	}
	c.held = append(c.held, data...)
	if len(c.held) < heldBytes {
		return len(data), nil
	}
	return len(data), c.flush()
}

// hold collects writes until release, because more will follow: a burst of small frames
// costs as many system calls as frames otherwise.
func (c *deadlineConn) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = true
}

// release writes what was collected.
func (c *deadlineConn) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = false
	return c.flush()
}

func (c *deadlineConn) flush() error {
	held := c.held
	c.held = nil
	_, err := c.write(held)
	return err
}

// write writes data. Each part has its own deadline.
func (c *deadlineConn) write(data []byte) (written int, err error) {
	c.writing.Add(1)
	defer c.writing.Add(-1)
	for part := range slices.Chunk(data, writePart) {
		if !c.closing.Load() {
			if err := c.Conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
				return written, err
			}
		}
		n, err := c.Conn.Write(part)
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// setFinalDeadline sets the deadline after which nothing is read or written any more.
func (c *deadlineConn) setFinalDeadline(within time.Duration) {
	c.closing.Store(true)
	_ = c.SetDeadline(time.Now().Add(within))
}

// isAlive reports whether something arrived from the client recently, or a write is in
// progress, which has its own deadline.
func (c *deadlineConn) isAlive(lately time.Duration) bool {
	return c.writing.Load() > 0 || time.Since(time.Unix(0, c.lastRead.Load())) < lately
}

// hijacker is an http.ResponseWriter whose hijacked connection is a deadlineConn with small
// buffers.
type hijacker struct {
	http.ResponseWriter
	conn *deadlineConn
}

// Hijack implements http.Hijacker.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	early, err := buffered.Reader.Peek(buffered.Reader.Buffered())
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	limitSent(conn)
	h.conn = &deadlineConn{Conn: conn, early: slices.Clone(early)}
	h.conn.lastRead.Store(time.Now().UnixNano())
	return h.conn, bufio.NewReadWriter(bufio.NewReaderSize(h.conn, bufferBytes), bufio.NewWriterSize(h.conn, bufferBytes)), nil
}

// limitSent bounds the system's send buffer of a connection.
func limitSent(conn net.Conn) {
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sentBytes)
	}
}
