package models

import (
	"cmp"
	"errors"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Price is the price of a model, in USD per million tokens.
type Price struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
	// CachedInput is for input tokens that the vendor reads from its prompt cache,
	// CacheWrite for those that it stores there; 0 is as Input.
	CachedInput float64 `json:"cachedInput,omitempty"`
	CacheWrite  float64 `json:"cacheWrite,omitempty"`
}

// of is the price of a call, in USD.
func (p Price) of(used core.Usage) float64 {
	cached, written := cmp.Or(p.CachedInput, p.Input), cmp.Or(p.CacheWrite, p.Input)
	plain := used.InputTokens - used.CachedTokens - used.WrittenTokens
	input := float64(plain)*p.Input + float64(used.CachedTokens)*cached + float64(used.WrittenTokens)*written
	return (input + float64(used.OutputTokens)*p.Output) / 1e6
}

// most is the highest price of a call of which the tokens are known, but not what the
// vendor's prompt cache does.
func (p Price) most(atMost core.Usage) float64 {
	if p.CacheWrite > p.Input {
		atMost.WrittenTokens = atMost.InputTokens
	}
	return p.of(atMost)
}

// Prices is a table of prices by the beginning of a model's name, with or without the
// part before its last slash; the longest match counts.
type Prices map[string]Price

// maxPrice, in USD per million tokens, is far above any model's.
const maxPrice = 1e6

// ParsePrices reads a table of prices from JSON, such as
// {"gpt-5": {"input": 1.25, "output": 10, "cachedInput": 0.125}}. A price may be 0.
// Anything else has code core.CodeValidationFailed and a message that says what is wrong.
func ParsePrices(content []byte) (Prices, error) {
	var table map[string]priceEntry
	if err := decodeStrictly(content, &table); err != nil {
		return nil, err
	}
	if table == nil {
		return nil, core.Errorf(core.CodeValidationFailed, "it is not one JSON object")
	}
	prices := make(Prices, len(table))
	for prefix, entry := range table {
		price, err := entry.price()
		if err != nil {
			return nil, core.Errorf(core.CodeValidationFailed, "%q: %s", prefix, messageOf(err))
		}
		prices[prefix] = price
	}
	return prices, nil
}

// priceEntry is a price in a file. Only input and output are required.
type priceEntry struct {
	Input       *float64 `json:"input"`
	Output      *float64 `json:"output"`
	CachedInput *float64 `json:"cachedInput"`
	CacheWrite  *float64 `json:"cacheWrite"`
}

// price returns the price, or core.CodeValidationFailed with the name of the field that is
// missing or out of bounds.
func (e priceEntry) price() (Price, error) {
	var price Price
	for _, field := range []struct {
		name     string
		value    *float64
		required bool
		into     *float64
	}{
		{"input", e.Input, true, &price.Input},
		{"output", e.Output, true, &price.Output},
		{"cachedInput", e.CachedInput, false, &price.CachedInput},
		{"cacheWrite", e.CacheWrite, false, &price.CacheWrite},
	} {
		if field.value == nil && !field.required {
			continue
		}
		if field.value == nil || !(*field.value >= 0 && *field.value <= maxPrice) {
			return Price{}, core.Errorf(core.CodeValidationFailed, "%s must be a number from 0 to %.0f", field.name, float64(maxPrice))
		}
		*field.into = *field.value
	}
	return price, nil
}

// messageOf is an error's text without its code.
func messageOf(err error) string {
	var known *core.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return err.Error()
}

// unknownPrice is the price of a hosted model that no table has: that of an expensive
// one, so that a limit still protects.
var unknownPrice = Price{Input: 5, Output: 25}

// priceOf returns the price that calls of a model are charged at.
func (d *Deps) priceOf(kind core.ProviderKind, model string) Price {
	if price, known := d.knownPrice(kind, model); known {
		return price
	}
	return unknownPrice
}

// knownPrice returns the price of a model, if one is known. The operator's table wins over
// the catalogue even with a shorter match. Models that it does not name are free if they
// run on the team's own machine. The demo is always free.
func (d *Deps) knownPrice(kind core.ProviderKind, model string) (price Price, known bool) {
	if kind == core.ProviderDemo {
		return Price{}, true
	}
	if price, known := d.Prices.find(model); known {
		return price, true
	}
	if kind == core.ProviderOllama {
		return Price{}, true
	}
	if facts, found := d.facts(model); found && facts.Price != nil {
		return *facts.Price, true
	}
	return Price{}, false
}

// facts returns the facts of the catalogue about a model, with the operator's own entries.
func (d *Deps) facts(model string) (facts Facts, found bool) {
	return builtIn().with(d.Catalogue).find(model)
}

func (p Prices) find(model string) (price Price, found bool) {
	name := model[strings.LastIndexByte(model, '/')+1:]
	longest := -1
	for prefix, candidate := range p {
		if len(prefix) > longest && (strings.HasPrefix(name, prefix) || strings.HasPrefix(model, prefix)) {
			longest, price = len(prefix), candidate
		}
	}
	return price, longest >= 0
}
