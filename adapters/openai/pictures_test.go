package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// TestPicturesFollowTheResults: the API takes no picture in a result, and nothing between results.
func TestPicturesFollowTheResults(t *testing.T) {
	sent := send(t, "http://vendor.test/v1/", ai.Request{Model: "m", Messages: []ai.Message{
		{Role: ai.RoleAssistant, Calls: []ai.Call{{ID: "a", Tool: "look", Args: json.RawMessage(`{}`)}, {ID: "b", Tool: "check_build", Args: json.RawMessage(`{}`)}}},
		{Role: ai.RoleTool, CallID: "a", Tool: "look", Text: "The page.", Images: []ai.Image{{MediaType: "image/png", Data: []byte("\x89PNG")}}},
		{Role: ai.RoleTool, CallID: "b", Tool: "check_build", Text: "Build succeeded."},
	}})
	aitest.SameJSON(t, sent.Body, `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[
		{"role":"assistant","content":null,"tool_calls":[
			{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"check_build","arguments":"{}"}}]},
		{"role":"tool","content":"The page.","tool_call_id":"a"},
		{"role":"tool","content":"Build succeeded.","tool_call_id":"b"},
		{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw=="}},{"type":"text","text":"The picture of look."}]}]}`)
}
