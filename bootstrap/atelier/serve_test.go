package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

// pipeListener accepts the far ends of pipes, which work in a bubble of time.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l pipeListener) Close() error   { close(l.closed); return nil }
func (l pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// served starts the server of the service with a handler. dial connects to it.
func served(t *testing.T, handler http.HandlerFunc) (server *http.Server, dial func() net.Conn) {
	server = newServer(handler, slog.New(slog.DiscardHandler))
	listener := pipeListener{make(chan net.Conn), make(chan struct{})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); synctest.Wait() })
	return server, func() net.Conn {
		client, remote := net.Pipe()
		listener.conns <- remote
		t.Cleanup(func() { _ = client.Close() })
		return client
	}
}

func hello(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }

// ask sends a request and returns the body of the answer.
func ask(t *testing.T, conn net.Conn, reader *bufio.Reader) string {
	t.Helper()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	return read(t, reader)
}

func read(t *testing.T, reader *bufio.Reader) string {
	t.Helper()
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestAnIdleClientIsLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, dial := served(t, hello)
		conn := dial()
		reader := bufio.NewReader(conn)
		for range 3 {
			if got := ask(t, conn, reader); got != "hello" {
				t.Errorf("got %q", got)
			}
			time.Sleep(idleTime - time.Second)
		}
		began := time.Now()
		if _, err := reader.ReadByte(); err != io.EOF || time.Since(began) > time.Second {
			t.Errorf("got %v after %v, want the end of the connection after %v at rest", err, time.Since(began), idleTime)
		}
	})
}

// TestAHeadThatDoesNotComeEndsTheConnection sends the beginning of one, first of all and behind
// an answer.
func TestAHeadThatDoesNotComeEndsTheConnection(t *testing.T) {
	for name, before := range map[string]int{"first of all": 0, "behind an answer": 1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, dial := served(t, hello)
				conn := dial()
				reader := bufio.NewReader(conn)
				for range before {
					ask(t, conn, reader)
				}
				began := time.Now()
				if _, err := io.WriteString(conn, request[:5]); err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(reader)
				if err != nil || strings.Contains(string(got), "hello") || time.Since(began) != headerTime {
					t.Errorf("got %q, %v after %v, want the connection closed after %v", got, err, time.Since(began), headerTime)
				}
			})
		})
	}
}

// TestAStopWaitsForAnAnswer stops a server while one client has not received its answer, and
// another is idle.
func TestAStopWaitsForAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, dial := served(t, hello)
		idle, slow := dial(), dial()
		idleReader := bufio.NewReader(idle)
		ask(t, idle, idleReader)
		if _, err := io.WriteString(slow, request); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the answer waits for its reader
		stopped := make(chan error, 1)
		go func() { stopped <- server.Shutdown(context.Background()) }()
		if _, err := idleReader.ReadByte(); err != io.EOF {
			t.Errorf("got %v, want the idle connection closed", err)
		}
		time.Sleep(stopTime)
		select {
		case err := <-stopped:
			t.Fatalf("got the end of the server, %v, want it to wait for the answer", err)
		default:
		}
		if got := read(t, bufio.NewReader(slow)); got != "hello" {
			t.Errorf("got %q, want the whole answer", got)
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}
