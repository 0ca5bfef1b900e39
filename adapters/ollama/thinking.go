package ollama

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// thinking is what a model can be told about its thinking: true and false, or names of levels
// (https://docs.ollama.com/capabilities/thinking). Only false means that it cannot think.
type thinking struct {
	Values []any `json:"values"`
}

// thinkingOf returns what the server tells of a model, nil if it does not tell.
func (p *Provider) thinkingOf(ctx context.Context, model string) *thinking {
	known, err := p.factsOf(ctx, model)
	if err != nil {
		return nil
	}
	return known.details.Thinking
}

func (t *thinking) takes(value any) bool { return slices.Contains(t.Values, value) }

// levels are the names that models have for how much they think, from the least to the most.
var levels = []string{"minimal", "low", "medium", "high", "xhigh", "max"}

// think is how much the model thinks, as near to what is wanted as its values allow. Older servers
// do not tell these: there only gpt-oss has levels, and cannot do without thinking; the others only
// think or do not, and refuse a level.
func think(req ai.Request, known *thinking) *api.ThinkValue {
	if known == nil {
		known = &thinking{Values: []any{true, false}}
		if strings.HasPrefix(path.Base(req.Model), "gpt-oss") {
			known.Values = []any{"low", "medium", "high"}
		}
	}
	wanted := slices.Index(levels, string(req.Thinking))
	switch {
	case req.Thinking == core.ThinkingOff && known.takes(false):
		return &api.ThinkValue{Value: false}
	case req.Thinking == core.ThinkingOff:
		wanted = 0
	}
	nearest := ""
	for i, level := range levels {
		if known.takes(level) && (nearest == "" || abs(i-wanted) < abs(slices.Index(levels, nearest)-wanted)) {
			nearest = level
		}
	}
	switch {
	case nearest != "":
		return &api.ThinkValue{Value: nearest}
	case req.Thinking != core.ThinkingOff && known.takes(true):
		return &api.ThinkValue{Value: true}
	}
	return nil
}

func abs(n int) int { return max(n, -n) }
