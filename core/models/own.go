package models

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/ai"
)

// Own is where people's own AI subscriptions are spent (contract, section 1.1:
// GITHUB_ASSISTANT_BASE_URL).
type Own struct {
	// BaseURL is a server that is compatible with OpenAI's, with the version path.
	BaseURL string
}

// OwnDefaultModel answers a message that spends its sender's subscription and
// names no model. It is named as GitHub's models are.
const OwnDefaultModel = "openai/gpt-4.1"

// Subscriptions are people's own keys to models.
type Subscriptions interface {
	// Check returns core.CodeNoProvider for a person without a subscription.
	Check(ctx context.Context, person core.ID) error
	// Key returns a key that is good for a call now. It has code
	// core.CodeNoProvider for a person without a subscription,
	// core.CodeModelUnavailable, with words for the person, when there is no such
	// key any more, and core.CodeUnavailable when there may be one later.
	Key(ctx context.Context, person core.ID) (string, error)
	// Refuse takes note that the vendor did not accept a key, so that it is not
	// tried again, and returns what to tell the person.
	Refuse(ctx context.Context, person core.ID, key string) error
}

// CheckOwn returns core.CodeNoProvider for a person without a subscription.
func (p *Providers) CheckOwn(ctx context.Context, person core.ID) error {
	return p.Subscriptions.Check(ctx, person)
}

// ChooseOwn returns the model that a person's own subscription pays for; "" is
// OwnDefaultModel.
func (p *Providers) ChooseOwn(_ context.Context, person core.ID, wanted string) (chat.Choice, error) {
	if wanted == "" {
		wanted = OwnDefaultModel
	}
	provider := &ownProvider{providers: p, person: person}
	from := source{kind: core.ProviderOpenAI, key: p.Own.BaseURL, baseURL: p.Own.BaseURL}
	choice := p.choice(provider, from, core.Model{ID: wanted, Abilities: unlisted}, nil)
	choice.Own = true
	return choice, nil
}

// ownProvider spends a person's subscription. It asks for the key at every call,
// because a run may outlast one.
type ownProvider struct {
	providers *Providers
	person    core.ID
}

var _ ai.Provider = (*ownProvider)(nil)

// Generate implements ai.Provider.
func (o *ownProvider) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (used core.Usage, err error) {
	err = o.with(ctx, func(provider ai.Provider) (err error) {
		used, err = provider.Generate(ctx, req, emit)
		return err
	})
	return used, err
}

// Models implements ai.Provider.
func (o *ownProvider) Models(ctx context.Context) (models []core.Model, err error) {
	err = o.with(ctx, func(provider ai.Provider) (err error) {
		models, err = provider.Models(ctx)
		return err
	})
	return models, err
}

// with makes one call with the person's key. The address is the operator's, so it
// may stand anywhere.
func (o *ownProvider) with(ctx context.Context, call func(ai.Provider) error) error {
	key, err := o.providers.Subscriptions.Key(ctx, o.person)
	if err != nil {
		return withoutKey(err)
	}
	provider, err := o.providers.Factory.Open(ai.Settings{
		Kind: core.ProviderOpenAI, BaseURL: o.providers.Own.BaseURL, Key: key, Trusted: true,
	})
	if err != nil {
		return err
	}
	err = call(provider)
	var failure *ai.Failure
	if errors.As(err, &failure) && failure.Refused {
		return withoutKey(o.providers.Subscriptions.Refuse(context.WithoutCancel(ctx), o.person, key))
	}
	return err
}

// withoutKey makes a failed call of what kept it from having a key.
func withoutKey(err error) error {
	var known *core.Error
	if !errors.As(err, &known) {
		return err
	}
	switch known.Code {
	case core.CodeModelUnavailable:
		return &ai.Failure{Err: known, Refused: true}
	case core.CodeUnavailable:
		return &ai.Failure{Err: core.Wrap(core.CodeModelUnavailable, err, "%s", known.Message), Temporary: true}
	}
	return err
}
