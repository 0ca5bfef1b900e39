package ollama

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
)

// showWorkers bounds how many models are asked about at once.
const showWorkers = 4

// details is what /api/show tells of a model.
type details struct {
	// Capabilities is nil at servers older than 0.6.4, which do not tell.
	Capabilities []string       `json:"capabilities"`
	Info         map[string]any `json:"model_info"`
}

func (d details) can(what string) bool { return slices.Contains(d.Capabilities, what) }

// contextTokens is the window that the model was trained for, under a name that
// begins with its architecture, such as llama.context_length.
func (d details) contextTokens() int {
	for name, value := range d.Info {
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

// Models implements ai.Provider. Models that only embed are left out; of one
// that the server cannot describe, nothing but its name is told.
func (p *Provider) Models(ctx context.Context) ([]core.Model, error) {
	var tags struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := p.caller.Document(ctx, "api/tags", nil, &tags); err != nil {
		return nil, err
	}
	found := make([]*core.Model, len(tags.Models))
	places := make(chan struct{}, showWorkers)
	var group sync.WaitGroup
	for i, tag := range tags.Models {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			found[i] = p.describe(ctx, tag.Name)
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	models := []core.Model{}
	for _, model := range found {
		if model != nil {
			models = append(models, *model)
		}
	}
	return models, nil
}

// describe returns nil for a model that does not chat.
func (p *Provider) describe(ctx context.Context, name string) *core.Model {
	model := &core.Model{ID: name}
	details, err := p.show(ctx, name)
	if err != nil {
		return model
	}
	if details.Capabilities != nil && !details.can("completion") {
		return nil
	}
	model.ContextTokens = details.contextTokens()
	model.Tools = details.can("tools")
	model.Vision = details.can("vision")
	model.Thinking = details.can("thinking")
	return model
}
