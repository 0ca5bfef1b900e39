package models

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/dialect"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/storage"
)

// Bounds of a probe in time. A person waits for a test, and a run for the first probe
// of its provider. A model that is still loading gets more time in the background.
const (
	testTimeout  = 20 * time.Second
	probeTimeout = 2 * time.Minute
	// probePause is how long runs do not probe a provider again after a failed probe.
	probePause = time.Minute
)

// prober finds out what the default models of providers can do. It runs one probe at a
// time for each state of a provider (single flight).
type prober struct {
	deps   *Deps
	life   context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	probes ctxsync.SingleFlight[string, probeResult]
	// windows and tools are the Chooser's as well.
	windows *windows
	tools   *toolMemory

	mu sync.Mutex
	// failed has the time of the last probe of a state, if that failed.
	failed map[string]time.Time
}

func newProber(deps *Deps) *prober {
	life, cancel := context.WithCancel(context.Background())
	return &prober{deps: deps, life: life, cancel: cancel, failed: map[string]time.Time{}, windows: newWindows(), tools: newToolMemory(deps.Now)}
}

// probeResult is the result of a probe.
type probeResult struct {
	// latency is how long the list of models took.
	latency      time.Duration
	capabilities core.ProviderCapabilities
	// spilled is ai.Window's. emulated says that the model gets its tools as text.
	spilled, emulated bool
}

// stateOf is a key of a provider and everything that its probe depends on.
func stateOf(provider core.Provider) string {
	return string(provider.ID) + "\n" + deref(provider.BaseURL) + "\n" + deref(provider.DefaultModel) + "\n" + string(provider.SealedKey) + "\n" + strconv.Itoa(windowSetting(provider))
}

// begin starts a probe of the provider's default model in the background, or joins the
// one that is running.
func (p *prober) begin(provider core.Provider) *ctxsync.Call[probeResult] {
	state := stateOf(provider)
	call := p.probes.Start(p.life, state, func(context.Context) (probeResult, error) {
		ctx, cancel := context.WithTimeout(p.life, probeTimeout)
		defer cancel()
		result, err := p.probe(ctx, provider)
		p.record(state, err)
		return result, err
	})
	p.tasks.Go(func() { _, _ = call.Wait(context.WithoutCancel(p.life)) })
	return call
}

// record remembers for rests whether a probe failed.
func (p *prober) record(state string, failure error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.failed, state)
	if failure == nil {
		return
	}
	if len(p.failed) >= maxLists {
		clear(p.failed)
	}
	p.failed[state] = time.Now()
}

// rests reports whether the last probe failed within probePause.
func (p *prober) rests(state string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	failed, found := p.failed[state]
	return found && time.Since(failed) < probePause
}

// close ends the running probes and waits for them.
func (p *prober) close() {
	p.cancel()
	p.tasks.Wait()
}

// probe finds out what the provider's default model can do, and stores it.
func (p *prober) probe(ctx context.Context, provider core.Provider) (result probeResult, err error) {
	opened, err := p.deps.open(provider)
	if err != nil {
		return result, err
	}
	start := time.Now()
	models, err := opened.Models(ctx)
	result.latency = time.Since(start)
	if err != nil {
		return result, err
	}
	model, found := pick(models, deref(provider.DefaultModel))
	if !found {
		return result, core.Errorf(core.CodeModelUnavailable, "the provider answers, but does not offer the default model")
	}
	from := sourceOf(provider)
	result.capabilities = p.deps.declared(from, model)
	model.ContextTokens = result.capabilities.ContextTokens
	name := nameOf(from, model)
	window := p.windows.of(ctx, name, opened, from, model)
	if from.mayAsk() {
		if err := p.ask(ctx, provider, opened, model, window, &result.capabilities); err != nil {
			return result, err
		}
		if result.capabilities.Tools {
			p.tools.of(name).Worked()
		}
	}
	result.emulated = result.capabilities.Dialect == core.DialectTagged || p.tools.refuses(name)
	if provider.Kind == core.ProviderOllama || window.tokens == 0 {
		window = p.windows.fresh(ctx, name, opened, from, model) // The model is in memory now.
	}
	result.capabilities.ContextTokens, result.spilled = window.tokens, window.told.Spilled
	return result, p.keep(context.WithoutCancel(ctx), provider, result.capabilities)
}

