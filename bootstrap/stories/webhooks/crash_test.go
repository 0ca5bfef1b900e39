package webhooks_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestAKilledServiceDeliversAfterItsRestart kills the binary between the commit of an event and its
// delivery: while the receiver has the request of one webhook and no answer, and another's receiver
// is down.
func TestAKilledServiceDeliversAfterItsRestart(t *testing.T) {
	t.Parallel()
	service := process.Start(t, process.Build(t), "PRIVATE_NETWORKS=allow")
	owner := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp()
	var answering atomic.Bool
	r := newReceiver(t, func(_ http.ResponseWriter, request *http.Request) {
		if !answering.Load() {
			<-request.Context().Done()
		}
	})
	cut := newHook(owner, r.URL+"/cut", core.WebhookVersionCreated)
	owner.Must(http.StatusAccepted, http.MethodPost, cut.path+"/test", nil, nil)
	first := r.await("/cut", 1)[0]
	// Two at a time are sent to a webhook, so the third is stored and not yet begun.
	for range 2 {
		owner.Must(http.StatusAccepted, http.MethodPost, cut.path+"/test", nil, nil)
	}
	r.await("/cut", 2)
	service.Kill()
	owner.Client.CloseIdleConnections()
	answering.Store(true)
	service.Restart()
	seen := map[string]int{}
	for _, one := range r.await("/cut", 5) {
		verify(t, one, cut.secret)
		seen[one.id()]++
	}
	if len(seen) != 3 || seen[first.id()] != 2 {
		t.Errorf("got the messages %v, want three, of which two were cut off and sent again", seen)
	}
	cut.awaitLog(isDelivered)
	for _, entry := range cut.log() {
		if seen[entry.MessageID] != entry.Attempts {
			t.Errorf("got %+v, want the %d attempts that the receiver saw", entry, seen[entry.MessageID])
		}
	}
}
