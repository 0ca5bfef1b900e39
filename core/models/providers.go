package models

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/storage"
)

// Limits of a provider's fields.
const (
	MaxProviderNameChars = 100
	// MaxProviders bounds the providers of a workspace.
	MaxProviders  = 50
	MaxKeyBytes   = 4096
	MaxModelChars = 200
	// MinContextTokens and MaxContextTokens bound the window that people set.
	MinContextTokens = 2048
	MaxContextTokens = 10_000_000
	maxBaseURLBytes  = 2048
	// keyHintChars is how much of a key's end is shown, if the key is at least four times as long.
	keyHintChars = 4
)

// Deps has the dependencies of the use cases around AI providers.
type Deps struct {
	Store   storage.Store
	Gate    *access.Gate
	Audit   *audit.Log
	Sealer  identity.Sealer
	Guard   netguard.Guard
	Factory ai.Factory
	// Platform is the provider for workspaces without one of their own.
	Platform Platform
	// Prices are the operator's own; nil means only the built-in ones.
	Prices Prices
	// Catalogue has the operator's own facts about models, which replace the built-in ones.
	Catalogue Catalogue
	// RunLimit is the most that one run may cost, in USD; 0 means only the workspace's credit
	// bounds it.
	RunLimit RunLimit
	// Subscriptions are people's own, and Own is the server for them.
	Subscriptions Subscriptions
	Own           SubscriptionServer
	// CreditLimit is the most that each person may spend on Platform, in all workspaces together.
	CreditLimit core.CreditLimit
	Now         func() time.Time
	// Log gets a warning about a server on which models answer slowly. It may be nil.
	Log *slog.Logger
}

// Providers has the use cases around the AI providers of workspaces.
type Providers struct {
	Deps
	*Chooser
	prober *prober
}

// NewProviders returns the use cases. They must be closed before the store is.
func NewProviders(deps Deps) *Providers {
	p := &Providers{Deps: deps}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	p.prober = newProber(&p.Deps)
	p.Chooser = newChooser(&p.Deps, p.prober)
	return p
}

// Close ends the running probes and waits for them.
func (p *Providers) Close() { p.prober.close() }

// ProviderInput describes a provider to create or a change of one. Nil fields are left unchanged; a
// pointer to "" or nil clears.
type ProviderInput struct {
	// Kind is required by Create, and cannot be changed.
	Kind         core.ProviderKind
	Name         *string
	BaseURL      *string
	APIKey       *string
	DefaultModel *string
	// ContextTokens is Provider.ContextTokens.
	ContextTokens **int
	IsDefault     *bool
}

// List returns a workspace's providers, the oldest first.
func (p *Providers) List(ctx context.Context, by core.Actor, workspace core.ID) ([]core.Provider, error) {
	if _, _, err := p.Gate.Workspace(ctx, by, core.ActionProviderRead, workspace); err != nil {
		return nil, err
	}
	return p.Store.Tables().Providers.List(ctx, workspace)
}

// Create adds a provider, and starts a probe of its default model. The first of a workspace becomes
// its default unless the input says otherwise. It returns core.CodeValidationFailed for a field out
// of bounds, core.CodeForbiddenAddress for a base URL that may not be reached, and
// core.CodeConflict beyond MaxProviders.
func (p *Providers) Create(ctx context.Context, by core.Actor, workspace core.ID, input ProviderInput) (core.Provider, error) {
	if _, _, err := p.Gate.Workspace(ctx, by, core.ActionProviderWrite, workspace); err != nil {
		return core.Provider{}, err
	}
	if err := p.checkNew(input); err != nil {
		return core.Provider{}, err
	}
	now := core.At(p.Now())
	provider := core.Provider{ID: core.NewID(), Kind: input.Kind, WorkspaceID: workspace, CreatedAt: now, UpdatedAt: now}
	if err := p.apply(&provider, input); err != nil {
		return core.Provider{}, err
	}
	err := p.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionProviderWrite, workspace); err != nil {
			return err
		}
		others, err := tables.Providers.List(ctx, workspace)
		if err != nil {
			return err
		}
		if len(others) >= MaxProviders {
			return core.Errorf(core.CodeConflict, "a workspace can have at most %d AI providers: delete one first", MaxProviders)
		}
		if input.IsDefault == nil {
			provider.IsDefault = len(others) == 0
		}
		if err := tables.Providers.Create(ctx, provider); err != nil {
			return err
		}
		return p.Audit.Record(ctx, tables, by, workspace, core.AuditProviderCreated, provider.Name)
	})
	if err == nil {
		p.prober.begin(provider)
	}
	return provider, err
}

