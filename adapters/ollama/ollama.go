// Package ollama reaches models over Ollama's own chat API.
package ollama

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/types/model"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

var (
	_ ai.Provider       = (*Provider)(nil)
	_ ai.WindowReporter = (*Provider)(nil)
	_ ai.Loader         = (*Provider)(nil)
)

// DefaultBaseURL is where Ollama listens by default. Base URLs have no path.
const DefaultBaseURL = "http://127.0.0.1:11434"

// loadPatience bounds the wait for the first token: while Ollama loads the model and
// reads the prompt, it does not even send the head of its answer.
const loadPatience = 10 * time.Minute

// Provider is an ai.Provider.
type Provider struct {
	caller *modelhttp.Caller

	mu sync.Mutex
	// known are the models of which the server has told.
	known map[string]*facts
}

// New returns a provider that reaches settings.BaseURL through client. An unusable base
// URL has code core.CodeValidationFailed.
func New(client *http.Client, settings ai.Settings) (*Provider, error) {
	config := modelhttp.Config{
		Client:  client,
		Name:    "Ollama",
		BaseURL: settings.BaseURL,
		Key:     strings.TrimSpace(settings.Key),
		Limits:  modelhttp.Limits{First: loadPatience, Idle: modelhttp.DefaultLimits.Idle, Total: modelhttp.DefaultLimits.Total},
	}
	if config.BaseURL == "" {
		config.BaseURL = DefaultBaseURL
	}
	if config.Key != "" {
		config.Header = http.Header{"Authorization": {"Bearer " + config.Key}}
	}
	caller, err := modelhttp.New(config)
	if err != nil {
		return nil, err
	}
	return &Provider{caller: caller, known: map[string]*facts{}}, nil
}

// Generate implements ai.Provider. Ollama silently drops pictures for a model without
// vision, so the model's capabilities are checked before any are sent.
func (p *Provider) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	if hasImages(req) {
		if err := p.checkVision(ctx, req.Model); err != nil {
			return core.Usage{}, err
		}
	}
	body, err := p.request(ctx, req)
	if err != nil {
		return core.Usage{}, err
	}
	call := modelhttp.Call{
		Path: "api/chat", Body: body, Model: req.Model, Lines: true, Tools: len(body.Tools) > 0, Schema: req.Schema != nil,
	}
	stream := &stream{server: p.caller.Mark()}
	usage, err := p.caller.Play(ctx, call, emit, stream.decode)
	if err == nil {
		err = p.checkWhole(ctx, req, stream.counted)
	}
	return usage, err
}

func hasImages(req ai.Request) bool {
	for _, message := range req.Messages {
		if len(message.Images) > 0 {
			return true
		}
	}
	return false
}

func (p *Provider) checkVision(ctx context.Context, name string) error {
	details, err := p.show(ctx, name)
	if err != nil || details.Capabilities == nil || details.can(model.CapabilityVision) {
		return err
	}
	return &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "the model %q cannot see pictures", name)}
}
