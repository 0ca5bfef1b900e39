package shorthttp

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// kind says what a frame is.
type kind byte

const (
	// The client sends request, and cancel when the caller has given up.
	request kind = iota
	cancel
	// The server sends answer, held if the answer must be fetched, or failed.
	answer
	held
	failed
)

const (
	// MaxBody limits the body of a short request, maxAnswer that of a short answer.
	MaxBody   = 64 << 10
	maxAnswer = 1 << 20
	// maxHead limits everything else in a frame.
	maxHead  = 1 << 20
	maxFrame = maxHead + maxAnswer
	// prefix is the size of the length, the number and the kind.
	prefix = 4 + 8 + 1
)

// frame is a received frame.
type frame struct {
	number uint64
	kind   kind
	// content follows the kind.
	content []byte
}

// link is one end of the connection. Many goroutines may send; one receives.
type link struct {
	conn net.Conn
	in   *bufio.Reader
	// patience bounds how long the other end may take to accept a frame; 0 does not.
	patience time.Duration
	mu       sync.Mutex // one frame is written at a time
	// stalled says that the other end took longer. The connection is then closed.
	stalled atomic.Bool
}

func newLink(conn net.Conn, patience time.Duration) *link {
	return &link{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), patience: patience}
}

// begin starts a frame in a buffer.
func begin(buffer []byte, number uint64, what kind) []byte {
	buffer = append(buffer[:0], 0, 0, 0, 0)
	return append(binary.BigEndian.AppendUint64(buffer, number), byte(what))
}

// send completes and sends a frame that begin started.
func (l *link) send(whole []byte) error {
	binary.BigEndian.PutUint32(whole, uint32(len(whole)-4))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.patience > 0 {
		if err := l.conn.SetWriteDeadline(time.Now().Add(l.patience)); err != nil {
			return err
		}
	}
	_, err := l.conn.Write(whole)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		// A part of the frame may be sent, so nothing can follow it.
		l.stalled.Store(true)
		return errors.Join(errStalled, l.conn.Close())
	}
	return err
}

// errStalled is the end of a connection whose other end does not read.
var errStalled = errors.New("the other process does not read")

func (l *link) receive() (frame, error) {
	var size [4]byte
	if _, err := io.ReadFull(l.in, size[:]); err != nil {
		return frame{}, err
	}
	length := binary.BigEndian.Uint32(size[:])
	if length < prefix-4 || length > maxFrame {
		return frame{}, errors.New("a frame has a wrong length")
	}
	whole := make([]byte, length)
	if _, err := io.ReadFull(l.in, whole); err != nil {
		return frame{}, err
	}
	return frame{number: binary.BigEndian.Uint64(whole), kind: kind(whole[8]), content: whole[9:]}, nil
}

// buffers is a pool of buffers for frames to send. Large ones are not reused.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, keptBuffer)) }}

const keptBuffer = 16 << 10

func release(buffer *[]byte) {
	if cap(*buffer) <= 4*keptBuffer {
		buffers.Put(buffer)
	}
}

func appendNumber(to []byte, number uint64) []byte { return binary.AppendUvarint(to, number) }

func appendText(to []byte, text string) []byte {
	return append(appendNumber(to, uint64(len(text))), text...)
}

func appendHeader(to []byte, header http.Header) []byte {
	fields := 0
	for _, values := range header {
		fields += len(values)
	}
	to = appendNumber(to, uint64(fields))
	for name, values := range header {
		for _, value := range values {
			to = appendText(appendText(to, name), value)
		}
	}
	return to
}

// parts decodes the content of a frame. After an error all results are zero.
type parts struct {
	rest  []byte
	wrong bool
}

func (p *parts) number() uint64 {
	found, size := binary.Uvarint(p.rest)
	if size <= 0 {
		p.rest, p.wrong = nil, true
		return 0
	}
	p.rest = p.rest[size:]
	return found
}

func (p *parts) text() string {
	size := p.number()
	if size > uint64(len(p.rest)) {
		p.rest, p.wrong = nil, true
		return ""
	}
	text := string(p.rest[:size])
	p.rest = p.rest[size:]
	return text
}

func (p *parts) header() http.Header {
	fields := p.number()
	header := make(http.Header, min(fields, 32))
	for ; fields > 0 && !p.wrong; fields-- {
		name, value := textproto.CanonicalMIMEHeaderKey(p.text()), p.text()
		header[name] = append(header[name], value)
	}
	return header
}
