package functionworker

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
)

// message is the content of a frame; one of its parts is set. Call is the number of the
// call, Number that of the question.
type message struct {
	Call, Number uint64

	// Run starts a call, Cancel cancels it, Answer answers a question. The service sends them.
	Run    *functions.Call `json:",omitempty"`
	Cancel bool            `json:",omitempty"`
	Answer *answer         `json:",omitempty"`

	// Question asks the host of a call, Result ends the call, Retire announces that the worker
	// takes no more calls. The worker sends them.
	Question *question `json:",omitempty"`
	Result   *result   `json:",omitempty"`
	Retire   bool      `json:",omitempty"`
}

// question is a method of the host with its arguments.
type question struct {
	Method            string
	Request           functions.Request
	Admin             bool
	To, Subject, Text string
	Options           functions.AIOptions
}

// answer is the result of a host's method.
type answer struct {
	Response functions.Response
	Text     string
	Fault    *fault `json:",omitempty"`
}

// result is the result of a run.
type result struct {
	Result functions.Result
	Fault  *fault `json:",omitempty"`
}

// fault is an error in a message.
type fault struct {
	Code    core.Code
	Message string
}

// faultOf returns the part of an error that a function may see.
func faultOf(err error) *fault {
	if err == nil {
		return nil
	}
	var known *core.Error
	if errors.As(err, &known) && known.Code != core.CodeInternal {
		return &fault{known.Code, known.Message}
	}
	return &fault{core.CodeInternal, "internal error"}
}

func (f *fault) error() error {
	if f == nil {
		return nil
	}
	return core.Errorf(f.Code, "%s", f.Message)
}

// maxFrameBytes bounds a frame. The largest is an answer with its body in base64.
const maxFrameBytes = 16 << 20

// link is one end of the connection. A frame is its length in 4 bytes, big endian, and then
// JSON. Many goroutines may send; one receives.
type link struct {
	conn net.Conn
	in   *bufio.Reader
	mu   sync.Mutex // one frame is written at a time
}

func newLink(conn net.Conn) *link { return &link{conn: conn, in: bufio.NewReaderSize(conn, 64<<10)} }

func (l *link) send(m message) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(text) > maxFrameBytes {
		return core.Errorf(core.CodePayloadTooLarge, "the message is too large")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	buffers := net.Buffers{binary.BigEndian.AppendUint32(nil, uint32(len(text))), text}
	_, err = buffers.WriteTo(l.conn)
	return err
}

func (l *link) receive() (message, error) {
	var head [4]byte
	if _, err := io.ReadFull(l.in, head[:]); err != nil {
		return message{}, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxFrameBytes {
		return message{}, errors.New("a frame is too large")
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(l.in, text); err != nil {
		return message{}, err
	}
	var m message
	return m, json.Unmarshal(text, &m)
}
