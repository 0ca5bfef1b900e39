package models_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/models"
)

func TestCachedTokensHaveAPriceOfTheirOwn(t *testing.T) {
	used := core.Usage{InputTokens: 1_000_000, CachedTokens: 600_000, WrittenTokens: 300_000, OutputTokens: 100_000}
	for _, c := range []struct {
		model string
		want  float64
	}{
		{"claude-sonnet-4-5-20250929", 0.1*3 + 0.6*0.3 + 0.3*3.75 + 0.1*15},
		{"gpt-4o", 0.4*2.5 + 0.6*1.25 + 0.1*10},
		{"no-cached-price", 1*2 + 0.1*4},
		{"free-of-old", 0},
	} {
		o := newOffice(t, models.Platform{})
		o.Prices = models.Prices{"no-cached": {Input: 2, Output: 4}, "free": {}}
		meter := o.Meter(o.run(t), chat.Choice{Kind: core.ProviderOpenAI, Model: c.model})
		must(t, meter.Reserve(t.Context(), used))
		cost, err := meter.Settle(t.Context(), used)
		if err != nil || !same(cost, c.want) {
			t.Errorf("%s: got %v, %v, want %v USD", c.model, cost, err, c.want)
		}
	}
}

// TestTheCatalogueOfTheOperatorWins also shows that MODEL_PRICES wins over it.
func TestTheCatalogueOfTheOperatorWins(t *testing.T) {
	own, err := models.ParseCatalogue([]byte(`{"date": "2027-01-01", "models": {
		"gpt-4o": {"contextTokens": 7000, "answerTokens": 700, "price": {"input": 1, "output": 2}},
		"GPT-9": {"contextTokens": 9000, "vision": false},
		"claude-opus-4-5": {"price": {"input": 7, "output": 7}}}}`))
	must(t, err)
	o := newOffice(t, models.Platform{})
	o.Catalogue, o.Prices = own, models.Prices{"claude": {Input: 1, Output: 1}}
	for model, want := range map[string]float64{"gpt-4o-2024": 3, "gpt-4o-mini": 0.75, "gpt-9": 30, "claude-opus-4-5": 2} {
		usage := core.Usage{InputTokens: 1_000_000, OutputTokens: 1_000_000}
		meter := o.Meter(o.run(t), chat.Choice{Kind: core.ProviderOpenAI, Model: model})
		must(t, meter.Reserve(t.Context(), usage))
		if cost, err := meter.Settle(t.Context(), usage); err != nil || !same(cost, want) {
			t.Errorf("%s: got %v, %v, want %v USD", model, cost, err, want)
		}
	}
}

func TestWhatIsNoCatalogueIsRefused(t *testing.T) {
	for content, named := range map[string]string{
		"": "JSON", "null": `"models"`, "[]": "JSON", "{}": `"models"`, `{"models": {}} x`: "one JSON object", `{"models": 3}`: "models",
		`{"prices": {}}`:                                                             `"prices"`,
		`{"models": {"m": 3}}`:                                                       `"m"`,
		`{"models": {"m": {"context": 3}}}`:                                          `"context"`,
		`{"models": {"m": {"contextTokens": "3"}}}`:                                  "contextTokens",
		`{"models": {"m": {"contextTokens": -3}}}`:                                   `models."m": contextTokens`,
		`{"models": {"m": {"answerTokens": 1000000000000}}}`:                         `models."m": answerTokens`,
		`{"models": {"m": {"tools": "yes"}}}`:                                        "tools",
		`{"models": {"m": {"price": {"input": 1}}}}`:                                 `models."m": price.output`,
		`{"models": {"m": {"price": {"output": 1}}}}`:                                `models."m": price.input`,
		`{"models": {"m": {"price": {"inputs": 1}}}}`:                                `"inputs"`,
		`{"models": {"m": {"price": {"input": 1, "output": 1, "cachedInput": -1}}}}`: `models."m": price.cachedInput`,
		`{"models": {"m": {"price": {"input": 1, "output": 1, "cacheWrite": 1e9}}}}`: `models."m": price.cacheWrite`,
	} {
		_, err := models.ParseCatalogue([]byte(content))
		if !core.IsCode(err, core.CodeValidationFailed) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), named) {
			t.Errorf("%s: got %v, want code %s in one line that names %s", content, err, core.CodeValidationFailed, named)
		}
	}
}

func FuzzParseCatalogue(f *testing.F) {
	f.Add([]byte(`{"models": {"gpt-5": {"contextTokens": 1, "price": {"input": 1.25, "output": 10}}}}`))
	f.Add([]byte(`{"models": {"a\nb": {"price": null, "vision": null}}}`))
	f.Add([]byte(`{"models": {"a": null}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		catalogue, err := models.ParseCatalogue(content)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || catalogue != nil {
				t.Errorf("got %v, %q, want one line and no catalogue", catalogue, err)
			}
			return
		}
		for name, facts := range catalogue {
			if facts.ContextTokens < 0 || facts.AnswerTokens < 0 || facts.Price != nil && !(facts.Price.Input >= 0 && facts.Price.Output >= 0) {
				t.Errorf("%q: got %+v, want facts within bounds", name, facts)
			}
		}
	})
}