// checkNew checks what only a new provider needs.
func (p *Providers) checkNew(input ProviderInput) error {
	if kinds := p.Factory.Kinds(); !slices.Contains(kinds, input.Kind) {
		return core.Errorf(core.CodeValidationFailed, "kind must be one of %s", strings.Trim(fmt.Sprint(kinds), "[]"))
	}
	if input.Name == nil {
		return core.Errorf(core.CodeValidationFailed, "name is missing")
	}
	return nil
}

// Update changes a provider. A new base URL without a key drops the stored key, which belongs to
// the old address. A new address, key or default model is probed again. Errors are Create's.
func (p *Providers) Update(ctx context.Context, by core.Actor, workspace, id core.ID, input ProviderInput) (core.Provider, error) {
	if _, err := p.own(ctx, by, core.ActionProviderWrite, workspace, id); err != nil {
		return core.Provider{}, err
	}
	var before, updated core.Provider
	err := p.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) (err error) {
		if _, err := ownIn(ctx, tables, by, core.ActionProviderWrite, workspace, id); err != nil {
			return err
		}
		updated, err = tables.Providers.Update(ctx, id, func(provider *core.Provider) error {
			before = *provider
			provider.UpdatedAt = core.At(p.Now())
			return p.apply(provider, input)
		})
		if err != nil {
			return err
		}
		return p.Audit.Record(ctx, tables, by, workspace, core.AuditProviderUpdated, updated.Name+input.describe())
	})
	if err == nil && stateOf(before) != stateOf(updated) {
		p.prober.begin(updated)
	}
	return updated, err
}

// describe says which parts of a provider's access change, for the audit log.
func (i ProviderInput) describe() string {
	var parts []string
	if i.APIKey != nil {
		parts = append(parts, "key")
	}
	if i.BaseURL != nil {
		parts = append(parts, "baseUrl")
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ") + " changed"
}

// Delete removes a provider with its key.
func (p *Providers) Delete(ctx context.Context, by core.Actor, workspace, id core.ID) error {
	return p.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		provider, err := ownIn(ctx, tables, by, core.ActionProviderWrite, workspace, id)
		if err != nil {
			return err
		}
		if err := tables.Providers.Delete(ctx, id); err != nil {
			return err
		}
		return p.Audit.Record(ctx, tables, by, workspace, core.AuditProviderDeleted, provider.Name)
	})
}

// own returns a provider of the workspace, if the caller has the right to action.
func (p *Providers) own(ctx context.Context, by core.Actor, action core.Action, workspace, id core.ID) (core.Provider, error) {
	return ownIn(ctx, p.Store.Tables(), by, action, workspace, id)
}

// ownIn is own within a transaction.
func ownIn(ctx context.Context, tables storage.Tables, by core.Actor, action core.Action, workspace, id core.ID) (core.Provider, error) {
	if _, _, err := access.WorkspaceIn(ctx, tables, by, action, workspace); err != nil {
		return core.Provider{}, err
	}
	provider, err := tables.Providers.ByID(ctx, id)
	if err != nil {
		return core.Provider{}, err
	}
	if provider.WorkspaceID != workspace {
		return core.Provider{}, core.NotFound("provider")
	}
	return provider, nil
}

