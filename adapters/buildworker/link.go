package buildworker

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// frameKind is the kind of a frame.
type frameKind byte

// The kinds of frames. The service sends a call to the worker, and the worker's outcome
// ends it. In between, the worker asks questions (askStat, askList, askRead) and gets one
// reply to each.
const (
	frameCall frameKind = iota + 1
	frameCancel
	frameReply
	frameWanted

	askStat
	askList
	askRead
	frameOutcome
	frameContents
)

// Bounds on what the service reads from a worker, in bytes.
const (
	// maxHeadBytes bounds a frame without file contents: ten thousand paths are one or
	// two MiB.
	maxHeadBytes = 16 << 20
	// maxContentsBytes bounds the files of one result. It exceeds what a build may read
	// from a project.
	maxContentsBytes = 1 << 30
)

// errProtocol reports that the other side violates the protocol.
var errProtocol = errors.New("the build worker violated the protocol")

// link is one end of the connection. A frame is its length in 4 bytes, big endian, its
// kind in one byte, and that many bytes. Many goroutines may send frames; one goroutine
// receives them.
type link struct {
	conn net.Conn
	in   *bufio.Reader

	mu sync.Mutex // one frame is written at a time
}

const (
	frameHead = 5
	bufferFor = 64 << 10
)

func newLink(conn net.Conn) *link {
	return &link{conn: conn, in: bufio.NewReaderSize(conn, bufferFor)}
}

// send writes a frame from parts, which it does not copy.
func (l *link) send(kind frameKind, parts ...[]byte) error {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	if int64(size) > int64(^uint32(0)) {
		return fmt.Errorf("a frame of %d bytes cannot be sent", size)
	}
	head := binary.BigEndian.AppendUint32(make([]byte, 0, frameHead), uint32(size))
	buffers := append(net.Buffers{append(head, byte(kind))}, parts...)
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := buffers.WriteTo(l.conn)
	return err
}

// next reads the head of a frame: its kind, and the number of bytes that follow.
func (l *link) next() (frameKind, int64, error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(l.in, head[:]); err != nil {
		return 0, 0, err
	}
	return frameKind(head[4]), int64(binary.BigEndian.Uint32(head[:4])), nil
}

// body reads the bytes of a frame.
func (l *link) body(size int64) ([]byte, error) {
	body := make([]byte, size)
	_, err := io.ReadFull(l.in, body)
	return body, err
}

// receive reads a frame of at most limit bytes.
func (l *link) receive(limit int64) (frameKind, []byte, error) {
	kind, size, err := l.next()
	if err != nil {
		return 0, nil, err
	}
	if size > limit {
		return 0, nil, fmt.Errorf("%w: a frame of %d bytes", errProtocol, size)
	}
	body, err := l.body(size)
	return kind, body, err
}

// sendHead sends a value as JSON, followed by raw bytes.
func (l *link) sendHead(kind frameKind, value any, rest ...[]byte) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	head := [][]byte{binary.BigEndian.AppendUint32(nil, uint32(len(text))), text}
	return l.send(kind, append(head, rest...)...)
}

// readHead decodes what sendHead sent. The rest aliases body.
func readHead(body []byte, value any) (rest []byte, err error) {
	if len(body) < 4 {
		return nil, errProtocol
	}
	size := int64(binary.BigEndian.Uint32(body))
	if size > int64(len(body)-4) {
		return nil, errProtocol
	}
	if err := json.Unmarshal(body[4:4+size], value); err != nil {
		return nil, fmt.Errorf("%w: %w", errProtocol, err)
	}
	return body[4+size:], nil
}
