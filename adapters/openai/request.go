package openai

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/ports/ai"
)

type chatRequest struct {
	Model      string    `json:"model"`
	Messages   []message `json:"messages"`
	Tools      []tool    `json:"tools,omitempty"`
	ToolChoice string    `json:"tool_choice,omitempty"`
	// ResponseFormat requests an answer that follows a schema.
	ResponseFormat *responseFormat `json:"response_format,omitempty"`
	Stream         bool            `json:"stream"`
	StreamOptions  streamOptions   `json:"stream_options"`
	// At most one of the two is set: OpenAI's own models accept only the newer one, most
	// compatible servers only the older.
	MaxCompletionTokens int `json:"max_completion_tokens,omitempty"`
	MaxTokens           int `json:"max_tokens,omitempty"`
	// PromptCacheKey routes the requests of one conversation to where its beginning is
	// cached.
	PromptCacheKey string `json:"prompt_cache_key,omitempty"`
	// SessionID has OpenRouter ask the vendor that has the beginning of the conversation.
	SessionID string `json:"session_id,omitempty"`
	// ReasoningEffort is how much the model thinks.
	ReasoningEffort string `json:"reasoning_effort,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type message struct {
	Role string `json:"role"`
	// Content is a string, a list of parts, or null beside tool calls.
	Content    any        `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	// One of these gives what the model thought before an answer back, as it came.
	ReasoningContent *string  `json:"reasoning_content,omitempty"`
	Reasoning        *string  `json:"reasoning,omitempty"`
	Thinking         *string  `json:"thinking,omitempty"`
	ReasoningDetails []detail `json:"reasoning_details,omitempty"`
}

type part struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
	// CacheControl ends a prefix that the vendor caches.
	CacheControl *cacheControl `json:"cache_control,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

type toolCall struct {
	ID       string        `json:"id"`
	Type     string        `json:"type"`
	Function functionCall  `json:"function"`
	Extra    *extraContent `json:"extra_content,omitempty"`
}

// extraContent is what Google adds to a call: Gemini 3 refuses calls without the signature of the thought
// before them (https://ai.google.dev/gemini-api/docs/thought-signatures). The first of several calls has it.
type extraContent struct {
	Google struct {
		ThoughtSignature string `json:"thought_signature"`
	} `json:"google"`
}

// unsigned is documented for calls that another model made.
const unsigned = "skip_thought_signature_validator"

type functionCall struct {
	Name string `json:"name"`
	// Arguments is a JSON object, as text.
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
	// CacheControl ends a prefix that the vendor caches.
	CacheControl *cacheControl `json:"cache_control,omitempty"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

func (p *Provider) request(req ai.Request) chatRequest {
	out := chatRequest{Model: req.Model, Stream: true, StreamOptions: streamOptions{IncludeUsage: true}}
	if req.System != "" {
		out.Messages = append(out.Messages, message{Role: "system", Content: req.System})
	}
	for _, m := range modelhttp.PicturesApart(req.Messages) {
		next := newMessage(m)
		if p.signsThoughts() {
			next.sign(m)
		} else {
			p.returnThoughts(req, m, &next)
		}
		out.Messages = append(out.Messages, next)
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool{Type: "function", Function: function(t)})
	}
	if p.isOpenRouter() {
		out.SessionID = cacheKey(req)
		if len(out.Tools) > 0 && marked.MatchString(req.Model) {
			out.cachePrefixes()
		}
	}
	if req.Schema != nil {
		out.ResponseFormat = newResponseFormat(req.Schema)
		if len(out.Tools) > 0 {
			out.ToolChoice = "none"
		}
	}
	if p.wantsCompletionTokens(req.Model) {
		out.MaxCompletionTokens = req.MaxTokens
	} else {
		out.MaxTokens = req.MaxTokens
	}
	out.ReasoningEffort = p.reasoningEffort(req)
	if slices.Contains(cacheKeyHosts, p.caller.Host()) {
		out.PromptCacheKey = cacheKey(req)
	}
	return out
}

// cacheKey names the conversation of a request for a prompt cache, "" without one.
func cacheKey(req ai.Request) string {
	if req.Conversation == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("conversation " + req.Conversation))
	return hex.EncodeToString(sum[:16])
}

// cacheKeyHosts document prompt_cache_key. Some compatible servers refuse members that they
// do not know.
var cacheKeyHosts = []string{"api.mistral.ai"}

// wantsCompletionTokens reports whether the server refuses max_tokens, as for OpenAI's newer models
// behind a proxy.
func (p *Provider) wantsCompletionTokens(model string) bool {
	name := path.Base(model)
	for _, family := range []string{"o1", "o3", "o4", "gpt-5"} {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	return false
}

func newMessage(m ai.Message) message {
	out := message{Role: string(m.Role), Content: m.Words()}
	switch m.Role {
	case ai.RoleTool:
		out.ToolCallID = m.CallID
		if m.Failed {
			out.Content = "Error: " + m.Text
		}
	case ai.RoleUser:
		if len(m.Images) > 0 {
			out.Content = parts(m)
		}
	}
	for _, call := range m.Calls {
		arguments := string(modelhttp.ObjectArgs(call.Args))
		out.ToolCalls = append(out.ToolCalls, toolCall{
			ID: call.ID, Type: "function", Function: functionCall{Name: call.Tool, Arguments: arguments},
		})
	}
	if len(out.ToolCalls) > 0 && m.Text == "" {
		out.Content = nil
	}
	return out
}

// signsThoughts reports whether the server is Google's.
func (p *Provider) signsThoughts() bool {
	return p.caller.Host() == "generativelanguage.googleapis.com" || strings.HasSuffix(p.caller.Host(), "aiplatform.googleapis.com")
}

// sign gives the thought before the calls of a message back as Google wants it.
func (out *message) sign(m ai.Message) {
	if len(out.ToolCalls) == 0 {
		return
	}
	extra := &extraContent{}
	extra.Google.ThoughtSignature = unsigned
	for _, thought := range m.Thoughts {
		if _, is := modelhttp.MemberOf(thought.Signature); thought.Signature != "" && !is {
			extra.Google.ThoughtSignature = thought.Signature
			break
		}
	}
	out.ToolCalls[0].Extra = extra
}

func parts(m ai.Message) []part {
	var out []part
	for _, image := range m.Images {
		url := "data:" + image.MediaType + ";base64," + base64.StdEncoding.EncodeToString(image.Data)
		out = append(out, part{Type: "image_url", ImageURL: &imageURL{URL: url}})
	}
	if words := m.Words(); words != "" {
		out = append(out, part{Type: "text", Text: words})
	}
	return out
}