// ask calls the model to find out what it can do. The workspace pays for that; the operator for a
// provider of the platform.
func (p *prober) ask(ctx context.Context, provider core.Provider, opened ai.Provider, model core.Model, window window, into *core.ProviderCapabilities) error {
	price := p.deps.priceOf(provider.Kind, model.ID)
	if price != (Price{}) && provider.WorkspaceID != "" {
		workspace, err := p.deps.Store.Tables().Workspaces.ByID(ctx, provider.WorkspaceID)
		if err == nil {
			err = allow(core.Funds{Workspace: workspace}, nil, 0)
		}
		if err != nil {
			return err
		}
	}
	found, used, err := dialect.Probe(ctx, opened, model.ID, window.request(), dialect.Nonce)
	if cost := price.of(used); cost > 0 && provider.WorkspaceID != "" {
		row := core.UsageRow{
			Day: p.deps.Now().UTC().Format("2006-01-02"), Model: model.ID,
			InputTokens: used.InputTokens, CachedTokens: used.CachedTokens, OutputTokens: used.OutputTokens, Cost: cost,
		}
		booked := p.deps.Store.InTx(context.WithoutCancel(ctx), func(ctx context.Context, tables storage.Tables) error {
			return book(ctx, tables, provider.WorkspaceID, nil, row)
		})
		if booked != nil {
			return booked
		}
	}
	if err != nil {
		return err
	}
	into.Tools, into.Schema, into.Dialect = found.Tools, found.Schema, found.Dialect
	into.Thinking = into.Thinking || found.Thinking
	return nil
}

// keep stores the result, unless the provider has changed meanwhile.
func (p *prober) keep(ctx context.Context, provider core.Provider, found core.ProviderCapabilities) error {
	note := func(stored *core.Provider) error {
		if stateOf(*stored) == stateOf(provider) {
			stored.Capabilities = &found
		}
		return nil
	}
	tables := p.deps.Store.Tables()
	var err error
	if provider.WorkspaceID != "" {
		_, err = tables.Providers.Update(ctx, provider.ID, note)
	} else {
		_, err = tables.PlatformProviders.Update(ctx, provider.ID, func(stored *core.PlatformProvider) error { return note(&stored.Provider) })
	}
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	return err
}

func sourceOf(provider core.Provider) source {
	return source{
		kind: provider.Kind, key: string(provider.ID) + deref(provider.BaseURL), baseURL: deref(provider.BaseURL), window: windowSetting(provider),
	}
}

// isProbed reports whether a probe has found out what the default model can do.
func isProbed(provider core.Provider) bool {
	return provider.Capabilities != nil && provider.Capabilities.Dialect != ""
}

// probed returns the result of the probe of the provider's default model. Without one,
// it makes a probe and waits for it; nil says that it failed.
func (p *prober) probed(ctx context.Context, provider core.Provider) (*core.ProviderCapabilities, error) {
	switch {
	case isProbed(provider):
		return provider.Capabilities, nil
	case !sourceOf(provider).mayAsk(), p.rests(stateOf(provider)):
		return nil, nil
	}
	bounded, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	result, err := p.begin(provider).Wait(bounded)
	if err != nil {
		return nil, ctx.Err()
	}
	return &result.capabilities, nil
}

// TestResult is the result of a test of a provider.
type TestResult struct {
	OK bool `json:"ok"`
	// LatencyMs is how long the provider took to answer.
	LatencyMs int64     `json:"latencyMs"`
	Error     core.Code `json:"error,omitempty"`
	Message   string    `json:"message,omitempty"`
	// Warning is what makes the provider worse than it could be, for people.
	Warning      string                     `json:"warning,omitempty"`
	Capabilities *core.ProviderCapabilities `json:"capabilities"`
}

// Test probes a provider's default model and stores what it can do. A provider that
// does not answer is a result, not an error.
func (p *Providers) Test(ctx context.Context, by core.Actor, workspace, id core.ID) (TestResult, error) {
	provider, err := p.own(ctx, by, core.ActionProviderWrite, workspace, id)
	if err != nil {
		return TestResult{}, err
	}
	return p.test(ctx, provider)
}

// test is Test for a provider that the caller may test.
func (p *Providers) test(ctx context.Context, provider core.Provider) (TestResult, error) {
	if _, err := p.open(provider); err != nil {
		return TestResult{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	start := time.Now()
	result, err := p.prober.begin(provider).Wait(bounded)
	var known *core.Error
	switch {
	case err == nil:
		return TestResult{
			OK: true, LatencyMs: result.latency.Milliseconds(), Warning: result.warning(), Capabilities: &result.capabilities,
		}, nil
	case ctx.Err() != nil:
		return TestResult{}, ctx.Err()
	case errors.As(err, &known) && known.Code == core.CodeInternal:
		return TestResult{}, err
	case known != nil:
		return TestResult{LatencyMs: time.Since(start).Milliseconds(), Error: known.Code, Message: known.Message}, nil
	}
	return TestResult{
		LatencyMs: time.Since(start).Milliseconds(), Error: core.CodeModelUnavailable,
		Message: "the provider did not answer in time; a model that is still being loaded may answer later",
	}, nil
}
