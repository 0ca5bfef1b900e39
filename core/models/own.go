package models

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/ai"
)

// SubscriptionServer is the server for people's own AI subscriptions
// (GITHUB_ASSISTANT_BASE_URL).
type SubscriptionServer struct {
	// BaseURL is a server that is compatible with OpenAI's, with the version path.
	BaseURL string
}

// OwnDefaultModel answers a message that uses its sender's subscription and names
// no model. It has the form of GitHub's names.
const OwnDefaultModel = "openai/gpt-4.1"

// Subscriptions are people's own keys to models.
type Subscriptions interface {
	// Check returns core.CodeNoProvider if the person has no subscription.
	Check(ctx context.Context, person core.ID) error
	// Key returns a currently valid key. It returns core.CodeNoProvider if the
	// person has no subscription, core.CodeModelUnavailable, with a message for the
	// person, if the key is permanently lost, and core.CodeUnavailable if a later
	// attempt may succeed.
	Key(ctx context.Context, person core.ID) (string, error)
	// Refuse records that the vendor did not accept a key, so that it is not tried
	// again, and returns the error for the person.
	Refuse(ctx context.Context, person core.ID, key string) error
}

// CheckOwn returns core.CodeNoProvider if the person has no subscription.
func (c *Chooser) CheckOwn(ctx context.Context, person core.ID) error {
	return c.deps.Subscriptions.Check(ctx, person)
}

// ChooseOwn returns the model that a person's own subscription pays for; "" is
// OwnDefaultModel.
func (c *Chooser) ChooseOwn(ctx context.Context, person core.ID, wanted string) (chat.Choice, error) {
	if wanted == "" {
		wanted = OwnDefaultModel
	}
	provider := &ownProvider{deps: c.deps, person: person}
	from := source{kind: core.ProviderOpenAI, key: c.deps.Own.BaseURL, baseURL: c.deps.Own.BaseURL}
	choice := c.choice(ctx, provider, from, core.Model{ID: wanted, Abilities: unlisted}, nil)
	choice.Own = true
	return choice, nil
}

// ownProvider uses a person's subscription. It gets the key at every call, because
// a run may outlast a key.
type ownProvider struct {
	deps   *Deps
	person core.ID
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
// is not restricted.
func (o *ownProvider) with(ctx context.Context, call func(ai.Provider) error) error {
	key, err := o.deps.Subscriptions.Key(ctx, o.person)
	if err != nil {
		return withoutKey(err)
	}
	provider, err := o.deps.Factory.Open(ai.Settings{
		Kind: core.ProviderOpenAI, BaseURL: o.deps.Own.BaseURL, Key: key, Trusted: true,
	})
	if err != nil {
		return err
	}
	err = call(provider)
	var failure *ai.Failure
	if errors.As(err, &failure) && failure.Refused {
		return withoutKey(o.deps.Subscriptions.Refuse(context.WithoutCancel(ctx), o.person, key))
	}
	return err
}

// withoutKey turns the failure to get a key into that of a call.
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
