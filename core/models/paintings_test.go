package models_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/models"
)

func TestTheCheapestKnownModelPaints(t *testing.T) {
	own, err := models.ParseCatalogue([]byte(`{"models": {"flux": {"imagePrice": 0}}}`))
	must(t, err)
	for name, c := range map[string]struct {
		listed    []string
		catalogue models.Catalogue
		own       bool
		want      string
		cost      float64
	}{
		"of OpenAI":           {[]string{"gpt-5", "gpt-image-1", "gpt-image-1-mini-2025", "gpt-image-1.5"}, nil, false, "gpt-image-1-mini-2025", 0.015},
		"of a vendor's":       {[]string{"openai/gpt-image-1"}, nil, false, "openai/gpt-image-1", 0.063},
		"of the operator":     {[]string{"gpt-image-1", "flux.1-dev"}, own, false, "flux.1-dev", 0},
		"without a price":     {[]string{"gpt-4o", "flux.1-dev", "grok-imagine-image-quality"}, nil, false, "", 0},
		"none":                {nil, nil, false, "", 0},
		"a person's provider": {[]string{"gpt-image-1"}, nil, true, "", 0},
	} {
		o := newOffice(t, models.Platform{})
		o.Catalogue = c.catalogue
		choice := chat.Choice{Kind: core.ProviderOpenAI, Model: "gpt-4o", Source: "x\ngpt-4o", Own: c.own, Painter: memory.NewModel().Paints(c.listed)}
		brush := o.Brush(t.Context(), o.run(t), choice)
		if c.want == "" {
			if brush != nil {
				t.Errorf("%s: got %q, want none", name, brush.Model)
			}
			continue
		}
		if brush == nil || brush.Model != c.want {
			t.Errorf("%s: got %+v, want %q", name, brush, c.want)
			continue
		}
		must(t, brush.Meter.Reserve(t.Context(), core.Usage{Images: 1}))
		cost, err := brush.Meter.Settle(t.Context(), core.Usage{InputTokens: 10, OutputTokens: 1000, Images: 1})
		if err != nil || !same(cost, c.cost) || !same(o.used(t), c.cost) {
			t.Errorf("%s: got %v USD, %v, want %v", name, cost, err, c.cost)
		}
	}
}

// TestAPictureIsNotPaintedWithoutCredit: its price is reserved before it is painted.
func TestAPictureIsNotPaintedWithoutCredit(t *testing.T) {
	o := newOffice(t, models.Platform{})
	o.limit(t, 0.1)
	choice := chat.Choice{Kind: core.ProviderOpenAI, Source: "x\ngpt-4o", Painter: memory.NewModel().Paints([]string{"gpt-image-1"})}
	first, second := o.Brush(t.Context(), o.run(t), choice), o.Brush(t.Context(), o.run(t), choice)
	must(t, first.Meter.Reserve(t.Context(), core.Usage{Images: 1}))
	if err := second.Meter.Reserve(t.Context(), core.Usage{Images: 1}); core.CodeOf(err) != core.CodeCreditExhausted {
		t.Errorf("got %v, want %s while the first is painted", err, core.CodeCreditExhausted)
	}
	_, err := first.Meter.Settle(t.Context(), core.Usage{})
	must(t, err)
	must(t, second.Meter.Reserve(t.Context(), core.Usage{Images: 1}))
}
