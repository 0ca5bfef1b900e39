package models

import (
	"cmp"
	"context"
	"sync"

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
		return window{tokens: least(model.ContextTokens, from.window), chosen: from.window > 0}
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
