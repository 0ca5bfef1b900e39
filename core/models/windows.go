package models

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/ports/ai"
)

// leastWindow is the smallest window, in tokens, in which the agent works well. It is asked of a server that
// gives less by itself, or of which nobody knows what it gives: Ollama gives 4,096 where there is little
// memory. More takes memory that nobody has offered.
const leastWindow = 16_384

// Bounds in time: for a server to tell a window that its list of models lacks, and to load a model.
// loadPause is how long a model is not loaded again that got less than leastWindow.
const (
	windowTimeout = 5 * time.Second
	loadTimeout   = 10 * time.Minute
	loadPause     = 10 * time.Minute
)

// window is the window of a model's calls.
type window struct {
	// tokens is its size, 0 if unknown. asked says that requests ask for it.
	tokens int
	asked  bool
	// told is what the server told.
	told ai.Window
}

// request is the window that requests ask for, 0 if they ask for none.
func (w window) request() int {
	if !w.asked {
		return 0
	}
	return w.tokens
}

// windowSetting is a provider's own setting, 0 without one.
func windowSetting(provider core.Provider) int {
	if provider.ContextTokens == nil {
		return 0
	}
	return *provider.ContextTokens
}

// windows decides on the windows of models.
type windows struct {
	loads ctxsync.SingleFlight[string, int]
	// small are models to which servers gave less than leastWindow by themselves, told what compatible servers
	// told, and slow the models of which the log has a warning.
	small, told, slow *lru.Cache[string, windowEntry]
}

// windowEntry is what is known of a model, and since when.
type windowEntry struct {
	window window
	since  time.Time
}

func newWindows() *windows {
	cache := func() *lru.Cache[string, windowEntry] {
		return lru.New[string](maxLists, func(windowEntry) int64 { return 1 })
	}
	return &windows{small: cache(), told: cache(), slow: cache()}
}

// of decides on the window of a model, with name for the model at its provider.
func (w *windows) of(ctx context.Context, name string, opened ai.Provider, from source, model core.Model) window {
	if from.kind != core.ProviderOllama {
		if known, found := w.told.Get(name); found && model.ContextTokens == 0 && time.Since(known.since) < listTTL {
			return known.window
		}
		return w.fresh(ctx, name, opened, from, model)
	}
	decided := w.fresh(ctx, name, opened, from, model)
	if told := decided.told; from.window == 0 && told.Observed && told.Loaded == 0 && told.Server == 0 && !told.Fixed {
		if w.load(ctx, name, opened, model.ID) {
			return w.fresh(ctx, name, opened, from, model)
		}
	}
	return decided
}

// fresh is of without a cache, and without loading a model.
func (w *windows) fresh(ctx context.Context, name string, opened ai.Provider, from source, model core.Model) window {
	if from.kind == core.ProviderOllama {
		return loadable(ctx, opened, from, model)
	}
	decided := window{tokens: model.ContextTokens}
	if reporter, is := opened.(ai.WindowReporter); is && decided.tokens == 0 && from.mayAsk() && !from.isInCatalogue() {
		ctx, cancel := context.WithTimeout(ctx, windowTimeout)
		defer cancel()
		// Without an answer the window stays unknown.
		if told, err := reporter.Window(ctx, model.ID); err == nil {
			decided.told, decided.tokens = told, cmp.Or(told.Loaded, told.Server)
		}
	}
	decided.tokens = least(decided.tokens, from.window)
	if model.ContextTokens == 0 {
		w.told.Put(name, windowEntry{decided, time.Now()})
	}
	return decided
}

// loadable decides on the window of a model that its server loads: the provider's setting, else what the
// model has in memory now, so that it is not loaded again, else what the server gives by itself. It is
// never more than the model can have.
func loadable(ctx context.Context, opened ai.Provider, from source, model core.Model) window {
	decided := window{told: ai.Window{Model: model.ContextTokens}}
	if reporter, is := opened.(ai.WindowReporter); is {
		// Without an answer the least window is asked for, and the call itself fails if it must.
		if told, err := reporter.Window(ctx, model.ID); err == nil {
			told.Model = cmp.Or(told.Model, model.ContextTokens)
			decided.told = told
		}
	}
	switch told := decided.told; {
	case told.Fixed:
		decided.tokens = least(told.Model, from.window)
		return decided
	case from.window > 0:
		decided.tokens, decided.asked = from.window, true
	case told.Loaded >= leastWindow:
		decided.tokens, decided.asked = told.Loaded, true
	case told.Server >= leastWindow:
		decided.tokens = told.Server
	default:
		decided.tokens, decided.asked = leastWindow, true
	}
	decided.tokens = least(decided.tokens, decided.told.Model)
	return decided
}

// load has the server load a model with the window that it gives by itself, and reports whether it did. The
// model has to be loaded in any case; if it then needs more than it got, that happens twice, so it is not
// tried again for a while.
func (w *windows) load(ctx context.Context, name string, opened ai.Provider, model string) bool {
	loader, loads := opened.(ai.Loader)
	reporter, reports := opened.(ai.WindowReporter)
	if known, found := w.small.Get(name); found && time.Since(known.since) < loadPause || !loads || !reports {
		return false
	}
	given, err := w.loads.Do(ctx, name, func(ctx context.Context) (int, error) {
		ctx, cancel := context.WithTimeout(ctx, loadTimeout)
		defer cancel()
		if err := loader.Load(ctx, model); err != nil {
			return 0, err
		}
		told, err := reporter.Window(ctx, model)
		return told.Loaded, err
	})
	switch {
	case ctx.Err() != nil: // Somebody did not want to wait.
	case err != nil, given < leastWindow: // What failed here will tell why in the call.
		w.small.Put(name, windowEntry{window{tokens: given}, time.Now()})
	}
	return err == nil
}

// isNewlySlow reports whether a model is slow of which nobody was told.
func (w *windows) isNewlySlow(name string, decided window) bool {
	if _, found := w.slow.Get(name); found || !decided.told.Spilled {
		return false
	}
	w.slow.Put(name, windowEntry{decided, time.Now()})
	return true
}

// warning is what makes a provider worse than it could be.
func (r probeResult) warning() string {
	var all []string
	if r.emulated {
		all = append(all, "the model cannot call tools here, so the agent uses a slower way: choose a model with tools, or turn tools on in its server")
	}
	if r.spilled {
		all = append(all, "the model does not fit into the memory of the graphics processor, so it answers slowly: choose a smaller model, or set a smaller context (contextTokens)")
	}
	return strings.Join(all, "; ")
}
