package ollama_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/ollama"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

const (
	shown  = `{"capabilities":["completion","tools"],"model_info":{"qwen3moe.context_length":262144}}`
	absent = `{"models":[]}`
)

func loaded(name, rest string) string {
	return `{"models":[{"name":"other","context_length":1},{"name":"` + name + `","model":"` + name + `","size":100,` + rest + `}]}`
}

// server is an Ollama that has loaded what running says.
func server(show, running string) *aitest.Recorder {
	return &aitest.Recorder{Answer: func(path, _ string) (int, string) {
		switch path {
		case "/api/show":
			return http.StatusOK, show
		case "/api/ps":
			if running == "" {
				return http.StatusNotFound, "404 page not found"
			}
			return http.StatusOK, running
		}
		return http.StatusOK, hello + done
	}}
}

func openOllama(t *testing.T, vendor *aitest.Recorder) *ollama.Provider {
	t.Helper()
	provider, err := ollama.New(vendor.Client(), ai.Settings{BaseURL: "http://vendor.test"})
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

func TestWindow(t *testing.T) {
	for _, row := range []struct {
		name, model, show, running string
		want                       ai.Window
	}{
		{"not loaded", "qwen3-coder:30b", shown, absent, ai.Window{Observed: true, Model: 262_144}},
		{"loaded", "qwen3-coder:30b", shown, loaded("qwen3-coder:30b", `"size_vram":100,"context_length":65536`), ai.Window{Observed: true, Model: 262_144, Loaded: 65_536}},
		{"loaded under its whole name", "qwen3-coder", shown, loaded("qwen3-coder:latest", `"size_vram":100,"context_length":4096`), ai.Window{Observed: true, Model: 262_144, Loaded: 4096}},
		{"partly in the main memory", "m", shown, loaded("m", `"size_vram":81,"context_length":32768`), ai.Window{Observed: true, Model: 262_144, Loaded: 32_768, Spilled: true}},
		{"an old server", "m", shown, "", ai.Window{Model: 262_144}},
		{"set by the model's parameters", "m", `{"parameters":"stop \"<|end|>\"\nnum_ctx                        40960\ntemperature 0.7","model_info":{"a.context_length":131072}}`, absent, ai.Window{Observed: true, Model: 131_072, Server: 40_960}},
		{"in the cloud, by its name", "qwen3-coder:480b-cloud", shown, absent, ai.Window{Model: 262_144, Fixed: true}},
		{"in the cloud, by its tag", "kimi:cloud", shown, absent, ai.Window{Model: 262_144, Fixed: true}},
		{"in the cloud, renamed", "mine", `{"remote_model":"qwen3-coder:480b","remote_host":"https://ollama.com:443","model_info":{"a.context_length":262144}}`, absent, ai.Window{Model: 262_144, Fixed: true}},
	} {
		got, err := openOllama(t, server(row.show, row.running)).Window(t.Context(), row.model)
		if err != nil || got != row.want {
			t.Errorf("%s: got %+v, %v, want %+v", row.name, got, err, row.want)
		}
	}
	if _, err := openOllama(t, &aitest.Recorder{Answer: func(string, string) (int, string) { return 404, `{"error":"model 'm' not found"}` }}).Window(t.Context(), "m"); err == nil {
		t.Error("got no error for a model that is not there")
	}
}

// TestCloudModelsAreAskedForNoWindow, nor to stay in the memory of a server where they are not. A model that the
// server keeps for longer is not told to go earlier.
func TestCloudModelsAreAskedForNoWindow(t *testing.T) {
	for _, row := range []struct {
		name, model, show, running string
		window, keeps              bool
	}{
		{"a local one", "m", shown, absent, true, true},
		{"a cloud one", "m:cloud", shown, absent, false, false},
		{"a renamed cloud one", "mine", `{"remote_model":"kimi"}`, absent, false, false},
		{"one that is to stay", "m", shown, loaded("m", `"size_vram":100,"context_length":65536,"expires_at":"2319-01-01T00:00:00Z"`), true, false},
		{"one that goes soon", "m", shown, loaded("m", `"size_vram":100,"context_length":65536,"expires_at":"2025-01-01T00:00:00Z"`), true, true},
	} {
		vendor := server(row.show, row.running)
		provider := openOllama(t, vendor)
		if _, err := provider.Window(t.Context(), row.model); err != nil {
			t.Fatal(err)
		}
		if _, err := provider.Generate(t.Context(), ai.Request{Model: row.model, ContextTokens: 65_536}, func(ai.Chunk) error { return nil }); err != nil {
			t.Fatal(err)
		}
		body := vendor.Last(t).Body
		if got := strings.Contains(body, `"num_ctx":65536`); got != row.window {
			t.Errorf("%s: got %s, want a window asked for: %v", row.name, body, row.window)
		}
		if got := strings.Contains(body, `"keep_alive":"30m0s"`); got != row.keeps {
			t.Errorf("%s: got %s, want it kept: %v", row.name, body, row.keeps)
		}
	}
}

// TestLoad sends a chat without messages that asks for no window, and is else as the next one.
func TestLoad(t *testing.T) {
	vendor := server(shown, absent)
	vendor.Answer = func(string, string) (int, string) { return http.StatusOK, read(t, "ollama/chat-load.json") }
	if err := openOllama(t, vendor).Load(t.Context(), "m"); err != nil {
		t.Fatal(err)
	}
	aitest.SameJSON(t, vendor.Last(t).Body, `{"model":"m","messages":[],"stream":false,"truncate":false,"shift":false,"keep_alive":"30m0s","options":{}}`)
	vendor.Answer = func(string, string) (int, string) { return http.StatusNotFound, `{"error":"model 'm' not found"}` }
	if err := openOllama(t, vendor).Load(t.Context(), "m"); err == nil {
		t.Error("got no error for a model that is not there")
	}
}

func TestWindowReporter(t *testing.T) { aitest.RunWindows(t, openAt) }
