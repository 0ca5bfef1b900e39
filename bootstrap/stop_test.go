package bootstrap_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/process"
)

// TestAGracefulStopEndsStreamsWithAWordAndKeepsTheWork covers SIGTERM while the
// agent works and previews are watched.
func TestAGracefulStopEndsStreamsWithAWordAndKeepsTheWork(t *testing.T) {
	address, _ := slowOllama(t)
	service := process.Start(t, process.Build(t), "AI_PROVIDER=ollama", "OLLAMA_HOST="+address, "AI_MODEL=m")
	s := &site{t: t, url: service.URL, http: localClient()}
	w := s.signUp().create("static-html")
	watched := w.open(t.Context(), http.MethodGet, w.path("/preview/events"), nil)
	defer watched.Body.Close()
	response := w.open(t.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", map[string]any{"chatId": w.chat, "text": "hi"})
	defer response.Body.Close()
	var last event
	stopped := make(chan error, 1)
	each(t, response.Body, func(e event) bool {
		if last = e; e.kind() == "assistant.message_delta" {
			go func() { stopped <- service.Terminate() }()
		}
		return true
	})
	if last.kind() != "session.error" || last.data["error"] != "interrupted" {
		t.Fatalf("got %v at the end of the stream, want interrupted", last.data)
	}
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	service.Restart()
	log := w.history()
	if end := log[len(log)-1]; end["type"] != "session.error" || end["error"] != "interrupted" {
		t.Fatalf("got %v at the end of the log, want interrupted", end)
	}
}

// TestADetachedRunGoesOnAfterAGracefulStop covers SIGTERM while the agent works for
// nobody who waits.
func TestADetachedRunGoesOnAfterAGracefulStop(t *testing.T) {
	address := scriptedOllama(t, workScript())
	service := process.Start(t, process.Build(t), "AI_PROVIDER=ollama", "OLLAMA_HOST="+address, "AI_MODEL=m")
	w := (&site{t: t, url: service.URL, http: localClient()}).signUp().create("static-html")
	w.detached("Go.")
	client := &reconnecting{work: w}
	left := client.follow()
	service.Stop()
	<-left
	service.Restart()
	<-client.follow()
	w.waitIdle()
	log := w.history()
	if end := log[len(log)-1]; end["type"] != "session.task_complete" || end["reason"] != "done" {
		t.Fatalf("got %v at the end of the log, want the run carried through", end)
	}
	if fmt.Sprint(client.seen) != fmt.Sprint(log) {
		t.Fatalf("the client saw\n%v\nthe log has\n%v", client.seen, log)
	}
}
