package openai_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// TestDetailsOfThoughtsGoBackToOpenRouter: pieces of one are put together, and nothing else is changed.
func TestDetailsOfThoughtsGoBackToOpenRouter(t *testing.T) {
	details := func(list string) string {
		return `{"choices":[{"index":0,"delta":{"reasoning":"Hm.","reasoning_details":` + list + `}}]}`
	}
	readFile := tool(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{}"}}`)
	for _, row := range []struct {
		name, model string
		events      []string
		want        string
	}{
		{"Anthropic's, with the signature at the end", "anthropic/claude-sonnet-5", []string{
			details(`[{"type":"reasoning.text","text":"Let me ","format":"anthropic-claude-v1","index":0,"signature":null}]`),
			details(`[{"type":"reasoning.text","text":"think.","format":"anthropic-claude-v1","index":0}]`),
			details(`[{"type":"reasoning.text","signature":"sig","format":"anthropic-claude-v1","index":0,"novel":1}]`),
			details(`[{"type":"reasoning.encrypted","data":"AAA","format":"anthropic-claude-v1","index":1}]`),
			details(`[{"type":"reasoning.text","text":"More.","signature":"sig2","format":"anthropic-claude-v1","index":2}]`),
		}, `[{"type":"reasoning.text","text":"Let me think.","format":"anthropic-claude-v1","index":0,"signature":"sig","novel":1},
			{"type":"reasoning.encrypted","data":"AAA","format":"anthropic-claude-v1","index":1},
			{"type":"reasoning.text","text":"More.","signature":"sig2","format":"anthropic-claude-v1","index":2}]`},
		{"OpenAI's, encrypted with a summary", "openai/gpt-5.6", []string{
			details(`[{"type":"reasoning.summary","summary":"I ","id":"rs_1","format":"openai-responses-v1","index":0}]`),
			details(`[{"type":"reasoning.summary","summary":"look.","id":"rs_1","format":"openai-responses-v1","index":0}]`),
			details(`[{"type":"reasoning.encrypted","data":"AAA","id":"rs_1","format":"openai-responses-v1","index":0}]`),
			details(`[{"type":"reasoning.encrypted","data":"BBB","id":"rs_2","format":"openai-responses-v1","index":0}]`),
		}, `[{"type":"reasoning.summary","summary":"I look.","id":"rs_1","format":"openai-responses-v1","index":0},
			{"type":"reasoning.encrypted","data":"AAA","id":"rs_1","format":"openai-responses-v1","index":0},
			{"type":"reasoning.encrypted","data":"BBB","id":"rs_2","format":"openai-responses-v1","index":0}]`},
		{"open models' text, without a signature", "deepseek/deepseek-v4", []string{
			details(`[{"type":"reasoning.text","text":"Hm.","format":"unknown","index":0}]`),
		}, `[{"type":"reasoning.text","text":"Hm.","format":"unknown","index":0}]`},
		{"a text of Anthropic's whose signature is missing", "anthropic/claude-sonnet-5", []string{
			details(`[{"type":"reasoning.text","text":"Hm.","index":0}]`),
		}, ""},
	} {
		said := answerOf(t, openRouter, row.model, append(row.events, readFile)...)
		if len(said.Thoughts) != 1 || said.Thoughts[0].Text != strings.Repeat("Hm.", len(row.events)) {
			t.Fatalf("%s: got %+v, want one thought with its text", row.name, said.Thoughts)
		}
		switch got := returned(t, openRouter, row.model, said); {
		case row.want == "" && got["reasoning_details"] != nil:
			t.Errorf("%s: got %s, want none", row.name, got["reasoning_details"])
		case row.want != "":
			aitest.SameJSON(t, string(got["reasoning_details"]), row.want)
		}
		if got := returned(t, "http://vendor.test/v1", row.model, said); got["reasoning_details"] != nil {
			t.Errorf("%s: got %s at another server, want none", row.name, got["reasoning_details"])
		}
	}
}

// TestManyPiecesOfADetailAreJoinedOnce: an answer may have as many as it has bytes for.
func TestManyPiecesOfADetailAreJoinedOnce(t *testing.T) {
	const pieces = 120_000
	piece := `{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","text":"0123456789","index":0}]}}]}`
	said := answerOf(t, openRouter, "deepseek/deepseek-v4", strings.Repeat(piece+"\n\ndata: ", pieces-1)+piece, tool(aReadFile))
	if len(said.Thoughts) != 1 || len(said.Thoughts[0].Signature) < 10*pieces {
		t.Errorf("got %d thoughts, want one with all pieces", len(said.Thoughts))
	}
	said = answerOf(t, openRouter, "deepseek/deepseek-v4", strings.Repeat(piece+"\n\ndata: ", 2*pieces)+piece, tool(aReadFile))
	if len(said.Thoughts) != 0 {
		t.Errorf("got a thought of %d bytes, want one that is beyond all bounds dropped", len(said.Thoughts[0].Signature))
	}
}
