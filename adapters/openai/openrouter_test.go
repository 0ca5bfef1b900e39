package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

const openRouter = "https://openrouter.ai/api/v1"

// build is a conversation in the middle of a run.
func build(model string) ai.Request {
	call := func(id string) []ai.Call { return []ai.Call{{ID: id, Tool: "read_file", Args: json.RawMessage(`{}`)}} }
	return ai.Request{
		Model: model, System: "Be kind.", Conversation: "chat-1",
		Messages: []ai.Message{
			{Role: ai.RoleUser, Text: "Hi"},
			{Role: ai.RoleAssistant, Calls: call("a")},
			{Role: ai.RoleTool, CallID: "a", Tool: "read_file", Text: "one"},
			{Role: ai.RoleAssistant, Calls: append(call("b"), call("c")...)},
			{Role: ai.RoleTool, CallID: "b", Tool: "read_file", Text: "two"},
			{Role: ai.RoleTool, CallID: "c", Tool: "read_file", Text: ""},
		},
		Tools: []ai.Tool{{Name: "list_files"}, {Name: "read_file"}},
	}
}

// TestPrefixesAreMarkedAtOpenRouter: as adapters/anthropic marks them, for the models whose vendors cache
// what is marked only.
func TestPrefixesAreMarkedAtOpenRouter(t *testing.T) {
	const call = `"type":"function","function":{"name":"read_file","arguments":"{}"}`
	messages := func(mark string) string {
		return `[
			{"role":"system","content":[{"type":"text","text":"Be kind."` + mark + `}]},
			{"role":"user","content":[{"type":"text","text":"Hi"}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":"a",` + call + `}]},
			{"role":"tool","content":[{"type":"text","text":"one"` + mark + `}],"tool_call_id":"a"},
			{"role":"assistant","content":null,"tool_calls":[{"id":"b",` + call + `},{"id":"c",` + call + `}]},
			{"role":"tool","content":[{"type":"text","text":"two"` + mark + `}],"tool_call_id":"b"},
			{"role":"tool","content":"","tool_call_id":"c"}]`
	}
	const mark = `,"cache_control":{"type":"ephemeral"}`
	for model, tools := range map[string]string{
		"anthropic/claude-sonnet-5": mark, "~anthropic/claude-sonnet-latest": mark,
		"qwen/qwen3-max": "", "qwen/qwen3-coder-plus": "", "qwen/qwen3.6-flash": "",
	} {
		var body struct{ Messages, Tools json.RawMessage }
		sent := send(t, openRouter, build(model)).Body
		if err := json.Unmarshal([]byte(sent), &body); err != nil {
			t.Fatal(err)
		}
		aitest.SameJSON(t, string(body.Messages), messages(mark))
		aitest.SameJSON(t, string(body.Tools), `[{"type":"function","function":{"name":"list_files"}},{"type":"function","function":{"name":"read_file"}`+tools+`}]`)
		if !strings.Contains(sent, `"session_id":"`) || strings.Contains(sent, "chat-1") {
			t.Errorf("got %s, want a session that does not show the conversation", sent)
		}
	}
	for _, row := range []struct{ baseURL, model string }{
		{openRouter, "google/gemini-3-pro"}, {openRouter, "openai/gpt-5.6"}, {openRouter, "qwen/qwen3-coder"}, {openRouter, "deepseek/deepseek-v4"},
		{"http://vendor.test/v1", "anthropic/claude-sonnet-5"},
	} {
		if sent := send(t, row.baseURL, build(row.model)).Body; strings.Contains(sent, "cache_control") {
			t.Errorf("%s at %s: got %s, want no marks", row.model, row.baseURL, sent)
		}
	}
	once := build("anthropic/claude-sonnet-5")
	once.Tools = nil
	if sent := send(t, openRouter, once).Body; strings.Contains(sent, "cache_control") {
		t.Errorf("got %s, want no marks where nobody goes on", sent)
	}
}

// TestAMarkMovesWithoutChangingThePrefix: but for marks, a request begins with the one before it.
func TestAMarkMovesWithoutChangingThePrefix(t *testing.T) {
	plain := func(n int) string {
		request := build("anthropic/claude-sonnet-5")
		request.Messages = request.Messages[:n]
		body := strings.ReplaceAll(send(t, openRouter, request).Body, `,"cache_control":{"type":"ephemeral"}`, "")
		_, body, _ = strings.Cut(body, `"messages":`)
		body, _, _ = strings.Cut(body, `],"tools"`)
		return body
	}
	for _, n := range []int{3, 5, 6} {
		if before, after := plain(n-2), plain(n); !strings.HasPrefix(after, before) {
			t.Errorf("got %s after %s, want it to go on", after, before)
		}
	}
}
