package browser

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
)

// labKey is the key that a lab takes.
const labKey = "sk-lab-0123456789abcdef"

// startLab starts a server that speaks as OpenAI does, and returns its base URL. It
// wants labKey, and its model calls tools.
func startLab(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[{"id":"lab-large","max_model_len":32768},{"id":"lab-small","max_model_len":8192},{"id":"mistral-large","max_model_len":128000}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Messages []struct{ Content any }
			Tools    []struct{ Function struct{ Name string } }
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		delta := map[string]any{"content": "Hello from the lab."}
		code := regexp.MustCompile(`code-[0-9a-f]+`).FindString(fmt.Sprint(asked.Messages))
		if code != "" && len(asked.Tools) == 1 {
			call := map[string]string{"name": asked.Tools[0].Function.Name, "arguments": `{"code":"` + code + `"}`}
			delta = map[string]any{"tool_calls": []any{map[string]any{"index": 0, "id": "a", "function": call}}}
		}
		line, _ := json.Marshal(map[string]any{
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": "stop"}},
			"usage":   map[string]any{"prompt_tokens": 12_000, "completion_tokens": 800, "prompt_tokens_details": map[string]int{"cached_tokens": 9_000}},
		})
		_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", line)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+labKey {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// startOllama starts a server that speaks as Ollama does, and returns its address. It
// offers one model.
func startOllama(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	say := func(pattern, answer string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer+"\n") })
	}
	say("GET /api/tags", `{"models":[{"name":"qwen3:8b","model":"qwen3:8b"}]}`)
	say("POST /api/show", `{"capabilities":["completion","tools"],"model_info":{"qwen3.context_length":40960}}`)
	say("POST /api/chat", `{"model":"qwen3:8b","message":{"role":"assistant","content":"Hello."},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":1}`)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}
