package aitest

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

// Wire is how a vendor writes its answers.
type Wire struct {
	ContentType string
	// Chunks writes chunks, in pieces that are sent one by one.
	Chunks func(chunks []ai.Chunk) []string
	// Last writes the final event, after the given chunks.
	Last func(chunks []ai.Chunk, usage core.Usage) string
	// Complaint writes an error inside a stream, Refusal the body of one.
	Complaint func(text string) string
	Refusal   func(text string) string
}

// Server is an HTTP server that plays a script to every POST.
type Server struct {
	URL      string
	script   Script
	wire     Wire
	requests atomic.Int64
	left     chan struct{}
}

// Serve starts a server that lives as long as the test.
func Serve(t *testing.T, script Script, wire Wire) *Server {
	server := &Server{script: script, wire: wire, left: make(chan struct{}, 64)}
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	server.URL = listener.URL
	return server
}

// Upstream is the server behind a provider that reaches it.
func (s *Server) Upstream(provider ai.Provider) Upstream {
	return Upstream{
		Provider: provider,
		Requests: func() int { return int(s.requests.Load()) },
		Left:     s.left,
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	// The server notices that a caller went away once the body is read.
	_, _ = io.Copy(io.Discard, r.Body)
	if s.script.End == Refuses {
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
	case Whole:
		s.say(w, s.wire.Last(s.script.Chunks, s.script.Usage))
	case Complains:
		s.say(w, s.wire.Complaint(s.script.Text))
	case Hangs:
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		s.left <- struct{}{}
	}
}

func (s *Server) say(w http.ResponseWriter, piece string) {
	_, _ = fmt.Fprint(w, piece)
	_ = http.NewResponseController(w).Flush()
}
