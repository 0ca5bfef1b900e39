// Package streams lets an application send to a realtime stream that ends at the same moment.
//
// PocketBase closes a client's channel when its stream ends, while others may still send to it,
// and recovers from their panics. That is a data race: here the channel stays open, and those that
// send are told that nobody listens anymore.
package streams

import (
	"sync"

	pb "github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/subscriptions"
)

// Bind gives every realtime stream of an application such a client.
func Bind(app pb.App) {
	app.OnRealtimeConnectRequest().BindFunc(func(e *pb.RealtimeConnectRequestEvent) error {
		e.Client = newClient(e.Client)
		return e.Next()
	})
}

// client is a realtime client that has a channel of its own, which is never closed. PocketBase
// discards it when its stream has ended, so nobody receives from it then.
type client struct {
	subscriptions.Client

	messages chan subscriptions.Message
	gone     chan struct{}
	discard  func()
}

func newClient(of subscriptions.Client) *client {
	c := &client{Client: of, messages: make(chan subscriptions.Message), gone: make(chan struct{})}
	c.discard = sync.OnceFunc(func() {
		close(c.gone)
		of.Discard()
	})
	return c
}

// Channel returns what is sent to the client.
func (c *client) Channel() chan subscriptions.Message { return c.messages }

// Discard ends what still waits to send to the client, and may be called again.
func (c *client) Discard() { c.discard() }

// Send waits until the client has received the message, or is discarded.
func (c *client) Send(message subscriptions.Message) {
	select {
	case c.messages <- message:
	case <-c.gone:
	}
}
