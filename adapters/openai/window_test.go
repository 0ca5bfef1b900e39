package openai_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func TestWindow(t *testing.T) {
	const (
		silent   = `{"object":"list","data":[{"id":"m","object":"model","owned_by":"organization_owner"}]}`
		lmStudio = `{"object":"list","data":[
			{"id":"other","type":"llm","state":"loaded","max_context_length":8192,"loaded_context_length":8192},
			{"id":"m","type":"llm","arch":"qwen3","state":"STATE","max_context_length":262144LOADED}]}`
		props = `{"default_generation_settings":{"id":0,"n_ctx":16384,"params":{}},"total_slots":1,"model_path":"/m.gguf"}`
	)
	studio := func(state, loaded string) string {
		return strings.NewReplacer("STATE", state, "LOADED", loaded).Replace(lmStudio)
	}
	for _, row := range []struct {
		name    string
		answers map[string]string
		asked   []string
		want    ai.Window
	}{
		{"vLLM", map[string]string{"/v1/models": `{"data":[{"id":"m","max_model_len":40960}]}`}, []string{"/v1/models"}, ai.Window{Server: 40_960}},
		{"newer llama.cpp", map[string]string{"/v1/models": `{"data":[{"id":"m","meta":{"n_ctx":8192,"n_ctx_train":40960}}]}`}, []string{"/v1/models"}, ai.Window{Server: 8192}},
		{
			"LM Studio, loaded", map[string]string{"/v1/models": silent, "/api/v0/models": studio("loaded", `,"loaded_context_length":4096`)},
			[]string{"/v1/models", "/api/v0/models"}, ai.Window{Model: 262_144, Loaded: 4096},
		},
		{
			"LM Studio, not loaded", map[string]string{"/v1/models": silent, "/api/v0/models": studio("not-loaded", "")},
			[]string{"/v1/models", "/api/v0/models"}, ai.Window{Model: 262_144},
		},
		{
			"llama.cpp", map[string]string{"/v1/models": silent, "/props?autoload=false&model=m": props},
			[]string{"/v1/models", "/api/v0/models", "/props?autoload=false&model=m"}, ai.Window{Loaded: 16_384},
		},
		{
			"llama.cpp, below the version path", map[string]string{"/v1/models": silent, "/props?autoload=false&model=m": `{"default_generation_settings":{"n_ctx":0}}`, "/v1/props?autoload=false&model=m": props},
			[]string{"/v1/models", "/api/v0/models", "/props?autoload=false&model=m", "/v1/props?autoload=false&model=m"}, ai.Window{Loaded: 16_384},
		},
		{
			"a server that answers everything", map[string]string{"/v1/models": silent, "/api/v0/models": `{"error":"Unexpected endpoint"}`, "/props?autoload=false&model=m": `<html>`},
			[]string{"/v1/models", "/api/v0/models", "/props?autoload=false&model=m", "/v1/props?autoload=false&model=m"}, ai.Window{},
		},
	} {
		var asked []string
		vendor := &aitest.Recorder{Answer: func(target, _ string) (int, string) {
			asked = append(asked, target)
			if answer, is := row.answers[target]; is {
				return 200, answer
			}
			return 404, "404 page not found"
		}}
		got, err := openAtAddress(t, vendor, "http://vendor.test:1234/v1").Window(t.Context(), "m")
		if err != nil || got != row.want || !slices.Equal(asked, row.asked) {
			t.Errorf("%s: got %+v, %v after %v, want %+v after %v", row.name, got, err, asked, row.want, row.asked)
		}
	}
	gone := &aitest.Recorder{Answer: func(string, string) (int, string) { return 500, "" }}
	if _, err := openAtAddress(t, gone, "http://vendor.test/v1").Window(t.Context(), "m"); err == nil {
		t.Error("got no error of a server that fails")
	}
}

func TestWindowReporter(t *testing.T) { aitest.RunWindows(t, openAt) }
