package models

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
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

	mu      sync.Mutex
	running map[string]*probing
	failed  map[string]time.Time
}

func newProber(deps *Deps) *prober {
	life, cancel := context.WithCancel(context.Background())
	return &prober{deps: deps, life: life, cancel: cancel, running: map[string]*probing{}, failed: map[string]time.Time{}}
}

// probing is a running probe. Its results are set once done is closed.
type probing struct {
	done chan struct{}
	// latency is how long the list of models took.
	latency      time.Duration
	capabilities core.ProviderCapabilities
	err          error
}

// wait waits for the probe. It returns ctx's error if ctx ends first.
func (p *probing) wait(ctx context.Context) error {
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stateOf is a key of a provider and everything that its probe depends on.
func stateOf(provider core.Provider) string {
	return string(provider.ID) + "\n" + deref(provider.BaseURL) + "\n" + deref(provider.DefaultModel) + "\n" + string(provider.SealedKey)
}

// begin starts a probe of the provider's default model in the background, unless one is
// running.
func (p *prober) begin(provider core.Provider) *probing {
	state := stateOf(provider)
	p.mu.Lock()
	defer p.mu.Unlock()
	if running, found := p.running[state]; found {
		return running
	}
	begun := &probing{done: make(chan struct{})}
	p.running[state] = begun
	p.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(p.life, probeTimeout)
		defer cancel()
		begun.err = p.probe(ctx, provider, begun)
		p.end(state, begun)
	})
	return begun
}

func (p *prober) end(state string, ended *probing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, state)
	delete(p.failed, state)
	if ended.err != nil {
		if len(p.failed) >= maxLists {
			clear(p.failed)
		}
		p.failed[state] = time.Now()
	}
	close(ended.done)
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
func (p *prober) probe(ctx context.Context, provider core.Provider, into *probing) error {
	opened, err := p.deps.open(provider)
	if err != nil {
		return err
	}
	start := time.Now()
	models, err := opened.Models(ctx)
	into.latency = time.Since(start)
	if err != nil {
		return err
	}
	model, found := pick(models, deref(provider.DefaultModel))
	if !found {
		return core.Errorf(core.CodeModelUnavailable, "the provider answers, but does not offer the default model")
	}
	from := sourceOf(provider)
	into.capabilities = from.declared(model.ID, model.Abilities)
	if from.mayAsk() {
		if err := p.ask(ctx, provider, opened, model, into); err != nil {
			return err
		}
	}
	return p.keep(context.WithoutCancel(ctx), provider, into.capabilities)
}

// ask calls the model to find out what it can do. The workspace pays for that.
func (p *prober) ask(ctx context.Context, provider core.Provider, opened ai.Provider, model core.Model, into *probing) error {
	price := p.deps.Prices.of(provider.Kind, model.ID)
	if price != (Price{}) {
		workspace, err := p.deps.Store.Tables().Workspaces.ByID(ctx, provider.WorkspaceID)
		if err == nil {
			err = allow(core.Funds{Workspace: workspace}, nil, 0)
		}
		if err != nil {
			return err
		}
	}
	window := 0
	if provider.Kind == core.ProviderOllama {
		window = agent.SetWindow(model.ContextTokens)
	}
	found, used, err := dialect.Probe(ctx, opened, model.ID, window, dialect.Nonce)
	if cost := price.of(used); cost > 0 {
		row := core.UsageRow{
			Day: p.deps.Now().UTC().Format("2006-01-02"), Model: model.ID,
			InputTokens: used.InputTokens, OutputTokens: used.OutputTokens, Cost: cost,
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
	into.capabilities.Tools, into.capabilities.Schema, into.capabilities.Dialect = found.Tools, found.Schema, found.Dialect
	into.capabilities.Thinking = into.capabilities.Thinking || found.Thinking
	return nil
}

// keep stores the result, unless the provider has changed meanwhile.
func (p *prober) keep(ctx context.Context, provider core.Provider, found core.ProviderCapabilities) error {
	_, err := p.deps.Store.Tables().Providers.Update(ctx, provider.ID, func(stored *core.Provider) error {
		if stateOf(*stored) == stateOf(provider) {
			stored.Capabilities = &found
		}
		return nil
	})
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	return err
}

func sourceOf(provider core.Provider) source {
	return source{kind: provider.Kind, key: string(provider.ID) + deref(provider.BaseURL), baseURL: deref(provider.BaseURL)}
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
	begun := p.begin(provider)
	if err := begun.wait(bounded); err != nil {
		return nil, ctx.Err()
	}
	return &begun.capabilities, nil
}

// TestResult is the result of a test of a provider.
type TestResult struct {
	OK bool `json:"ok"`
	// LatencyMs is how long the provider took to answer.
	LatencyMs    int64                      `json:"latencyMs"`
	Error        core.Code                  `json:"error,omitempty"`
	Message      string                     `json:"message,omitempty"`
	Capabilities *core.ProviderCapabilities `json:"capabilities"`
}

// Test probes a provider's default model and stores what it can do. A provider that
// does not answer is a result, not an error.
func (p *Providers) Test(ctx context.Context, by core.Actor, workspace, id core.ID) (TestResult, error) {
	provider, err := p.own(ctx, by, core.ActionProviderWrite, workspace, id)
	if err != nil {
		return TestResult{}, err
	}
	if _, err := p.open(provider); err != nil {
		return TestResult{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	start := time.Now()
	begun := p.prober.begin(provider)
	err = begun.wait(bounded)
	var known *core.Error
	switch {
	case err == nil:
		return TestResult{OK: true, LatencyMs: begun.latency.Milliseconds(), Capabilities: &begun.capabilities}, nil
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
