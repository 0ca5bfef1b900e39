package yprotocol

import (
	"github.com/atelierhq/atelier/adapters/internal/lib0"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// Bounds on the content of a message.
const (
	// MaxVectorBytes is the longest state vector: one of more clients than open a project
	// in years.
	MaxVectorBytes = 1 << 20
	// MaxAwarenessBytes is the longest awareness update.
	MaxAwarenessBytes = 256 << 10
	// MaxReasonBytes is the longest reason of a refusal.
	MaxReasonBytes = 1 << 10
	// MaxFrameBytes is the longest frame, including the framing around an update.
	MaxFrameBytes = replica.MaxUpdateBytes + 16
)

// Kind is the kind of a message.
type Kind int

// The kinds of messages, with their content.
const (
	// SyncStep1 carries a state vector and asks for what its sender lacks.
	SyncStep1 Kind = iota + 1
	// SyncStep2 carries an update that answers SyncStep1.
	SyncStep2
	// Update carries an update with a change.
	Update
	// Awareness carries an awareness update.
	Awareness
	// QueryAwareness carries nothing and asks for everybody's awareness.
	QueryAwareness
	// PermissionDenied carries the reason of a refusal, for people.
	PermissionDenied
)

// Message is one message.
type Message struct {
	Kind Kind
	// Body is the content of the message. After Read it aliases the frame.
	Body []byte
}

// The first numbers of messages.
const (
	numberSync           = 0
	numberAwareness      = 1
	numberAuth           = 2
	numberQueryAwareness = 3
)

// Read decodes the message of a frame. A frame without a valid message has code
// core.CodeInvalidRequest, one that is too long core.CodePayloadTooLarge. It does not
// check updates.
func Read(frame []byte) (Message, error) {
	if len(frame) > MaxFrameBytes {
		return Message{}, core.Errorf(core.CodePayloadTooLarge, "a frame is longer than %d bytes", MaxFrameBytes)
	}
	r := lib0.NewReader(frame)
	message := Message{Kind: readKind(r)}
	if message.Kind != QueryAwareness && r.Err() == nil {
		message.Body = r.Bytes()
	}
	switch {
	case r.Err() != nil:
		return Message{}, core.Wrap(core.CodeInvalidRequest, r.Err(), "a frame holds no message")
	case message.Kind == 0 || r.Len() > 0:
		return Message{}, core.Errorf(core.CodeInvalidRequest, "a frame holds no message, or more than one")
	case len(message.Body) > message.Kind.maxBytes():
		return Message{}, core.Errorf(core.CodePayloadTooLarge, "a message carries more than %d bytes", message.Kind.maxBytes())
	}
	return message, nil
}

func readKind(r *lib0.Reader) Kind {
	switch r.Uint() {
	case numberSync:
		if step := r.Uint(); step <= 2 {
			return SyncStep1 + Kind(step)
		}
	case numberAwareness:
		return Awareness
	case numberAuth:
		if r.Uint() == 0 {
			return PermissionDenied
		}
	case numberQueryAwareness:
		return QueryAwareness
	}
	return 0
}

func (k Kind) maxBytes() int {
	switch k {
	case SyncStep1:
		return MaxVectorBytes
	case Awareness:
		return MaxAwarenessBytes
	case PermissionDenied:
		return MaxReasonBytes
	}
	return replica.MaxUpdateBytes
}

// Frame returns the frame that holds the message.
func (m Message) Frame() []byte {
	frame := make([]byte, 0, len(m.Body)+8)
	switch m.Kind {
	case SyncStep1, SyncStep2, Update:
		frame = append(frame, numberSync, byte(m.Kind-SyncStep1))
	case Awareness:
		frame = append(frame, numberAwareness)
	case PermissionDenied:
		frame = append(frame, numberAuth, 0)
	case QueryAwareness:
		return append(frame, numberQueryAwareness)
	}
	return lib0.AppendBytes(frame, m.Body)
}
