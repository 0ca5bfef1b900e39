package models

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/ai"
)

const (
	// listPatience bounds the wait for a list of models that a run can do without.
	listPatience = 5 * time.Second
	// paintersTTL is how long that list is cached. A provider that gives none is asked again
	// after listTTL.
	paintersTTL = 10 * time.Minute
)

// painterLists is a cache of the models among which those that paint are, by the provider's key.
type painterLists struct {
	mu    sync.Mutex
	lists map[string]painterList
}

type painterList struct {
	names []string
	until time.Time
}

// get returns the provider's models, none if it does not list them now.
func (l *painterLists) get(ctx context.Context, key string, painter ai.Painter) []string {
	l.mu.Lock()
	known, found := l.lists[key]
	l.mu.Unlock()
	if found && time.Now().Before(known.until) {
		return known.names
	}
	bounded, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	names, err := painter.PaintingModels(bounded)
	if ctx.Err() != nil {
		return nil
	}
	kept := paintersTTL
	if err != nil {
		kept = listTTL
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lists) >= maxLists || l.lists == nil {
		l.lists = map[string]painterList{}
	}
	l.lists[key] = painterList{names, time.Now().Add(kept)}
	return names
}

// Brush implements chat.Models: of the models that the provider lists, the cheapest that the
// catalogue has a price of pictures for. Pictures of a model without a known price could not be
// metered, so it is not used.
func (c *Chooser) Brush(ctx context.Context, run core.Run, choice chat.Choice) *agent.Brush {
	if choice.Painter == nil || choice.Own {
		return nil
	}
	from, _, _ := strings.Cut(choice.Source, "\n")
	model, price := "", 0.0
	for _, name := range c.painters.get(ctx, from, choice.Painter) {
		facts, _ := c.deps.facts(name)
		if cost := facts.ImagePrice; cost != nil && (model == "" || *cost < price || *cost == price && name < model) {
			model, price = name, *cost
		}
	}
	if model == "" {
		return nil
	}
	return &agent.Brush{Painter: choice.Painter, Model: model, Meter: &meter{
		deps: c.deps, booking: c.booking, run: run, model: model, image: price, platform: choice.Platform,
	}}
}

// painterOf returns the part of a provider that paints, nil if it has none or the price of its
// pictures cannot be known: the catalogue's are those of the vendors. Other servers are asked
// whether they can paint once the operator's own catalogue has a price of pictures.
func (d *Deps) painterOf(from source, provider ai.Provider) ai.Painter {
	painter, can := provider.(ai.Painter)
	if !can || from.kind == core.ProviderDemo || !from.isInCatalogue() && !d.Catalogue.hasPictures() {
		return nil
	}
	return painter
}

// hasPictures reports whether there is a price of pictures.
func (c Catalogue) hasPictures() bool {
	for _, facts := range c {
		if facts.ImagePrice != nil {
			return true
		}
	}
	return false
}
