package anthropic_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/anthropic"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func TestProvider(t *testing.T) {
	aitest.Run(t, func(t *testing.T, script aitest.Script) aitest.Upstream {
		server := aitest.Serve(t, script, wire())
		return server.Upstream(open(t, server.URL))
	})
}

func open(t testing.TB, baseURL string) *anthropic.Provider {
	provider, err := anthropic.New(http.DefaultClient, ai.Settings{BaseURL: baseURL, Key: aitest.Key})
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

func wire() aitest.Wire {
	return aitest.Wire{
		ContentType: "text/event-stream",
		Chunks:      wireChunks,
		Last: func(chunks []ai.Chunk, usage core.Usage) string {
			reason := "end_turn"
			if len(chunks) > 0 && chunks[len(chunks)-1].Call != nil {
				reason = "tool_use"
			}
			return wireEvent("message_delta", map[string]any{
				"delta": map[string]any{"stop_reason": reason, "stop_sequence": nil},
				"usage": map[string]any{
					"input_tokens": usage.InputTokens / 2, "output_tokens": usage.OutputTokens,
					"cache_read_input_tokens": usage.InputTokens - usage.InputTokens/2,
				},
			}) + wireEvent("message_stop", nil)
		},
		Complaint: func(text string) string { return "event: error\ndata: " + refusal(text) + "\n\n" },
		Refusal:   refusal,
	}
}

func refusal(text string) string {
	return fmt.Sprintf(`{"type":"error","error":{"type":"overloaded_error","message":%q},"request_id":"req_1"}`, text)
}

func wireEvent(name string, members map[string]any) string {
	all := map[string]any{"type": name}
	for key, value := range members {
		all[key] = value
	}
	data, _ := json.Marshal(all)
	return "event: " + name + "\ndata: " + string(data) + "\n\n"
}

func wireChunks(chunks []ai.Chunk) []string {
	pieces := []string{
		wireEvent("message_start", map[string]any{"message": map[string]any{
			"id": "msg_1", "role": "assistant", "content": []any{}, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1},
		}}),
		wireEvent("ping", nil),
	}
	for i, chunk := range chunks {
		start, deltas := wireBlock(chunk)
		pieces = append(pieces, wireEvent("content_block_start", map[string]any{"index": i, "content_block": start}))
		for _, delta := range deltas {
			pieces = append(pieces, wireEvent("content_block_delta", map[string]any{"index": i, "delta": delta}))
		}
		pieces = append(pieces, wireEvent("content_block_stop", map[string]any{"index": i}))
	}
	return pieces
}

// wireBlock returns the start of a content block and what follows.
func wireBlock(chunk ai.Chunk) (start map[string]any, deltas []map[string]any) {
	switch {
	case chunk.Call != nil:
		args := string(chunk.Call.Args)
		half := len(args) / 2
		start = map[string]any{"type": "tool_use", "id": chunk.Call.ID, "name": chunk.Call.Tool, "input": map[string]any{}}
		for _, part := range []string{"", args[:half], args[half:]} {
			deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": part})
		}
		return start, deltas
	case chunk.Reasoning != "":
		start = map[string]any{"type": "thinking", "thinking": "", "signature": ""}
		return start, []map[string]any{
			{"type": "thinking_delta", "thinking": chunk.Reasoning}, {"type": "signature_delta", "signature": "c2ln"},
		}
	}
	return map[string]any{"type": "text", "text": ""}, []map[string]any{{"type": "text_delta", "text": chunk.Text}}
}
