package websocket

import (
	"bytes"
	"io"

	"github.com/coder/websocket"

	"github.com/atelierhq/atelier/adapters/internal/yprotocol"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
)

// documents is the protocol of clients of y-websocket, which hold a copy of the
// document.
type documents struct{ *socket }

// greet asks the client for what the room lacks, and sends the awareness of those
// present.
func (d *documents) greet() error {
	vector, err := d.member.Vector()
	if err != nil {
		return err
	}
	if err := d.write(yprotocol.SyncStep1, vector); err != nil {
		return err
	}
	d.member.QueryAwareness()
	return nil
}

func (d *documents) receive(kind websocket.MessageType, from io.Reader) error {
	if kind != websocket.MessageBinary {
		return errKind
	}
	frame, err := readMessage(from, yprotocol.MaxFrameBytes)
	if err != nil {
		return err
	}
	message, err := yprotocol.Read(frame)
	if err != nil {
		return err
	}
	switch message.Kind {
	case yprotocol.SyncStep1:
		return d.member.Sync(message.Body)
	case yprotocol.SyncStep2, yprotocol.Update:
		return d.update(message.Body)
	case yprotocol.Awareness:
		states, err := yprotocol.ReadStates(message.Body)
		if err != nil {
			return err
		}
		return d.member.Show(states)
	case yprotocol.QueryAwareness:
		d.member.QueryAwareness()
		return nil
	}
	return core.Errorf(core.CodeInvalidRequest, "this message is for clients")
}

// emptyUpdate has neither content nor deletions. A client without news sends it in answer
// to a question, even if it may only read.
var emptyUpdate = []byte{0, 0}

// update applies an update to the document, or tells a client that may only read that it
// may not.
func (d *documents) update(update []byte) error {
	if bytes.Equal(update, emptyUpdate) {
		return nil
	}
	err := d.member.Update(update)
	if core.IsCode(err, core.CodeForbidden) {
		return d.write(yprotocol.PermissionDenied, []byte("you may read this project, but not change it"))
	}
	return err
}

func (d *documents) send(frame *rooms.Frame) error {
	switch {
	case frame.SyncReply != nil:
		return d.write(yprotocol.SyncStep2, frame.SyncReply)
	case frame.Repeats > 0:
		return d.repeat(frame.Repeats)
	case frame.SyncRequest != nil:
		return d.write(yprotocol.SyncStep1, frame.SyncRequest)
	case frame.Update != nil:
		return d.write(yprotocol.Update, frame.Update)
	case frame.Awareness != nil:
		return d.show(frame.Awareness)
	}
	return nil
}

// A client of y-websocket repeats the awareness that it receives, message by message.
// Half of the input limit leaves room for the form in which it does so.
const (
	mostShown      = yprotocol.MaxStates / 2
	mostShownBytes = yprotocol.MaxAwarenessBytes / 2
)

// show sends clients' awareness, in as many messages as needed.
func (d *documents) show(states []core.Awareness) error {
	for len(states) > 0 {
		count, bytes := 0, 0
		for count < len(states) && count < mostShown && (count == 0 || bytes+len(states[count].Value) < mostShownBytes) {
			bytes += len(states[count].Value)
			count++
		}
		if err := d.write(yprotocol.Awareness, yprotocol.WriteStates(states[:count])); err != nil {
			return err
		}
		states = states[count:]
	}
	return nil
}

// repeat answers sync requests that the previous reply answered as well, because clients
// count the replies.
func (d *documents) repeat(times int) error {
	for ; times > 0; times-- {
		if err := d.write(yprotocol.SyncStep2, emptyUpdate); err != nil {
			return err
		}
	}
	return nil
}

// keepAlive sends an empty awareness update. A client closes a connection on which it received
// nothing for 30 seconds, and pings of the WebSocket protocol do not count.
func (d *documents) keepAlive() error {
	return d.write(yprotocol.Awareness, yprotocol.WriteStates(nil))
}

func (d *documents) write(kind yprotocol.Kind, body []byte) error {
	return d.writeMessage(websocket.MessageBinary, yprotocol.Message{Kind: kind, Body: body}.Frame())
}
