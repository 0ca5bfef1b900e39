package operation_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// streamedChunks is how many chunks the model of the relay benchmark sends.
const streamedChunks = 3000

// fakeOllama speaks Ollama's protocol and sends chunks as fast as it can. Each is a
// numbered word with padding behind it.
func fakeOllama(tb testing.TB, chunks int, padding string) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"m","model":"m"}]}`)
	})
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"capabilities":["completion","tools"],"model_info":{"general.architecture":"llama","llama.context_length":8192}}`)
	})
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		control := http.NewResponseController(w)
		for i := range chunks {
			fmt.Fprintf(w, `{"model":"m","message":{"role":"assistant","content":"word%d %s"},"done":false}`+"\n", i, padding)
			_ = control.Flush()
		}
		_, _ = io.WriteString(w, `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":3000}`+"\n")
	})
	server := httptest.NewServer(mux)
	tb.Cleanup(server.Close)
	return server
}

// BenchmarkStreamRelay compares a model's stream read through the service with
// the same stream read from the model.
func BenchmarkStreamRelay(b *testing.B) {
	model := fakeOllama(b, streamedChunks, "")
	s := storytest.Serve(b, b.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": model.URL, "AI_MODEL": "m", "MAX_CHATS_PER_PROJECT": "0"})
	w := s.SignUp().Create("blank")
	var direct, relayed timing
	for b.Loop() {
		var chat core.Chat
		w.Must(http.StatusCreated, http.MethodPost, w.Path("/chats"), map[string]any{"mode": "build"}, &chat)
		w.Chat = chat.ID
		direct.add(readModel(b, model.URL))
		relayed.add(readThrough(b, w))
	}
	b.ReportMetric(float64(relayed.first-direct.first)/float64(time.Millisecond)/float64(b.N), "ms-over-direct")
	b.ReportMetric(float64(direct.last-direct.first)/float64(relayed.last-relayed.first), "x-direct-rate")
}

// timing is when the first piece of text came, and the last.
type timing struct{ first, last time.Duration }

func (t *timing) add(other timing) { t.first, t.last = t.first+other.first, t.last+other.last }

func readModel(b *testing.B, address string) timing {
	start := time.Now()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, address+"/api/chat", nil)
	if err != nil {
		b.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	var t timing
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		var piece struct{ Done bool }
		if err := json.Unmarshal(lines.Bytes(), &piece); err != nil {
			b.Fatal(err)
		}
		if t.last = time.Since(start); t.first == 0 {
			t.first = t.last
		}
	}
	return t
}

func readThrough(b *testing.B, w *storytest.Work) timing {
	start := time.Now()
	response := w.Open(context.Background(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", map[string]string{"chatId": string(w.Chat), "text": "go"})
	defer response.Body.Close()
	var t timing
	text := 0
	storytest.Each(b, response.Body, func(e storytest.Event) bool {
		switch e.Kind() {
		case "assistant.message_delta":
			if t.last = time.Since(start); t.first == 0 {
				t.first = t.last
			}
			text += len(e.Data["delta"].(string))
		case "session.error":
			b.Fatalf("the run failed: %v", e.Data)
		}
		return true
	})
	if want := 5*streamedChunks + 10 + 90*2 + 900*3 + 2000*4; text != want {
		b.Fatalf("got %d bytes of text, want %d", text, want)
	}
	return t
}
