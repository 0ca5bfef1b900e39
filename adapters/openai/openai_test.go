package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/openai"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func TestProvider(t *testing.T) {
	aitest.Run(t, func(t *testing.T, script aitest.Script) aitest.Upstream {
		server := aitest.Serve(t, script, wire())
		return server.Upstream(open(t, server.URL+"/v1"))
	})
}

func open(t testing.TB, baseURL string) *openai.Provider {
	provider, err := openai.New(http.DefaultClient, ai.Settings{BaseURL: baseURL, Key: aitest.Key})
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

// wire speaks as OpenAI itself does: the arguments of a call come in pieces.
func wire() aitest.Wire {
	return aitest.Wire{
		ContentType: "text/event-stream",
		Chunks:      wireChunks,
		Last: func(chunks []ai.Chunk, usage core.Usage) string {
			reason := "stop"
			if len(chunks) > 0 && chunks[len(chunks)-1].Call != nil {
				reason = "tool_calls"
			}
			return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n", reason) +
				fmt.Sprintf("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\n",
					usage.InputTokens, usage.OutputTokens) +
				"data: [DONE]\n\n"
		},
		Complaint: func(text string) string { return "data: " + refusal(text) + "\n\n" },
		Refusal:   refusal,
	}
}

func refusal(text string) string {
	return fmt.Sprintf(`{"error":{"message":%q,"type":"server_error","param":null,"code":null}}`, text)
}

func wireChunks(chunks []ai.Chunk) []string {
	pieces := []string{": hello\n\n", wireDelta(map[string]any{"role": "assistant", "content": ""})}
	calls := 0
	for _, chunk := range chunks {
		switch {
		case chunk.Call != nil:
			pieces = append(pieces, wireCall(calls, *chunk.Call)...)
			calls++
		case chunk.Reasoning != "":
			pieces = append(pieces, wireDelta(map[string]any{"reasoning_content": chunk.Reasoning}))
		default:
			pieces = append(pieces, wireDelta(map[string]any{"content": chunk.Text}))
		}
	}
	return pieces
}

func wireCall(index int, call ai.Call) []string {
	args := string(call.Args)
	half := len(args) / 2
	pieces := []string{wireTool(map[string]any{
		"index": index, "id": call.ID, "type": "function", "function": map[string]any{"name": call.Tool, "arguments": ""},
	})}
	for _, part := range []string{args[:half], args[half:]} {
		pieces = append(pieces, wireTool(map[string]any{"index": index, "function": map[string]any{"arguments": part}}))
	}
	return pieces
}

func wireTool(call map[string]any) string {
	return wireDelta(map[string]any{"tool_calls": []any{call}})
}

func wireDelta(delta map[string]any) string {
	data, _ := json.Marshal(map[string]any{"choices": []any{
		map[string]any{"index": 0, "delta": delta, "finish_reason": nil},
	}})
	return "data: " + string(data) + "\n\n"
}
