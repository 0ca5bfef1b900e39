package oauth_test

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
)

// pipes is a listener whose connections are pipes, on which testing/synctest can detect
// waiting.
type pipes struct {
	connections chan net.Conn
	closed      chan struct{}
	once        sync.Once
}

// piped serves a handler over pipes and returns the transport to it.
func piped(t *testing.T, handler http.Handler) *http.Transport {
	listener := &pipes{connections: make(chan net.Conn), closed: make(chan struct{})}
	var group sync.WaitGroup
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		group.Add(1)
		defer group.Done()
		handler.ServeHTTP(w, r)
	})}
	group.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() {
		_ = server.Close()
		group.Wait()
	})
	return &http.Transport{DisableKeepAlives: true, DialContext: listener.dial}
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.connections <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case connection := <-p.connections:
		return connection, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr implements net.Listener.
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
