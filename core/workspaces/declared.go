package workspaces

import (
	"net/url"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// source is where a model is.
type source struct {
	kind core.ProviderKind
	// key tells one provider's models from another's.
	key string
	// baseURL is empty for the vendor's own address.
	baseURL string
}

// vendorHosts are the vendors' own addresses. What their models can do is known.
var vendorHosts = map[core.ProviderKind]string{
	core.ProviderOpenAI:    "api.openai.com",
	core.ProviderAnthropic: "api.anthropic.com",
}

// isVendors reports whether the models are at the vendor's own address.
func (s source) isVendors() bool {
	host, hosted := vendorHosts[s.kind]
	if !hosted || s.baseURL == "" {
		return hosted
	}
	base, err := url.Parse(s.baseURL)
	return err == nil && base.Hostname() == host
}

// mayAsk reports whether it takes calls of a model to find out what it can do.
func (s source) mayAsk() bool { return s.kind != core.ProviderDemo && !s.isVendors() }

// unlisted is what counts for a model of which its server tells nothing: it is given
// tools and pictures, and the server's own refusal decides.
var unlisted = core.Abilities{Tools: true, Vision: true}

// declared is what is known of a model without asking it.
func (s source) declared(model string, told core.Abilities) core.ProviderCapabilities {
	known := core.ProviderCapabilities{Abilities: told, Dialect: core.DialectNative}
	if !told.Tools {
		known.Dialect = core.DialectTagged
	}
	known.Schema = s.isVendors() || s.kind == core.ProviderOllama
	if known.ContextTokens == 0 && s.isVendors() {
		known.ContextTokens = windows.of(model)
	}
	return known
}

// windowTable has the windows of models, in tokens, by the beginnings of their names.
type windowTable map[string]int

// windows are those of the vendors' own models, which OpenAI's list does not tell.
var windows = windowTable{
	"claude": 200_000, "gpt-3.5": 16_385, "gpt-4": 8_192, "gpt-4-turbo": 128_000, "gpt-4o": 128_000,
	"gpt-4.1": 1_047_576, "gpt-5": 272_000, "o1": 200_000, "o3": 200_000, "o4": 200_000,
}

// of returns the window of the longest entry that fits, 0 without one.
func (t windowTable) of(model string) int {
	fits := func(prefix string) bool { return strings.HasPrefix(model, prefix) }
	longest, window := "", 0
	for prefix, size := range t {
		if fits(prefix) && len(prefix) > len(longest) {
			longest, window = prefix, size
		}
	}
	return window
}

// pick finds a model by its id, or the first when id is "": one that can call tools
// rather than one that cannot. Ollama's models may be named without ":latest".
func pick(models []core.Model, id string) (core.Model, bool) {
	named := func(name string) func(core.Model) bool {
		return func(model core.Model) bool { return model.ID == name }
	}
	choices := []func(core.Model) bool{named(id), named(id + ":latest")}
	if id == "" {
		choices = []func(core.Model) bool{
			func(model core.Model) bool { return model.Tools },
			func(core.Model) bool { return true },
		}
	}
	for _, choice := range choices {
		if at := slices.IndexFunc(models, choice); at >= 0 {
			return models[at], true
		}
	}
	return core.Model{}, false
}
