package attack

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/backend"
)

// Bounds of waiting for events: for those of the owner, who hears all, and then for those of
// others, which are sent at the same time.
const (
	ownerPatience = 500 * time.Millisecond
	otherPatience = 20 * time.Millisecond
)

// listen subscribes to all collections, has the owner change a record of each, and notes what the
// actors are told.
func (r *reader) listen(actors []*actor) {
	if r.err != nil {
		return
	}
	ctx, cancel := context.WithCancel(r.ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	witness := r.subscribe(ctx, &running, owner)
	streams := make([]*stream, len(actors))
	for i, a := range actors {
		streams[i] = r.subscribe(ctx, &running, a.as)
	}
	stirred := 0
	for _, t := range r.targets {
		if t.Type != backend.View && len(t.planted) > 0 && r.send(owner, http.MethodPatch, records(t, t.planted[0].id), nil, map[string]any{}).ok() {
			stirred++
		}
	}
	witness.wait(ctx, stirred)
	_ = ctxsync.Sleep(ctx, otherPatience) // what arrived until the end counts
	for i, a := range actors {
		for _, item := range streams[i].heard() {
			if t := r.target(text(item, "collectionId")); t != nil {
				if items := r.others(a, []map[string]any{item}); len(items) > 0 {
					r.learn(a, t, core.AttackSubscribe, items, 1)
				}
			}
		}
	}
}

// stream is a realtime connection.
type stream struct {
	mu      sync.Mutex
	records []map[string]any
	more    chan struct{}
}

// subscribe opens a connection with the topics of all collections and of the victim's records.
func (r *reader) subscribe(ctx context.Context, running *sync.WaitGroup, as backend.Identity) *stream {
	s := &stream{more: make(chan struct{}, 1)}
	request, err := r.request(http.MethodGet, "realtime", nil, "application/json", nil)
	if err != nil {
		return s
	}
	reader, writer := io.Pipe()
	hello := make(chan string, 1)
	running.Go(func() {
		defer writer.Close()
		defer endAborted()
		r.engine.Serve(&pipeResponse{header: make(http.Header), to: writer}, request.WithContext(ctx), r.place, as)
	})
	running.Go(func() { s.follow(reader, hello) })
	select {
	case id, ok := <-hello:
		if ok {
			r.send(as, http.MethodPost, "realtime", nil, map[string]any{"clientId": id, "subscriptions": r.topics()})
		}
	case <-ctx.Done():
	case <-time.After(ownerPatience):
	}
	return s
}

// endAborted ends a handler that was cut off in the middle of its response. It panics then, as
// net/http asks of it, and no server is here to recover from that.
func endAborted() {
	if reason := recover(); reason != nil && reason != http.ErrAbortHandler { //nolint:errorlint // net/http compares the panic's value
		panic(reason)
	}
}

func (r *reader) topics() []string {
	topics := []string{}
	for _, t := range r.targets {
		if t.Type == backend.View {
			continue
		}
		topics = append(topics, t.Name+"/*")
		if len(t.planted) > 0 {
			topics = append(topics, t.Name+"/"+t.planted[0].id)
		}
	}
	return topics
}

// follow reads events until the connection ends.
func (s *stream) follow(from io.Reader, hello chan<- string) {
	defer close(hello)
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	greeted := false
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue
		}
		var event struct {
			ClientID string         `json:"clientId"`
			Record   map[string]any `json:"record"`
		}
		if json.Unmarshal([]byte(data), &event) != nil {
			continue
		}
		if event.ClientID != "" && !greeted {
			greeted = true
			hello <- event.ClientID
		}
		if event.Record != nil {
			s.mu.Lock()
			s.records = append(s.records, event.Record)
			s.mu.Unlock()
			select {
			case s.more <- struct{}{}:
			default:
			}
		}
	}
	// Read the rest, so that the engine does not wait.
	_, _ = io.Copy(io.Discard, from)
}

// wait waits until records of so many collections were heard of, or for a while.
func (s *stream) wait(ctx context.Context, wanted int) {
	end := time.NewTimer(ownerPatience)
	defer end.Stop()
	for {
		s.mu.Lock()
		seen := make(map[string]bool)
		for _, one := range s.records {
			seen[text(one, "collectionId")] = true
		}
		s.mu.Unlock()
		if len(seen) >= wanted {
			return
		}
		select {
		case <-s.more:
		case <-end.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// heard returns the records that arrived.
func (s *stream) heard() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records
}

// pipeResponse is an http.ResponseWriter whose body is read while it is written.
type pipeResponse struct {
	header http.Header
	to     io.Writer
}

// Header implements http.ResponseWriter.
func (p *pipeResponse) Header() http.Header { return p.header }

// WriteHeader implements http.ResponseWriter.
func (p *pipeResponse) WriteHeader(int) {}

// Write implements http.ResponseWriter.
func (p *pipeResponse) Write(content []byte) (int, error) { return p.to.Write(content) }

// Flush implements http.Flusher.
func (p *pipeResponse) Flush() {}
