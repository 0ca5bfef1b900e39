package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/core"
)

// modelEntry is the union of what servers report about a model: OpenAI only its id, vLLM
// max_model_len, llama.cpp meta, Groq context_window, OpenRouter context_length, modalities
// and parameters, Mistral max_context_length and capabilities.
type modelEntry struct {
	ID               string   `json:"id"`
	ContextLength    int      `json:"context_length"`
	ContextWindow    int      `json:"context_window"`
	MaxModelLen      int      `json:"max_model_len"`
	MaxContextLength int      `json:"max_context_length"`
	Parameters       []string `json:"supported_parameters"`
	Meta             struct {
		// Context is what the server gives, beside what the model could have.
		Context int `json:"n_ctx"`
	} `json:"meta"`
	Architecture struct {
		Input []string `json:"input_modalities"`
	} `json:"architecture"`
	Capabilities struct {
		Chat      *bool `json:"completion_chat"`
		Tools     *bool `json:"function_calling"`
		Vision    *bool `json:"vision"`
		Reasoning *bool `json:"reasoning"`
	} `json:"capabilities"`
}

// Models implements ai.Provider. Most servers report only a name. Tools and vision are
// then assumed, and the server's own refusal decides.
func (p *Provider) Models(ctx context.Context) ([]core.Model, error) {
	entries, err := p.entries(ctx)
	if err != nil {
		return nil, err
	}
	models := []core.Model{}
	for _, entry := range entries {
		if entry.chats() {
			models = append(models, entry.model())
		}
	}
	slices.SortFunc(models, func(a, b core.Model) int { return cmp.Compare(a.ID, b.ID) })
	return models, nil
}

// entries returns the server's list of models, also of those that do not chat.
func (p *Provider) entries(ctx context.Context) ([]modelEntry, error) {
	var body json.RawMessage
	if err := p.caller.Document(ctx, "models", nil, &body); err != nil {
		return nil, err
	}
	entries, err := modelEntries(body)
	if err != nil {
		return nil, core.Wrap(core.CodeModelUnavailable, err, "the provider's list of models cannot be read")
	}
	return entries, nil
}

// modelEntries parses {"data": […]}, or the bare list that some servers send.
func modelEntries(body []byte) ([]modelEntry, error) {
	if bytes.HasPrefix(body, []byte("[")) {
		var list []modelEntry
		err := modelhttp.DecodeJSON(body, &list)
		return list, err
	}
	var page struct {
		Data []modelEntry `json:"data"`
	}
	err := modelhttp.DecodeJSON(body, &page)
	return page.Data, err
}

// otherPurposes are words in the names of models that do not chat. Servers such as
// OpenAI's list every model and report only names.
var otherPurposes = []string{
	"audio", "babbage", "dall", "davinci", "embed", "embedding", "embeddings", "image", "moderation", "realtime",
	"sora", "transcribe", "tts", "whisper",
}

// chats reports whether the model is a chat model.
func (e modelEntry) chats() bool {
	if e.ID == "" {
		return false
	}
	if e.Capabilities.Chat != nil {
		return *e.Capabilities.Chat
	}
	words := strings.FieldsFunc(strings.ToLower(e.ID), func(r rune) bool { return strings.ContainsRune("-_/:.", r) })
	return e.Parameters != nil || !slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains(otherPurposes, word)
	})
}

func (e modelEntry) contextTokens() int {
	return cmp.Or(e.Meta.Context, e.ContextLength, e.ContextWindow, e.MaxModelLen, e.MaxContextLength)
}

func (e modelEntry) model() core.Model {
	model := core.Model{ID: e.ID}
	model.ContextTokens = max(e.contextTokens(), 0)
	model.Tools = capability(e.Capabilities.Tools, e.Parameters, "tools", true)
	model.Vision = capability(e.Capabilities.Vision, e.Architecture.Input, "image", true)
	model.Thinking = capability(e.Capabilities.Reasoning, e.Parameters, "reasoning", false)
	return model
}

// capability returns what the server reports, as a flag or by a word in a list, else the
// fallback.
func capability(flag *bool, list []string, word string, fallback bool) bool {
	switch {
	case flag != nil:
		return *flag
	case list != nil:
		return slices.Contains(list, word)
	}
	return fallback
}
