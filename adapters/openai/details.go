package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/ports/ai"
)

// detailsMember is what a model thought, as OpenRouter sends it and wants it back, unchanged
// (https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning).
const detailsMember = "reasoning_details"

// detail is one of reasoning_details, with members that are not known as well.
type detail map[string]json.RawMessage

// grown are the members of a detail that come in pieces.
var grown = []string{"text", "summary"}

// says reports whether a member has a value.
func (d detail) says(member string) bool {
	value := bytes.TrimSpace(d[member])
	return len(value) > 0 && !slices.Contains([]string{"null", `""`}, string(value))
}

func (d detail) word(member string) (text string) {
	_ = json.Unmarshal(d[member], &text) // Anything else is no word.
	return text
}

// continues reports whether a detail is a piece of the one before it.
func (d detail) continues(last detail) bool {
	kind := d.word("type")
	return kind != "" && kind == last.word("type") && kind != "reasoning.encrypted" && bytes.Equal(d["index"], last["index"]) &&
		!(last.says("signature") && (d.says("text") || d.says("signature")))
}

// join adds a piece.
func (d detail) join(piece detail) error {
	for member, value := range piece {
		switch {
		case slices.Contains(grown, member) && d.says(member):
			whole, err := json.Marshal(d.word(member) + piece.word(member))
			if err != nil {
				return err
			}
			d[member] = whole
		case !d.says(member):
			d[member] = value
		}
	}
	return nil
}

// joinDetails adds the pieces of one event to the details so far.
func joinDetails(details []detail, pieces []detail) ([]detail, error) {
	for _, piece := range pieces {
		if last := len(details) - 1; last >= 0 && piece.continues(details[last]) {
			if err := details[last].join(piece); err != nil {
				return nil, err
			}
		} else if piece != nil {
			details = append(details, piece)
		}
	}
	return details, nil
}

// isValid reports whether the vendor will take a detail back: Anthropic and Google refuse a thought whose
// signature is missing.
func (d detail) isValid(req ai.Request) bool {
	format := d.word("format")
	signs := format == "anthropic-claude-v1" || format == "google-gemini-v1" || format == "" && strings.Contains(req.Model, "anthropic/")
	return !signs || d.word("type") != "reasoning.text" || d.says("signature")
}
