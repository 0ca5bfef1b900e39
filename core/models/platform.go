package models

import (
	"context"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Platform is the operator's own provider (AI_PROVIDER, AI_MODEL,
// AI_BASE_URL, AI_API_KEY, OLLAMA_HOST).
type Platform struct {
	// Kind is "" for none. PlatformAuto is Ollama if it answers, else the demo.
	Kind    core.ProviderKind
	Model   string
	BaseURL string
	Key     string
	// OllamaHost is where PlatformAuto, and any Ollama without a BaseURL, look
	// for Ollama.
	OllamaHost string
}

// PlatformAuto is a Platform.Kind: Ollama if it answers, else the demo.
const PlatformAuto core.ProviderKind = "auto"

// DefaultKind returns the kind of provider that answers a message that names no model, in a
// workspace with these providers. It is "" if there is none.
func (c *Chooser) DefaultKind(ctx context.Context, providers []core.Provider) core.ProviderKind {
	for _, provider := range providers {
		if provider.IsDefault {
			return provider.Kind
		}
	}
	lent, err := c.Lent(ctx)
	for _, provider := range lent {
		if err == nil && provider.IsDefault {
			return provider.Kind
		}
	}
	return c.settingsKind(ctx)
}

// settingsKind is the kind of the settings' provider, "" without one.
func (c *Chooser) settingsKind(ctx context.Context) core.ProviderKind {
	if c.deps.Platform.Kind == PlatformAuto {
		return c.detected.settings(ctx, c.deps.Factory, c.deps.Platform).Kind
	}
	return c.deps.Platform.Kind
}

// detectionTimeout is how long Ollama may take to answer.
const detectionTimeout = 2 * time.Second

// detection is the provider that was chosen for PlatformAuto.
type detection struct {
	mu      sync.Mutex
	decided bool
	ollama  bool
}

// Decide chooses the provider of PlatformAuto for the life of this process, so that
// a chat does not silently continue with another model. Without a call of Decide
// the first message does so.
func (c *Chooser) Decide(ctx context.Context) {
	if c.deps.Platform.Kind == PlatformAuto {
		c.detected.settings(ctx, c.deps.Factory, c.deps.Platform)
	}
}

// settings returns Ollama's settings if it answered and offered a model, else the
// demo's.
func (d *detection) settings(ctx context.Context, factory ai.Factory, platform Platform) ai.Settings {
	ollama := ai.Settings{Kind: core.ProviderOllama, BaseURL: platform.OllamaHost, Trusted: true}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.decided {
		found := answers(ctx, factory, ollama)
		d.ollama, d.decided = found, found || ctx.Err() == nil
	}
	if d.ollama {
		return ollama
	}
	return ai.Settings{Kind: core.ProviderDemo, Trusted: true}
}

func answers(ctx context.Context, factory ai.Factory, settings ai.Settings) bool {
	opened, err := factory.Open(settings)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, detectionTimeout)
	defer cancel()
	models, err := opened.Models(ctx)
	return err == nil && len(models) > 0
}
