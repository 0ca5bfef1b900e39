package agent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/ports/ai"
)

// vendor is a model behind a fake server, which counts tokens by a vocabulary and
// refuses prompts that do not fit into its window.
type vendor struct {
	window  int
	perByte float64
	// mute says that its refusals name no number.
	mute bool
	// turns are the model's answers; summaries are answered separately.
	turns     []turn
	refusals  int
	summaries int
	// unwilling fails every request for a summary.
	unwilling bool
	// through, if set, sees the requests first.
	through func(next http.RoundTripper) http.RoundTripper
}

// turn is one answer.
type turn struct {
	text  string
	calls []ai.Call
}

// prompt is the part of a request that a server counts.
type prompt struct {
	bytes, messages, answer, window int
	tools                           bool
}

// wire is a vendor's protocol.
type wire interface {
	read(body []byte) prompt
	answer(t turn, in, out int) (contentType, body string)
	// tooLong is the vendor's own words.
	tooLong(v *vendor, tokens int, p prompt) string
}

type vendorTransport struct {
	vendor *vendor
	wire   wire
}

// RoundTrip implements http.RoundTripper.
func (t *vendorTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	v, p := t.vendor, t.wire.read(body)
	tokens := int(float64(p.bytes)*v.perByte) + 4*p.messages
	window := v.window
	if p.window > 0 {
		window = min(window, p.window)
	}
	switch {
	case tokens+p.answer > window && v.mute:
		v.refusals++
		return t.respond(request, http.StatusBadRequest, "application/json",
			`{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}}`)
	case tokens+p.answer > window:
		v.refusals++
		return t.respond(request, http.StatusBadRequest, "application/json", t.wire.tooLong(v, tokens, p))
	case !p.tools && v.unwilling:
		return t.respond(request, http.StatusBadRequest, "application/json", `{"error":{"message":"no summaries here"}}`)
	}
	next := turn{text: "They wished for something, and I looked at the files."}
	if p.tools {
		if len(v.turns) == 0 {
			return nil, fmt.Errorf("the model has nothing more to say")
		}
		next, v.turns = v.turns[0], v.turns[1:]
	} else {
		v.summaries++
	}
	contentType, answer := t.wire.answer(next, tokens, 20)
	return t.respond(request, http.StatusOK, contentType, answer)
}

func (t *vendorTransport) respond(request *http.Request, status int, contentType, body string) (*http.Response, error) {
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(strings.NewReader(body)), Request: request,
	}, nil
}

// weigh counts the bytes of all strings in a JSON value, and those of its members'
// names.
func weigh(value any) int {
	n := 0
	switch v := value.(type) {
	case string:
		n = len(v)
	case []any:
		for _, item := range v {
			n += weigh(item)
		}
	case map[string]any:
		for name, item := range v {
			n += len(name) + weigh(item)
		}
	}
	return n
}

// readPrompt reads the members that the protocols have in common.
func readPrompt(body []byte, limit func(in map[string]any) (answer, window int)) prompt {
	var in map[string]any
	if err := json.Unmarshal(body, &in); err != nil {
		panic(err)
	}
	messages, _ := in["messages"].([]any)
	tools, _ := in["tools"].([]any)
	p := prompt{bytes: weigh(in["messages"]) + weigh(in["tools"]) + weigh(in["system"]), messages: len(messages), tools: len(tools) > 0}
	p.answer, p.window = limit(in)
	return p
}

func asInt(value any) int {
	n, _ := value.(float64)
	return int(n)
}

type openaiWire struct{}

func (openaiWire) read(body []byte) prompt {
	return readPrompt(body, func(in map[string]any) (int, int) { return asInt(in["max_tokens"]), 0 })
}

func (openaiWire) answer(t turn, in, out int) (string, string) {
	delta := map[string]any{"content": t.text}
	var calls []any
	for i, call := range t.calls {
		calls = append(calls, map[string]any{"index": i, "id": fmt.Sprintf("call_%d", i), "type": "function",
			"function": map[string]any{"name": call.Tool, "arguments": string(call.Args)}})
	}
	if calls != nil {
		delta["tool_calls"] = calls
	}
	return "text/event-stream", sse("", map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta}}}) +
		sse("", map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": "stop"}},
			"usage": map[string]any{"prompt_tokens": in, "completion_tokens": out}}) + "data: [DONE]\n\n"
}

