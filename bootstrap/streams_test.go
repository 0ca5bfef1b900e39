package bootstrap_test

import (
	"net/http"
	"strings"
	"testing"

	ws "github.com/coder/websocket"

	"github.com/atelierhq/atelier/core"
)

// TestStreamsAndSocketsOfAPersonAreCountedTogether opens a stream and a socket, which is
// all that a person may here, and then one more of each kind.
func TestStreamsAndSocketsOfAPersonAreCountedTogether(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := serve(t, t.TempDir(), program.make, merged(program.env(t), map[string]string{"MAX_STREAMS_PER_PERSON": "2"}))
			w := s.signUp().create("static-html")
			dial := func(protocols ...string) *ws.Conn {
				conn, response, err := ws.Dial(t.Context(), strings.Replace(s.url, "http", "ws", 1)+"/ws"+strings.Replace(w.path(""), "/projects/", "/project/", 1), &ws.DialOptions{
					HTTPClient: s.http, HTTPHeader: http.Header{"Authorization": {"Bearer " + w.token}}, Subprotocols: protocols,
				})
				if err != nil {
					t.Fatalf("got %+v, %v, want a socket", response, err)
				}
				t.Cleanup(func() { _ = conn.CloseNow() })
				return conn
			}
			if got := w.open(t.Context(), http.MethodGet, w.path("/preview/events"), nil); got.StatusCode != http.StatusOK {
				t.Fatalf("got %d, want a stream", got.StatusCode)
			}
			dial()
			got := w.do(http.MethodGet, w.path("/preview/events"), nil)
			if got.status != http.StatusTooManyRequests || got.code() != core.CodeRateLimited || got.header.Get("Retry-After") != "10" {
				t.Errorf("one stream more: got %d %s, want 429 and when to come again", got.status, got.body)
			}
			for want, conn := range map[ws.StatusCode]*ws.Conn{4429: dial("atelier.v1"), ws.StatusTryAgainLater: dial()} {
				for {
					if _, _, err := conn.Read(t.Context()); err != nil {
						if code := ws.CloseStatus(err); code != want {
							t.Errorf("one socket more: got %v (%v), want %v", code, err, want)
						}
						break
					}
				}
			}
			other := s.signUp().create("blank")
			if got := other.open(t.Context(), http.MethodGet, other.path("/preview/events"), nil); got.StatusCode != http.StatusOK {
				t.Errorf("another person: got %d, want a stream", got.StatusCode)
			}
		})
	}
}
