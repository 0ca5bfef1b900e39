package memory

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"

	"github.com/atelierhq/atelier/adapters/internal/addresses"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/netguard"
)

var _ netguard.Guard = (*Guard)(nil)

// Guard is a netguard.Guard whose network is a set of handlers by host. It checks names
// and addresses like the real one.
type Guard struct {
	mu           sync.Mutex
	allowPrivate bool
	handlers     map[string]http.Handler
	names        map[string][]netip.Addr
}

// NewGuard returns a guard that permits public addresses only, with no hosts.
func NewGuard() *Guard {
	return &Guard{handlers: map[string]http.Handler{}, names: map[string][]netip.Addr{}}
}

// AllowPrivate permits loopback and private ranges, and returns the guard.
func (g *Guard) AllowPrivate() *Guard {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.allowPrivate = true
	return g
}

// Handle registers a handler for a host, a name or an IP address, on every port. A name
// that Resolve does not know is public.
func (g *Guard) Handle(host string, handler http.Handler) *Guard {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.handlers[host] = handler
	return g
}

// Resolve sets the addresses of a name. Requests to the name go to the first permitted
// one.
func (g *Guard) Resolve(name string, addrs ...netip.Addr) *Guard {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.names[name] = slices.Clone(addrs)
	return g
}

// Check implements netguard.Guard.
func (g *Guard) Check(address string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return addresses.CheckURL(address, g.allowPrivate)
}

// Client implements netguard.Guard.
func (g *Guard) Client() *http.Client {
	return &http.Client{
		Transport:     g,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Dial implements netguard.Guard. The handler of the host answers on the
// connection, until that is closed.
func (g *Guard) Dial(_ context.Context, address string) (net.Conn, error) {
	g.mu.Lock()
	allowPrivate := g.allowPrivate
	g.mu.Unlock()
	if err := addresses.CheckTarget(address, allowPrivate); err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(address)
	handler, err := g.answering(host)
	if err != nil {
		return nil, err
	}
	here, there := net.Pipe()
	go func() { _ = http.Serve(&singleListener{conn: there, done: make(chan struct{})}, handler) }()
	return here, nil
}

// RoundTrip implements http.RoundTripper. The handler runs concurrently with the caller,
// so that an answer can be a stream. The end of the request's context ends it.
func (g *Guard) RoundTrip(request *http.Request) (*http.Response, error) {
	body := io.Reader(http.NoBody)
	if request.Body != nil {
		defer func() { _ = request.Body.Close() }()
		data, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	handler, err := g.handler(request)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(request.Context())
	received := request.Clone(ctx)
	received.Body, received.RequestURI = io.NopCloser(body), request.URL.RequestURI()
	return newMemoryExchange(ctx, cancel, request).serve(handler, received)
}

// handler returns the handler of the request's host, if the host may be reached.
func (g *Guard) handler(request *http.Request) (http.Handler, error) {
	if err := g.Check(request.URL.String()); err != nil {
		return nil, err
	}
	return g.answering(request.URL.Hostname())
}

// answering returns the handler of a host, if its addresses may be reached.
func (g *Guard) answering(host string) (http.Handler, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	handler := g.handlers[host]
	var refused error
	for _, addr := range g.names[host] {
		err := addresses.CheckIP(addr, g.allowPrivate)
		if err != nil {
			refused = errors.Join(refused, err)
			continue
		}
		if answers, known := g.handlers[addr.String()]; known {
			return answers, nil
		}
		refused = nil
		break
	}
	switch {
	case refused != nil:
		return nil, refused
	case handler == nil:
		return nil, core.Errorf(core.CodeUnavailable, "no handler answers for %s", host)
	}
	return handler, nil
}

// singleListener accepts one connection, and ends when that is closed.
type singleListener struct {
	conn     net.Conn
	accepted bool
	once     sync.Once
	done     chan struct{}
}

// Accept implements net.Listener.
func (l *singleListener) Accept() (net.Conn, error) {
	if !l.accepted {
		l.accepted = true
		return closingConn{l.conn, l}, nil
	}
	<-l.done
	return nil, net.ErrClosed
}

// Close implements net.Listener.
func (l *singleListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr implements net.Listener.
func (l *singleListener) Addr() net.Addr { return l.conn.LocalAddr() }

// closingConn is a connection that closes its listener when it is closed.
type closingConn struct {
	net.Conn
	listener *singleListener
}

// Close implements net.Conn.
func (c closingConn) Close() error { return errors.Join(c.Conn.Close(), c.listener.Close()) }

// memoryExchange is a request that a handler is serving.
type memoryExchange struct {
	ctx      context.Context
	cancel   context.CancelFunc
	request  *http.Request
	header   http.Header
	reader   *io.PipeReader
	writer   *io.PipeWriter
	once     sync.Once
	response chan *http.Response
}

func newMemoryExchange(ctx context.Context, cancel context.CancelFunc, request *http.Request) *memoryExchange {
	x := &memoryExchange{
		ctx: ctx, cancel: cancel, request: request, header: http.Header{}, response: make(chan *http.Response, 1),
	}
	x.reader, x.writer = io.Pipe()
	context.AfterFunc(ctx, func() { _ = x.writer.CloseWithError(context.Cause(ctx)) })
	return x
}

// serve runs the handler and returns its answer as soon as the head is complete.
func (x *memoryExchange) serve(handler http.Handler, received *http.Request) (*http.Response, error) {
	go func() {
		handler.ServeHTTP(x, received)
		x.WriteHeader(http.StatusOK)
		_ = x.writer.Close()
	}()
	select {
	case response := <-x.response:
		return response, nil
	case <-x.ctx.Done():
		x.cancel()
		return nil, context.Cause(x.ctx)
	}
}

// Header implements http.ResponseWriter.
func (x *memoryExchange) Header() http.Header { return x.header }

// WriteHeader implements http.ResponseWriter.
func (x *memoryExchange) WriteHeader(status int) {
	x.once.Do(func() {
		x.response <- &http.Response{
			StatusCode: status, Status: http.StatusText(status),
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: x.header.Clone(), Body: memoryBody{x}, ContentLength: -1, Request: x.request,
		}
	})
}

// Write implements http.ResponseWriter.
func (x *memoryExchange) Write(p []byte) (int, error) {
	x.WriteHeader(http.StatusOK)
	return x.writer.Write(p)
}

// Flush implements http.Flusher. It only sends the head: written bytes can be read
// immediately.
func (x *memoryExchange) Flush() { x.WriteHeader(http.StatusOK) }

// memoryBody is the caller's end of an answer. Closing it ends the handler's
// context.
type memoryBody struct{ x *memoryExchange }

// Read implements io.Reader.
func (b memoryBody) Read(p []byte) (int, error) { return b.x.reader.Read(p) }

// Close implements io.Closer.
func (b memoryBody) Close() error {
	b.x.cancel()
	return b.x.reader.Close()
}
