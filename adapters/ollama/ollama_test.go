package ollama_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/ollama"
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

func open(t testing.TB, baseURL string) *ollama.Provider {
	provider, err := ollama.New(http.DefaultClient, ai.Settings{BaseURL: baseURL, Key: aitest.Key})
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

func wire() aitest.Wire {
	return aitest.Wire{
		ContentType: "application/x-ndjson",
		Chunks: func(chunks []ai.Chunk) []string {
			var lines []string
			for i, chunk := range chunks {
				lines = append(lines, wireLine(map[string]any{"message": wireMessage(i, chunk), "done": false}))
			}
			return lines
		},
		Last: func(_ []ai.Chunk, usage core.Usage) string {
			return wireLine(map[string]any{
				"message": map[string]any{"role": "assistant", "content": ""}, "done": true, "done_reason": "stop",
				"prompt_eval_count": usage.InputTokens, "eval_count": usage.OutputTokens,
			})
		},
		Complaint: refusal,
		Refusal:   refusal,
	}
}

func refusal(text string) string { return fmt.Sprintf("{\"error\":%q}\n", text) }

func wireLine(members map[string]any) string {
	data, _ := json.Marshal(members)
	return string(data) + "\n"
}

func wireMessage(index int, chunk ai.Chunk) map[string]any {
	message := map[string]any{"role": "assistant", "content": chunk.Text}
	switch {
	case chunk.Call != nil:
		call := map[string]any{"function": map[string]any{
			"index": index, "name": chunk.Call.Tool, "arguments": chunk.Call.Args,
		}}
		if chunk.Call.ID != "" {
			call["id"] = chunk.Call.ID
		}
		message["tool_calls"] = []any{call}
	case chunk.Reasoning != "":
		message["thinking"] = chunk.Reasoning
	}
	return message
}
