package models

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Offer is a model that a provider offers, and what is known about it.
type Offer struct {
	core.Model
	// AnswerTokens is the most that an answer has, 0 if unknown.
	AnswerTokens int `json:"answerTokens"`
	// Price is that of its calls; nil if none is known.
	Price *Price `json:"price"`
}

// Models lists the models of a workspace's provider, or of one that the platform lends it. It
// returns core.CodeModelUnavailable if the provider does not answer.
func (p *Providers) Models(ctx context.Context, by core.Actor, workspace, id core.ID) ([]Offer, error) {
	if _, _, err := p.Gate.Workspace(ctx, by, core.ActionProviderRead, workspace); err != nil {
		return nil, err
	}
	shared, err := p.Store.Tables().PlatformProviders.ByID(ctx, id)
	if err == nil && shared.Enabled {
		return p.offers(ctx, shared.Provider)
	}
	provider, err := p.own(ctx, by, core.ActionProviderRead, workspace, id)
	if err != nil {
		return nil, err
	}
	return p.offers(ctx, provider)
}

// offers asks a provider for its models.
func (p *Providers) offers(ctx context.Context, provider core.Provider) ([]Offer, error) {
	opened, err := p.open(provider)
	if err != nil {
		return nil, err
	}
	models, err := opened.Models(ctx)
	if err != nil {
		return nil, err
	}
	from := sourceOf(provider)
	offers := make([]Offer, len(models))
	for i, model := range models {
		known := p.declared(from, model)
		offers[i] = Offer{Model: core.Model{ID: model.ID, Abilities: known.Abilities}, AnswerTokens: p.longestAnswer(from, model.ID)}
		if price, found := p.knownPrice(from.kind, model.ID); found {
			offers[i].Price = &price
		}
	}
	return offers, nil
}
