package workspaces

import (
	"strings"

	"github.com/atelierhq/atelier/core"
)

// price is in USD per million tokens.
type price struct {
	input, output float64
}

func (p price) of(used core.Usage) float64 {
	return (float64(used.InputTokens)*p.input + float64(used.OutputTokens)*p.output) / 1e6
}

// prices are the vendors' list prices by the beginning of the model's name; the
// longest that fits counts.
var prices = map[string]price{
	"claude-opus":   {15, 75},
	"claude-sonnet": {3, 15},
	"claude-haiku":  {1, 5},
	"gpt-5":         {1.25, 10},
	"gpt-5-mini":    {0.25, 2},
	"gpt-5-nano":    {0.05, 0.4},
	"gpt-4.1":       {2, 8},
	"gpt-4.1-mini":  {0.4, 1.6},
	"gpt-4o":        {2.5, 10},
	"gpt-4o-mini":   {0.15, 0.6},
	"o3":            {2, 8},
	"o4-mini":       {1.1, 4.4},
}

// unknownPrice is what a hosted model costs that the table does not know: as much
// as a dear one, so that a limit still protects.
var unknownPrice = price{5, 25}

// priceOf returns what a model costs. What runs on the team's own machine, and
// the demo, cost nothing.
func priceOf(kind core.ProviderKind, model string) price {
	if kind == core.ProviderOllama || kind == core.ProviderDemo {
		return price{}
	}
	name := model[strings.LastIndexByte(model, '/')+1:]
	best, found := "", unknownPrice
	for prefix, p := range prices {
		if strings.HasPrefix(name, prefix) && len(prefix) > len(best) {
			best, found = prefix, p
		}
	}
	return found
}
