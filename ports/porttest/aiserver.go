package porttest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// AIWire is how a vendor writes its answers.
type AIWire struct {
	ContentType string
	// Chunks writes what is said, in pieces that are sent one by one.
	Chunks func(chunks []ai.Chunk) []string
	// Last writes the last word, after the given chunks.
	Last func(chunks []ai.Chunk, usage core.Usage) string
	// Complaint writes an error inside a stream, Refusal the body of one.
	Complaint func(text string) string
	Refusal   func(text string) string
}

// AIServer is an HTTP server that plays a script to every POST.
type AIServer struct {
	URL      string
	script   AIScript
	wire     AIWire
	requests atomic.Int64
	left     chan struct{}
}

// ServeAI starts a server that lives as long as the test.
func ServeAI(t *testing.T, script AIScript, wire AIWire) *AIServer {
	server := &AIServer{script: script, wire: wire, left: make(chan struct{}, 64)}
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	server.URL = listener.URL
	return server
}

// Upstream is the server behind a provider that reaches it.
func (s *AIServer) Upstream(provider ai.Provider) AIUpstream {
	return AIUpstream{
		Provider: provider,
		Requests: func() int { return int(s.requests.Load()) },
		Left:     s.left,
	}
}

// ServeHTTP implements http.Handler.
func (s *AIServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	// The server notices that a caller went away once the body is read.
	_, _ = io.Copy(io.Discard, r.Body)
	if s.script.End == AIRefuses {
		w.Header().Set("Retry-After", s.script.RetryAfter)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(s.script.Status)
		_, _ = io.WriteString(w, s.wire.Refusal(s.script.Text))
		return
	}
	w.Header().Set("Content-Type", s.wire.ContentType)
	for _, piece := range s.wire.Chunks(s.script.Chunks) {
		s.say(w, piece)
	}
	switch s.script.End {
	case AIWhole:
		s.say(w, s.wire.Last(s.script.Chunks, s.script.Usage))
	case AIComplains:
		s.say(w, s.wire.Complaint(s.script.Text))
	case AIHangs:
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		s.left <- struct{}{}
	}
}

func (s *AIServer) say(w http.ResponseWriter, piece string) {
	_, _ = fmt.Fprint(w, piece)
	_ = http.NewResponseController(w).Flush()
}
