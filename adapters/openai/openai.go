// Package openai reaches models over the OpenAI chat completions API, at OpenAI
// and at the many servers that are compatible with it.
package openai

import (
	"context"
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

var _ ai.Provider = (*Provider)(nil)

// DefaultBaseURL is OpenAI's own address. Base URLs include the version path.
const DefaultBaseURL = "https://api.openai.com/v1"

// Provider is an ai.Provider.
type Provider struct {
	caller *modelhttp.Caller
}

// New returns a provider that reaches settings.BaseURL through client. An unusable base
// URL, and a missing key for OpenAI itself, have code core.CodeValidationFailed.
func New(client *http.Client, settings ai.Settings) (*Provider, error) {
	config := modelhttp.Config{
		Client:  client,
		Name:    "the provider",
		BaseURL: settings.BaseURL,
		Key:     strings.TrimSpace(settings.Key),
		Limits:  modelhttp.DefaultLimits,
	}
	if config.BaseURL == "" {
		config.BaseURL, config.Name = DefaultBaseURL, "OpenAI"
		if config.Key == "" {
			return nil, core.Errorf(core.CodeValidationFailed, "OpenAI needs an API key")
		}
	}
	if config.Key != "" {
		config.Header = http.Header{"Authorization": {"Bearer " + config.Key}}
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
		Path: "chat/completions", Body: p.request(req), Model: req.Model, Tools: len(req.Tools) > 0, Schema: req.Schema != nil, MaxTokens: req.MaxTokens,
	}
	return p.caller.Play(ctx, call, emit, decode)
}
