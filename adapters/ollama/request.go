package ollama

import (
	"encoding/json"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/ports/ai"
)

// The requests are types of this package and not those of Ollama's own, which
// keep only the parts of a tool's schema that their version knows.
type (
	chatRequest struct {
		Model    string    `json:"model"`
		Messages []message `json:"messages"`
		Tools    []tool    `json:"tools,omitempty"`
		Stream   bool      `json:"stream"`
		// Truncate and Shift are false: a prompt or an answer past the window is
		// an error or ends the answer, where Ollama would drop the oldest part of
		// the conversation and go on.
		Truncate bool    `json:"truncate"`
		Shift    bool    `json:"shift"`
		Options  options `json:"options"`
	}

	options struct {
		NumCtx     int `json:"num_ctx,omitempty"`
		NumPredict int `json:"num_predict,omitempty"`
	}

	message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
		// Images are base64 without a prefix, as encoding/json writes bytes.
		Images     [][]byte   `json:"images,omitempty"`
		ToolCalls  []toolCall `json:"tool_calls,omitempty"`
		ToolName   string     `json:"tool_name,omitempty"`
		ToolCallID string     `json:"tool_call_id,omitempty"`
	}

	toolCall struct {
		ID       string       `json:"id,omitempty"`
		Function functionCall `json:"function"`
	}

	functionCall struct {
		Name string `json:"name"`
		// Arguments must be an object: Ollama refuses anything else.
		Arguments json.RawMessage `json:"arguments"`
	}

	tool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}

	function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}
)

func newRequest(req ai.Request) chatRequest {
	out := chatRequest{
		Model:    req.Model,
		Messages: []message{},
		Stream:   true,
		Options:  options{NumCtx: req.ContextTokens, NumPredict: req.MaxTokens},
	}
	if req.System != "" {
		out.Messages = append(out.Messages, message{Role: "system", Content: req.System})
	}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, newMessage(m))
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool{Type: "function", Function: function(t)})
	}
	return out
}

func newMessage(m ai.Message) message {
	out := message{Role: string(m.Role), Content: m.Text}
	if m.Role == ai.RoleTool {
		out.ToolName, out.ToolCallID = m.Tool, m.CallID
		if m.Failed {
			out.Content = "Error: " + m.Text
		}
	}
	for _, image := range m.Images {
		out.Images = append(out.Images, image.Data)
	}
	for _, call := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, toolCall{
			ID: call.ID, Function: functionCall{Name: call.Tool, Arguments: modelhttp.ObjectArgs(call.Args)},
		})
	}
	return out
}
