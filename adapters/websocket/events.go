package websocket

import (
	"errors"
	"io"
	"time"

	"github.com/coder/websocket"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
)

const (
	// maxCallBytes bounds a message of a client that follows events.
	maxCallBytes = 64 << 10
	// maxSkippedBytes bounds what is read of a longer message to find its end.
	maxSkippedBytes = 1 << 20
	// maxMistakes is how many messages may be refused within a minute.
	maxMistakes = 100
)

// events is the protocol of clients that follow events as JSON.
type events struct {
	*socket
	now   func() time.Time
	texts *texts
	// mistakes counts the refused messages since the time since.
	mistakes int
	since    time.Time
}

func (e *events) greet() error { return nil }

// keepAlive does nothing: pings of the WebSocket protocol suffice.
func (e *events) keepAlive() error { return nil }

func (e *events) receive(kind websocket.MessageType, from io.Reader) error {
	if kind != websocket.MessageText {
		return errKind
	}
	text, err := readMessage(from, maxCallBytes)
	if err != nil {
		return err
	}
	if len(text) <= maxCallBytes {
		err = e.answer(text)
	} else {
		err = skip(from)
	}
	var mistake *core.Error
	if !errors.As(err, &mistake) || mistake == errEndless || mistake.Code == core.CodeUnavailable || mistake.Code == core.CodeInternal {
		return err
	}
	if err := e.count(); err != nil {
		return err
	}
	return e.say(rooms.Failure{Error: mistake.Code, Message: mistake.Message})
}

// errEndless ends the socket of a client whose message does not end within maxSkippedBytes.
var errEndless = core.Errorf(core.CodePayloadTooLarge, "a message has more than %d bytes", maxSkippedBytes)

// skip reads the rest of a message that is too long.
func skip(from io.Reader) error {
	skipped, err := io.Copy(io.Discard, io.LimitReader(from, maxSkippedBytes))
	switch {
	case err != nil:
		return asGone(err)
	case skipped == maxSkippedBytes:
		return errEndless
	}
	return core.Errorf(core.CodePayloadTooLarge, "a message has more than %d bytes", maxCallBytes)
}

// answer carries out a message.
func (e *events) answer(text []byte) error {
	c, err := parseCall(text)
	if err != nil {
		return err
	}
	if c.kind == callPing {
		return e.say(rooms.Pong{})
	}
	return e.member.Move(c.place)
}

// count counts a mistake, and ends the socket of a client that makes too many.
func (e *events) count() error {
	now := e.now()
	if now.Sub(e.since) > time.Minute {
		e.mistakes, e.since = 0, now
	}
	if e.mistakes++; e.mistakes > maxMistakes {
		return errMistakes
	}
	return nil
}

func (e *events) send(frame *rooms.Frame) error {
	if frame.Event == nil {
		return nil
	}
	text, err := e.texts.of(frame)
	if err != nil {
		return err
	}
	return e.writeMessage(websocket.MessageText, text)
}

// say sends a message to this client alone.
func (e *events) say(event rooms.Event) error {
	text, err := encode(event)
	if err != nil {
		return err
	}
	return e.writeMessage(websocket.MessageText, text)
}
