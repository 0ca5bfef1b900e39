package httpapi

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/observe"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/adapters/httpapi/sse"
	"github.com/atelierhq/atelier/core"
)

// pipeListener gives a server connections that live in the test's bubble of
// time.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.closed); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// streaming serves one route in the bubble and returns the client's end of a
// connection that has asked for it.
func streaming(t *testing.T, method string, handle rest.Handler) net.Conn {
	t.Helper()
	deps, _, _ := testDeps(t)
	deps.Now = time.Now
	listener := &pipeListener{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: serve(deps, observe.NewMetrics(nil, nil, ""), []rest.Route{rest.Open("GET", "/events", handle)})}
	go func() { _ = server.Serve(listener) }()
	client, remote := net.Pipe()
	listener.conns <- remote
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
	})
	go func() { _, _ = io.WriteString(client, method+" /events HTTP/1.1\r\nHost: x\r\n\r\n") }()
	return client
}

func TestEventsArriveAsTheyAreSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := make(chan int64)
		client := streaming(t, "GET", func(w http.ResponseWriter, r *rest.Request) error {
			stream, _ := sse.Open(w, r)
			defer stream.Close()
			for id := range next {
				if err := stream.Send(id, map[string]string{"text": "a\nb\r\ndata: forged\n\nid: 9"}); err != nil {
					return err
				}
			}
			return nil
		})
		response, err := http.ReadResponse(bufio.NewReader(client), nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
			if got := response.Header.Get(name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
		lines := bufio.NewScanner(response.Body)
		wantLines(t, lines, ": open", "")
		next <- 7
		wantLines(t, lines, "id: 7", `data: {"text":"a\nb\r\ndata: forged\n\nid: 9"}`, "")
		next <- 0
		wantLines(t, lines, `data: {"text":"a\nb\r\ndata: forged\n\nid: 9"}`, "")
		begun := time.Now()
		wantLines(t, lines, ": ping", "", ": ping", "")
		if waited := time.Since(begun); waited != 2*sse.PingEvery {
			t.Errorf("two pings: got them after %s, want %s", waited, 2*sse.PingEvery)
		}
		close(next)
		if lines.Scan() {
			t.Errorf("got %q behind the end, want nothing", lines.Text())
		}
	})
}

func wantLines(t *testing.T, lines *bufio.Scanner, want ...string) {
	t.Helper()
	for _, line := range want {
		if !lines.Scan() || lines.Text() != line {
			t.Fatalf("got %q, %v, want %q", lines.Text(), lines.Err(), line)
		}
	}
}

func TestAClientThatNeverReadsIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type streamEnd struct {
			after time.Duration
			send  error
		}
		ended := make(chan streamEnd, 1)
		streaming(t, "GET", func(w http.ResponseWriter, r *rest.Request) error {
			begun := time.Now()
			stream, ctx := sse.Open(w, r)
			defer stream.Close()
			<-ctx.Done()
			ended <- streamEnd{time.Since(begun), stream.Send(1, "x")}
			return nil
		})
		got := <-ended
		if got.after != rest.WriteTime || !core.IsCode(got.send, core.CodeUnavailable) {
			t.Errorf("got the end after %s and %v for the next event, want it after %s and %s", got.after, got.send, rest.WriteTime, core.CodeUnavailable)
		}
	})
}

func TestALeavingClientEndsTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		client := streaming(t, "GET", func(w http.ResponseWriter, r *rest.Request) error {
			stream, ctx := sse.Open(w, r)
			defer stream.Close()
			<-ctx.Done()
			ended <- ctx.Err()
			return nil
		})
		if _, err := bufio.NewReader(client).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		_ = client.Close()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
}

func TestHeadOfAStreamEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := streaming(t, "HEAD", func(w http.ResponseWriter, r *rest.Request) error {
			stream, ctx := sse.Open(w, r)
			defer stream.Close()
			<-ctx.Done()
			return nil
		})
		response, err := http.ReadResponse(bufio.NewReader(client), &http.Request{Method: "HEAD"})
		if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("got %v, %v, want 200 text/event-stream", response, err)
		}
	})
}

func TestAnEventThatIsNoJSONIsInternal(t *testing.T) {
	api := newTable(t, []rest.Route{rest.Open("GET", "/events", func(w http.ResponseWriter, r *rest.Request) error {
		stream, _ := sse.Open(w, r)
		defer stream.Close()
		if err := stream.Send(1, func() {}); !core.IsCode(err, core.CodeInternal) {
			t.Errorf("got %v, want %s", err, core.CodeInternal)
		}
		return stream.Send(2, "after")
	})})
	if got := api.do("GET", "/events", ""); !strings.HasSuffix(got.body, "id: 2\ndata: \"after\"\n\n") {
		t.Errorf("got %q, want the next event whole", got.body)
	}
}
