package models

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/storage"
)

// SharedProviders has the use cases around the AI providers that admins of the installation give to
// all workspaces, beside the one of the settings.
type SharedProviders struct{ providers *Providers }

// Shared returns the use cases of admins.
func (p *Providers) Shared() SharedProviders { return SharedProviders{p} }

// SharedInput is ProviderInput with a switch.
type SharedInput struct {
	ProviderInput
	Enabled *bool
}

// FixedProvider is the provider of the settings, which only the operator changes.
type FixedProvider struct {
	Kind         core.ProviderKind `json:"kind"`
	BaseURL      *string           `json:"baseUrl"`
	DefaultModel *string           `json:"defaultModel"`
	HasKey       bool              `json:"hasKey"`
	// IsDefault says that it answers where no other provider is chosen.
	IsDefault bool `json:"isDefault"`
}

// LentProvider shows members of workspaces a platform's provider.
type LentProvider struct {
	ID           core.ID           `json:"id"`
	Kind         core.ProviderKind `json:"kind"`
	Name         string            `json:"name"`
	DefaultModel *string           `json:"defaultModel"`
	IsDefault    bool              `json:"isDefault"`
}

// List returns the platform's providers, the oldest first, and that of the settings, nil
// without one.
func (s SharedProviders) List(ctx context.Context, by core.Actor) ([]core.PlatformProvider, *FixedProvider, error) {
	if _, err := s.providers.Gate.Instance(ctx, by, core.ActionInstanceProviders); err != nil {
		return nil, nil, err
	}
	found, err := s.providers.Store.Tables().PlatformProviders.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	return found, s.fixed(ctx, found), nil
}

func (s SharedProviders) fixed(ctx context.Context, others []core.PlatformProvider) *FixedProvider {
	platform := s.providers.Platform
	kind := s.providers.settingsKind(ctx)
	if kind == "" {
		return nil
	}
	fixed := &FixedProvider{Kind: kind, HasKey: platform.Key != "", IsDefault: !slices.ContainsFunc(others, answersAll)}
	if kind != core.ProviderDemo {
		fixed.DefaultModel, fixed.BaseURL = orNil(platform.Model), orNil(withoutPassword(platform.BaseURL))
	}
	return fixed
}

// withoutPassword removes the user and the password from an address.
func withoutPassword(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	parsed.User = nil
	return parsed.String()
}

// answersAll reports whether a provider answers messages that name no other.
func answersAll(provider core.PlatformProvider) bool { return provider.IsDefault && provider.Enabled }

// Create adds a provider, and starts a probe of its default model. The first becomes the default
// unless the input says otherwise or the settings have a model. Errors are Providers.Create's.
func (s SharedProviders) Create(ctx context.Context, by core.Actor, input SharedInput) (core.PlatformProvider, error) {
	if _, err := s.providers.Gate.Instance(ctx, by, core.ActionInstanceProviders); err != nil {
		return core.PlatformProvider{}, err
	}
	if err := s.providers.checkNew(input.ProviderInput); err != nil {
		return core.PlatformProvider{}, err
	}
	now := core.At(s.providers.Now())
	provider := core.PlatformProvider{
		Provider: core.Provider{ID: core.NewID(), Kind: input.Kind, CreatedAt: now, UpdatedAt: now}, Enabled: true,
	}
	if err := s.apply(&provider, input); err != nil {
		return core.PlatformProvider{}, err
	}
	kind := s.providers.settingsKind(ctx)
	modelless := kind == "" || kind == core.ProviderDemo
	err := s.providers.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := s.providers.Gate.InstanceIn(ctx, tables, by, core.ActionInstanceProviders); err != nil {
			return err
		}
		others, err := tables.PlatformProviders.List(ctx)
		if err != nil {
			return err
		}
		if len(others) >= MaxProviders {
			return core.Errorf(core.CodeConflict, "the platform can have at most %d AI providers: delete one first", MaxProviders)
		}
		if input.IsDefault == nil {
			provider.IsDefault = provider.Enabled && modelless && len(others) == 0
		}
		if err := tables.PlatformProviders.Create(ctx, provider); err != nil {
			return err
		}
		return s.providers.Audit.RecordInstance(ctx, tables, by, core.AuditPlatformAICreated, provider.Name)
	})
	if err == nil && provider.Enabled {
		s.providers.prober.begin(provider.Provider)
	}
	return provider, err
}

