package models

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/dialect"
	"github.com/atelierhq/atelier/ports/ai"
)

// Chooser chooses the models of messages, and meters what their calls cost.
type Chooser struct {
	deps     *Deps
	prober   *prober
	detected *detection
	lists    *modelLists
	// tools is what is known of how models call tools.
	tools    *toolMemory
	limits   *limits
	booking  *bookings
	painters painterLists
	windows  *windows
}

var _ chat.Models = (*Chooser)(nil)

func newChooser(deps *Deps, prober *prober) *Chooser {
	return &Chooser{deps: deps, prober: prober, detected: &detection{}, lists: &modelLists{}, tools: prober.tools, limits: &limits{}, booking: &bookings{}, windows: prober.windows}
}

// Choose resolves the model of a message: <providerId>/<model> names a provider of
// the workspace or the platform, anything else a model of the workspace's default
// provider, or else of the platform's, or of the settings'. It returns
// core.CodeNoProvider if there is no provider or the named one is gone or switched off,
// and core.CodeModelUnavailable if a provider without a default model offers none.
func (c *Chooser) Choose(ctx context.Context, workspace core.ID, wanted string) (chat.Choice, error) {
	providers, err := c.deps.Store.Tables().Providers.List(ctx, workspace)
	if err != nil {
		return chat.Choice{}, err
	}
	shared, err := c.deps.Store.Tables().PlatformProviders.List(ctx)
	if err != nil {
		return chat.Choice{}, err
	}
	if prefix, model, found := strings.Cut(wanted, "/"); found {
		if id, err := core.ParseID(prefix); err == nil {
			return c.chooseNamed(ctx, providers, shared, id, model)
		}
	}
	for _, provider := range providers {
		if provider.IsDefault {
			return c.chooseOwn(ctx, provider, wanted)
		}
	}
	for _, provider := range shared {
		if answersAll(provider) {
			return c.chooseShared(ctx, provider, wanted)
		}
	}
	return c.ChoosePlatform(ctx, wanted)
}

// chooseNamed opens the provider that a message names. Another never answers in its place: it has
// other models, and somebody else may pay for it.
func (c *Chooser) chooseNamed(ctx context.Context, own []core.Provider, shared []core.PlatformProvider, id core.ID, model string) (chat.Choice, error) {
	for _, provider := range own {
		if provider.ID == id {
			return c.chooseOwn(ctx, provider, model)
		}
	}
	for _, provider := range shared {
		if provider.ID == id {
			return c.chooseShared(ctx, provider, model)
		}
	}
	return chat.Choice{}, core.Errorf(core.CodeNoProvider, "the AI provider of this model does not exist anymore: choose another model")
}

// chooseOwn opens a provider that is stored.
func (c *Chooser) chooseOwn(ctx context.Context, provider core.Provider, wanted string) (chat.Choice, error) {
	opened, err := c.deps.open(provider)
	if err != nil {
		return chat.Choice{}, err
	}
	if wanted == "" {
		wanted = deref(provider.DefaultModel)
	}
	var known *core.ProviderCapabilities
	if wanted == deref(provider.DefaultModel) {
		if known, err = c.prober.probed(ctx, provider); err != nil {
			return chat.Choice{}, err
		}
	}
	return c.withModel(ctx, opened, sourceOf(provider), wanted, known)
}

// ChoosePlatform opens the provider of the settings. It returns core.CodeNoProvider if
// there is none.
func (c *Chooser) ChoosePlatform(ctx context.Context, wanted string) (chat.Choice, error) {
	settings := ai.Settings{Kind: c.deps.Platform.Kind, BaseURL: c.deps.Platform.BaseURL, Key: c.deps.Platform.Key, Trusted: true}
	switch c.deps.Platform.Kind {
	case "":
		return chat.Choice{}, core.Errorf(core.CodeNoProvider, "no AI provider is configured for this workspace: an admin can add one in its settings")
	case PlatformAuto:
		settings = c.detected.settings(ctx, c.deps.Factory, c.deps.Platform)
	case core.ProviderOllama:
		if settings.BaseURL == "" {
			settings.BaseURL = c.deps.Platform.OllamaHost
		}
	}
	opened, err := c.deps.Factory.Open(settings)
	if err != nil {
		return chat.Choice{}, err
	}
	if wanted == "" && settings.Kind != core.ProviderDemo {
		wanted = c.deps.Platform.Model
	}
	from := source{kind: settings.Kind, key: settings.BaseURL, baseURL: settings.BaseURL}
	choice, err := c.withModel(ctx, opened, from, wanted, nil)
	choice.Platform = true
	choice.Fallback = c.deps.Platform.Kind == PlatformAuto && settings.Kind == core.ProviderDemo
	return choice, err
}

