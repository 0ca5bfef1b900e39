package openai

import (
	"encoding/base64"
	"encoding/json"
	"path"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/ports/ai"
)

// responsesRequest is a request of the Responses API
// (https://platform.openai.com/docs/api-reference/responses/create). It keeps nothing at OpenAI: what
// the model thought comes back encrypted and is given back with the conversation.
type responsesRequest struct {
	Model        string      `json:"model"`
	Instructions string      `json:"instructions,omitempty"`
	Input        []inputItem `json:"input"`
	Tools        []flatTool  `json:"tools,omitempty"`
	ToolChoice   string      `json:"tool_choice,omitempty"`
	Text         *textFormat `json:"text,omitempty"`
	Reasoning    *effort     `json:"reasoning,omitempty"`
	Include      []string    `json:"include,omitempty"`
	Stream       bool        `json:"stream"`
	Store        bool        `json:"store"`
	// MaxOutputTokens counts the reasoning as well.
	MaxOutputTokens int    `json:"max_output_tokens,omitempty"`
	PromptCacheKey  string `json:"prompt_cache_key,omitempty"`
}

type effort struct {
	Effort string `json:"effort"`
}

type textFormat struct {
	Format flatFormat `json:"format"`
}

// flatFormat is a responseFormat without its inner object.
type flatFormat struct {
	Type string `json:"type"`
	namedSchema
}

// flatTool is a function. Strict would refuse schemas with members that may be left out.
type flatTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      bool            `json:"strict"`
}

// inputItem is one item of a conversation: a message, a call, its output, or a thought.
type inputItem struct {
	Type string `json:"type"`
	// Role and Content belong to a message.
	Role    string        `json:"role,omitempty"`
	Content []contentPart `json:"content,omitempty"`
	// CallID belongs to a call and its output.
	CallID    string `json:"call_id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Output    any    `json:"output,omitempty"`
	// ID, Summary and Encrypted belong to a thought.
	ID        string    `json:"id,omitempty"`
	Summary   *[]string `json:"summary,omitempty"`
	Encrypted string    `json:"encrypted_content,omitempty"`
}

type contentPart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
}

// minOutputTokens is the least that the API accepts.
const minOutputTokens = 16

// encryptedReasoning asks for thoughts that can be given back.
const encryptedReasoning = "reasoning.encrypted_content"

// isVendors reports whether a host is OpenAI's or Azure's, whose newer models have tools only over the
// Responses API. Compatible servers have chat completions, unless they are said to have it.
func isVendors(host string) bool {
	return host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com") || strings.HasSuffix(host, ".services.ai.azure.com")
}

// reasons reports whether a model thinks, as far as its name tells: Azure's names are anybody's own.
func reasons(model string) bool {
	name := strings.ToLower(path.Base(model))
	return !strings.HasPrefix(name, "gpt-3") && !strings.HasPrefix(name, "gpt-4") && !strings.HasPrefix(name, "chatgpt") && !strings.Contains(name, "-chat")
}

func (p *Provider) responsesRequest(req ai.Request) responsesRequest {
	out := responsesRequest{Model: req.Model, Instructions: req.System, Stream: true}
	for _, m := range modelhttp.PicturesApart(req.Messages) {
		out.Input = append(out.Input, inputItems(m)...)
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, flatTool{Type: "function", Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	if req.Schema != nil {
		format := newResponseFormat(req.Schema)
		out.Text = &textFormat{flatFormat{format.Type, format.JSONSchema}}
		if len(out.Tools) > 0 {
			out.ToolChoice = "none"
		}
	}
	if req.MaxTokens > 0 {
		out.MaxOutputTokens = max(req.MaxTokens, minOutputTokens)
	}
	if wanted := p.reasoningEffort(req); wanted != "" {
		out.Reasoning = &effort{wanted}
	}
	if reasons(req.Model) && !p.quirks.plain.has(p.named(req.Model)) {
		out.Include = []string{encryptedReasoning}
	}
	out.PromptCacheKey = cacheKey(req)
	return out
}

// inputItems are the items of one message.
func inputItems(m ai.Message) []inputItem {
	if m.Role == ai.RoleTool {
		output := m.Text
		if m.Failed {
			output = "Error: " + output
		}
		return []inputItem{{Type: "function_call_output", CallID: m.CallID, Output: output}}
	}
	var items []inputItem
	for _, thought := range m.Thoughts {
		if _, is := modelhttp.MemberOf(thought.Signature); is {
			continue
		}
		if id, encrypted, is := strings.Cut(thought.Signature, signatureCut); is {
			items = append(items, inputItem{Type: "reasoning", ID: id, Summary: &[]string{}, Encrypted: encrypted})
		}
	}
	if content := contentOf(m); len(content) > 0 {
		items = append(items, inputItem{Type: "message", Role: string(m.Role), Content: content})
	}
	for _, call := range m.Calls {
		items = append(items, inputItem{Type: "function_call", CallID: call.ID, Name: call.Tool, Arguments: string(modelhttp.ObjectArgs(call.Args))})
	}
	return items
}

// signatureCut is between the id and the encrypted text in the signature of a thought.
const signatureCut = "\n"

func contentOf(m ai.Message) []contentPart {
	var parts []contentPart
	for _, image := range m.Images {
		parts = append(parts, contentPart{Type: "input_image", ImageURL: "data:" + image.MediaType + ";base64," + base64.StdEncoding.EncodeToString(image.Data)})
	}
	kind := "input_text"
	if m.Role == ai.RoleAssistant {
		kind = "output_text"
	}
	if words := m.Words(); words != "" {
		parts = append(parts, contentPart{Type: kind, Text: words})
	}
	return parts
}
