package shorthttp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/adapters/internal/shorthttp"
)

// pair returns a client and a server with a handler, and the server's end of the connection.
func pair(t *testing.T, handler http.HandlerFunc) *shorthttp.Client {
	t.Helper()
	ours, theirs := net.Pipe()
	server := shorthttp.NewServer(handler)
	long := httptest.NewServer(server)
	served := make(chan error, 1)
	go func() { served <- server.Serve(theirs) }()
	client := shorthttp.NewClient(ours, viaServer{long})
	t.Cleanup(func() {
		_ = ours.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if err := client.Err(); err == nil {
			t.Error("got no reason for the end of the connection")
		}
		long.Close()
	})
	return client
}

// viaServer sends what is long to a server of its own.
type viaServer struct{ *httptest.Server }

// RoundTrip implements http.RoundTripper.
func (s viaServer) RoundTrip(r *http.Request) (*http.Response, error) {
	r.URL.Host = s.Listener.Addr().String()
	return s.Client().Transport.RoundTrip(r)
}

func request(t *testing.T, method, path, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://shop.example.com"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func read(t *testing.T, answer *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestARequestArrivesWhole(t *testing.T) {
	client := pair(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header()["X-Said"] = r.Header["X-Say"]
		w.WriteHeader(http.StatusTeapot)
		_, _ = fmt.Fprintf(w, "%s %s %s %s %s %d %s", r.Method, r.Host, r.URL.EscapedPath(), r.URL.Path, r.URL.RawQuery, r.ContentLength, body)
	})
	r := request(t, http.MethodPatch, "/a%2Fb/u?x=%20y", "the body")
	r.Header["X-Say"] = []string{"one", "", "two\xff"}
	answer, err := client.RoundTrip(r)
	got := read(t, answer, err)
	if want := "PATCH shop.example.com /a%2Fb/u /a/b/u x=%20y 8 the body"; got != want || answer.StatusCode != http.StatusTeapot || answer.ContentLength != int64(len(want)) {
		t.Errorf("got %d %q, want %q", answer.StatusCode, got, want)
	}
	if said := answer.Header["X-Said"]; fmt.Sprintf("%q", said) != `["one" "" "two\xff"]` {
		t.Errorf("got %q", said)
	}
}

func TestAnswersReachThoseWhoAsked(t *testing.T) {
	client := pair(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) })
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			path := fmt.Sprintf("/%d", i)
			answer, err := client.RoundTrip(request(t, http.MethodGet, path, ""))
			if got := read(t, answer, err); got != path {
				t.Errorf("got %s, want %s", got, path)
			}
		})
	}
	all.Wait()
}

func TestALongAnswerIsFetched(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	client := pair(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Kind", "long")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, long)
	})
	answer, err := client.RoundTrip(request(t, http.MethodPost, "/", "once"))
	if got := read(t, answer, err); got != long || answer.StatusCode != http.StatusCreated || answer.Header.Get("X-Kind") != "long" {
		t.Errorf("got %d bytes and %d", len(got), answer.StatusCode)
	}
}

func TestAPanicEndsItsRequestOnly(t *testing.T) {
	log.SetOutput(io.Discard)
	client := pair(t, func(_ http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/panic":
			panic("on purpose")
		case "/abort":
			panic(http.ErrAbortHandler)
		}
	})
	for _, path := range []string{"/panic", "/abort"} {
		if _, err := client.RoundTrip(request(t, http.MethodGet, path, "")); err == nil {
			t.Errorf("%s: got an answer", path)
		}
	}
	if answer, err := client.RoundTrip(request(t, http.MethodGet, "/", "")); err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("got %v, %v", answer, err)
	}
}

func TestARequestThatIsGivenUpIsCancelled(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	client := pair(t, func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		close(ended)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := client.RoundTrip(request(t, http.MethodGet, "/", "").WithContext(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-ended
}

func TestABodyThatEndsEarlyIsNotSent(t *testing.T) {
	client := pair(t, func(http.ResponseWriter, *http.Request) { t.Error("got a request") })
	r := request(t, http.MethodPost, "/", "short")
	r.ContentLength = 10
	if _, err := client.RoundTrip(r); err == nil {
		t.Error("got an answer")
	}
}

// TestAHostileServerIsContained answers a request with frames that no server sends.
func TestAHostileServerIsContained(t *testing.T) {
	frame := func(length int, number uint64, rest ...byte) []byte {
		return append(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(nil, uint32(length)), number), rest...)
	}
	for name, sent := range map[string][]byte{
		"too long":          frame(1<<31, 1, 2),
		"too short":         frame(3, 1),
		"cut off":           frame(100, 1, 2),
		"no content":        frame(9, 1, 2),
		"another kind":      frame(9, 1, 77),
		"status 100":        frame(11, 1, 2, 100, 0),
		"status too large":  frame(12, 1, 2, 0xff, 0x7f, 0),
		"header too large":  frame(20, 1, 2, 0xc8, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1),
		"text too long":     frame(16, 1, 2, 0xc8, 1, 1, 0xff, 0xff, 0x7f, 1),
		"request of a peer": frame(9, 1, 0),
		"for nobody":        append(frame(12, 9, 2, 0xc8, 1, 0), frame(9, 1, 4)...),
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := net.Pipe()
			client := shorthttp.NewClient(ours, nil)
			go func() {
				var size [4]byte
				_, _ = io.ReadFull(theirs, size[:])
				_, _ = io.CopyN(io.Discard, theirs, int64(binary.BigEndian.Uint32(size[:])))
				_, _ = theirs.Write(sent)
				_ = theirs.Close()
			}()
			if answer, err := client.RoundTrip(request(t, http.MethodGet, "/", "")); err == nil {
				t.Errorf("got %+v, want no answer", answer)
			}
			if err := client.Err(); err == nil || errors.Is(err, net.ErrClosed) {
				t.Errorf("got %v, want the server's fault", err)
			}
		})
	}
}

// TestAServerThatDoesNotReadHoldsNobody: it may be stopped, or stuck, and lives.
func TestAServerThatDoesNotReadHoldsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		client := shorthttp.NewClient(ours, nil)
		if answer, err := client.RoundTrip(request(t, http.MethodGet, "/", "")); err == nil {
			t.Errorf("got %+v, want no answer", answer)
		}
		if err := client.Err(); err == nil || errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v, want the server's fault", err)
		}
	})
}

func TestOnlyShortRequestsAreShort(t *testing.T) {
	for length, want := range map[int64]bool{-1: false, 0: true, shorthttp.MaxBody: true, shorthttp.MaxBody + 1: false} {
		if got := shorthttp.IsShort(&http.Request{ContentLength: length, Body: io.NopCloser(bytes.NewReader(nil))}); got != want {
			t.Errorf("%d bytes: got %t", length, got)
		}
	}
}
