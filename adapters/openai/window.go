package openai

import (
	"context"
	"net/url"

	"github.com/atelierhq/atelier/ports/ai"
)

// Window implements ai.WindowReporter: by the server's list of models, else as LM Studio
// (https://lmstudio.ai/docs/developer/rest/endpoints) or llama.cpp
// (https://github.com/ggml-org/llama.cpp/tree/master/tools/server) tell it.
func (p *Provider) Window(ctx context.Context, model string) (ai.Window, error) {
	entries, err := p.entries(ctx)
	if err != nil {
		return ai.Window{}, err
	}
	for _, entry := range entries {
		if entry.ID == model && entry.contextTokens() > 0 {
			return ai.Window{Server: entry.contextTokens()}, nil
		}
	}
	// Other servers have nothing at these addresses.
	if window, found := p.windowOfLMStudio(ctx, model); found {
		return window, nil
	}
	window := p.windowOfLlamaCpp(ctx, model)
	return window, ctx.Err()
}

// windowOfLMStudio asks for all models: one that is not in memory gets its window when it is loaded.
func (p *Provider) windowOfLMStudio(ctx context.Context, model string) (window ai.Window, found bool) {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			State  string `json:"state"`
			Most   int    `json:"max_context_length"`
			Loaded int    `json:"loaded_context_length"`
		} `json:"data"`
	}
	if p.caller.Document(ctx, "../api/v0/models", nil, &list) != nil {
		return ai.Window{}, false
	}
	for _, entry := range list.Data {
		if entry.ID != model || entry.Most <= 0 {
			continue
		}
		window.Model = entry.Most
		if entry.State == "loaded" {
			window.Loaded = max(entry.Loaded, 0)
		}
		return window, true
	}
	return ai.Window{}, false
}

// windowOfLlamaCpp asks for the window of a slot. A server of several models tells it of one that is in
// memory, which the question must not load; newer ones have it below the version path.
func (p *Provider) windowOfLlamaCpp(ctx context.Context, model string) (window ai.Window) {
	for _, path := range []string{"../props", "props"} {
		var props struct {
			Settings struct {
				Context int `json:"n_ctx"`
			} `json:"default_generation_settings"`
		}
		if p.caller.Document(ctx, path+"?autoload=false&model="+url.QueryEscape(model), nil, &props) == nil && props.Settings.Context > 0 {
			window.Loaded = props.Settings.Context
			return window
		}
	}
	return window
}
