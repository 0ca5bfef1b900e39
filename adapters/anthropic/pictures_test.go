package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func TestAPictureIsAPartOfItsResult(t *testing.T) {
	picture := []ai.Image{{MediaType: "image/png", Data: []byte("\x89PNG")}}
	sent := send(t, ai.Request{Model: "m", MaxTokens: 100, Messages: []ai.Message{
		{Role: ai.RoleUser, Text: "Look."},
		{Role: ai.RoleAssistant, Calls: []ai.Call{{ID: "a", Tool: "look", Args: json.RawMessage(`{}`)}, {ID: "b", Tool: "look", Args: json.RawMessage(`{}`)}}},
		{Role: ai.RoleTool, CallID: "a", Tool: "look", Text: "The page.", Images: picture},
		{Role: ai.RoleTool, CallID: "b", Tool: "look", Images: picture},
	}})
	var got struct{ Messages []json.RawMessage }
	if err := json.Unmarshal([]byte(sent.Body), &got); err != nil || len(got.Messages) != 3 {
		t.Fatalf("got %s, %v, want three messages", sent.Body, err)
	}
	aitest.SameJSON(t, string(got.Messages[2]), `{"role":"user","content":[
		{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"The page."},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}}]},
		{"type":"tool_result","tool_use_id":"b","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}}]}]}`)
}
