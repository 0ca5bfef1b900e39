package ollama_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func TestThinkingIsALevelOrASwitch(t *testing.T) {
	for _, c := range []struct {
		model    string
		thinking core.Thinking
		want     string
	}{
		{"qwen3:8b", "", ``},
		{"qwen3:8b", core.ThinkingOff, `"think":false,`},
		{"qwen3:8b", core.ThinkingHigh, `"think":true,`},
		{"gpt-oss:20b", core.ThinkingHigh, `"think":"high",`},
		{"someone/gpt-oss:20b", core.ThinkingOff, `"think":"low",`},
	} {
		body, err := send(t, ai.Request{Model: c.model, Thinking: c.thinking}, func(string, string) (int, string) { return http.StatusOK, hello + done })
		if err != nil {
			t.Fatal(err)
		}
		aitest.SameJSON(t, body, `{"model":"`+c.model+`",`+c.want+`"messages":[],"stream":true,"truncate":false,"shift":false,"options":{}}`)
	}
}

// TestThoughtsGoBackWithTheirCalls: what another vendor signed does not.
func TestThoughtsGoBackWithTheirCalls(t *testing.T) {
	body, err := send(t, ai.Request{Model: "qwen3", Messages: []ai.Message{
		{Role: ai.RoleUser, Text: "Look."},
		{
			Role: ai.RoleAssistant, Thoughts: []ai.Thought{{Text: "Signed.", Signature: "proof"}, {Text: "Let me "}, {Text: "look."}},
			Calls: []ai.Call{{ID: "a", Tool: "list_files", Args: json.RawMessage(`{}`)}},
		},
		{Role: ai.RoleTool, CallID: "a", Tool: "list_files", Text: "none"},
	}}, func(string, string) (int, string) { return http.StatusOK, hello + done })
	if err != nil {
		t.Fatal(err)
	}
	aitest.SameJSON(t, body, `{"model":"qwen3","messages":[{"role":"user","content":"Look."},
		{"role":"assistant","content":"","thinking":"Let me look.","tool_calls":[{"id":"a","function":{"index":0,"name":"list_files","arguments":{}}}]},
		{"role":"tool","content":"none","tool_name":"list_files","tool_call_id":"a"}],
		"stream":true,"truncate":false,"shift":false,"options":{}}`)
}
