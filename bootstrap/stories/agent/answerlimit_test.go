package agent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// strictServer speaks OpenAI's protocol as DeepSeek does: it refuses answers of more
// than 4,096 tokens, and conversations of more than 8,192.
type strictServer struct {
	mu      sync.Mutex
	asked   []int
	tooLong int
}

func (s *strictServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/v1/chat/completions":
	case "/v1/models":
		_, _ = io.WriteString(w, `{"data":[{"id":"m"}]}`)
		return
	default:
		http.NotFound(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var in struct {
		MaxTokens int `json:"max_tokens"`
	}
	_ = json.Unmarshal(body, &in)
	s.mu.Lock()
	s.asked = append(s.asked, in.MaxTokens)
	tokens := len(body) / 4
	if tokens+in.MaxTokens > 8192 {
		s.tooLong++
	}
	s.mu.Unlock()
	switch {
	case in.MaxTokens > 4096:
		refuse(w, "Invalid max_tokens value, the valid range of max_tokens is [1, 4096]")
	case tokens+in.MaxTokens > 8192:
		refuse(w, fmt.Sprintf("This model's maximum context length is 8192 tokens. However, you requested %d tokens (%d in the messages, %d in the completion). Please reduce the length of the messages or completion.",
			tokens+in.MaxTokens, tokens, in.MaxTokens))
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello.\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n", tokens)
	}
}

func refuse(w http.ResponseWriter, text string) {
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": text, "type": "invalid_request_error"}})
}

// TestAModelWithShortAnswersAndASmallWindowAnswers: neither is known beforehand, both are
// learnt from one refusal each, and the longest message is answered.
func TestAModelWithShortAnswersAndASmallWindowAnswers(t *testing.T) {
	strict := &strictServer{}
	upstream := httptest.NewServer(strict)
	t.Cleanup(upstream.Close)
	s := storytest.Serve(t, t.TempDir(), local.New, map[string]string{
		"AI_PROVIDER": "openai", "AI_BASE_URL": upstream.URL + "/v1", "AI_API_KEY": "sk-test-0123456789", "AI_MODEL": "m",
	})
	w := s.SignUp().Create("static-html")
	for _, text := range []string{"Hello?", strings.Repeat("A long wish. ", 7000), "And?"} {
		if last := storytest.LastOf(w.Send(text)); last["type"] != "session.task_complete" {
			t.Fatalf("got %v, want a good run", last)
		}
	}
	strict.mu.Lock()
	defer strict.mu.Unlock()
	for _, asked := range strict.asked[1:] {
		if asked > 4096 {
			t.Errorf("got %v tokens asked for, want the limit remembered", strict.asked)
		}
	}
	if strict.tooLong > 4 {
		t.Errorf("got %d requests that were too long, want the window remembered", strict.tooLong)
	}
}
