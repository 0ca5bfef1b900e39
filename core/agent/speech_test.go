package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// chatSpeech is OpenAI's chat completions. member is where thoughts are, "" in parts of the content; signs
// says that calls have Google's signatures instead.
type chatSpeech struct {
	member string
	signs  bool
}

func (chatSpeech) kind() string   { return "text/event-stream" }
func (c chatSpeech) thinks() bool { return !c.signs }

func (chatSpeech) say(deltas []map[string]any, reason string) string {
	var out strings.Builder
	for _, delta := range deltas {
		out.WriteString(sse("", map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta}}}))
	}
	if reason != "" {
		out.WriteString(sse("", map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}}, "usage": map[string]any{"prompt_tokens": 100, "completion_tokens": 20}}))
		out.WriteString("data: [DONE]\n\n")
	}
	return out.String()
}

func (c chatSpeech) call(id, tool, args, thought string) string {
	made := map[string]any{"index": 0, "id": id, "type": "function", "function": map[string]any{"name": tool, "arguments": args}}
	var deltas []map[string]any
	switch {
	case thought == "":
	case c.signs:
		made["extra_content"] = map[string]any{"google": map[string]any{"thought_signature": "mark-" + id}}
	case c.member == "reasoning_details":
		deltas = append(deltas, map[string]any{c.member: []any{map[string]any{"type": "reasoning.text", "text": thought, "signature": "mark-" + id, "format": "unknown", "index": 0}}, "reasoning": thought})
	case c.member == "":
		deltas = append(deltas, map[string]any{"content": []any{map[string]any{"type": "thinking", "thinking": []any{map[string]any{"type": "text", "text": thought}}}}})
	default:
		deltas = append(deltas, map[string]any{c.member: thought + " mark-" + id})
	}
	return c.say(append(deltas, map[string]any{"tool_calls": []any{made}}), "tool_calls")
}

func (c chatSpeech) text(text string) string {
	return c.say([]map[string]any{{"content": text}}, "stop")
}
func (c chatSpeech) cut(text string) string {
	return c.say([]map[string]any{{"content": text}}, "length")
}
func (c chatSpeech) broken(text string) string {
	return c.say([]map[string]any{{"content": text}}, "")
}

// check: a call has its result, and at Google the first one a signature.
func (c chatSpeech) check(request map[string]any) string {
	answered := map[string]bool{}
	messages := list(request, "messages")
	for _, message := range messages {
		if id, is := message["tool_call_id"].(string); is {
			answered[id] = true
		}
	}
	for _, message := range messages {
		for i, call := range list(message, "tool_calls") {
			if id, _ := call["id"].(string); !answered[id] {
				return "the call " + id + " has no result"
			}
			if c.signs && i == 0 && call["extra_content"] == nil {
				return "Function call is missing a thought_signature in functionCall parts. This is required for tools to work"
			}
		}
	}
	return ""
}

// responsesSpeech is OpenAI's Responses API.
type responsesSpeech struct{}

func (responsesSpeech) kind() string { return "text/event-stream" }
func (responsesSpeech) thinks() bool { return true }

func event(name string, data map[string]any) string {
	data["type"] = name
	return sse(name, data)
}

func (responsesSpeech) end(status string) string {
	response := map[string]any{"id": "resp_1", "status": status, "output": []any{}, "usage": map[string]any{"input_tokens": 100, "output_tokens": 20}}
	if status == "incomplete" {
		response["incomplete_details"] = map[string]any{"reason": "max_output_tokens"}
	}
	return event("response."+status, map[string]any{"response": response})
}

func (r responsesSpeech) call(id, tool, args, thought string) string {
	var out strings.Builder
	if thought != "" {
		out.WriteString(event("response.reasoning_summary_text.delta", map[string]any{"item_id": "rs_" + id, "output_index": 0, "summary_index": 0, "delta": thought}))
		out.WriteString(event("response.output_item.done", map[string]any{"output_index": 0, "item": map[string]any{"id": "rs_" + id, "type": "reasoning", "summary": []any{}, "encrypted_content": "mark-" + id}}))
	}
	item := map[string]any{"id": "fc_" + id, "type": "function_call", "status": "completed", "arguments": args, "call_id": id, "name": tool}
	out.WriteString(event("response.output_item.added", map[string]any{"output_index": 1, "item": map[string]any{"id": "fc_" + id, "type": "function_call", "status": "in_progress", "arguments": "", "call_id": id, "name": tool}}))
	out.WriteString(event("response.function_call_arguments.delta", map[string]any{"item_id": "fc_" + id, "output_index": 1, "delta": args}))
	out.WriteString(event("response.output_item.done", map[string]any{"output_index": 1, "item": item}))
	return out.String() + r.end("completed")
}

