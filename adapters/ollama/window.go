package ollama

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/ports/ai"
)

// facts are what the server has told of a model.
type facts struct {
	details details
	// keptLonger says that the server keeps the model in memory for longer than keepAlive.
	keptLonger bool
}

// factsOf asks once for each model.
func (p *Provider) factsOf(ctx context.Context, model string) (*facts, error) {
	if known := p.knownFacts(model); known != nil {
		return known, nil
	}
	details, err := p.show(ctx, model)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[model] = &facts{details: details}
	return p.known[model], nil
}

// knownFacts returns nil for a model of which nobody has asked.
func (p *Provider) knownFacts(model string) *facts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[model]
}

// isRemote reports whether the model runs at ollama.com, with its whole window.
func (p *Provider) isRemote(model string) bool {
	known := p.knownFacts(model)
	return strings.HasSuffix(model, "-cloud") || strings.HasSuffix(model, ":cloud") || known != nil && known.details.RemoteModel != ""
}

// isKeptLonger reports whether keepAlive would shorten what the operator has set.
func (p *Provider) isKeptLonger(model string) bool {
	known := p.knownFacts(model)
	return known != nil && known.keptLonger
}

// Window implements ai.WindowReporter.
func (p *Provider) Window(ctx context.Context, model string) (ai.Window, error) {
	known, err := p.factsOf(ctx, model)
	if err != nil {
		return ai.Window{}, err
	}
	window := ai.Window{Model: known.details.contextTokens(), Fixed: p.isRemote(model), Server: known.details.ownContext()}
	if window.Fixed {
		return window, nil
	}
	var running api.ProcessResponse
	if err := p.caller.Document(ctx, "api/ps", nil, &running); err != nil {
		return window, ctx.Err() // An old or compatible server tells less.
	}
	window.Observed = true
	for _, loaded := range running.Models {
		if loaded.Name != model && loaded.Name != model+":latest" && loaded.Name+":latest" != model {
			continue
		}
		window.Loaded = max(loaded.ContextLength, 0)
		window.Spilled = loaded.SizeVRAM < loaded.Size
		p.mu.Lock()
		known.keptLonger = time.Until(loaded.ExpiresAt) > keepAlive
		p.mu.Unlock()
	}
	return window, nil
}

// Load implements ai.Loader: a chat without messages loads its model. It is else as chats are, or the
// model would be loaded again for the next.
func (p *Provider) Load(ctx context.Context, model string) error {
	body, err := p.request(ctx, ai.Request{Model: model})
	if err != nil {
		return err
	}
	no := false
	body.Stream = &no
	_, err = p.caller.Answer(ctx, modelhttp.Call{Path: "api/chat", Body: body, Model: model}, &struct{}{})
	return err
}

// ownWindow finds the window in the parameters of a model.
var ownWindow = regexp.MustCompile(`(?m)^num_ctx\s+"?(\d{1,9})"?\s*$`)

// ownContext is the window that the model's own parameters set, 0 if they set none.
func (d details) ownContext() int {
	match := ownWindow.FindStringSubmatch(d.Parameters)
	if match == nil {
		return 0
	}
	tokens, _ := strconv.Atoi(match[1]) // It has at most nine digits.
	return tokens
}
