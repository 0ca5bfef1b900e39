package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
)

const (
	// pingEvery is the interval of pings, and the time that a client has for its answer.
	pingEvery = 20 * time.Second
	// closeTime is how long a client may take to receive the close frame.
	closeTime = 5 * time.Second
)

// protocol is the subprotocol between a client and the room.
type protocol interface {
	// greet writes the first messages to a client.
	greet() error
	// receive carries out a client's message. An error ends the socket.
	receive(kind websocket.MessageType, message io.Reader) error
	// send writes a frame of the room.
	send(frame *rooms.Frame) error
	// keepAlive writes what keeps clients from closing a quiet connection.
	keepAlive() error
}

// socket is one client in a room.
type socket struct {
	conn     *websocket.Conn
	raw      *deadlineConn
	member   *rooms.Member
	onLeave  func()
	way      rooms.Protocol
	protocol protocol
	log      *slog.Logger
	project  core.ID

	over sync.Once
	// mu guards the timers, which are not restarted once the socket has ended.
	mu     sync.Mutex
	ended  bool
	pings  *time.Timer
	expiry *time.Timer
}

// read handles the client's messages, in order, until the socket ends.
func (s *socket) read() {
	for {
		kind, message, err := s.conn.Reader(context.Background())
		if err != nil {
			s.drop()
			return
		}
		if err := s.protocol.receive(kind, message); err != nil {
			s.end(err)
			return
		}
	}
}

// write sends the room's frames to the client, in order, until the socket ends.
func (s *socket) write() {
	err := s.protocol.greet()
	for err == nil {
		var frame *rooms.Frame
		if frame, err = s.member.Next(context.Background()); err == nil {
			err = s.writeFrame(frame)
		}
	}
	s.end(err)
}

// writeFrame writes a frame, together with the queued ones after it.
func (s *socket) writeFrame(frame *rooms.Frame) error {
	if s.member.Waits() {
		s.raw.hold()
	}
	err := s.protocol.send(frame)
	if err != nil || s.member.Waits() {
		return err
	}
	return asGone(s.raw.release())
}

// writeMessage writes one message. It is safe for concurrent use.
func (s *socket) writeMessage(kind websocket.MessageType, message []byte) error {
	return asGone(s.conn.Write(context.Background(), kind, message))
}

// readMessage reads a message, or its first limit+1 bytes if it is longer.
func readMessage(from io.Reader, limit int64) ([]byte, error) {
	message, err := io.ReadAll(io.LimitReader(from, limit+1))
	return message, asGone(err)
}

// errGone reports that the connection is lost.
var errGone = errors.New("the client is gone")

func asGone(err error) error {
	if err == nil {
		return nil
	}
	return errors.Join(errGone, err)
}

// end closes the socket, once, and tells the client why. It returns when the client has
// received that, or after closeTime.
func (s *socket) end(why error) {
	if errors.Is(why, errGone) {
		s.drop()
		return
	}
	s.over.Do(func() {
		s.leave()
		s.raw.setFinalDeadline(closeTime)
		_ = s.raw.release()
		code, reason := closing(why, s.way)
		if code == websocket.StatusInternalError {
			s.log.Error("socket failed", "project", s.project, "error", why)
		}
		_ = s.conn.Close(code, reason)
	})
}

// drop closes the socket of a client that is gone.
func (s *socket) drop() {
	s.over.Do(func() {
		s.leave()
		_ = s.conn.CloseNow()
	})
}

func (s *socket) leave() {
	s.mu.Lock()
	s.ended = true
	s.pings.Stop()
	if s.expiry != nil {
		s.expiry.Stop()
	}
	s.mu.Unlock()
	s.onLeave()
}

// expire ends the socket when the token expires.
func (s *socket) expire() {
	s.end(core.Errorf(core.CodeTokenExpired, "the token has expired"))
}

// ping checks whether the client is alive. A client in the middle of a long message
// answers late, but counts as alive.
func (s *socket) ping() {
	s.guarded(func() {
		ctx, cancel := context.WithTimeout(context.Background(), pingEvery)
		defer cancel()
		err := s.protocol.keepAlive()
		if err == nil {
			err = s.conn.Ping(ctx)
		}
		if err != nil && !s.raw.isAlive(pingEvery) {
			s.drop()
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.ended {
			s.pings.Reset(pingEvery)
		}
	})
}

// guarded recovers from a panic, which then ends only this socket.
func (s *socket) guarded(do func()) {
	defer func() {
		if cause := recover(); cause != nil {
			s.end(core.Wrap(core.CodeInternal, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()), "internal error"))
		}
	}()
	do()
}
