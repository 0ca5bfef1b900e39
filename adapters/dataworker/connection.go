package dataworker

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
)

// maxStreams bounds the concurrent requests of a connection: the realtime connections of
// many places.
const maxStreams = 1 << 16

func http2Only() *http.Protocols {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	return &protocols
}

// What the service buffers of one answer.
const (
	maxAnswerHead   = 1 << 20
	bufferPerAnswer = 1 << 20
)

// connect returns the client's side of an HTTP/2 connection. The connection is closed if the server
// reads nothing for patience; 0 is no bound. An http.Transport alone would dial again for requests
// that arrive during the setup of its first connection.
func connect(conn net.Conn, patience time.Duration) (*http.ClientConn, error) {
	transport := &http.Transport{
		Protocols:              http2Only(),
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxAnswerHead,
		HTTP2:                  &http.HTTP2Config{MaxReadFrameSize: 1 << 20, MaxReceiveBufferPerStream: bufferPerAnswer, WriteByteTimeout: patience},
		DialContext:            func(context.Context, string, string) (net.Conn, error) { return conn, nil },
	}
	return transport.NewClientConn(context.Background(), "http", "worker:80")
}

// requestBuffer is how much a worker buffers of the bodies that its engine does not read yet, all
// together. One of them has room for a short body, so thousands of slow uploads delay no other
// request.
const requestBuffer = 1 << 28

// serve serves one connection until it is closed. It buffers so many bytes of the bodies; 0 is
// Go's default, a mebibyte.
func serve(conn net.Conn, handler http.Handler, buffer int) error {
	closed := make(chan struct{})
	server := http.Server{
		Handler: handler, Protocols: http2Only(), ReadHeaderTimeout: time.Minute,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams, MaxReadFrameSize: 1 << 20,
			MaxReceiveBufferPerStream: datawire.MaxShortBody, MaxReceiveBufferPerConnection: buffer,
		},
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				close(closed)
			}
		},
	}
	err := server.Serve(&oneListener{conn: conn, closed: closed})
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// oneListener is a net.Listener for one existing connection.
type oneListener struct {
	conn   net.Conn
	closed <-chan struct{}
	once   sync.Once
}

// Accept returns the connection once, and then blocks until it is closed.
func (l *oneListener) Accept() (net.Conn, error) {
	first := false
	l.once.Do(func() { first = true })
	if first {
		return l.conn, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

// Close implements net.Listener.
func (l *oneListener) Close() error { return nil }

// Addr implements net.Listener.
func (l *oneListener) Addr() net.Addr { return l.conn.LocalAddr() }
