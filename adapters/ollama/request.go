package ollama

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// chatRequest is Ollama's own type except for the tools: its type keeps only the parts of
// a tool's schema that its version knows.
type chatRequest struct {
	api.ChatRequest
	Tools []tool `json:"tools,omitempty"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// keepAlive is how long the server is to keep a model in memory after a call: a person who reads for some
// minutes should not wait for it to be loaded again. The server's own default is five minutes.
const keepAlive = 30 * time.Minute

// request requests a stream. Truncate and Shift are false, so a prompt that exceeds
// the window is an error and an answer ends there. Otherwise Ollama would drop the oldest
// part of the conversation and continue.
func (p *Provider) request(ctx context.Context, req ai.Request) (chatRequest, error) {
	yes, no := true, false
	out := chatRequest{ChatRequest: api.ChatRequest{
		Model: req.Model, Messages: []api.Message{}, Stream: &yes, Truncate: &no, Shift: &no, Options: map[string]any{},
	}}
	if !p.isRemote(req.Model) {
		if req.ContextTokens > 0 {
			out.Options["num_ctx"] = req.ContextTokens
		}
		if !p.isKeptLonger(req.Model) {
			out.KeepAlive = &api.Duration{Duration: keepAlive}
		}
	}
	if req.MaxTokens > 0 {
		out.Options["num_predict"] = req.MaxTokens
	}
	if req.Thinking != "" {
		out.Think = think(req, p.thinkingOf(ctx, req.Model))
	}
	if req.System != "" {
		out.Messages = append(out.Messages, api.Message{Role: "system", Content: req.System})
	}
	for _, m := range modelhttp.PicturesApart(req.Messages) {
		message, err := newMessage(m, p.caller.Mark())
		if err != nil {
			return chatRequest{}, err
		}
		out.Messages = append(out.Messages, message)
	}
	if req.Schema != nil {
		// A format keeps the model from calling tools, so none are offered.
		out.Format = req.Schema
		return out, nil
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool{Type: "function", Function: function(t)})
	}
	return out, nil
}

// newMessage converts a message. The thoughts before calls of tools go back with them, as the
// vendor's example does (https://docs.ollama.com/capabilities/tool-calling), if they are from this server.
func newMessage(m ai.Message, server string) (api.Message, error) {
	out := api.Message{Role: string(m.Role), Content: m.Words()}
	if m.Role == ai.RoleTool {
		out.ToolName, out.ToolCallID = m.Tool, m.CallID
		if m.Failed {
			out.Content = "Error: " + m.Text
		}
	}
	for _, thought := range m.Thoughts {
		member, is := modelhttp.MemberOf(thought.Signature)
		if is && member.Name == thinkingMember && member.Server == server && len(m.Calls) > 0 {
			out.Thinking += thought.Text
		}
	}
	for _, image := range m.Images {
		out.Images = append(out.Images, image.Data)
	}
	for i, call := range m.Calls {
		sent := api.ToolCall{ID: call.ID, Function: api.ToolCallFunction{Index: i, Name: call.Tool}}
		if err := json.Unmarshal(modelhttp.ObjectArgs(call.Args), &sent.Function.Arguments); err != nil {
			return api.Message{}, core.Wrap(core.CodeInternal, err, "the arguments of an earlier tool call cannot be sent")
		}
		out.ToolCalls = append(out.ToolCalls, sent)
	}
	return out, nil
}
