package ollama

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"github.com/atelierhq/atelier/core"
)

// showWorkers bounds the parallel questions about models.
const showWorkers = 4

// details is the answer of /api/show about a model. Servers older than 0.6.4 report no
// capabilities.
type details struct {
	api.ShowResponse
	// Thinking are the values of "think" that the model takes, if the server tells.
	Thinking *thinking `json:"thinking"`
}

func (d details) can(what model.Capability) bool { return slices.Contains(d.Capabilities, what) }

// contextTokens is the window with which the model was trained, under a name that begins
// with its architecture, such as llama.context_length.
func (d details) contextTokens() int {
	for name, value := range d.ModelInfo {
		if size, ok := value.(float64); ok && strings.HasSuffix(name, ".context_length") && size > 0 && size < 1e9 {
			return int(size)
		}
	}
	return 0
}

func (p *Provider) show(ctx context.Context, name string) (details, error) {
	var out details
	err := p.caller.Document(ctx, "api/show", map[string]string{"model": name}, &out)
	return out, err
}

// Models implements ai.Provider. It leaves out models that only embed.
func (p *Provider) Models(ctx context.Context) ([]core.Model, error) {
	var tags api.ListResponse
	if err := p.caller.Document(ctx, "api/tags", nil, &tags); err != nil {
		return nil, err
	}
	found := make([]*core.Model, len(tags.Models))
	semaphore := make(chan struct{}, showWorkers)
	var group sync.WaitGroup
	for i, tag := range tags.Models {
		semaphore <- struct{}{}
		group.Go(func() {
			defer func() { <-semaphore }()
			found[i] = p.describe(ctx, tag.Name)
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	models := []core.Model{}
	for _, described := range found {
		if described != nil {
			models = append(models, *described)
		}
	}
	return models, nil
}

// describe returns nil for a model that does not chat. If the server reports nothing
// about it, tools and vision are assumed, and the server's own refusal decides.
func (p *Provider) describe(ctx context.Context, name string) *core.Model {
	described := &core.Model{ID: name, Abilities: core.Abilities{Tools: true, Vision: true}}
	details, err := p.show(ctx, name)
	if err != nil {
		return described
	}
	described.ContextTokens = details.contextTokens()
	if details.Capabilities == nil {
		return described
	}
	if !details.can(model.CapabilityCompletion) {
		return nil
	}
	described.Tools = details.can(model.CapabilityTools)
	described.Vision = details.can(model.CapabilityVision)
	described.Thinking = details.can(model.CapabilityThinking)
	return described
}
