package models

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
)

// Facts come from a vendor's documentation of a model. Unknown facts are 0 or nil.
type Facts struct {
	// ContextTokens is the number of tokens that a prompt and its answer share,
	// AnswerTokens the most that an answer has.
	ContextTokens int `json:"contextTokens"`
	AnswerTokens  int `json:"answerTokens"`
	Price         *Price
	// ImagePrice is the price, in USD, of a picture of medium quality in the dearest of the
	// sizes that are asked for. Only models that paint have one; it may be 0.
	ImagePrice *float64 `json:"imagePrice"`
	Tools      *bool    `json:"tools"`
	Vision     *bool    `json:"vision"`
	Thinking   *bool    `json:"thinking"`
}

// Catalogue has facts by the beginning of a model's name, with or without the part before
// its last slash; the longest match counts.
type Catalogue map[string]Facts

//go:embed catalogue.json
var catalogueFile []byte

// builtIn returns the catalogue of the common models. Its file names date and sources.
var builtIn = sync.OnceValue(func() Catalogue {
	catalogue, err := ParseCatalogue(catalogueFile)
	if err != nil {
		panic(err)
	}
	return catalogue
})

// with returns the catalogue with the operator's own entries, which replace those of the
// same name.
func (c Catalogue) with(own Catalogue) Catalogue {
	if len(own) == 0 {
		return c
	}
	all := maps.Clone(c)
	maps.Copy(all, own)
	return all
}

// find returns the facts of a model, ignoring the case of its name.
func (c Catalogue) find(model string) (facts Facts, found bool) {
	model = strings.ToLower(model)
	name := model[strings.LastIndexByte(model, '/')+1:]
	longest := -1
	for prefix, candidate := range c {
		if len(prefix) > longest && (strings.HasPrefix(name, prefix) || strings.HasPrefix(model, prefix)) {
			longest, facts = len(prefix), candidate
		}
	}
	return facts, longest >= 0
}

// maxModelTokens is far above any model's window.
const maxModelTokens = 1 << 30

// maxImagePrice, in USD, is far above that of any picture.
const maxImagePrice = 1000

// ParseCatalogue reads a catalogue from JSON in the form of catalogue.json. Only "models"
// is required. Anything else has code core.CodeValidationFailed and a message of one line
// that names the model and the field.
func ParseCatalogue(content []byte) (Catalogue, error) {
	var file struct {
		About   string                     `json:"about"`
		Date    string                     `json:"date"`
		Sources []string                   `json:"sources"`
		Models  map[string]json.RawMessage `json:"models"`
	}
	if err := decodeStrictly(content, &file); err != nil {
		return nil, err
	}
	if file.Models == nil {
		return nil, core.Errorf(core.CodeValidationFailed, `it lacks "models"`)
	}
	catalogue := make(Catalogue, len(file.Models))
	for _, name := range slices.Sorted(maps.Keys(file.Models)) {
		facts, err := parseFacts(file.Models[name])
		if err != nil {
			return nil, core.Errorf(core.CodeValidationFailed, "models.%q: %s", name, messageOf(err))
		}
		catalogue[strings.ToLower(name)] = facts
	}
	return catalogue, nil
}

func parseFacts(content []byte) (Facts, error) {
	var entry struct {
		Facts
		Price *priceEntry `json:"price"`
	}
	if err := decodeStrictly(content, &entry); err != nil {
		return Facts{}, err
	}
	facts := entry.Facts
	switch {
	case facts.ContextTokens < 0 || facts.ContextTokens > maxModelTokens:
		return Facts{}, core.Errorf(core.CodeValidationFailed, "contextTokens must be from 0 to %d", maxModelTokens)
	case facts.AnswerTokens < 0 || facts.AnswerTokens > maxModelTokens:
		return Facts{}, core.Errorf(core.CodeValidationFailed, "answerTokens must be from 0 to %d", maxModelTokens)
	case facts.ImagePrice != nil && !(*facts.ImagePrice >= 0 && *facts.ImagePrice <= maxImagePrice):
		return Facts{}, core.Errorf(core.CodeValidationFailed, "imagePrice must be from 0 to %.0f", float64(maxImagePrice))
	case entry.Price == nil:
		return facts, nil
	}
	price, err := entry.Price.price()
	if err != nil {
		return Facts{}, core.Errorf(core.CodeValidationFailed, "price.%s", messageOf(err))
	}
	facts.Price = &price
	return facts, nil
}

// decodeStrictly reads one JSON object without unknown members.
func decodeStrictly(content []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return core.Errorf(core.CodeValidationFailed, "it is not JSON of that shape: %v", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return core.Errorf(core.CodeValidationFailed, "it is not one JSON object")
	}
	return nil
}

// catalogueHosts serve models under their vendors' names with the windows that the
// vendors document; so do their subdomains. Elsewhere a server may have been given
// another window.
var catalogueHosts = []string{
	"api.openai.com", "api.anthropic.com", "deepseek.com", "generativelanguage.googleapis.com", "aliyuncs.com", "moonshot.ai",
	"moonshot.cn", "z.ai", "bigmodel.cn", "x.ai", "mistral.ai", "groq.com", "together.xyz", "together.ai", "openrouter.ai",
}
