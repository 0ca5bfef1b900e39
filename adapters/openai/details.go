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

// says reports whether a member has a value.
func (d detail) says(member string) bool {
	value := bytes.TrimSpace(d[member])
	return len(value) > 0 && !slices.Contains([]string{"null", `""`}, string(value))
}

func (d detail) word(member string) (text string) {
	_ = json.Unmarshal(d[member], &text) // Anything else is no word.
	return text
}

// openDetail is a detail whose pieces still arrive. Its texts are put together at the end, however many
// pieces there are.
type openDetail struct {
	detail
	text, summary strings.Builder
}

// continuedBy reports whether a detail is the next piece of this one.
func (o *openDetail) continuedBy(piece detail) bool {
	kind := piece.word("type")
	return kind != "" && kind == o.word("type") && kind != "reasoning.encrypted" && bytes.Equal(piece["index"], o.detail["index"]) &&
		!(piece.says("id") && o.says("id") && !bytes.Equal(piece["id"], o.detail["id"])) &&
		!(o.says("signature") && (piece.says("text") || piece.says("signature")))
}

func (o *openDetail) join(piece detail) {
	o.text.WriteString(piece.word("text"))
	o.summary.WriteString(piece.word("summary"))
	for member, value := range piece {
		if !o.says(member) {
			o.detail[member] = value
		}
	}
}

// whole returns the detail with its texts.
func (o *openDetail) whole() detail {
	for member, text := range map[string]string{"text": o.text.String(), "summary": o.summary.String()} {
		if text != "" {
			o.detail[member] = quote(text)
		}
	}
	return o.detail
}

// openDetails are the details of an answer so far.
type openDetails []*openDetail

// add takes the pieces of one event.
func (o *openDetails) add(pieces []detail) {
	for _, piece := range pieces {
		if piece == nil {
			continue
		}
		if last := len(*o) - 1; last < 0 || !(*o)[last].continuedBy(piece) {
			*o = append(*o, &openDetail{detail: detail{}})
		}
		(*o)[len(*o)-1].join(piece)
	}
}

// close returns the whole details, as JSON.
func (o *openDetails) close() (json.RawMessage, error) {
	whole := make([]detail, len(*o))
	for i, open := range *o {
		whole[i] = open.whole()
	}
	*o = nil
	return json.Marshal(whole)
}

// isValid reports whether the vendor will take a detail back: Anthropic and Google refuse a thought whose
// signature is missing.
func (d detail) isValid(req ai.Request) bool {
	format := d.word("format")
	signs := format == "anthropic-claude-v1" || format == "google-gemini-v1" || format == "" && strings.Contains(req.Model, "anthropic/")
	return !signs || d.word("type") != "reasoning.text" || d.says("signature")
}
