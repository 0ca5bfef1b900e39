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

// line is a net.Conn whose reads and writes have deadlines.
type line struct {
	net.Conn
	// early is what the client sent before the handshake was complete.
	early []byte
	// heard is when something last arrived, in nanoseconds of Unix time. writing counts
	// the writes in progress. closing means that the connection has its last deadline.
	heard   atomic.Int64
	writing atomic.Int32
	closing atomic.Bool
	// mu is held during writes. While holding is set, writes are collected in held.
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

// hold collects writes until release, because more will follow: a burst of small frames
// costs as many system calls as frames otherwise.
func (l *line) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holding = true
}

// release writes what was collected.
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

// pass writes data. Each part has its own deadline.
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

// last sets the deadline after which nothing is read or written any more.
func (l *line) last(within time.Duration) {
	l.closing.Store(true)
	_ = l.SetDeadline(time.Now().Add(within))
}

// isAlive reports whether something arrived from the client recently, or a write is in
// progress, which has its own deadline.
func (l *line) isAlive(lately time.Duration) bool {
	return l.writing.Load() > 0 || time.Since(time.Unix(0, l.heard.Load())) < lately
}

// hijacker is an http.ResponseWriter whose hijacked connection is a line with small
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

// limitSent bounds the system's send buffer of a connection.
func limitSent(conn net.Conn) {
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sentBytes)
	}
}
