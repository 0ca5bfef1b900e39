// Package openai reaches models at OpenAI and Azure over the Responses API (responses.go,
// responsesstream.go), and at the many servers that are compatible with OpenAI over its chat completions
// (request.go, stream.go), or over the Responses API if they are said to have it.
package openai

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

var (
	_ ai.Provider       = (*Provider)(nil)
	_ ai.WindowReporter = (*Provider)(nil)
)

// DefaultBaseURL is OpenAI's own address. Base URLs include the version path.
const DefaultBaseURL = "https://api.openai.com/v1"

// Provider is an ai.Provider.
type Provider struct {
	caller *modelhttp.Caller
	// address and quirks are what the models' names are known by.
	address string
	quirks  *Quirks
	// hasResponses says that the server has the Responses API.
	hasResponses bool
}

// New returns a provider that reaches settings.BaseURL through client. An unusable base
// URL, and a missing key for OpenAI itself, have code core.CodeValidationFailed.
func New(client *http.Client, settings ai.Settings) (*Provider, error) {
	return (&Quirks{}).New(client, settings)
}

// NewResponses is New of a provider whose server has the Responses API, wherever it is.
func (q *Quirks) NewResponses(client *http.Client, settings ai.Settings) (*Provider, error) {
	provider, err := q.New(client, settings)
	if err != nil {
		return nil, err
	}
	provider.hasResponses = true
	return provider, nil
}

// New is New of a provider that has these quirks and adds to them.
func (q *Quirks) New(client *http.Client, settings ai.Settings) (*Provider, error) {
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
	return &Provider{caller: caller, address: config.BaseURL, quirks: q, hasResponses: isVendors(caller.Host())}, nil
}

// Generate implements ai.Provider.
func (p *Provider) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	if p.hasResponses {
		return p.respond(ctx, req, emit)
	}
	play := func() (core.Usage, error) {
		answer := &stream{thoughts: thoughts{server: p.caller.Mark()}}
		return p.caller.Play(ctx, modelhttp.Call{
			Path: "chat/completions", Body: p.request(req), Model: req.Model, Tools: len(req.Tools) > 0, Schema: req.Schema != nil, MaxTokens: req.MaxTokens,
		}, emit, answer.decode)
	}
	used, err := play()
	var failure *ai.Failure
	if errors.As(err, &failure) && p.learnThoughts(req, failure) {
		return play()
	}
	return used, err
}

// respond is Generate over the Responses API.
func (p *Provider) respond(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	play := func() (core.Usage, error) {
		return p.caller.Play(ctx, modelhttp.Call{
			Path: "responses", Body: p.responsesRequest(req), Model: req.Model, Tools: len(req.Tools) > 0, Schema: req.Schema != nil, MaxTokens: req.MaxTokens,
		}, emit, decodeResponse)
	}
	used, err := play()
	var failure *ai.Failure
	if errors.As(err, &failure) && refusesEncryption(failure) && !p.quirks.plain.has(p.named(req.Model)) {
		p.quirks.plain.add(p.named(req.Model))
		return play()
	}
	return used, err
}