// withModel completes a choice. Without a model the provider's list decides.
// Ollama's list is always requested, because it has the models' own windows. known is the
// result of a probe, nil without one.
func (c *Chooser) withModel(ctx context.Context, opened ai.Provider, from source, wanted string, known *core.ProviderCapabilities) (chat.Choice, error) {
	if wanted != "" && (from.kind != core.ProviderOllama || known != nil && known.ContextTokens > 0) {
		return c.choice(ctx, opened, from, core.Model{ID: wanted, Abilities: unlisted}, known), nil
	}
	models, err := c.lists.get(ctx, from.key, opened)
	if err != nil {
		return chat.Choice{}, err
	}
	model, found := pick(models, wanted)
	switch {
	case found:
	case wanted == "":
		return chat.Choice{}, core.Errorf(core.CodeModelUnavailable, "the AI provider offers no model: install one, or name one in the settings")
	default:
		model = core.Model{ID: wanted, Abilities: unlisted}
	}
	return c.choice(ctx, opened, from, model, known), nil
}

// nameOf distinguishes models of equal names at several providers.
func nameOf(from source, model core.Model) string { return from.key + "\n" + model.ID }

// choice returns a model in the dialect that it needs.
func (c *Chooser) choice(ctx context.Context, opened ai.Provider, from source, model core.Model, known *core.ProviderCapabilities) chat.Choice {
	capabilities := c.deps.declared(from, model)
	if known != nil {
		capabilities = *known
	}
	name, painter := nameOf(from, model), c.deps.painterOf(from, opened)
	learnt := c.limits.of(name)
	model.ContextTokens = capabilities.ContextTokens
	window := c.windows.of(ctx, name, opened, from, model)
	if c.windows.isNewlySlow(name, window) {
		c.deps.Log.WarnContext(ctx, "an AI model does not fit into the memory of the graphics processor, so it answers slowly", "model", model.ID, "provider", from.key, "context", window.told.Loaded)
	}
	capabilities.ContextTokens = least(window.tokens, learnt.window)
	if from.kind != core.ProviderDemo {
		opened = &answerLimiter{Provider: opened, limits: c.limits, name: name}
	}
	if c.tools.refuses(name) {
		capabilities.Tools, capabilities.Dialect = false, core.DialectTagged
	}
	var emulated func() bool
	switch {
	case from.kind == core.ProviderDemo:
	case capabilities.Dialect == core.DialectTagged:
		opened, emulated = dialect.Tagged(opened, dialect.Nonce), func() bool { return true }
	default:
		opened, emulated = dialect.Native(opened, dialect.Nonce, c.tools.of(name)), func() bool { return c.tools.refuses(name) }
	}
	if from.kind != core.ProviderDemo {
		opened = dialect.Cleaned(opened)
	}
	return chat.Choice{
		Provider: opened, Painter: painter, Kind: from.kind, Model: model.ID, Source: name, Emulated: emulated,
		ContextTokens: capabilities.ContextTokens, SetsWindow: window.asked, KeepsThoughts: from.keepsThoughts(capabilities), AnswerTokens: least(c.deps.longestAnswer(from, model.ID), learnt.answer), Capabilities: capabilities,
	}
}

// listTTL is how long a provider's list of models is cached, maxLists for how many
// providers.
const (
	listTTL  = time.Minute
	maxLists = 1000
)

// modelLists is a cache of providers' lists of models, so that not every message
// asks for one.
type modelLists struct {
	mu    sync.Mutex
	lists map[string]modelList
}

type modelList struct {
	models []core.Model
	asked  time.Time
}

// get returns the list of the provider that key names.
func (l *modelLists) get(ctx context.Context, key string, provider ai.Provider) ([]core.Model, error) {
	l.mu.Lock()
	known, found := l.lists[key]
	l.mu.Unlock()
	if found && time.Since(known.asked) < listTTL {
		return known.models, nil
	}
	models, err := provider.Models(ctx)
	if err != nil || len(models) == 0 {
		return models, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lists) >= maxLists || l.lists == nil {
		l.lists = map[string]modelList{}
	}
	l.lists[key] = modelList{models, time.Now()}
	return models, nil
}
