package models_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/models"
)

// costOf is the cost that the meter books for a million tokens in and a million
// out.
func costOf(t *testing.T, prices models.Prices, kind core.ProviderKind, model string) float64 {
	t.Helper()
	o := newOffice(t, models.Platform{})
	o.Prices = prices
	usage := core.Usage{InputTokens: 1_000_000, OutputTokens: 1_000_000}
	meter := o.Meter(o.run(t), chat.Choice{Kind: kind, Model: model})
	must(t, meter.Reserve(t.Context(), usage))
	cost, err := meter.Settle(t.Context(), usage)
	must(t, err)
	return cost
}

func TestWhatAModelCosts(t *testing.T) {
	own := models.Prices{
		"gpt-4o":        {Input: 1, Output: 1},
		"gpt-4o-mini-2": {Input: 2, Output: 0},
		"free":          {},
		"llama-3":       {Input: 0.5, Output: 0.5},
		"vendor/x":      {Input: 7, Output: 0},
		"demo":          {Input: 9, Output: 9},
	}
	for _, c := range []struct {
		says   string
		prices models.Prices
		kind   core.ProviderKind
		model  string
		want   float64
	}{
		{"a list price", nil, core.ProviderOpenAI, "gpt-4o", 12.5},
		{"the longest beginning", nil, core.ProviderOpenAI, "gpt-4o-mini-2024-07-18", 0.75},
		{"a vendor in front", nil, core.ProviderOpenAI, "anthropic/claude-sonnet-4-5", 18},
		{"a hosted model that nobody knows", nil, core.ProviderOpenAI, "mystery", 30},
		{"a model on the team's own machine", nil, core.ProviderOllama, "gpt-4o", 0},
		{"the demo", nil, core.ProviderDemo, "demo", 0},
		{"the operator's own", own, core.ProviderOpenAI, "gpt-4o", 2},
		{"the operator's own over a longer list price", own, core.ProviderOpenAI, "gpt-4o-mini", 2},
		{"the operator's longest", own, core.ProviderOpenAI, "gpt-4o-mini-2024-07-18", 2},
		{"the operator's own price of nothing", own, core.ProviderOpenAI, "free-model", 0},
		{"the operator's own with a vendor in front", own, core.ProviderOpenAI, "vendor/x-large", 7},
		{"the operator's own on the team's machine", own, core.ProviderOllama, "llama-3:8b", 1},
		{"the demo whatever the operator says", own, core.ProviderDemo, "demo", 0},
		{"a list price beside the operator's own", own, core.ProviderAnthropic, "claude-haiku-4-5", 6},
		{"the operator's own for everything", models.Prices{"": {Input: 3}}, core.ProviderOpenAI, "gpt-4o", 3},
	} {
		// Several times, because a map has no order.
		for range 5 {
			if got := costOf(t, c.prices, c.kind, c.model); !same(got, c.want) {
				t.Errorf("%s: got %v USD for %s, want %v", c.says, got, c.model, c.want)
			}
		}
	}
}

func TestPricesAreReadFromJSON(t *testing.T) {
	got, err := models.ParsePrices([]byte(`{"gpt-5": {"input": 1.25, "output": 10}, "free": {"output": 0, "input": 0}}` + "\n"))
	if err != nil || len(got) != 2 || got["gpt-5"] != (models.Price{Input: 1.25, Output: 10}) || got["free"] != (models.Price{}) {
		t.Errorf("got %v, %v, want both prices", got, err)
	}
	if got, err := models.ParsePrices([]byte(`{}`)); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v, want an empty table", got, err)
	}
}

func TestWhatIsNoTableOfPricesIsRefused(t *testing.T) {
	for _, content := range []string{
		"", "null", "[]", "3", `"gpt-5"`, "{", `{} {}`, `{} x`,
		`{"gpt-5": 3}`, `{"gpt-5": null}`, `{"gpt-5": {}}`, `{"gpt-5": {"input": 1}}`, `{"gpt-5": {"output": 1}}`,
		`{"gpt-5": {"input": null, "output": 1}}`, `{"gpt-5": {"input": "1", "output": 1}}`,
		`{"gpt-5": {"input": -1, "output": 1}}`, `{"gpt-5": {"input": 1, "output": 1e300}}`, `{"gpt-5": {"input": 1, "output": 1e999}}`,
		`{"gpt-5": {"input": 1, "output": 1, "outputs": 1}}`, `{"gpt-5": {"input": 1, "output": 1}} trailing`,
	} {
		_, err := models.ParsePrices([]byte(content))
		if !core.IsCode(err, core.CodeValidationFailed) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want code %s in one line", content, err, core.CodeValidationFailed)
		}
	}
}

func FuzzParsePrices(f *testing.F) {
	f.Add([]byte(`{"gpt-5": {"input": 1.25, "output": 10}}`))
	f.Add([]byte(`{"": {"input": 0, "output": 0}, "a": {"input": -0, "output": 1e6}}`))
	f.Add([]byte(`{"a\nb": {"input": 2}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		prices, err := models.ParsePrices(content)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || prices != nil {
				t.Errorf("got %v, %q, want one line and no prices", prices, err)
			}
			return
		}
		for prefix, price := range prices {
			if !(price.Input >= 0 && price.Input <= 1e6 && price.Output >= 0 && price.Output <= 1e6) {
				t.Errorf("%q: got %+v, want prices within bounds", prefix, price)
			}
		}
	})
}
