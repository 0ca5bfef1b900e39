// Package anthropic reaches models over the Anthropic messages API.
package anthropic

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

var _ ai.Provider = (*Provider)(nil)

// DefaultBaseURL is Anthropic's own address. Base URLs have no version path.
const DefaultBaseURL = "https://api.anthropic.com"

// apiVersion is the version of the API that this package implements.
const apiVersion = "2023-06-01"

// Provider is an ai.Provider.
type Provider struct {
	caller *modelhttp.Caller
}

// New returns a provider that reaches settings.BaseURL through client. An unusable base
// URL, and a missing key for Anthropic itself, have code core.CodeValidationFailed.
func New(client *http.Client, settings ai.Settings) (*Provider, error) {
	config := modelhttp.Config{
		Client:  client,
		Name:    "the provider",
		BaseURL: settings.BaseURL,
		Key:     strings.TrimSpace(settings.Key),
		Header:  http.Header{"Anthropic-Version": {apiVersion}},
		Limits:  modelhttp.DefaultLimits,
	}
	if config.BaseURL == "" {
		config.BaseURL, config.Name = DefaultBaseURL, "Anthropic"
		if config.Key == "" {
			return nil, core.Errorf(core.CodeValidationFailed, "Anthropic needs an API key")
		}
	}
	if config.Key != "" {
		config.Header["X-Api-Key"] = []string{config.Key}
	}
	caller, err := modelhttp.New(config)
	if err != nil {
		return nil, err
	}
	return &Provider{caller: caller}, nil
}

// Generate implements ai.Provider.
func (p *Provider) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	call := modelhttp.Call{
		Path: "v1/messages", Body: newRequest(req), Model: req.Model, Tools: len(req.Tools) > 0, Schema: req.Schema != nil, MaxTokens: req.MaxTokens,
	}
	stream := &stream{structured: req.Schema != nil, answers: map[int]bool{}, thoughts: map[int]*ai.Thought{}}
	return p.caller.Play(ctx, call, emit, stream.decode)
}

// modelPage is one page of the list of models.
type modelPage struct {
	Data []struct {
		ID           string `json:"id"`
		ContextSize  int    `json:"max_input_tokens"`
		Capabilities struct {
			Image    *capability `json:"image_input"`
			Thinking *capability `json:"thinking"`
		} `json:"capabilities"`
	} `json:"data"`
	HasMore bool   `json:"has_more"`
	LastID  string `json:"last_id"`
}

type capability struct {
	Supported bool `json:"supported"`
}

// maxModelPages bounds how many pages of 1,000 models are read.
const maxModelPages = 10

// Models implements ai.Provider. Every model of this API supports tools. Vision is
// assumed if the server does not say.
func (p *Provider) Models(ctx context.Context) ([]core.Model, error) {
	models := []core.Model{}
	path := "v1/models?limit=1000"
	for range maxModelPages {
		var page modelPage
		if err := p.caller.Document(ctx, path, nil, &page); err != nil {
			return nil, err
		}
		for _, entry := range page.Data {
			model := core.Model{ID: entry.ID}
			model.ContextTokens = max(entry.ContextSize, 0)
			model.Tools = true
			model.Vision = entry.Capabilities.Image == nil || entry.Capabilities.Image.Supported
			model.Thinking = entry.Capabilities.Thinking != nil && entry.Capabilities.Thinking.Supported
			models = append(models, model)
		}
		if !page.HasMore || page.LastID == "" {
			break
		}
		path = "v1/models?limit=1000&after_id=" + url.QueryEscape(page.LastID)
	}
	return models, nil
}
