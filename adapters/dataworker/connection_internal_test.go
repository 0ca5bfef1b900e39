package dataworker

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
)

// sockets returns the ends of the service and of a worker.
func sockets(t *testing.T) (ours, theirs net.Conn) {
	t.Helper()
	ours, file, err := workerprocess.SocketPair()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err = net.FileConn(file)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
	return ours, theirs
}

// connected returns a connection to a worker with this handler.
func connected(t *testing.T, handler http.HandlerFunc) *http.ClientConn {
	t.Helper()
	ours, theirs := sockets(t)
	go func() { _ = serve(theirs, handler, requestBuffer) }()
	conn, err := connect(ours, patience)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// ask sends a request and reads its answer.
func ask(ctx context.Context, conn http.RoundTripper, path string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://worker"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := datawire.Ask(conn, r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return errors.Join(err, answer.Body.Close())
}

// TestFirstRequestsMayComeTogether sends many requests during the setup of a connection.
func TestFirstRequestsMayComeTogether(t *testing.T) {
	for range 50 {
		conn := connected(t, func(http.ResponseWriter, *http.Request) {})
		var requests sync.WaitGroup
		start := make(chan struct{})
		for range 20 {
			requests.Go(func() {
				<-start
				if err := ask(t.Context(), conn, "/", nil); err != nil {
					t.Errorf("got %v, want an answer", err)
				}
			})
		}
		close(start)
		requests.Wait()
		_ = conn.Close()
	}
}

func TestAPanicEndsItsRequestOnly(t *testing.T) {
	log.SetOutput(io.Discard)
	conn := connected(t, func(_ http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/panic":
			panic("on purpose")
		case "/abort":
			panic(http.ErrAbortHandler)
		}
	})
	for _, path := range []string{"/panic", "/abort"} {
		if err := ask(t.Context(), conn, path, nil); err == nil {
			t.Errorf("%s: got an answer", path)
		}
	}
	if err := ask(t.Context(), conn, "/", nil); err != nil {
		t.Errorf("got %v, want an answer", err)
	}
}

func TestARequestThatIsGivenUpIsCancelled(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	conn := connected(t, func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		close(ended)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if err := ask(ctx, conn, "/", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-ended
}

// TestBodiesThatNobodyReadsDelayNobody keeps a hundred uploads waiting, as a busy project does.
func TestBodiesThatNobodyReadsDelayNobody(t *testing.T) {
	const uploads = 100
	begun, release := make(chan struct{}), make(chan struct{})
	conn := connected(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/upload" {
			begun <- struct{}{}
			<-release
		}
		_, _ = io.Copy(io.Discard, r.Body)
	})
	var all sync.WaitGroup
	for range uploads {
		all.Go(func() {
			if err := ask(t.Context(), conn, "/upload", make([]byte, 1<<20)); err != nil {
				t.Error(err)
			}
		})
	}
	for range uploads {
		<-begun
	}
	if err := ask(t.Context(), conn, "/other", make([]byte, datawire.MaxShortBody)); err != nil {
		t.Error(err)
	}
	close(release)
	all.Wait()
}

// Frames of HTTP/2 (RFC 9113), and fields of their heads (RFC 7541).
const (
	frameData, frameHeaders, frameSettings, frameGoAway = 0, 1, 4, 7
	endStream, endHeaders                               = 1, 4
)

func frame(kind, flags byte, stream uint32, content []byte) []byte {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(content))<<8|uint32(kind))
	return append(binary.BigEndian.AppendUint32(append(head, flags), stream), content...)
}

func status(text string) []byte { return append([]byte{0x08, byte(len(text))}, text...) }

// TestAHostileWorkerIsContained answers a request with what no worker sends.
func TestAHostileWorkerIsContained(t *testing.T) {
	// One field of 4,000 bytes goes into the table of the connection, and the head refers to it often.
	field := append([]byte{0x40, 1, 'x', 0x7f, 0xa1, 0x1e}, bytes.Repeat([]byte{'a'}, 4000)...)
	bomb := slices.Concat(status("200"), field, bytes.Repeat([]byte{0xbe}, 300))
	settings := frame(frameSettings, 0, 0, nil)
	answer := func(text string) []byte {
		return slices.Concat(settings, frame(frameHeaders, endHeaders|endStream, 1, status(text)))
	}
	for name, sent := range map[string][]byte{
		"another protocol": []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
		"no settings":      answer("200")[len(settings):],
		"an endless frame": slices.Concat(settings, []byte{0xff, 0xff, 0xff, frameHeaders, 0, 0, 0, 0, 1}),
		"half a frame":     slices.Concat(settings, []byte{0, 0, 9, frameHeaders}),
		"status 99":        answer("99"),
		"status 1000":      answer("1000"),
		"only status 103":  slices.Concat(settings, frame(frameHeaders, endHeaders, 1, status("103"))),
		"a huge head":      slices.Concat(settings, frame(frameHeaders, endHeaders|endStream, 1, bomb)),
		"a body alone":     slices.Concat(settings, frame(frameData, endStream, 1, []byte("body"))),
		"half a body":      slices.Concat(settings, frame(frameHeaders, endHeaders, 1, status("200")), frame(frameData, 0, 1, []byte("half"))),
		"for nobody":       slices.Concat(settings, frame(frameHeaders, endHeaders|endStream, 9, status("200"))),
		"a farewell":       slices.Concat(settings, frame(frameGoAway, 0, 0, make([]byte, 8))),
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := sockets(t)
			go func() {
				_, _ = io.CopyN(io.Discard, theirs, int64(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")))
				_, _ = theirs.Write(sent)
				_ = theirs.(*net.UnixConn).CloseWrite()
				_, _ = io.Copy(io.Discard, theirs)
			}()
			conn, err := connect(ours, patience)
			if err != nil {
				t.Fatal(err)
			}
			if err := ask(t.Context(), conn, "/", nil); err == nil {
				t.Error("got an answer")
			}
		})
	}
}

// TestAWorkerThatDoesNotReadHoldsNobody: it may be stopped, or stuck, and lives.
func TestAWorkerThatDoesNotReadHoldsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		go func() { _, _ = theirs.Read(make([]byte, 1<<10)) }() // what begins the connection
		conn, err := connect(ours, patience)
		if err != nil {
			t.Fatal(err)
		}
		if err := ask(t.Context(), conn, "/", nil); err == nil {
			t.Error("got an answer")
		}
		if conn.Available() != 0 {
			t.Error("got a connection that takes requests")
		}
	})
}
