// Package sse writes streams of server-sent events.
package sse

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// PingEvery keeps proxies from closing a quiet stream.
const PingEvery = 15 * time.Second

// Stream is an answer of server-sent events. Many goroutines may send.
type Stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	cancel  context.CancelFunc
	// pings is nil for HEAD. It is a timer, because a goroutine for each of thousands of
	// quiet streams would cost a stack each.
	pings *time.Timer

	mu     sync.Mutex
	failed error
	closed bool
}

// Open begins the answer. The context ends with the request's, when the client stops
// receiving, and immediately for HEAD, which has no body. The caller closes the stream
// before the handler returns.
func Open(w http.ResponseWriter, r *rest.Request) (*Stream, context.Context) {
	header := w.Header()
	// These two headers concern pages. Without them the headers fit the smallest map,
	// which matters for thousands of streams.
	header.Del("X-Frame-Options")
	header.Del("Referrer-Policy")
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	ctx, cancel := context.WithCancel(r.Context())
	s := &Stream{w: w, control: http.NewResponseController(w), cancel: cancel}
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		cancel()
		return s, ctx
	}
	// Send the first bytes immediately, so that the client sees the answer begin.
	_ = s.write([]byte(": open\n\n"))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pings = time.AfterFunc(PingEvery, s.ping)
	return s, ctx
}

// Send writes one event, with its id unless that is 0. An error, which has code
// core.CodeUnavailable, means that the client no longer receives.
func (s *Stream) Send(id int64, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return core.Wrap(core.CodeInternal, err, "the event cannot be written as JSON")
	}
	frame := make([]byte, 0, len(text)+40)
	if id != 0 {
		frame = strconv.AppendInt(append(frame, "id: "...), id, 10)
		frame = append(frame, '\n')
	}
	frame = append(append(append(frame, "data: "...), text...), "\n\n"...)
	return s.write(frame)
}

// Close stops the pings. Nothing may be sent after it.
func (s *Stream) Close() {
	s.cancel()
	if s.pings != nil {
		s.pings.Stop()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	// The connection may serve another request, which has its own deadlines.
	_ = s.control.SetWriteDeadline(time.Time{})
}

// ping keeps a quiet stream open. A ping that is running when the stream is closed writes
// before Close returns or not at all.
func (s *Stream) ping() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed && s.writeLocked([]byte(": ping\n\n")) == nil {
		s.pings.Reset(PingEvery)
	}
}

// write sends bytes with their own deadline. After one failure all writes fail, because
// the client may have received half of a frame.
func (s *Stream) write(frame []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writeLocked(frame)
}

func (s *Stream) writeLocked(frame []byte) error {
	if s.failed != nil {
		return s.failed
	}
	deadlineErr := s.control.SetWriteDeadline(time.Now().Add(rest.WriteTime))
	if errors.Is(deadlineErr, http.ErrNotSupported) {
		deadlineErr = nil
	}
	_, writeErr := s.w.Write(frame)
	if err := errors.Join(deadlineErr, writeErr, s.control.Flush()); err != nil {
		s.failed = core.Wrap(core.CodeUnavailable, err, "the client does not receive the stream")
		s.cancel()
	}
	return s.failed
}