func (responsesSpeech) broken(text string) string {
	return event("response.output_text.delta", map[string]any{"item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": text})
}
func (r responsesSpeech) text(text string) string { return r.broken(text) + r.end("completed") }
func (r responsesSpeech) cut(text string) string  { return r.broken(text) + r.end("incomplete") }

// check: nothing is stored at the vendor, thoughts come encrypted, and a call has its result.
func (responsesSpeech) check(request map[string]any) string {
	if request["store"] != false {
		return "the answer would be stored"
	}
	items := list(request, "input")
	for _, item := range items {
		if item["type"] != "function_call" {
			continue
		}
		answered := false
		for _, other := range items {
			answered = answered || other["type"] == "function_call_output" && other["call_id"] == item["call_id"]
		}
		if !answered {
			return fmt.Sprintf("No tool output found for function call %v.", item["call_id"])
		}
	}
	return ""
}

// messagesSpeech is Anthropic's.
type messagesSpeech struct{}

func (messagesSpeech) kind() string { return "text/event-stream" }
func (messagesSpeech) thinks() bool { return true }

func (messagesSpeech) block(index int, start map[string]any, deltas ...map[string]any) string {
	out := event("content_block_start", map[string]any{"index": index, "content_block": start})
	for _, delta := range deltas {
		out += event("content_block_delta", map[string]any{"index": index, "delta": delta})
	}
	return out + event("content_block_stop", map[string]any{"index": index})
}

func (messagesSpeech) start() string {
	return event("message_start", map[string]any{"message": map[string]any{"usage": map[string]any{"input_tokens": 100, "output_tokens": 1}}})
}

func (messagesSpeech) end(reason string) string {
	return event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": reason}, "usage": map[string]any{"output_tokens": 20}}) + event("message_stop", map[string]any{})
}

func (m messagesSpeech) call(id, tool, args, thought string) string {
	out := m.start()
	if thought != "" {
		out += m.block(0, map[string]any{"type": "thinking", "thinking": "", "signature": ""},
			map[string]any{"type": "thinking_delta", "thinking": thought}, map[string]any{"type": "signature_delta", "signature": "mark-" + id})
	}
	return out + m.block(1, map[string]any{"type": "tool_use", "id": id, "name": tool, "input": map[string]any{}},
		map[string]any{"type": "input_json_delta", "partial_json": args}) + m.end("tool_use")
}

func (m messagesSpeech) broken(text string) string {
	return m.start() + m.block(0, map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": text})
}
func (m messagesSpeech) text(text string) string { return m.broken(text) + m.end("end_turn") }
func (m messagesSpeech) cut(text string) string  { return m.broken(text) + m.end("max_tokens") }

// check: the results of all calls are in the very next message.
func (messagesSpeech) check(request map[string]any) string {
	messages := list(request, "messages")
	for i, message := range messages {
		for _, block := range list(message, "content") {
			if block["type"] != "tool_use" {
				continue
			}
			answered := false
			if i+1 < len(messages) {
				for _, next := range list(messages[i+1], "content") {
					answered = answered || next["type"] == "tool_result" && next["tool_use_id"] == block["id"]
				}
			}
			if !answered {
				return fmt.Sprintf("`tool_use` ids were found without `tool_result` blocks immediately after: %v", block["id"])
			}
		}
	}
	return ""
}

// ollamaSpeech is Ollama's own.
type ollamaSpeech struct{}

func (ollamaSpeech) kind() string { return "application/x-ndjson" }
func (ollamaSpeech) thinks() bool { return true }

func (ollamaSpeech) line(message map[string]any) string {
	message["role"] = "assistant"
	text, _ := json.Marshal(map[string]any{"model": "m", "message": message, "done": false})
	return string(text) + "\n"
}

func (ollamaSpeech) end(reason string) string {
	return `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"` + reason + `","prompt_eval_count":100,"eval_count":20}` + "\n"
}

func (o ollamaSpeech) call(id, tool, args, thought string) string {
	out := ""
	if thought != "" {
		out = o.line(map[string]any{"content": "", "thinking": thought + " mark-" + id})
	}
	return out + o.line(map[string]any{"content": "", "tool_calls": []any{map[string]any{"function": map[string]any{"name": tool, "arguments": json.RawMessage(args)}}}}) + o.end("stop")
}

func (o ollamaSpeech) broken(text string) string { return o.line(map[string]any{"content": text}) }
func (o ollamaSpeech) text(text string) string   { return o.broken(text) + o.end("stop") }
func (o ollamaSpeech) cut(text string) string    { return o.broken(text) + o.end("length") }

// check: after a call comes its result.
func (ollamaSpeech) check(request map[string]any) string {
	messages := list(request, "messages")
	for i, message := range messages {
		if len(list(message, "tool_calls")) > 0 && (i+1 == len(messages) || messages[i+1]["role"] != "tool") {
			return "a call has no result"
		}
	}
	return ""
}
