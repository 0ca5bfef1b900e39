package ollama_test

import (
	"encoding/json"
	"errors"
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
		aitest.SameJSON(t, body, `{"model":"`+c.model+`",`+c.want+`"messages":[],"stream":true,"truncate":false,"shift":false,"keep_alive":"30m0s","options":{}}`)
	}
}

// TestLevelsOfThinkingAreTheModels: the nearest that its server tells.
func TestLevelsOfThinkingAreTheModels(t *testing.T) {
	for _, c := range []struct {
		values   string
		thinking core.Thinking
		want     string
	}{
		{`["low","medium","high"]`, core.ThinkingHigh, `"high"`},
		{`["low","medium","high"]`, core.ThinkingOff, `"low"`},
		{`[false,"low","high","max"]`, core.ThinkingOff, `false`},
		{`[false,"low","high","max"]`, core.ThinkingMedium, `"low"`},
		{`["high","max"]`, core.ThinkingLow, `"high"`},
		{`[true,false]`, core.ThinkingMedium, `true`},
		{`[true]`, core.ThinkingOff, ``},
		{`[false]`, core.ThinkingHigh, ``},
	} {
		shown := 0
		body, err := send(t, ai.Request{Model: "gpt-oss:20b", Thinking: c.thinking}, func(path, _ string) (int, string) {
			if path == "/api/show" {
				shown++
				return http.StatusOK, `{"capabilities":["completion","thinking"],"thinking":{"values":` + c.values + `,"default":true}}`
			}
			return http.StatusOK, hello + done
		})
		if err != nil {
			t.Fatal(err)
		}
		var sent struct{ Think json.RawMessage }
		if err := json.Unmarshal([]byte(body), &sent); err != nil || string(sent.Think) != c.want || shown != 1 {
			t.Errorf("%s of %s: got %s, %v, want %s", c.thinking, c.values, sent.Think, err, c.want)
		}
	}
}

// TestThoughtsGoBackWithTheirCalls: what other models and servers thought does not.
func TestThoughtsGoBackWithTheirCalls(t *testing.T) {
	body, err := send(t, ai.Request{Model: "qwen3", Messages: []ai.Message{
		{Role: ai.RoleUser, Text: "Look."},
		{
			Role: ai.RoleAssistant, Thoughts: []ai.Thought{
				{Text: "Signed.", Signature: "proof"}, {Text: "Somebody's."}, {Text: "Elsewhere.", Signature: "member:thinking 0123456789abcdef"},
				{Text: "Let me ", Signature: "member:thinking 6abcd6757a4f10cd"}, {Text: "look.", Signature: "member:thinking 6abcd6757a4f10cd"},
			},
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
		"stream":true,"truncate":false,"shift":false,"keep_alive":"30m0s","options":{}}`)
}

// TestAnAnswerThatThinkingAteUpSaysSo: an answer that is empty for another reason does not.
func TestAnAnswerThatThinkingAteUpSaysSo(t *testing.T) {
	for file, want := range map[string]bool{"ollama/chat-thinking-cut.ndjson": true, "ollama/chat-load.json": false} {
		_, err := send(t, ai.Request{Model: "qwen3"}, func(string, string) (int, string) { return http.StatusOK, read(t, file) })
		var failure *ai.Failure
		if !errors.As(err, &failure) || !failure.Empty || failure.Overthought != want {
			t.Errorf("%s: got %+v, want an empty answer, overthought %v", file, failure, want)
		}
	}
}
