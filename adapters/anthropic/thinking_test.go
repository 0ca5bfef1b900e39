package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// TestThinkingIsAskedForAsEachModelDocuments: a budget up to Claude 4.5, an effort since 4.6, and
// nothing of other vendors' models behind this protocol.
func TestThinkingIsAskedForAsEachModelDocuments(t *testing.T) {
	const none, off, low = ``, `"thinking":{"type":"disabled"},`, `"output_config":{"effort":"low"},`
	for _, c := range []struct {
		model    string
		thinking core.Thinking
		most     int
		want     string
	}{
		{"claude-sonnet-5", "", 16384, none},
		{"claude-sonnet-4-5", core.ThinkingHigh, 16384, `"thinking":{"type":"enabled","budget_tokens":8192},`},
		{"claude-sonnet-4-5-20250929", core.ThinkingMedium, 16384, `"thinking":{"type":"enabled","budget_tokens":4096},`},
		{"claude-3-7-sonnet-latest", core.ThinkingLow, 16384, `"thinking":{"type":"enabled","budget_tokens":2048},`},
		{"claude-opus-4-20250514", core.ThinkingHigh, 8192, `"thinking":{"type":"enabled","budget_tokens":4096},`},
		{"anthropic.claude-opus-4-1-20250805-v1:0", core.ThinkingHigh, 2048, `"thinking":{"type":"enabled","budget_tokens":1024},`},
		{"claude-haiku-4-5", core.ThinkingHigh, 2000, none},
		{"claude-haiku-4-5", core.ThinkingOff, 2000, off},
		{"claude-sonnet-4-6", core.ThinkingLow, 16384, `"thinking":{"type":"adaptive"},` + low},
		{"claude-opus-4-7", core.ThinkingHigh, 16384, `"thinking":{"type":"adaptive"},"output_config":{"effort":"high"},`},
		{"claude-opus-5-5", core.ThinkingMedium, 500, `"thinking":{"type":"adaptive"},"output_config":{"effort":"medium"},`},
		{"claude-opus-5", core.ThinkingOff, 16384, off},
		{"claude-fable-5", core.ThinkingOff, 16384, low},
		{"claude-3-5-haiku-latest", core.ThinkingHigh, 16384, none},
		{"qwen3", core.ThinkingHigh, 16384, none},
	} {
		most, _ := json.Marshal(c.most)
		got := send(t, ai.Request{Model: c.model, Thinking: c.thinking, MaxTokens: c.most})
		aitest.SameJSON(t, got.Body, `{"model":"`+c.model+`",`+c.want+`"max_tokens":`+string(most)+`,"messages":[],"stream":true}`)
	}
}

// TestABudgetWaitsForTheNextMessage: the vendor refuses thinking where a call of the same turn has
// no signed thought before it.
func TestABudgetWaitsForTheNextMessage(t *testing.T) {
	turn := func(thoughts ...ai.Thought) []ai.Message {
		return []ai.Message{
			{Role: ai.RoleUser, Text: "Hi"},
			{Role: ai.RoleAssistant, Thoughts: thoughts, Calls: []ai.Call{{ID: "a", Tool: "list_files", Args: json.RawMessage(`{}`)}}},
			{Role: ai.RoleTool, CallID: "a", Text: "none"},
		}
	}
	for name, c := range map[string]struct {
		messages []ai.Message
		want     bool
	}{
		"with a thought":   {turn(ai.Thought{Text: "Hm.", Signature: "proof"}), true},
		"without":          {turn(ai.Thought{}), false},
		"the next message": {append(turn(), ai.Message{Role: ai.RoleUser, Text: "Go on."}), true},
	} {
		var body struct{ Thinking *struct{ Type string } }
		sent := send(t, ai.Request{Model: "claude-sonnet-4-5", Thinking: core.ThinkingHigh, MaxTokens: 16384, Messages: c.messages})
		if err := json.Unmarshal([]byte(sent.Body), &body); err != nil || (body.Thinking != nil) != c.want {
			t.Errorf("%s: got %s, want thinking %v", name, sent.Body, c.want)
		}
	}
}

// TestASchemaIsTheFormatOfModelsThatKnowIt: they may think, and call no tool.
func TestASchemaIsTheFormatOfModelsThatKnowIt(t *testing.T) {
	called := []ai.Message{
		{Role: ai.RoleUser, Text: "Plan."}, {Role: ai.RoleAssistant, Calls: []ai.Call{{ID: "a", Tool: "list_files", Args: json.RawMessage(`{}`)}}},
		{Role: ai.RoleTool, CallID: "a", Text: "none"},
	}
	sent := send(t, ai.Request{Model: "claude-opus-5", MaxTokens: 100, Thinking: core.ThinkingHigh, Schema: json.RawMessage(structured), Messages: called})
	aitest.SameJSON(t, sent.Body, `{"model":"claude-opus-5","max_tokens":100,"stream":true,"thinking":{"type":"adaptive"},
		"output_config":{"effort":"high","format":{"type":"json_schema","schema":`+structured+`}},
		"messages":[{"role":"user","content":[{"type":"text","text":"Plan."}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"list_files","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"none"}]}],
		"tools":[{"name":"list_files","input_schema":{"type":"object"}}],"tool_choice":{"type":"none"}}`)
	for model, format := range map[string]bool{
		"claude-sonnet-4-5": true, "claude-haiku-4-5-20251001": true, "claude-opus-4-6": true, "claude-fable-5": true,
		"claude-sonnet-4-20250514": false, "claude-opus-4-1": false, "claude-3-7-sonnet-latest": false, "claude-3-haiku-20240307": false, "qwen3": false,
	} {
		var body struct {
			OutputConfig *json.RawMessage `json:"output_config"`
			Thinking     *json.RawMessage
			ToolChoice   *struct{ Type string } `json:"tool_choice"`
		}
		sent := send(t, ai.Request{Model: model, Thinking: core.ThinkingHigh, MaxTokens: 16384, Schema: json.RawMessage(structured)})
		if err := json.Unmarshal([]byte(sent.Body), &body); err != nil || (body.OutputConfig != nil) != format || (body.ToolChoice != nil) == format || !format && body.Thinking != nil {
			t.Errorf("%s: got %s, want its own format %v, and else a tool without thinking", model, sent.Body, format)
		}
	}
}

// TestTheFormattedAnswerIsItsText: no arguments of a tool are taken for it.
func TestTheFormattedAnswerIsItsText(t *testing.T) {
	vendor := &aitest.Recorder{Answer: func(string, string) (int, string) {
		return 200, data(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"{\"title\": \"blue\"}"}}`, ended, stop)
	}}
	provider, err := openAt(vendor.Client())
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	_, err = provider.Generate(t.Context(), ai.Request{Model: "claude-opus-5", Schema: json.RawMessage(structured)}, func(chunk ai.Chunk) error {
		said += chunk.Text
		return nil
	})
	if err != nil || said != `{"title": "blue"}` {
		t.Errorf("got %q, %v, want the object", said, err)
	}
}
