package browser

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// talker is an AI provider that answers a message as a story wants, at its own speed.
type talker struct {
	url string

	mu      sync.Mutex
	answers map[string]answer
	// painter is its model that paints, as one more of the list of models; "" without one.
	painter string
	// bodies are the requests, the oldest first.
	bodies []string
}

// answer is what a talker says, piece by piece, with a pause before each.
type answer struct {
	thought string
	pieces  []string
	pause   time.Duration
	// calls are the tools that it calls at its end, each with its arguments.
	calls [][2]string
}

// text is the whole answer.
func (a answer) text() string { return strings.Join(a.pieces, "") }

// startTalker starts a server with OpenAI's protocol, and a service that uses it as its
// own provider.
func startTalker(t *testing.T) (*talker, *service) {
	t.Helper()
	return startTalkerWith(t, "", nil)
}

// startTalkerWith is startTalker with a model that paints, and more settings.
func startTalkerWith(t *testing.T, painter string, settings map[string]string) (*talker, *service) {
	t.Helper()
	talks := &talker{answers: make(map[string]answer), painter: painter}
	server := httptest.NewServer(http.HandlerFunc(talks.serve))
	t.Cleanup(server.Close)
	talks.url = server.URL
	all := map[string]string{
		"AI_PROVIDER": "openai", "AI_BASE_URL": server.URL + "/v1", "AI_MODEL": "gpt-4o", "AI_API_KEY": "k", "PRIVATE_NETWORKS": "allow",
	}
	maps.Copy(all, settings)
	return talks, startService(t, "localhost", all)
}

// on sets the answer to a message.
func (k *talker) on(message string, a answer) answer {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.answers[message] = a
	return a
}

// asked returns the requests so far.
func (k *talker) asked() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.bodies...)
}

func (k *talker) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		_, _ = fmt.Fprintf(w, `{"data":[{"id":"gpt-4o"},{"id":"gpt-4o-mini"}%s]}`, k.painter)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/images/generations") {
		_, _ = fmt.Fprintf(w, `{"data":[{"b64_json":%q}],"usage":{"input_tokens":8,"output_tokens":272}}`, base64.StdEncoding.EncodeToString([]byte(aitest.PNG)))
		return
	}
	var body json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	said := k.answerTo(string(body))
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	say := func(member, text string) bool {
		line, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]string{member: text}}}})
		_, err := fmt.Fprintf(w, "data: %s\n\n", line)
		return err == nil && control.Flush() == nil
	}
	if said.thought != "" && !say("reasoning_content", said.thought) {
		return
	}
	for _, piece := range said.pieces {
		select {
		case <-r.Context().Done():
			return
		case <-time.After(said.pause):
		}
		if !say("content", piece) {
			return
		}
	}
	for i, call := range said.calls {
		line, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"tool_calls": []any{
			map[string]any{"index": i, "id": fmt.Sprintf("call_%d", i), "type": "function", "function": map[string]string{"name": call[0], "arguments": call[1]}},
		}}}}})
		_, _ = fmt.Fprintf(w, "data: %s\n\n", line)
	}
	_, _ = fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":500}}`+"\n\ndata: [DONE]\n\n")
}

// answerTo finds the answer whose message occurs last in a request.
func (k *talker) answerTo(body string) answer {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bodies = append(k.bodies, body)
	found, last := answer{pieces: []string{"Hello."}}, -1
	for message, a := range k.answers {
		if at := strings.LastIndex(body, message); at > last {
			found, last = a, at
		}
	}
	return found
}

// counting returns an answer of distinct, numbered words.
func counting(words int, pause time.Duration) answer {
	a := answer{pause: pause}
	for i := range words {
		a.pieces = append(a.pieces, fmt.Sprintf("word%04d ", i))
	}
	return a
}
