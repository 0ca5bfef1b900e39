package streams

import (
	"sync"
	"testing"

	"github.com/pocketbase/pocketbase/tools/subscriptions"
)

func TestClientIsDiscardedWhileOthersSend(t *testing.T) {
	for range 200 {
		c := newClient(subscriptions.NewDefaultClient())
		var sending sync.WaitGroup
		for range 5 {
			sending.Go(func() { c.Send(subscriptions.Message{Name: "entries"}) })
		}
		if got := <-c.Channel(); got.Name != "entries" {
			t.Fatalf("got %+v, want what was sent", got)
		}
		c.Discard()
		c.Discard()
		sending.Wait()
		if !c.IsDiscarded() {
			t.Fatal("got a client in use, want it discarded")
		}
		c.Send(subscriptions.Message{Name: "late"})
	}
}
