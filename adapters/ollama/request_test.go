package ollama_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/ollama"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// send returns the body of the last request that the call made.
func send(t *testing.T, req ai.Request, answer func(path, body string) (int, string)) (string, error) {
	t.Helper()
	vendor := &aitest.Recorder{Answer: answer}
	provider, err := openAt(vendor.Client())
	if err != nil {
		t.Fatal(err)
	}
	_, err = provider.Generate(t.Context(), req, func(ai.Chunk) error { return nil })
	return vendor.Last(t).Body, err
}

func TestRequest(t *testing.T) {
	body, err := send(t, ai.Request{
		Model: "m", System: "Be kind.", MaxTokens: 100, ContextTokens: 16384,
		Messages: []ai.Message{
			{Role: ai.RoleUser, Briefing: "It is new.", Text: "Hi <b>"},
			{Role: ai.RoleAssistant, Calls: []ai.Call{
				{ID: "a", Tool: "read_file", Args: json.RawMessage(`{"path":"x"}`)},
				{ID: "b", Tool: "read_file", Args: json.RawMessage(`"path x"`)},
			}},
			{Role: ai.RoleTool, CallID: "a", Tool: "read_file", Text: "content"},
			{Role: ai.RoleTool, CallID: "b", Tool: "read_file", Text: "no path", Failed: true},
		},
		Tools: []ai.Tool{{
			Name: "read_file", Description: "Reads.", Parameters: json.RawMessage(`{"type":"object","additionalProperties":false}`),
		}},
	}, func(string, string) (int, string) { return http.StatusOK, hello + done })
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"m","messages":[
		{"role":"system","content":"Be kind."},
		{"role":"user","content":"It is new.\n\nHi <b>"},
		{"role":"assistant","content":"","tool_calls":[
			{"id":"a","function":{"index":0,"name":"read_file","arguments":{"path":"x"}}},
			{"id":"b","function":{"index":1,"name":"read_file","arguments":{"arguments":"path x"}}}]},
		{"role":"tool","content":"content","tool_name":"read_file","tool_call_id":"a"},
		{"role":"tool","content":"Error: no path","tool_name":"read_file","tool_call_id":"b"}],
		"tools":[{"type":"function","function":{"name":"read_file","description":"Reads.",
			"parameters":{"type":"object","additionalProperties":false}}}],
		"stream":true,"truncate":false,"shift":false,"keep_alive":"30m0s","options":{"num_ctx":16384,"num_predict":100}}`
	aitest.SameJSON(t, body, want)
}

func TestUnsetOptionsAreLeftToTheServer(t *testing.T) {
	body, err := send(t, ai.Request{Model: "m"}, func(string, string) (int, string) { return http.StatusOK, hello + done })
	if err != nil {
		t.Fatal(err)
	}
	aitest.SameJSON(t, body, `{"model":"m","messages":[],"stream":true,"truncate":false,"shift":false,"keep_alive":"30m0s","options":{}}`)
}

func TestPicturesFollowTheResults(t *testing.T) {
	req := ai.Request{Model: "m", Messages: []ai.Message{
		{Role: ai.RoleAssistant, Calls: []ai.Call{{ID: "a", Tool: "look", Args: json.RawMessage(`{}`)}}},
		{Role: ai.RoleTool, CallID: "a", Tool: "look", Text: "The page.", Images: []ai.Image{{MediaType: "image/png", Data: []byte("\x89PNG")}}},
		{Role: ai.RoleUser, Text: "Well?"},
	}}
	body, err := send(t, req, func(path, _ string) (int, string) {
		if path == "/api/show" {
			return http.StatusOK, read(t, "ollama/show-vision.json")
		}
		return http.StatusOK, hello + done
	})
	if err != nil {
		t.Fatal(err)
	}
	aitest.SameJSON(t, body, `{"model":"m","messages":[
		{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"index":0,"name":"look","arguments":{}}}]},
		{"role":"tool","content":"The page.","tool_name":"look","tool_call_id":"a"},
		{"role":"user","content":"The picture of look.","images":["iVBORw=="]},
		{"role":"user","content":"Well?"}],"stream":true,"truncate":false,"shift":false,"keep_alive":"30m0s","options":{}}`)
}

func TestImages(t *testing.T) {
	req := ai.Request{Model: "m", Messages: []ai.Message{
		{Role: ai.RoleUser, Text: "What is it?", Images: []ai.Image{{MediaType: "image/png", Data: []byte("\x89PNG")}}},
	}}
	for _, row := range []struct {
		name, show string
		status     int
		sent       bool
	}{
		{"a model that sees gets them as bare base64", read(t, "ollama/show-vision.json"), 200, true},
		{"a model that does not see is not asked", read(t, "ollama/show-tools.json"), 200, false},
		{"an old server that does not tell gets them", `{"model_info":{}}`, 200, true},
		{"an unknown model is reported", read(t, "ollama/error-no-model.json"), 404, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			body, err := send(t, req, func(path, _ string) (int, string) {
				if path == "/api/show" {
					return row.status, row.show
				}
				return http.StatusOK, hello + done
			})
			if row.sent {
				if err != nil || !strings.Contains(body, `"images":["iVBORw=="]`) {
					t.Errorf("got %v and %s, want the picture sent", err, body)
				}
				return
			}
			if !core.IsCode(err, core.CodeModelUnavailable) || strings.Contains(body, "images") {
				t.Errorf("got %v and %s, want %s and nothing sent", err, body, core.CodeModelUnavailable)
			}
		})
	}
}

func TestModels(t *testing.T) {
	tags := `{"models":[{"name":"script:latest"},{"name":"think"},{"name":"see"},{"name":"plain"},{"name":"embed"},{"name":"gone"}]}`
	answers := map[string]string{
		`{"model":"script:latest"}`: read(t, "ollama/show-tools.json"),
		`{"model":"think"}`:         read(t, "ollama/show-thinking.json"),
		`{"model":"see"}`:           read(t, "ollama/show-vision.json"),
		`{"model":"plain"}`:         read(t, "ollama/show-plain.json"),
		`{"model":"embed"}`:         `{"capabilities":["embedding"],"model_info":{"bert.context_length":512}}`,
	}
	vendor := &aitest.Recorder{Answer: func(path, body string) (int, string) {
		if path == "/api/tags" {
			return http.StatusOK, tags
		}
		if answer, known := answers[body]; known {
			return http.StatusOK, answer
		}
		return http.StatusNotFound, `{"error":"model not found"}`
	}}
	provider, err := openAt(vendor.Client())
	if err != nil {
		t.Fatal(err)
	}
	got, err := provider.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []core.Model{
		model("script:latest", 8192, true, false, false), model("think", 8192, true, false, true),
		model("see", 8192, true, true, true), model("plain", 8192, false, false, false), model("gone", 0, true, true, false),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func model(id string, context int, tools, vision, thinking bool) core.Model {
	return core.Model{ID: id, Abilities: core.Abilities{
		ContextTokens: context, Tools: tools, Vision: vision, Thinking: thinking,
	}}
}

func TestRecordedTagsAreRead(t *testing.T) {
	vendor := &aitest.Recorder{Answer: func(path, _ string) (int, string) {
		if path == "/api/tags" {
			return http.StatusOK, read(t, "ollama/tags.json")
		}
		return http.StatusOK, read(t, "ollama/show-tools.json")
	}}
	provider, err := openAt(vendor.Client())
	if err != nil {
		t.Fatal(err)
	}
	models, err := provider.Models(t.Context())
	if err != nil || len(models) != 7 || models[0].ID != "script:latest" {
		t.Errorf("got %+v and %v, want the seven recorded models", models, err)
	}
}

func TestModelsFailAsGenerateDoes(t *testing.T) {
	for status, answer := range map[int]string{503: "", 200: "<html>"} {
		vendor := &aitest.Recorder{Answer: func(string, string) (int, string) { return status, answer }}
		provider, err := openAt(vendor.Client())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := provider.Models(t.Context()); !core.IsCode(err, core.CodeModelUnavailable) {
			t.Errorf("status %d: got %v, want %s", status, err, core.CodeModelUnavailable)
		}
	}
}

func TestNew(t *testing.T) {
	for _, settings := range []ai.Settings{
		{BaseURL: "localhost:11434"}, {BaseURL: "ftp://host"}, {BaseURL: "http://"}, {BaseURL: "http://user:pass@host"},
		{BaseURL: "http://host?x=1"}, {BaseURL: "http://host#x"}, {BaseURL: "http://ho st"}, {Key: "a\nb"},
	} {
		if _, err := ollama.New(http.DefaultClient, settings); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("settings %+v: got %v, want %s", settings, err, core.CodeValidationFailed)
		}
	}
	if _, err := ollama.New(http.DefaultClient, ai.Settings{}); err != nil {
		t.Errorf("no settings: got %v, want no error", err)
	}
}

func TestKeyIsSentOnlyWhereThereIsOne(t *testing.T) {
	vendor := &aitest.Recorder{Answer: func(string, string) (int, string) { return http.StatusOK, hello + done }}
	for key, want := range map[string]string{"": "", " secret ": "Bearer secret"} {
		provider, err := ollama.New(vendor.Client(), ai.Settings{BaseURL: "http://vendor.test/prefix/", Key: key})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := provider.Generate(t.Context(), ai.Request{}, func(ai.Chunk) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if got := vendor.Last(t).Header.Get("Authorization"); got != want {
			t.Errorf("key %q: got Authorization %q, want %q", key, got, want)
		}
	}
}

func FuzzStream(f *testing.F) {
	for _, name := range []string{"chat-text", "chat-calls", "chat-thinking", "chat-runner-killed"} {
		data, err := os.ReadFile("../../testdata/ollama/" + name + ".ndjson")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { aitest.Fuzz(t, openAt, data) })
}