// Update changes a provider as Providers.Update does. One that is switched off is no longer the
// default: that of the settings answers instead, or none.
func (s SharedProviders) Update(ctx context.Context, by core.Actor, id core.ID, input SharedInput) (core.PlatformProvider, error) {
	var before, updated core.PlatformProvider
	err := s.providers.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		_, err := s.providers.Gate.InstanceIn(ctx, tables, by, core.ActionInstanceProviders)
		if err != nil {
			return err
		}
		updated, err = tables.PlatformProviders.Update(ctx, id, func(provider *core.PlatformProvider) error {
			before = *provider
			provider.UpdatedAt = core.At(s.providers.Now())
			return s.apply(provider, input)
		})
		if err != nil {
			return err
		}
		return s.providers.Audit.RecordInstance(ctx, tables, by, core.AuditPlatformAIUpdated, updated.Name+input.describe())
	})
	if err == nil && updated.Enabled && stateOf(before.Provider) != stateOf(updated.Provider) {
		s.providers.prober.begin(updated.Provider)
	}
	return updated, err
}

// describe says what changes about a provider, for the audit log.
func (i SharedInput) describe() string {
	var parts []string
	for _, part := range []struct {
		text    string
		changes bool
	}{
		{"key changed", i.APIKey != nil},
		{"baseUrl changed", i.BaseURL != nil},
		{"switched on", i.Enabled != nil && *i.Enabled},
		{"switched off", i.Enabled != nil && !*i.Enabled},
		{"made the default", i.IsDefault != nil && *i.IsDefault},
		{"no longer the default", i.IsDefault != nil && !*i.IsDefault},
	} {
		if part.changes {
			parts = append(parts, part.text)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

func (s SharedProviders) apply(provider *core.PlatformProvider, input SharedInput) error {
	if err := s.providers.apply(&provider.Provider, input.ProviderInput); err != nil {
		return err
	}
	if input.Enabled != nil {
		provider.Enabled = *input.Enabled
	}
	if provider.Enabled {
		return nil
	}
	if input.IsDefault != nil && *input.IsDefault {
		return core.Errorf(core.CodeValidationFailed, "isDefault needs a provider that is switched on: set enabled to true")
	}
	provider.IsDefault = false
	return nil
}

// Delete removes a provider with its key. Without a default, that of the settings answers, or none.
func (s SharedProviders) Delete(ctx context.Context, by core.Actor, id core.ID) error {
	return s.providers.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := s.providers.Gate.InstanceIn(ctx, tables, by, core.ActionInstanceProviders); err != nil {
			return err
		}
		provider, err := tables.PlatformProviders.ByID(ctx, id)
		if err != nil {
			return err
		}
		if err := tables.PlatformProviders.Delete(ctx, id); err != nil {
			return err
		}
		return s.providers.Audit.RecordInstance(ctx, tables, by, core.AuditPlatformAIDeleted, provider.Name)
	})
}

// Test works as Providers.Test does. No workspace pays for it.
func (s SharedProviders) Test(ctx context.Context, by core.Actor, id core.ID) (TestResult, error) {
	provider, err := s.byID(ctx, by, id)
	if err != nil {
		return TestResult{}, err
	}
	return s.providers.test(ctx, provider)
}

// Models lists what a provider offers, as Providers.Models does.
func (s SharedProviders) Models(ctx context.Context, by core.Actor, id core.ID) ([]Offer, error) {
	provider, err := s.byID(ctx, by, id)
	if err != nil {
		return nil, err
	}
	return s.providers.offers(ctx, provider)
}

func (s SharedProviders) byID(ctx context.Context, by core.Actor, id core.ID) (core.Provider, error) {
	if _, err := s.providers.Gate.Instance(ctx, by, core.ActionInstanceProviders); err != nil {
		return core.Provider{}, err
	}
	provider, err := s.providers.Store.Tables().PlatformProviders.ByID(ctx, id)
	return provider.Provider, err
}

// Lent returns the platform's providers that messages may use, the oldest first. The caller has
// checked the right to read a workspace's providers.
func (c *Chooser) Lent(ctx context.Context) ([]LentProvider, error) {
	found, err := c.deps.Store.Tables().PlatformProviders.List(ctx)
	lent := []LentProvider{}
	for _, one := range found {
		if one.Enabled {
			lent = append(lent, LentProvider{ID: one.ID, Kind: one.Kind, Name: one.Name, DefaultModel: one.DefaultModel, IsDefault: one.IsDefault})
		}
	}
	return lent, err
}

// HasPlatform reports whether workspaces without a provider of their own have the platform's.
func (c *Chooser) HasPlatform(ctx context.Context) (bool, error) {
	if c.deps.Platform.Kind != "" {
		return true, nil
	}
	lent, err := c.Lent(ctx)
	return slices.ContainsFunc(lent, func(one LentProvider) bool { return one.IsDefault }), err
}

// chooseShared opens one of the platform's providers.
func (c *Chooser) chooseShared(ctx context.Context, provider core.PlatformProvider, wanted string) (chat.Choice, error) {
	if !provider.Enabled {
		return chat.Choice{}, core.Errorf(core.CodeNoProvider, "the AI provider of this model is switched off: choose another model")
	}
	choice, err := c.chooseOwn(ctx, provider.Provider, wanted)
	choice.Platform = true
	return choice, err
}
