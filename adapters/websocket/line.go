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
	// writeTime is how long a client may take to receive a part of what it is told.
	// Without a deadline one that never reads would stay for ever. One that the room has
	// shown out as too slow is told so when it goes on within that time.
	writeTime = 30 * time.Second
	// writePart is how much has to arrive in that time.
	writePart = 64 << 10
	// bufferBytes is as much as most frames have, both ways. Thousands of sockets that
	// have nothing to say hold their buffers all the same.
	bufferBytes = 1 << 10
	// sentBytes is how much the system keeps of what a client has not received. More
	// would hide for long that a client is too slow.
	sentBytes = 256 << 10
	// heldBytes is as much as waits for what is written next.
	heldBytes = 16 << 10
)

// line is a connection on which nobody waits for ever.
type line struct {
	net.Conn
	// early is what the client sent before it knew that this is a socket.
	early []byte
	// heard is when something came last, in nanoseconds of Unix time; writing counts
	// who writes just now; closing says that the connection has its last deadline.
	heard   atomic.Int64
	writing atomic.Int32
	closing atomic.Bool
	// mu is held by who writes. While holding says so, what is written is kept in held.
	mu      sync.Mutex
	holding bool
	held    []byte
}

// Read implements net.Conn.
func (l *line) Read(into []byte) (int, error) {
	if len(l.early) > 0 {
		n := copy(into, l.early)
		l.early = l.early[n:]
		return n, nil
	}
	n, err := l.Conn.Read(into)
	if n > 0 {
		l.heard.Store(time.Now().UnixNano())
	}
	return n, err
}

// Write implements net.Conn.
func (l *line) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.holding {
		return l.pass(data)
	}
	l.held = append(l.held, data...)
	if len(l.held) < heldBytes {
		return len(data), nil
	}
	return len(data), l.flush()
}

// hold keeps what is written until release, because there is more to come: a burst of
// small frames costs the system as much as one.
func (l *line) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holding = true
}

// release passes on what was held.
func (l *line) release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holding = false
	return l.flush()
}

func (l *line) flush() error {
	held := l.held
	l.held = nil
	_, err := l.pass(held)
	return err
}

// pass writes data. Each part has a deadline of its own.
func (l *line) pass(data []byte) (written int, err error) {
	l.writing.Add(1)
	defer l.writing.Add(-1)
	for part := range slices.Chunk(data, writePart) {
		if !l.closing.Load() {
			if err := l.Conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
				return written, err
			}
		}
		n, err := l.Conn.Write(part)
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// last sets the deadline after which nothing is read and written any more.
func (l *line) last(within time.Duration) {
	l.closing.Store(true)
	_ = l.SetDeadline(time.Now().Add(within))
}

// isAlive reports whether the client was heard of lately, or takes what is written just
// now, for which there is a deadline of its own.
func (l *line) isAlive(lately time.Duration) bool {
	return l.writing.Load() > 0 || time.Since(time.Unix(0, l.heard.Load())) < lately
}

// hijacker is an answer whose connection, once it is taken over, is a line with small
// buffers.
type hijacker struct {
	http.ResponseWriter
	line *line
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
	h.line = &line{Conn: conn, early: slices.Clone(early)}
	h.line.heard.Store(time.Now().UnixNano())
	return h.line, bufio.NewReadWriter(bufio.NewReaderSize(h.line, bufferBytes), bufio.NewWriterSize(h.line, bufferBytes)), nil
}

// limitSent bounds what the system keeps for a client.
func limitSent(conn net.Conn) {
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sentBytes)
	}
}
