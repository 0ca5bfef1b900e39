package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// TestThinkingIsAskedForWhereItIsDocumented: other servers may refuse what they do not know.
func TestThinkingIsAskedForWhereItIsDocumented(t *testing.T) {
	const vendor = "https://api.openai.com/v1"
	for _, c := range []struct {
		baseURL, model string
		thinking       core.Thinking
		want           string
	}{
		{vendor, "gpt-5.1", "", ""},
		{vendor, "gpt-5.1", core.ThinkingHigh, "high"},
		{vendor, "gpt-5.1", core.ThinkingOff, "none"},
		{vendor, "gpt-5-mini", core.ThinkingOff, "minimal"},
		{vendor, "o4-mini", core.ThinkingOff, "low"},
		{vendor, "o4-mini", core.ThinkingMedium, "medium"},
		{vendor, "gpt-5-pro", core.ThinkingLow, ""},
		{"https://me.openai.azure.com/openai/v1", "gpt-5.1", core.ThinkingLow, "low"},
		{"https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5", core.ThinkingOff, "none"},
		{"https://api.groq.com/openai/v1", "openai/gpt-oss-120b", core.ThinkingHigh, "high"},
		{"https://api.groq.com/openai/v1", "openai/gpt-oss-120b", core.ThinkingOff, ""},
		{"http://vendor.test/v1", "qwen3", core.ThinkingHigh, ""},
	} {
		var body struct {
			Effort    *string `json:"reasoning_effort"`
			Reasoning *struct{ Effort string }
		}
		sent := send(t, c.baseURL, ai.Request{Model: c.model, Thinking: c.thinking}).Body
		err := json.Unmarshal([]byte(sent), &body)
		if body.Reasoning != nil {
			body.Effort = &body.Reasoning.Effort
		}
		if err != nil || (body.Effort == nil) != (c.want == "") || body.Effort != nil && *body.Effort != c.want {
			t.Errorf("%s at %s, %q: got %s, want %q", c.model, c.baseURL, c.thinking, sent, c.want)
		}
	}
}
