package sitehost

import (
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// oneConnection is a listener that accepts one connection, in a bubble of time.
type oneConnection struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *oneConnection) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *oneConnection) Close() error   { close(l.closed); return nil }
func (l *oneConnection) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func TestAClientThatDoesNotReadIsLetGo(t *testing.T) {
	for name, size := range map[string]int{"of one byte": 1, "of many pieces": 3 * pieceBytes} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				ended := make(chan time.Duration, 1)
				handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					paced := newPacedWriter(w)
					_, _ = paced.Write(make([]byte, size))
				})
				closed := func(_ net.Conn, state http.ConnState) {
					if state == http.StateClosed {
						ended <- time.Since(began)
					}
				}
				server := &http.Server{Handler: handler, ConnState: closed}
				listener := &oneConnection{make(chan net.Conn), make(chan struct{})}
				go func() { _ = server.Serve(listener) }()
				client, remote := net.Pipe()
				listener.conns <- remote
				_, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
				if err != nil {
					t.Fatal(err)
				}
				if got := <-ended; got < writeLimit || got > 2*writeLimit {
					t.Errorf("got the end after %v, want it after %v", got, writeLimit)
				}
				_ = client.Close()
				_ = server.Close()
				synctest.Wait()
			})
		})
	}
}
