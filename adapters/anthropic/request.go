package anthropic

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/ports/ai"
)

// defaultMaxTokens is sent if the request sets no bound: the API requires one. Every
// model since Claude 3.5 can write that much.
const defaultMaxTokens = 8192

type messagesRequest struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	System    []block   `json:"system,omitempty"`
	Messages  []message `json:"messages"`
	Tools     []tool    `json:"tools,omitempty"`
	// ToolChoice forces the model to call answerTool, or to call no tool.
	ToolChoice   *toolChoice   `json:"tool_choice,omitempty"`
	Thinking     *thinking     `json:"thinking,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
	Stream       bool          `json:"stream"`
}

// answerTool is a tool that the model must call if its answer has a schema, which becomes
// the tool's, and the model does not know the API's own output format.
const answerTool = "answer"

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

// roleUser is the role of messages that the model does not write.
const roleUser = "user"

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is the union of the content blocks of a request.
type block struct {
	Type string `json:"type"`
	// Text belongs to text.
	Text string `json:"text,omitempty"`
	// Thinking and Signature belong to thinking, Data to redacted_thinking.
	Thinking  *string `json:"thinking,omitempty"`
	Signature string  `json:"signature,omitempty"`
	Data      string  `json:"data,omitempty"`
	// Source belongs to image.
	Source *source `json:"source,omitempty"`
	// ID, Name and Input belong to tool_use.
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	// ToolUseID, Content and IsError belong to tool_result. Content is a string, or a list of
	// blocks if there are pictures.
	ToolUseID string `json:"tool_use_id,omitempty"`
	Content   any    `json:"content,omitempty"`
	IsError   bool   `json:"is_error,omitempty"`
	// CacheControl ends a prefix that the vendor caches.
	CacheControl *cacheControl `json:"cache_control,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
	// CacheControl ends a prefix that the vendor caches.
	CacheControl *cacheControl `json:"cache_control,omitempty"`
}

func newRequest(req ai.Request) messagesRequest {
	out := messagesRequest{
		Model:     req.Model,
		MaxTokens: cmp.Or(req.MaxTokens, defaultMaxTokens),
		Messages:  []message{},
		Stream:    true,
	}
	if strings.TrimSpace(req.System) != "" {
		out.System = []block{{Type: "text", Text: req.System}}
	}
	for _, m := range req.Messages {
		out.add(m)
	}
	for _, t := range req.Tools {
		schema := t.Parameters
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		out.Tools = append(out.Tools, tool{Name: t.Name, Description: t.Description, InputSchema: schema})
	}
	if len(req.Tools) > 0 {
		out.cachePrefixes()
	}
	out.think(req)
	if req.Schema != nil {
		out.answerIn(req.Schema, req)
	}
	return out
}

// add appends a message. The API requires the results of one turn's calls in one message,
// and refuses empty messages and texts.
func (r *messagesRequest) add(m ai.Message) {
	role := roleUser
	if m.Role == ai.RoleAssistant {
		role = "assistant"
	}
	blocks := newBlocks(m)
	if len(blocks) == 0 {
		return
	}
	if last := len(r.Messages) - 1; last >= 0 && r.Messages[last].Role == role {
		r.Messages[last].Content = append(r.Messages[last].Content, blocks...)
		return
	}
	r.Messages = append(r.Messages, message{Role: role, Content: blocks})
}

func newBlocks(m ai.Message) []block {
	if m.Role == ai.RoleTool {
		return []block{{Type: "tool_result", ToolUseID: toolUseID(m.CallID), Content: resultContent(m), IsError: m.Failed}}
	}
	blocks := append(thoughtBlocks(m), imageBlocks(m)...)
	if m.Briefing != "" {
		blocks = append(blocks, block{Type: "text", Text: m.Briefing})
	}
	if strings.TrimSpace(m.Text) != "" {
		blocks = append(blocks, block{Type: "text", Text: m.Text})
	}
	for _, call := range m.Calls {
		blocks = append(blocks, block{
			Type: "tool_use", ID: toolUseID(call.ID), Name: call.Tool, Input: modelhttp.ObjectArgs(call.Args),
		})
	}
	return blocks
}

func resultContent(m ai.Message) any {
	switch {
	case len(m.Images) > 0 && strings.TrimSpace(m.Text) != "":
		return append([]block{{Type: "text", Text: m.Text}}, imageBlocks(m)...)
	case len(m.Images) > 0:
		return imageBlocks(m)
	case m.Text == "":
		return nil
	}
	return m.Text
}

func imageBlocks(m ai.Message) []block {
	var blocks []block
	for _, image := range m.Images {
		blocks = append(blocks, block{
			Type: "image", Source: &source{Type: "base64", MediaType: image.MediaType, Data: image.Data},
		})
	}
	return blocks
}

// thoughtBlocks are the thoughts that the vendor signed.
func thoughtBlocks(m ai.Message) (blocks []block) {
	for _, thought := range m.Thoughts {
		_, foreign := modelhttp.MemberOf(thought.Signature)
		switch {
		case thought.Signature == "", foreign:
		case thought.Redacted:
			blocks = append(blocks, block{Type: "redacted_thinking", Data: thought.Signature})
		default:
			blocks = append(blocks, block{Type: "thinking", Thinking: &thought.Text, Signature: thought.Signature})
		}
	}
	return blocks
}

// toolUseID converts an id, which another provider may have given earlier in the
// conversation, to one that the API accepts: ^[a-zA-Z0-9_-]+$.
func toolUseID(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-':
			return r
		}
		return '_'
	}, id)
}
