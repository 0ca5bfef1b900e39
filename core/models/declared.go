package models

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// source identifies the server of a model.
type source struct {
	kind core.ProviderKind
	// key distinguishes the models of different providers.
	key string
	// baseURL is empty for the vendor's own address.
	baseURL string
	// window is Provider.ContextTokens, 0 for none.
	window int
}

// vendorHosts are the vendors' own addresses. The abilities of their models are known.
var vendorHosts = map[core.ProviderKind]string{
	core.ProviderOpenAI:    "api.openai.com",
	core.ProviderResponses: "api.openai.com",
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

// mayAsk reports whether a model must be called to find out what it can do.
func (s source) mayAsk() bool { return s.kind != core.ProviderDemo && !s.isVendors() }

// unlisted is assumed for a model about which its server reports nothing: it gets tools
// and pictures, and the server's own refusal decides.
var unlisted = core.Abilities{Tools: true, Vision: true}

// declared returns the facts about a model that need no call: what its server reports, and
// else what the catalogue has.
func (d *Deps) declared(from source, model core.Model) core.ProviderCapabilities {
	known := core.ProviderCapabilities{Abilities: model.Abilities, Dialect: core.DialectNative}
	known.Schema = from.isVendors() || from.kind == core.ProviderOllama
	if facts, found := d.facts(model.ID); found && from.isInCatalogue() {
		known.ContextTokens = cmp.Or(known.ContextTokens, facts.ContextTokens)
		known.Thinking = known.Thinking || isTrue(facts.Thinking)
		if model.Tools == unlisted.Tools && model.Vision == unlisted.Vision {
			known.Tools, known.Vision = !isFalse(facts.Tools), !isFalse(facts.Vision)
		}
	}
	if !known.Tools {
		known.Dialect = core.DialectTagged
	}
	return known
}

func isTrue(fact *bool) bool { return fact != nil && *fact }

func isFalse(fact *bool) bool { return fact != nil && !*fact }

// keepsThoughts reports whether the server may want its models' reasoning back between the
// calls of tools. Its adapter sends it as it came, and not to servers that refuse it.
func (s source) keepsThoughts(model core.ProviderCapabilities) bool {
	switch s.kind {
	case core.ProviderAnthropic, core.ProviderOpenAI, core.ProviderResponses:
		return true
	}
	return s.kind == core.ProviderOllama && model.Thinking
}

// isAt reports whether the server is at one of the hosts, or at a subdomain.
func (s source) isAt(hosts []string) bool {
	base, err := url.Parse(s.baseURL)
	return err == nil && slices.ContainsFunc(hosts, func(host string) bool {
		return base.Hostname() == host || strings.HasSuffix(base.Hostname(), "."+host)
	})
}

// isInCatalogue reports whether the server has the windows of the catalogue.
func (s source) isInCatalogue() bool {
	if s.isVendors() {
		return true
	}
	return s.kind != core.ProviderOllama && s.isAt(catalogueHosts)
}

// longestAnswer is the longest answer of a model, in tokens, 0 if unknown.
func (d *Deps) longestAnswer(from source, model string) int {
	if from.kind == core.ProviderOllama || from.kind == core.ProviderDemo {
		return 0
	}
	facts, _ := d.facts(model)
	return facts.AnswerTokens
}

// Offers reports whether a provider's list has a model: by its id, with a vendor's name
// in front, or in a dated form. Ollama's models may be named without ":latest".
func Offers(models []core.Model, id string) bool {
	base := strings.TrimSuffix(id, "-latest")
	_, listed := pick(models, id)
	return listed || slices.ContainsFunc(models, func(model core.Model) bool {
		name := model.ID[strings.LastIndexByte(model.ID, '/')+1:]
		return name == id || strings.HasPrefix(name, base+"-20")
	})
}

// pick finds a model by its id. If id is "", it returns the first, preferably one that
// can call tools. Ollama's models may be named without ":latest".
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
