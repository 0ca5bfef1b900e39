package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

const structured = `{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`

func TestASchemaIsAToolThatHasToBeCalled(t *testing.T) {
	sent := send(t, ai.Request{
		Model: "m", MaxTokens: 100, Schema: json.RawMessage(structured), Tools: []ai.Tool{{Name: "check_build"}},
		Messages: []ai.Message{{Role: ai.RoleUser, Text: "Plan."}},
	})
	aitest.SameJSON(t, sent.Body, `{"model":"m","max_tokens":100,"stream":true,
		"messages":[{"role":"user","content":[{"type":"text","text":"Plan.","cache_control":{"type":"ephemeral"}}]}],
		"tools":[{"name":"check_build","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}},{"name":"answer","description":"Give your answer.","input_schema":`+structured+`}],
		"tool_choice":{"type":"tool","name":"answer"}}`)
}

func TestTheArgumentsOfThatToolAreTheAnswer(t *testing.T) {
	for name, answer := range map[string]string{
		"in pieces": data(
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"answer","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"title\":"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":" \"blue\"}"}}`,
			`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, stop),
		"whole": `{"type":"message","content":[{"type":"tool_use","id":"a","name":"answer","input":{"title": "blue"}}],"stop_reason":"tool_use"}`,
		"as text, by a server that does not know of it": data(
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"{\"title\": \"blue\"}"}}`, ended, stop),
	} {
		vendor := &aitest.Recorder{Answer: func(string, string) (int, string) { return 200, answer }}
		provider, err := openAt(vendor.Client())
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		_, err = provider.Generate(t.Context(), ai.Request{Model: "m", Schema: json.RawMessage(structured)}, func(chunk ai.Chunk) error {
			if chunk.Call != nil {
				t.Errorf("%s: got the call %+v, want text", name, chunk.Call)
			}
			said.WriteString(chunk.Text)
			return nil
		})
		if got := said.String(); err != nil || got != `{"title": "blue"}` {
			t.Errorf("%s: got %q, %v, want the object", name, got, err)
		}
	}
}
