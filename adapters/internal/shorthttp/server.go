package shorthttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Server answers the requests of a Client.
type Server struct {
	handler http.Handler

	mu sync.Mutex
	// running has the requests in progress, holding the long answers that were not yet fetched.
	running map[uint64]context.CancelFunc
	holding map[uint64]*writer
}

// NewServer returns a server that sends each answer when the handler has returned.
func NewServer(handler http.Handler) *Server {
	return &Server{handler: handler, running: map[uint64]context.CancelFunc{}, holding: map[uint64]*writer{}}
}

// Serve answers the requests of a connection until it is closed.
func (s *Server) Serve(conn net.Conn) error {
	ctx, end := context.WithCancel(context.Background())
	defer end()
	l := newLink(conn, 0) // the client reads as long as it lives
	for {
		f, err := l.receive()
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed):
			return nil
		case err != nil:
			return err
		case f.kind == request:
			s.begin(ctx, l, f)
		case f.kind == cancel:
			s.stop(f.number)
		}
	}
}

// begin starts a goroutine that answers a request.
func (s *Server) begin(ctx context.Context, l *link, f frame) {
	ctx, stop := context.WithCancel(ctx)
	s.mu.Lock()
	s.running[f.number] = stop
	s.mu.Unlock()
	go func() {
		defer s.stop(f.number)
		buffer := buffers.Get().(*[]byte)
		w := &writer{number: f.number, header: http.Header{}, frame: (*buffer)[:0]}
		if r := readRequest(ctx, f); r == nil || !s.answer(w, r) {
			w.frame = begin(w.frame, f.number, failed)
		} else if w.finish(); len(w.frame)-w.body > maxAnswer || w.body > maxHead {
			s.hold(w)
			_ = l.send(appendNumber(begin(nil, f.number, held), f.number))
			return
		}
		// It fails only if the connection is closed, which the client sees.
		_ = l.send(w.frame)
		*buffer = w.frame
		release(buffer)
	}()
}

func (s *Server) stop(number uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.running[number]; stop != nil {
		stop()
		delete(s.running, number)
	}
}

// answer calls the handler and reports whether it returned. As in net/http, a panic ends only its
// request.
func (s *Server) answer(w *writer, r *http.Request) (answered bool) {
	defer func() {
		if reason := recover(); reason != nil && reason != http.ErrAbortHandler { //nolint:errorlint // net/http compares the panic's value
			log.Printf("panic serving %s: %v\n%s", r.URL.Path, reason, debug.Stack())
		}
	}()
	s.handler.ServeHTTP(w, r)
	return true
}

// readRequest decodes a request; it returns nil if the frame is invalid.
func readRequest(ctx context.Context, f frame) *http.Request {
	p := parts{rest: f.content}
	method, path, rawPath, query, host := p.text(), p.text(), p.text(), p.text(), p.text()
	header := p.header()
	if p.wrong {
		return nil
	}
	r := &http.Request{
		Method: method, URL: &url.URL{Path: path, RawPath: rawPath, RawQuery: query}, Host: host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(p.rest)), Body: http.NoBody,
	}
	if len(p.rest) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(p.rest))
	}
	return r.WithContext(ctx)
}

// holdTime is how long an answer may be fetched.
const holdTime = time.Minute

func (s *Server) hold(w *writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holding[w.number] = w
	time.AfterFunc(holdTime, func() { s.take(w.number) })
}

// take removes and returns a held answer.
func (s *Server) take(number uint64) *writer {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.holding[number]
	delete(s.holding, number)
	return found
}

// heldPath is the prefix of the paths of held answers.
const heldPath = "/held/"

// ServeHTTP implements http.Handler for the HTTP/2 connection: it sends held answers, and passes all
// other requests to the handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, isHeld := strings.CutPrefix(r.URL.Path, heldPath)
	if !isHeld {
		s.handler.ServeHTTP(w, r)
		return
	}
	number, err := strconv.ParseUint(text, 10, 64)
	found := s.take(number)
	if err != nil || found == nil {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), found.header)
	w.WriteHeader(found.status)
	_, _ = w.Write(found.frame[found.body:])
}

// writer is an http.ResponseWriter that encodes a frame.
type writer struct {
	number uint64
	header http.Header
	status int
	frame  []byte
	// body is where the answer's body begins in the frame.
	body int
}

// Header implements http.ResponseWriter.
func (w *writer) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *writer) WriteHeader(status int) {
	if w.status != 0 || status < http.StatusOK {
		return
	}
	w.status = status
	w.frame = appendHeader(appendNumber(begin(w.frame, w.number, answer), uint64(status)), w.header)
	w.body = len(w.frame)
}

// Write implements http.ResponseWriter.
func (w *writer) Write(content []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.frame = append(w.frame, content...)
	return len(content), nil
}

func (w *writer) finish() { w.WriteHeader(http.StatusOK) }