// apply checks the input and changes the provider.
func (p *Providers) apply(provider *core.Provider, input ProviderInput) error {
	if input.Name != nil {
		name, err := core.CheckName("name", *input.Name, MaxProviderNameChars)
		if err != nil {
			return err
		}
		provider.Name = name
	}
	if err := p.applyAddress(provider, input); err != nil {
		return err
	}
	if input.DefaultModel != nil {
		if utf8.RuneCountInString(*input.DefaultModel) > MaxModelChars {
			return core.Errorf(core.CodeValidationFailed, "defaultModel must have at most %d characters", MaxModelChars)
		}
		if deref(provider.DefaultModel) != *input.DefaultModel {
			provider.Capabilities = nil
		}
		provider.DefaultModel = orNil(*input.DefaultModel)
	}
	if input.IsDefault != nil {
		provider.IsDefault = *input.IsDefault
	}
	return applyContext(provider, input.ContextTokens)
}

// applyContext changes the window of the provider's models.
func applyContext(provider *core.Provider, tokens **int) error {
	if tokens == nil {
		return nil
	}
	before := windowSetting(*provider)
	provider.ContextTokens = *tokens
	if *tokens != nil && (**tokens < MinContextTokens || **tokens > MaxContextTokens) {
		return core.Errorf(core.CodeValidationFailed, "contextTokens must be between %d and %d", MinContextTokens, MaxContextTokens)
	}
	if before != windowSetting(*provider) {
		provider.Capabilities = nil
	}
	return nil
}

// applyAddress changes the base URL and the key, which belong together.
func (p *Providers) applyAddress(provider *core.Provider, input ProviderInput) error {
	if input.BaseURL != nil && *input.BaseURL != deref(provider.BaseURL) {
		if *input.BaseURL != "" {
			if len(*input.BaseURL) > maxBaseURLBytes {
				return core.Errorf(core.CodeValidationFailed, "baseUrl must have at most %d bytes", maxBaseURLBytes)
			}
			if err := p.Guard.Check(*input.BaseURL); err != nil {
				return err
			}
		}
		provider.BaseURL, provider.Capabilities = orNil(*input.BaseURL), nil
		provider.SealedKey, provider.HasKey, provider.KeyHint = nil, false, nil
	}
	if input.APIKey == nil {
		return nil
	}
	return p.applyKey(provider, *input.APIKey)
}

func (p *Providers) applyKey(provider *core.Provider, key string) error {
	if len(key) > MaxKeyBytes || !isPrintable(key) {
		return core.Errorf(core.CodeValidationFailed, "apiKey must have at most %d printable characters", MaxKeyBytes)
	}
	provider.SealedKey, provider.HasKey, provider.KeyHint, provider.Capabilities = nil, key != "", nil, nil
	if key == "" {
		return nil
	}
	sealed, err := p.Sealer.Seal([]byte(key), keyPlace(*provider))
	if err != nil {
		return err
	}
	provider.SealedKey = sealed
	if len(key) >= 4*keyHintChars {
		provider.KeyHint = orNil("…" + key[len(key)-keyHintChars:])
	}
	return nil
}

// open makes a provider ready for calls. An Ollama without an address is the operator's, whose
// address people cannot change.
func (d *Deps) open(provider core.Provider) (ai.Provider, error) {
	settings := ai.Settings{Kind: provider.Kind, BaseURL: deref(provider.BaseURL)}
	if settings.Kind == core.ProviderOllama && settings.BaseURL == "" {
		settings.BaseURL, settings.Trusted = d.Platform.OllamaHost, true
	}
	if provider.HasKey {
		key, err := d.Sealer.Open(provider.SealedKey, keyPlace(provider))
		if err != nil {
			return nil, err
		}
		settings.Key = string(key)
	}
	return d.Factory.Open(settings)
}

// keyPlace binds a sealed key to the row that holds it.
func keyPlace(provider core.Provider) string {
	if provider.WorkspaceID == "" {
		return "platform_providers/" + string(provider.ID) + "/key"
	}
	return "ai_providers/" + string(provider.ID) + "/key"
}

func isPrintable(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return true
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
