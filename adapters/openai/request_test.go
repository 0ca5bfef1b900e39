package openai_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/openai"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// send returns the request that a call makes at the base URL.
func send(t *testing.T, baseURL string, req ai.Request) aitest.VendorRequest {
	t.Helper()
	vendor := &aitest.Recorder{Answer: func(target, _ string) (int, string) {
		if strings.HasSuffix(target, "/responses") {
			return 200, read(t, "openai/responses-text.sse")
		}
		return 200, data(hello, finished, done)
	}}
	provider, err := openai.New(vendor.Client(), ai.Settings{BaseURL: baseURL, Key: aitest.Key})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Generate(t.Context(), req, func(ai.Chunk) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return vendor.Last(t)
}

func TestRequest(t *testing.T) {
	sent := send(t, "http://vendor.test/v1/", ai.Request{
		Model: "m", System: "Be kind.",
		Messages: []ai.Message{
			{Role: ai.RoleUser, Briefing: "It is new.", Text: "Hi", Images: []ai.Image{{MediaType: "image/png", Data: []byte("\x89PNG")}}},
			{Role: ai.RoleAssistant, Text: "I look.", Calls: []ai.Call{
				{ID: "a", Tool: "read_file", Args: json.RawMessage(`{"path":"x"}`)},
			}},
			{Role: ai.RoleAssistant, Thoughts: []ai.Thought{{Text: "somebody's"}, {Text: "another's", Signature: "s"}}, Calls: []ai.Call{{ID: "b", Tool: "read_file", Args: json.RawMessage(`"path x"`)}}},
			{Role: ai.RoleTool, CallID: "a", Tool: "read_file", Text: "content"},
			{Role: ai.RoleTool, CallID: "b", Tool: "read_file", Text: "no path", Failed: true},
		},
		Tools: []ai.Tool{{Name: "read_file", Description: "Reads.", Parameters: json.RawMessage(`{"type":"object"}`)}},
	})
	if sent.Target != "/v1/chat/completions" {
		t.Errorf("target: got %q, want %q", sent.Target, "/v1/chat/completions")
	}
	if got := sent.Header.Get("Authorization"); got != "Bearer "+aitest.Key {
		t.Errorf("Authorization: got %q, want the key", got)
	}
	aitest.SameJSON(t, sent.Body, `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[
		{"role":"system","content":"Be kind."},
		{"role":"user","content":[
			{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw=="}},{"type":"text","text":"It is new.\n\nHi"}]},
		{"role":"assistant","content":"I look.","tool_calls":[
			{"id":"a","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}]},
		{"role":"assistant","content":null,"tool_calls":[
			{"id":"b","type":"function","function":{"name":"read_file","arguments":"{\"arguments\":\"path x\"}"}}]},
		{"role":"tool","content":"content","tool_call_id":"a"},
		{"role":"tool","content":"Error: no path","tool_call_id":"b"}],
		"tools":[{"type":"function","function":{"name":"read_file","description":"Reads.","parameters":{"type":"object"}}}]}`)
}

func TestBoundOfTheAnswer(t *testing.T) {
	for _, row := range []struct{ baseURL, model, name string }{
		{"https://api.openai.com/v1", "gpt-4o", "max_output_tokens"},
		{"https://me.openai.azure.com/openai/v1", "mine", "max_output_tokens"},
		{"https://models.github.ai/inference", "openai/gpt-5-mini", "max_completion_tokens"},
		{"https://models.github.ai/inference", "openai/o4-mini", "max_completion_tokens"},
		{"https://models.github.ai/inference", "openai/gpt-4o", "max_tokens"},
		{"http://vendor.test/v1", "llama3.2", "max_tokens"},
		{"http://vendor.test/v1", "octocoder", "max_tokens"},
	} {
		body := send(t, row.baseURL, ai.Request{Model: row.model, MaxTokens: 77}).Body
		if !strings.Contains(body, `"`+row.name+`":77`) || strings.Count(body, ":77") != 1 {
			t.Errorf("%s at %s: got %s, want %s and no other bound", row.model, row.baseURL, body, row.name)
		}
		if body := send(t, row.baseURL, ai.Request{Model: row.model}).Body; strings.Contains(body, "max_") {
			t.Errorf("%s without a bound: got %s, want none sent", row.model, body)
		}
	}
}

func models(t *testing.T, status int, answer string) ([]core.Model, error) {
	t.Helper()
	vendor := &aitest.Recorder{Answer: func(string, string) (int, string) { return status, answer }}
	provider, err := openAt(vendor.Client())
	if err != nil {
		t.Fatal(err)
	}
	found, err := provider.Models(t.Context())
	if got := vendor.Last(t).Target; got != "/v1/models" {
		t.Errorf("target: got %q, want %q", got, "/v1/models")
	}
	return found, err
}

func TestModels(t *testing.T) {
	for _, row := range []struct {
		name, answer string
		want         []core.Model
	}{
		{"OpenAI, which tells names only", read(t, "openai/models.json"), []core.Model{
			model("gpt-4o", 0, true, true, false), model("gpt-5-mini", 0, true, true, false), model("o4-mini", 0, true, true, false),
		}},
		{"servers that tell more", read(t, "openai/compatible-models.json"), []core.Model{
			model("fast", 131072, true, true, false), model("local-instruct", 16384, true, true, false),
			model("mist", 65536, false, false, false), model("vendor/scribe", 32768, false, false, false),
			model("vendor/seer", 200000, true, true, true),
		}},
		{"a bare list", `[{"id":"b"},{"id":"a"},{"id":""}]`, []core.Model{
			model("a", 0, true, true, false), model("b", 0, true, true, false),
		}},
		{"members of another type", `{"data":[{"id":"a","context_length":"long"}]}`, []core.Model{model("a", 0, true, true, false)}},
		{"none", `{"data":null}`, []core.Model{}},
	} {
		got, err := models(t, http.StatusOK, row.answer)
		if err != nil || !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %+v and %v, want %+v", row.name, got, err, row.want)
		}
	}
}

