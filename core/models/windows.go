package models

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// leastWindow is the smallest window, in tokens, in which the agent works well. It is asked of a server that
// may give less by itself: Ollama gives 4,096 where there is little memory. More takes memory that nobody
// has offered.
const leastWindow = 16_384

// window is the window of a model's calls.
type window struct {
	// tokens is its size, 0 if unknown. asked says that requests ask for it.
	tokens int
	asked  bool
	// told is what the server told.
	told ai.Window
	// chosen says that the provider's setting decides.
	chosen bool
}

// request is the window that requests ask for, 0 if they ask for none.
func (w window) request() int {
	if !w.asked {
		return 0
	}
	return w.tokens
}

// mayLearn reports whether a call that asks for no window would show which one the server gives by
// itself.
func (w window) mayLearn() bool {
	return w.asked && !w.chosen && w.told.Loaded == 0 && w.told.Server == 0
}

// windowSetting is a provider's own setting, 0 without one.
func windowSetting(provider core.Provider) int {
	if provider.ContextTokens == nil {
		return 0
	}
	return *provider.ContextTokens
}

// windowOf decides on the window of a model: the provider's setting, else what the model has in memory
// now, so that it is not loaded again, else what the server gives by itself, which a probe may have
// learnt. It is never more than the model can have.
func (d *Deps) windowOf(ctx context.Context, opened ai.Provider, from source, model core.Model, learnt int) window {
	if from.kind != core.ProviderOllama {
		return d.toldWindow(ctx, opened, from, model)
	}
	w := window{told: ai.Window{Model: model.ContextTokens}, chosen: from.window > 0}
	if windowed, is := opened.(ai.Windowed); is {
		// Without an answer the least window is asked for, and the call itself fails if it must.
		if told, err := windowed.Window(ctx, model.ID); err == nil {
			told.Model = cmp.Or(told.Model, model.ContextTokens)
			w.told = told
		}
	}
	w.told.Server = cmp.Or(w.told.Server, learnt)
	switch told := w.told; {
	case told.Fixed:
		w.tokens = least(told.Model, from.window)
		return w
	case from.window > 0:
		w.tokens, w.asked = from.window, true
	case told.Loaded >= leastWindow:
		w.tokens, w.asked = told.Loaded, true
	case told.Server >= leastWindow:
		w.tokens = told.Server
	default:
		w.tokens, w.asked = leastWindow, true
	}
	w.tokens = least(w.tokens, w.told.Model)
	return w
}

// windowTimeout is how long a server may take to tell a window that its list of models lacks.
const windowTimeout = 5 * time.Second

// toldWindow is the window of a model whose server sets it. One that nobody knows is asked for.
func (d *Deps) toldWindow(ctx context.Context, opened ai.Provider, from source, model core.Model) window {
	w := window{tokens: model.ContextTokens, chosen: from.window > 0}
	if windowed, is := opened.(ai.Windowed); is && w.tokens == 0 && from.mayAsk() && !from.isInCatalogue() {
		ctx, cancel := context.WithTimeout(ctx, windowTimeout)
		defer cancel()
		// Without an answer the window stays unknown.
		if told, err := windowed.Window(ctx, model.ID); err == nil {
			w.told, w.tokens = told, cmp.Or(told.Loaded, told.Server)
		}
	}
	w.tokens = least(w.tokens, from.window)
	return w
}

// toldWindows is a cache of what servers told, for as long as their lists of models.
type toldWindows struct {
	mu    sync.Mutex
	known map[string]toldWindow
}

type toldWindow struct {
	window window
	asked  time.Time
}

// get returns the window of the name, which ask finds out. One that is unknown is cached as well.
func (t *toldWindows) get(name string, ask func() window) window {
	t.mu.Lock()
	known, found := t.known[name]
	t.mu.Unlock()
	if found && time.Since(known.asked) < listTTL {
		return known.window
	}
	w := ask()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil || len(t.known) >= maxLists {
		t.known = map[string]toldWindow{}
	}
	t.known[name] = toldWindow{w, time.Now()}
	return w
}

// windowOf is Deps.windowOf for a message. What Ollama has in memory may change with each.
func (c *Chooser) windowOf(ctx context.Context, name string, opened ai.Provider, from source, model core.Model, learnt int) window {
	ask := func() window { return c.deps.windowOf(ctx, opened, from, model, learnt) }
	if from.kind == core.ProviderOllama || model.ContextTokens > 0 {
		return ask()
	}
	return c.told.get(name, ask)
}

// slowModels are the models of which the log has a warning.
type slowModels struct {
	mu    sync.Mutex
	names map[string]bool
}

// isNew reports whether the name is a new one, and remembers it.
func (s *slowModels) isNew(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names[name] {
		return false
	}
	if s.names == nil || len(s.names) >= maxLists {
		s.names = map[string]bool{}
	}
	s.names[name] = true
	return true
}

// warning is what makes a provider worse than it could be.
func (r probeResult) warning() string {
	if !r.spilled {
		return ""
	}
	return "the model does not fit into the memory of the graphics processor, so it answers slowly: choose a smaller model, or set a smaller context (contextTokens)"
}