func (openaiWire) tooLong(v *vendor, tokens int, p prompt) string {
	return fmt.Sprintf(`{"error":{"message":"This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion). Please reduce the length of the messages or completion.","code":"context_length_exceeded"}}`,
		v.window, tokens+p.answer, tokens, p.answer)
}

// openrouterWire is OpenRouter's: the refusal of the vendor behind it is JSON in a text of its own.
type openrouterWire struct{ openaiWire }

func (w openrouterWire) tooLong(v *vendor, tokens int, p prompt) string {
	raw, _ := json.Marshal(w.openaiWire.tooLong(v, tokens, p))
	return `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":` + string(raw) + `,"provider_name":"Example"}}}`
}

func sse(name string, data any) string {
	text, _ := json.Marshal(data)
	if name != "" {
		name = "event: " + name + "\n"
	}
	return name + "data: " + string(text) + "\n\n"
}

type anthropicWire struct{}

func (anthropicWire) read(body []byte) prompt {
	return readPrompt(body, func(in map[string]any) (int, int) { return asInt(in["max_tokens"]), 0 })
}

func (anthropicWire) answer(t turn, in, out int) (string, string) {
	var body strings.Builder
	body.WriteString(sse("message_start", map[string]any{"type": "message_start", "message": map[string]any{"usage": map[string]any{"input_tokens": in, "output_tokens": 1}}}))
	block := func(index int, start, delta map[string]any) {
		body.WriteString(sse("content_block_start", map[string]any{"type": "content_block_start", "index": index, "content_block": start}))
		body.WriteString(sse("content_block_delta", map[string]any{"type": "content_block_delta", "index": index, "delta": delta}))
		body.WriteString(sse("content_block_stop", map[string]any{"type": "content_block_stop", "index": index}))
	}
	if t.text != "" {
		block(0, map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": t.text})
	}
	for i, call := range t.calls {
		block(i+1, map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", i), "name": call.Tool, "input": map[string]any{}},
			map[string]any{"type": "input_json_delta", "partial_json": string(call.Args)})
	}
	body.WriteString(sse("message_delta", map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": "end_turn"}, "usage": map[string]any{"output_tokens": out}}))
	body.WriteString(sse("message_stop", map[string]any{"type": "message_stop"}))
	return "text/event-stream", body.String()
}

func (anthropicWire) tooLong(v *vendor, tokens int, p prompt) string {
	said := fmt.Sprintf("input length and `max_tokens` exceed context limit: %d + %d > %d, decrease input length or `max_tokens` and try again", tokens, p.answer, v.window)
	if tokens > v.window {
		said = fmt.Sprintf("prompt is too long: %d tokens > %d maximum", tokens, v.window)
	}
	return `{"type":"error","error":{"type":"invalid_request_error","message":"` + said + `"}}`
}

type ollamaWire struct{}

// read: Ollama's answer shares the window, but a prompt is refused only when it alone
// is larger.
func (ollamaWire) read(body []byte) prompt {
	return readPrompt(body, func(in map[string]any) (int, int) {
		options, _ := in["options"].(map[string]any)
		return 0, asInt(options["num_ctx"])
	})
}

func (ollamaWire) answer(t turn, in, out int) (string, string) {
	message := map[string]any{"role": "assistant", "content": t.text}
	var calls []any
	for _, call := range t.calls {
		calls = append(calls, map[string]any{"function": map[string]any{"name": call.Tool, "arguments": call.Args}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	said, _ := json.Marshal(map[string]any{"model": "m", "message": message, "done": false})
	end, _ := json.Marshal(map[string]any{"model": "m", "message": map[string]any{"role": "assistant", "content": ""}, "done": true,
		"done_reason": "stop", "prompt_eval_count": in, "eval_count": out})
	return "application/x-ndjson", string(said) + "\n" + string(end) + "\n"
}

// tooLong is without numbers, as in testdata/ollama/error-context.json.
func (ollamaWire) tooLong(*vendor, int, prompt) string {
	return `{"error":"the input length exceeds the context length"}`
}
