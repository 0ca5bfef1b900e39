package anthropic_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/atelierhq/atelier/adapters/anthropic"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func send(t *testing.T, req ai.Request) aitest.VendorRequest {
	t.Helper()
	vendor := &aitest.Recorder{Answer: func(string, string) (int, string) { return 200, data(hello, ended, stop) }}
	provider, err := openAt(vendor.Client())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Generate(t.Context(), req, func(ai.Chunk) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return vendor.Last(t)
}

func TestRequest(t *testing.T) {
	sent := send(t, ai.Request{
		Model: "m", System: "Be kind.", MaxTokens: 100,
		Messages: []ai.Message{
			{Role: ai.RoleUser, Briefing: "It is new.", Text: "Hi", Images: []ai.Image{{MediaType: "image/png", Data: []byte("\x89PNG")}}},
			{Role: ai.RoleAssistant, Text: "I look.", Thoughts: []ai.Thought{
				{Text: "Hm.", Signature: "proof"}, {Signature: "sealed", Redacted: true}, {Signature: "unseen"}, {Text: "another's"},
			}, Calls: []ai.Call{
				{ID: "a", Tool: "read_file", Args: json.RawMessage(`{"path":"x"}`)},
				{ID: "call:b.ü", Tool: "read_file", Args: json.RawMessage(`"path x"`)},
			}},
			{Role: ai.RoleTool, CallID: "a", Tool: "read_file"},
			{Role: ai.RoleTool, CallID: "call:b.ü", Tool: "read_file", Text: "no path", Failed: true},
			{Role: ai.RoleUser, Text: "Go on."},
			{Role: ai.RoleAssistant, Text: " \n"},
			{Role: ai.RoleUser, Text: "Well?"},
		},
		Tools: []ai.Tool{
			{Name: "read_file", Description: "Reads.", Parameters: json.RawMessage(`{"type":"object","required":["path"]}`)},
			{Name: "check_build"},
		},
	})
	if sent.Target != "/v1/messages" {
		t.Errorf("target: got %q, want %q", sent.Target, "/v1/messages")
	}
	if key, version := sent.Header.Get("X-Api-Key"), sent.Header.Get("Anthropic-Version"); key != aitest.Key || version != "2023-06-01" {
		t.Errorf("header: got key %q and version %q, want the key and 2023-06-01", key, version)
	}
	aitest.SameJSON(t, sent.Body, `{"model":"m","max_tokens":100,"stream":true,"system":[{"type":"text","text":"Be kind.","cache_control":{"type":"ephemeral"}}],"messages":[
		{"role":"user","content":[
			{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}},{"type":"text","text":"It is new."},{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]},
		{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"proof"},{"type":"redacted_thinking","data":"sealed"},
			{"type":"thinking","thinking":"","signature":"unseen"},{"type":"text","text":"I look."},
			{"type":"tool_use","id":"a","name":"read_file","input":{"path":"x"}},
			{"type":"tool_use","id":"call_b__","name":"read_file","input":{"arguments":"path x"}}]},
		{"role":"user","content":[
			{"type":"tool_result","tool_use_id":"a"},
			{"type":"tool_result","tool_use_id":"call_b__","content":"no path","is_error":true},
			{"type":"text","text":"Go on."},{"type":"text","text":"Well?","cache_control":{"type":"ephemeral"}}]}],
		"tools":[{"name":"read_file","description":"Reads.","input_schema":{"type":"object","required":["path"]}},
			{"name":"check_build","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}]}`)
}

func TestBoundOfTheAnswerIsAlwaysSent(t *testing.T) {
	aitest.SameJSON(t, send(t, ai.Request{Model: "m"}).Body, `{"model":"m","max_tokens":8192,"messages":[],"stream":true}`)
}

func TestModels(t *testing.T) {
	recorded, err := os.ReadFile(filepath.Join("..", "..", "testdata", "anthropic", "models.json"))
	if err != nil {
		t.Fatal(err)
	}
	vendor := &aitest.Recorder{Answer: func(target, _ string) (int, string) {
		switch target {
		case "/v1/models?limit=1000":
			return 200, `{"data":[{"id":"first"}],"has_more":true,"last_id":"fir&st"}`
		case "/v1/models?limit=1000&after_id=fir%26st":
			return 200, string(recorded)
		}
		return 404, ""
	}}
	provider, err := openAt(vendor.Client())
	if err != nil {
		t.Fatal(err)
	}
	got, err := provider.Models(t.Context())
	want := []core.Model{
		{ID: "first", Abilities: core.Abilities{Tools: true, Vision: true}},
		{ID: "claude-sonnet-4-6", Abilities: core.Abilities{
			ContextTokens: 1_000_000, Tools: true, Vision: true, Thinking: true,
		}},
		{ID: "claude-3-haiku-20240307", Abilities: core.Abilities{Tools: true, Vision: true}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v and %v, want %+v", got, err, want)
	}
}

func TestModelsEndAtAServerWhosePagesDoNot(t *testing.T) {
	vendor := &aitest.Recorder{Answer: func(string, string) (int, string) {
		return 200, `{"data":[{"id":"again"}],"has_more":true,"last_id":"again"}`
	}}
	provider, err := openAt(vendor.Client())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := provider.Models(t.Context()); err != nil || len(got) != 10 {
		t.Errorf("got %d models and %v, want 10 and no error", len(got), err)
	}
}

func TestModelsFailAsGenerateDoes(t *testing.T) {
	for status, answer := range map[int]string{401: "", 529: "", 200: "nothing"} {
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
	for _, settings := range []ai.Settings{{}, {BaseURL: "vendor.test"}, {Key: "a b"}} {
		if _, err := anthropic.New(http.DefaultClient, settings); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("settings %+v: got %v, want %s", settings, err, core.CodeValidationFailed)
		}
	}
	for _, settings := range []ai.Settings{{Key: "sk-ant-1"}, {BaseURL: "http://127.0.0.1:11434"}} {
		if _, err := anthropic.New(http.DefaultClient, settings); err != nil {
			t.Errorf("settings %+v: got %v, want no error", settings, err)
		}
	}
}

func FuzzStream(f *testing.F) {
	for _, name := range []string{"anthropic/calls.sse", "anthropic/overloaded.sse", "ollama/anthropic-thinking.sse", "ollama/anthropic-unstreamed.json"} {
		seed, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream []byte) { aitest.Fuzz(t, openAt, stream) })
}
