package operation_test

import (
	"net/http"
	"strings"
	"testing"

	ws "github.com/coder/websocket"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestStreamsAndSocketsOfAPersonAreCountedTogether opens a stream and a socket, which is
// all that a person may here, and then one more of each kind.
func TestStreamsAndSocketsOfAPersonAreCountedTogether(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := storytest.Serve(t, t.TempDir(), program.Make, storytest.Merged(program.Env(t), map[string]string{"MAX_STREAMS_PER_PERSON": "2"}))
			w := s.SignUp().Create("static-html")
			dial := func(protocols ...string) *ws.Conn {
				conn, response, err := ws.Dial(t.Context(), strings.Replace(s.URL, "http", "ws", 1)+"/ws"+strings.Replace(w.Path(""), "/projects/", "/project/", 1), &ws.DialOptions{
					HTTPClient: s.Client, HTTPHeader: http.Header{"Authorization": {"Bearer " + w.Token}}, Subprotocols: protocols,
				})
				if err != nil {
					t.Fatalf("got %+v, %v, want a socket", response, err)
				}
				t.Cleanup(func() { _ = conn.CloseNow() })
				return conn
			}
			if got := w.Open(t.Context(), http.MethodGet, w.Path("/preview/events"), nil); got.StatusCode != http.StatusOK {
				t.Fatalf("got %d, want a stream", got.StatusCode)
			}
			dial()
			got := w.Do(http.MethodGet, w.Path("/preview/events"), nil)
			if got.Status != http.StatusTooManyRequests || got.Code() != core.CodeRateLimited || got.Header.Get("Retry-After") != "10" {
				t.Errorf("one stream more: got %d %s, want 429 and when to come again", got.Status, got.Body)
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
			other := s.SignUp().Create("blank")
			if got := other.Open(t.Context(), http.MethodGet, other.Path("/preview/events"), nil); got.StatusCode != http.StatusOK {
				t.Errorf("another person: got %d, want a stream", got.StatusCode)
			}
		})
	}
}
