package agent_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// TestAGracefulStopEndsStreamsWithAWordAndKeepsTheWork covers SIGTERM while the
// agent works and previews are watched.
func TestAGracefulStopEndsStreamsWithAWordAndKeepsTheWork(t *testing.T) {
	address, _ := storytest.SlowOllama(t)
	service := process.Start(t, process.Build(t), "AI_PROVIDER=ollama", "OLLAMA_HOST="+address, "AI_MODEL=m")
	s := &storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}
	w := s.SignUp().Create("static-html")
	watched := w.Open(t.Context(), http.MethodGet, w.Path("/preview/events"), nil)
	defer watched.Body.Close()
	response := w.Open(t.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", map[string]any{"chatId": w.Chat, "text": "hi"})
	defer response.Body.Close()
	var last storytest.Event
	stopped := make(chan error, 1)
	storytest.Each(t, response.Body, func(e storytest.Event) bool {
		if last = e; e.Kind() == "assistant.message_delta" {
			go func() { stopped <- service.Terminate() }()
		}
		return true
	})
	if last.Kind() != "session.error" || last.Data["error"] != "interrupted" {
		t.Fatalf("got %v at the end of the stream, want interrupted", last.Data)
	}
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	service.Restart()
	log := w.History()
	if end := log[len(log)-1]; end["type"] != "session.error" || end["error"] != "interrupted" {
		t.Fatalf("got %v at the end of the log, want interrupted", end)
	}
}

// TestADetachedRunGoesOnAfterAGracefulStop covers SIGTERM while the agent works and no
// client waits.
func TestADetachedRunGoesOnAfterAGracefulStop(t *testing.T) {
	address := scriptedOllama(t, workScript())
	service := process.Start(t, process.Build(t), "AI_PROVIDER=ollama", "OLLAMA_HOST="+address, "AI_MODEL=m")
	w := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create("static-html")
	w.Detached("Go.")
	client := &resumingClient{Crash: &storytest.Crash{Service: service, Work: w}}
	_, left := client.follow()
	service.Stop()
	<-left
	service.Restart()
	_, left = client.follow()
	<-left
	w.WaitIdle()
	log := w.History()
	if end := log[len(log)-1]; end["type"] != "session.task_complete" || end["reason"] != "done" {
		t.Fatalf("got %v at the end of the log, want the run carried through", end)
	}
	if fmt.Sprint(client.seen) != fmt.Sprint(log) {
		t.Fatalf("the client saw\n%v\nthe log has\n%v", client.seen, log)
	}
}
