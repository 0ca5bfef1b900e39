package models

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Price is the price of a model, in USD per million tokens.
type Price struct {
	Input, Output float64
}

func (p Price) of(used core.Usage) float64 {
	return (float64(used.InputTokens)*p.Input + float64(used.OutputTokens)*p.Output) / 1e6
}

// Prices is a table of prices by the beginning of a model's name, with or without the
// part before its last slash; the longest match counts.
type Prices map[string]Price

// maxPrice, in USD per million tokens, is far above any model's.
const maxPrice = 1e6

// ParsePrices reads a table of prices from JSON, such as
// {"gpt-5": {"input": 1.25, "output": 10}}. A price may be 0. Anything else has
// code core.CodeValidationFailed and a message that says what is wrong.
func ParsePrices(content []byte) (Prices, error) {
	var table map[string]struct {
		Input  *float64 `json:"input"`
		Output *float64 `json:"output"`
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&table); err != nil {
		return nil, core.Errorf(core.CodeValidationFailed, "it is not JSON of that shape: %v", err)
	}
	if _, err := decoder.Token(); err != io.EOF || table == nil {
		return nil, core.Errorf(core.CodeValidationFailed, "it is not one JSON object")
	}
	prices := make(Prices, len(table))
	for prefix, price := range table {
		if !isPrice(price.Input) || !isPrice(price.Output) {
			return nil, core.Errorf(core.CodeValidationFailed, "%q lacks an input and an output from 0 to %.0f", prefix, float64(maxPrice))
		}
		prices[prefix] = Price{*price.Input, *price.Output}
	}
	return prices, nil
}

func isPrice(usd *float64) bool { return usd != nil && *usd >= 0 && *usd <= maxPrice }

// unknownPrice is the price of a hosted model that no table has: that of an expensive
// one, so that a limit still protects.
var unknownPrice = Price{5, 25}

// of returns the price of a model. The receiver is the operator's table, which wins
// over the catalogue even with a shorter match. Models that it does not name are free
// if they run on the team's own machine. The demo is always free.
func (p Prices) of(kind core.ProviderKind, model string) Price {
	if kind == core.ProviderDemo {
		return Price{}
	}
	if price, found := p.find(model); found {
		return price
	}
	if kind == core.ProviderOllama {
		return Price{}
	}
	if facts, found := catalogue.find(model); found {
		return facts.price
	}
	return unknownPrice
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
