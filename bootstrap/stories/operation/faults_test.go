package operation_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// smallDisk runs a command with a projects root of 8 MiB, in a mount namespace of
// its own, so that it needs no rights.
var smallDisk = []string{
	"unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
	`mkdir -p "$DATA_DIR/projects" && mount -t tmpfs -o size=8m tmpfs "$DATA_DIR/projects" && exec "$0" "$@"`,
}

func TestAFullDiskIsAnErrorAndReadsGoOn(t *testing.T) {
	service := process.StartBehind(t, smallDisk, process.Build(t))
	w := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create("static-html")
	mebibyte := func(fill string) string { return strings.Repeat(fill, 1<<20) }
	full := -1
	for i := range 20 {
		got := w.Do(http.MethodPut, w.Path(fmt.Sprintf("/files/big%d.txt", i)), strings.NewReader(unpackable(i)))
		if got.Status == http.StatusServiceUnavailable && got.Code() == core.CodeUnavailable {
			full = i
			break
		}
		if got.Status != http.StatusCreated {
			t.Fatalf("put %d: got %d %s, want 201, or 503 once the disk is full", i, got.Status, got.Body)
		}
	}
	if full < 1 {
		t.Fatalf("got the first refusal at %d, want some writes to fit and one not to", full)
	}
	if got := w.Do(http.MethodPut, w.Path("/files/big0.txt"), strings.NewReader(mebibyte("n")+mebibyte("n"))); got.Status != http.StatusServiceUnavailable {
		t.Errorf("replacing: got %d %s, want 503", got.Status, got.Body)
	}
	if got := w.Do(http.MethodGet, w.Path("/files/big0.txt"), nil); got.Status != http.StatusOK || string(got.Body) != unpackable(0) {
		t.Errorf("reading: got %d and %d bytes, want the old content", got.Status, len(got.Body))
	}
	for i := range full {
		w.Must(http.StatusNoContent, http.MethodDelete, w.Path(fmt.Sprintf("/files/big%d.txt", i)), nil, nil)
	}
	if got := w.Do(http.MethodPut, w.Path("/files/small.txt"), strings.NewReader("fits")); got.Status != http.StatusCreated {
		t.Errorf("after room was made: got %d %s, want 201 without a restart", got.Status, got.Body)
	}
}

// unpackable is half a mebibyte that compresses little, different for each i.
func unpackable(i int) string {
	b := make([]byte, 1<<19)
	state := uint32(i + 1)
	for at := range b {
		state = state*1664525 + 1013904223
		b[at] = byte(state >> 24)
	}
	return string(b)
}

// endlessOllama answers with pieces of 16 KiB, up to the longest allowed answer, and
// continues after a tool call each time, until it has sent more than any buffer holds.
// Then it falls silent until its client leaves.
func endlessOllama(t *testing.T) string {
	t.Helper()
	var answers atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"m","model":"m"}]}`)
	})
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Tools []json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&asked)
		say := func(line string) {
			fmt.Fprintln(w, line)
			_ = http.NewResponseController(w).Flush()
		}
		n := answers.Add(1)
		for i := 0; i < 15 && len(asked.Tools) > 0; i++ {
			say(fmt.Sprintf(`{"model":"m","message":{"role":"assistant","content":%q},"done":false}`, strings.Repeat("x", 16<<10)))
		}
		if n > 50 {
			<-r.Context().Done()
			return
		}
		if len(asked.Tools) > 0 {
			say(fmt.Sprintf(`{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"search_files","arguments":{"query":"%d"}}}]},"done":false}`, n))
		}
		say(`{"model":"m","message":{"role":"assistant","content":"So."},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":10}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestAClientThatNeverReadsIsCutOff(t *testing.T) {
	t.Parallel()
	s := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": endlessOllama(t), "AI_MODEL": "m"})
	w := s.SignUp().Create("static-html")
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"chatId":%q,"text":"talk"}`, w.Chat)
	fmt.Fprintf(conn, "POST /chat/%s/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", w.ID, w.Token, len(body), body)
	ctx := conformance.Bounded(t)
	var last storytest.Event
	for last.Kind() == "" {
		follow := w.Open(ctx, http.MethodGet, "/chat/"+string(w.ID)+"/stream"+storytest.Query("chatId", string(w.Chat)), nil)
		storytest.Each(t, follow.Body, func(e storytest.Event) bool { last = e; return true })
		follow.Body.Close()
	}
	if last.Kind() != "session.task_complete" || last.Data["reason"] != "stopped" {
		t.Fatalf("got %v, want a run that was stopped because its client never reads", last.Data)
	}
}