func model(id string, context int, tools, vision, thinking bool) core.Model {
	return core.Model{ID: id, Abilities: core.Abilities{
		ContextTokens: context, Tools: tools, Vision: vision, Thinking: thinking,
	}}
}

func TestModelsFailAsGenerateDoes(t *testing.T) {
	for status, answer := range map[int]string{401: read(t, "openai/error-key.json"), 500: "", 200: "<html>"} {
		if _, err := models(t, status, answer); !core.IsCode(err, core.CodeModelUnavailable) {
			t.Errorf("status %d: got %v, want %s", status, err, core.CodeModelUnavailable)
		}
	}
}

func TestNew(t *testing.T) {
	for _, settings := range []ai.Settings{{}, {Key: " "}, {BaseURL: "vendor.test/v1"}, {Key: "sk-ü"}} {
		if _, err := openai.New(http.DefaultClient, settings); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("settings %+v: got %v, want %s", settings, err, core.CodeValidationFailed)
		}
	}
	for _, settings := range []ai.Settings{{Key: "sk-1\n"}, {BaseURL: "http://127.0.0.1:1234/v1"}} {
		if _, err := openai.New(http.DefaultClient, settings); err != nil {
			t.Errorf("settings %+v: got %v, want no error", settings, err)
		}
	}
}

func FuzzStream(f *testing.F) {
	for _, name := range []string{"openai/calls.sse", "openai/error-midstream.sse", "ollama/openai-reasoning.sse", "ollama/openai-unstreamed.json"} {
		seed, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Add([]byte(data(tool(`{"function":{"arguments":"x"}}`), tool(`{"index":-1,"id":"a","function":{"name":"n","arguments":[1]}}`), done)))
	f.Fuzz(func(t *testing.T, stream []byte) { aitest.Fuzz(t, openAt, stream) })
}

// TestTheConversationIsNamedWhereThatIsDocumented: other servers may refuse the member.
func TestTheConversationIsNamedWhereThatIsDocumented(t *testing.T) {
	key := func(baseURL, conversation string) string {
		var body struct {
			Key string `json:"prompt_cache_key"`
		}
		if err := json.Unmarshal([]byte(send(t, baseURL, ai.Request{Model: "m", Conversation: conversation}).Body), &body); err != nil {
			t.Fatal(err)
		}
		return body.Key
	}
	const vendor = "https://api.openai.com/v1"
	if one := key(vendor, "chat-1"); one == "" || one != key(vendor, "chat-1") || one == key(vendor, "chat-2") || strings.Contains(one, "chat") {
		t.Errorf("got %q, want a key of the conversation that does not show its id", one)
	}
	if got := key(vendor, ""); got != "" {
		t.Errorf("got %q without a conversation, want none", got)
	}
	if got := key("https://api.groq.com/openai/v1", "chat-1"); got != "" {
		t.Errorf("got %q at another server, want none", got)
	}
}

// TestThoughtSignaturesOfGoogle: Gemini 3 refuses a call without the signature that came with it.
func TestThoughtSignaturesOfGoogle(t *testing.T) {
	const google = "https://generativelanguage.googleapis.com/v1beta/openai"
	vendor := &aitest.Recorder{Answer: func(string, string) (int, string) {
		return 200, data(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"read_file","arguments":"{}"},"extra_content":{"google":{"thought_signature":"sig-1"}}}]}}]}`, finished, done)
	}}
	provider, err := openai.New(vendor.Client(), ai.Settings{BaseURL: google, Key: aitest.Key})
	if err != nil {
		t.Fatal(err)
	}
	said := ai.Message{Role: ai.RoleAssistant}
	_, err = provider.Generate(t.Context(), ai.Request{Model: "gemini-3-pro"}, func(chunk ai.Chunk) error {
		if chunk.Signed != nil {
			said.Thoughts = append(said.Thoughts, *chunk.Signed)
		}
		if chunk.Call != nil {
			said.Calls = append(said.Calls, *chunk.Call)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	foreign := ai.Message{Role: ai.RoleAssistant, Thoughts: []ai.Thought{{Text: "Hm."}}, Calls: []ai.Call{{ID: "b", Tool: "read_file"}, {ID: "c", Tool: "read_file"}}}
	var body struct {
		Messages []struct {
			Reasoning *string `json:"reasoning_content"`
			ToolCalls []struct {
				Extra *struct {
					Google struct {
						Signature string `json:"thought_signature"`
					}
				} `json:"extra_content"`
			} `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal([]byte(send(t, google, ai.Request{Model: "gemini-3-pro", Messages: []ai.Message{said, foreign}}).Body), &body); err != nil {
		t.Fatal(err)
	}
	own, other := body.Messages[0].ToolCalls, body.Messages[1].ToolCalls
	if own[0].Extra == nil || own[0].Extra.Google.Signature != "sig-1" {
		t.Errorf("got %+v, want the signature given back", own)
	}
	if other[0].Extra == nil || other[0].Extra.Google.Signature != "skip_thought_signature_validator" || other[1].Extra != nil || body.Messages[1].Reasoning != nil {
		t.Errorf("got %+v, want the placeholder at the first call of another model", other)
	}
	if sent := send(t, "http://vendor.test/v1", ai.Request{Model: "m", Messages: []ai.Message{foreign}}).Body; strings.Contains(sent, "extra_content") {
		t.Errorf("got %s at another server, want nothing of Google's", sent)
	}
}
