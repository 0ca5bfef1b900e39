package agent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// loadingOllama is an Ollama that loads a model with the window that a chat asks for, else with its own.
type loadingOllama struct {
	own int

	mu sync.Mutex
	// loaded is the window in memory, loads how often that has changed, asked what the last chat asked for.
	loaded, loads, asked int
}

func (o *loadingOllama) serve(t testing.TB) (address string) {
	t.Helper()
	mux := http.NewServeMux()
	document := func(pattern string, text func() string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text()) })
	}
	document("GET /api/tags", func() string { return `{"models":[{"name":"coder:30b"}]}` })
	document("POST /api/show", func() string {
		return `{"capabilities":["completion","tools"],"model_info":{"qwen3moe.context_length":262144}}`
	})
	document("GET /api/ps", func() string {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.loaded == 0 {
			return `{"models":[]}`
		}
		return fmt.Sprintf(`{"models":[{"name":"coder:30b","model":"coder:30b","size":100,"size_vram":60,"context_length":%d}]}`, o.loaded)
	})
	mux.HandleFunc("POST /api/chat", o.chat)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func (o *loadingOllama) chat(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Messages []json.RawMessage
		Options  struct {
			Window int `json:"num_ctx"`
		}
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	o.mu.Lock()
	defer o.mu.Unlock()
	window := in.Options.Window
	if window == 0 {
		window = o.own
	}
	if window != o.loaded {
		o.loaded, o.loads = window, o.loads+1
	}
	if len(in.Messages) == 0 {
		_, _ = io.WriteString(w, `{"message":{"role":"assistant","content":""},"done_reason":"load","done":true}`+"\n")
		return
	}
	o.asked = in.Options.Window
	_, _ = io.WriteString(w, `{"message":{"role":"assistant","content":"Well."},"done":false}`+"\n"+`{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":9000,"eval_count":2}`+"\n")
}

// last returns what the last chat asked for, and how often the model was loaded.
func (o *loadingOllama) last() (asked, loads int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked, o.loads
}

// TestAnOllamaGivesItsModelsTheWindowThatItHas, until somebody sets another.
func TestAnOllamaGivesItsModelsTheWindowThatItHas(t *testing.T) {
	onPlatform(t, "1", func(t *testing.T, admin *storytest.Caller, _ string, _ *lines) {
		for own, want := range map[int]int{131_072: 131_072, 4096: 16_384} {
			ollama := &loadingOllama{own: own}
			w := admin.Create("static-html")
			var made core.Provider
			path := "/workspaces/" + string(admin.Workspace) + "/ai-providers"
			admin.Must(http.StatusCreated, http.MethodPost, path, map[string]any{"kind": "ollama", "name": "Local", "baseUrl": ollama.serve(t)}, &made)
			if made.ContextTokens != nil {
				t.Fatalf("got the context %d, want none", *made.ContextTokens)
			}
			one, model := path+"/"+string(made.ID), string(made.ID)+"/coder:30b"
			var test struct {
				OK           bool
				Warning      string
				Capabilities core.ProviderCapabilities
			}
			admin.Must(http.StatusOK, http.MethodPost, one+"/test", nil, &test)
			if !test.OK || test.Capabilities.ContextTokens != want || test.Warning == "" {
				t.Errorf("a server of %d: got %+v, want the window %d, and a warning", own, test, want)
			}
			_, before := ollama.last()
			for range 2 {
				ask(t, w, "a message", model, "")
			}
			if asked, loads := ollama.last(); asked != want || loads != before {
				t.Errorf("a server of %d: got %d asked for and %d loads more, want %d and none", own, asked, loads-before, want)
			}
			for _, wrong := range []any{2047, 10_000_001, 0, -1, 1.5, "65536"} {
				if code := admin.Do(http.MethodPatch, one, map[string]any{"contextTokens": wrong}).Status; code != http.StatusBadRequest {
					t.Errorf("%v: got %d, want 400", wrong, code)
				}
			}
			admin.Must(http.StatusOK, http.MethodPatch, one, map[string]any{"contextTokens": 65_536}, &made)
			ask(t, w, "with a setting", model, "")
			if asked, _ := ollama.last(); asked != 65_536 || made.ContextTokens == nil || *made.ContextTokens != 65_536 {
				t.Errorf("got %d asked for with %v, want the setting", asked, made.ContextTokens)
			}
			var bare core.Provider
			admin.Must(http.StatusOK, http.MethodPatch, one, map[string]any{"contextTokens": nil}, &bare)
			if bare.ContextTokens != nil {
				t.Errorf("got %d, want the setting removed", *bare.ContextTokens)
			}
			admin.Must(http.StatusNoContent, http.MethodDelete, one, nil, nil)
		}
	})
}
