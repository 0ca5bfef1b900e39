package agent_test

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
)

// wire is how a protocol says things. Texts, ids and names come as JSON strings, the
// arguments of a call as the text that the model gave.
type wire struct {
	// head begins every answer.
	head  string
	text  func(text string) string
	think func(text string) string
	call  func(index int, id, tool, args string) string
	// end tells counts of tokens and that the answer is whole.
	end func(input, output string) string
	// trouble is an error in the middle of an answer.
	trouble string
	// frame is the framing of one piece of an answer.
	frame string
}

func wires() map[core.ProviderKind]wire {
	return map[core.ProviderKind]wire{
		core.ProviderOllama: ollamaWire(), core.ProviderOpenAI: openAIWire(), core.ProviderAnthropic: anthropicWire(),
	}
}

func ollamaWire() wire {
	line := func(member, value string) string {
		return fmt.Sprintf(`{"model":"m","message":{"role":"assistant","content":"",%q:%s},"done":false}`+"\n", member, value)
	}
	return wire{
		text:  func(text string) string { return line("content", text) },
		think: func(text string) string { return line("thinking", text) },
		call: func(_ int, id, tool, args string) string {
			if !json.Valid([]byte(args)) {
				args = quoted(args)
			}
			return line("tool_calls", fmt.Sprintf(`[{"id":%s,"function":{"name":%s,"arguments":%s}}]`, id, tool, args))
		},
		end: func(input, output string) string {
			return fmt.Sprintf(`{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":%s,"eval_count":%s}`+"\n", input, output)
		},
		trouble: `{"error":"an error was encountered while running the model"}` + "\n",
		frame:   "%s\n",
	}
}

func openAIWire() wire {
	delta := func(member, value string) string {
		return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{%q:%s}}]}`+"\n\n", member, value)
	}
	return wire{
		text:  func(text string) string { return delta("content", text) },
		think: func(text string) string { return delta("reasoning_content", text) },
		call: func(index int, id, tool, args string) string {
			half := middle(args)
			return delta("tool_calls", fmt.Sprintf(`[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}]`, index, id, tool, quoted(args[:half]))) +
				delta("tool_calls", fmt.Sprintf(`[{"index":%d,"function":{"arguments":%s}}]`, index, quoted(args[half:])))
		},
		end: func(input, output string) string {
			return `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
				fmt.Sprintf(`data: {"choices":[],"usage":{"prompt_tokens":%s,"completion_tokens":%s}}`+"\n\ndata: [DONE]\n\n", input, output)
		},
		trouble: `data: {"error":{"message":"The server had an error","type":"server_error"}}` + "\n\n",
		frame:   "data: %s\n\n",
	}
}

func anthropicWire() wire {
	event := func(kind, rest string) string {
		return fmt.Sprintf("event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest)
	}
	delta := func(index int, kind, member, value string) string {
		return event("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":{"type":%q,%q:%s}`, index, kind, member, value))
	}
	return wire{
		head: event("message_start", `,"message":{"role":"assistant","content":[],"usage":{"input_tokens":500,"output_tokens":1}}`),
		text: func(text string) string {
			return event("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`) + delta(0, "text_delta", "text", text)
		},
		think: func(text string) string {
			return event("content_block_start", `,"index":0,"content_block":{"type":"thinking","thinking":""}`) + delta(0, "thinking_delta", "thinking", text)
		},
		call: func(index int, id, tool, args string) string {
			half := middle(args)
			return event("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":{"type":"tool_use","id":%s,"name":%s,"input":{}}`, index, id, tool)) +
				delta(index, "input_json_delta", "partial_json", quoted(args[:half])) + delta(index, "input_json_delta", "partial_json", quoted(args[half:])) +
				event("content_block_stop", fmt.Sprintf(`,"index":%d`, index))
		},
		end: func(input, output string) string {
			return event("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":%s,"output_tokens":%s}`, input, output)) + event("message_stop", "")
		},
		trouble: event("error", `,"error":{"type":"overloaded_error","message":"Overloaded"}`),
		frame:   "data: %s\n\n",
	}
}

// middle is about where a text has its middle, between two characters.
func middle(text string) int {
	at := len(text) / 2
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
