package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/openai"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// diversion sends requests to a server of the test instead of OpenAI's.
type diversion struct{ to string }

func (d diversion) RoundTrip(r *http.Request) (*http.Response, error) {
	to, err := url.Parse(d.to)
	if err != nil {
		return nil, err
	}
	if r.URL.Host != "api.openai.com" || r.URL.Path != "/v1/responses" {
		return nil, fmt.Errorf("got a request to %s, want one to OpenAI's Responses API", r.URL)
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = to.Scheme, to.Host
	return http.DefaultTransport.RoundTrip(r)
}

func TestResponses(t *testing.T) {
	aitest.Run(t, func(t *testing.T, script aitest.Script) aitest.Upstream {
		server := aitest.Serve(t, script, responsesWire())
		provider, err := openai.New(&http.Client{Transport: diversion{server.URL}}, ai.Settings{Key: aitest.Key})
		if err != nil {
			t.Fatal(err)
		}
		return server.Upstream(provider)
	})
}

// TestResponsesOfAnyServer is for servers that are said to have the interface.
func TestResponsesOfAnyServer(t *testing.T) {
	aitest.Run(t, func(t *testing.T, script aitest.Script) aitest.Upstream {
		server := aitest.Serve(t, script, responsesWire())
		provider, err := (&openai.Quirks{}).NewResponses(http.DefaultClient, ai.Settings{BaseURL: server.URL + "/v1", Key: aitest.Key})
		if err != nil {
			t.Fatal(err)
		}
		return server.Upstream(provider)
	})
}

func responsesWire() aitest.Wire {
	return aitest.Wire{
		ContentType: "text/event-stream",
		Chunks: func(chunks []ai.Chunk) []string {
			pieces := []string{namedEvent("response.created", map[string]any{"response": map[string]any{"error": nil}})}
			for i, chunk := range chunks {
				switch {
				case chunk.Call != nil:
					pieces = append(pieces, namedEvent("response.output_item.done", map[string]any{"output_index": i, "item": map[string]any{
						"type": "function_call", "call_id": chunk.Call.ID, "name": chunk.Call.Tool, "arguments": string(chunk.Call.Args),
					}}))
				case chunk.Reasoning != "":
					pieces = append(pieces, namedEvent("response.reasoning_summary_text.delta", map[string]any{"delta": chunk.Reasoning}))
				default:
					pieces = append(pieces, namedEvent("response.output_text.delta", map[string]any{"delta": chunk.Text}))
				}
			}
			return pieces
		},
		Last: func(_ []ai.Chunk, usage core.Usage) string {
			return namedEvent("response.completed", map[string]any{"response": map[string]any{
				"error": nil, "usage": map[string]any{"input_tokens": usage.InputTokens, "output_tokens": usage.OutputTokens},
			}})
		},
		Complaint: func(text string) string {
			return namedEvent("response.failed", map[string]any{"response": map[string]any{"error": map[string]any{"code": "server_error", "message": text}}})
		},
		Refusal: refusal,
	}
}

func namedEvent(kind string, members map[string]any) string {
	members["type"] = kind
	data, _ := json.Marshal(members)
	return "event: " + kind + "\ndata: " + string(data) + "\n\n"
}

func openOpenAI(client *http.Client) (ai.Provider, error) {
	return openai.New(client, ai.Settings{Key: aitest.Key})
}

func TestStreamsOfResponses(t *testing.T) {
	aitest.RunReplays(t, openOpenAI, []aitest.Replay{
		{File: "openai/responses-text.sse", Want: `
text:The title is blue.
usage:312 41 cached:256 written:0`},
		{File: "openai/responses-calls.sse", Want: `
reasoning:I read it.
signed:rs_1\ngAAAA1
call:call_Rd1 read_file {"path":"src/App.tsx"}
call:call_Rd2 search_files {"maxResults":5,"query":"<h1>"}
usage:312 41 cached:256 written:0`},
		{File: "openai/responses-refusal.sse", Want: `
text:I cannot help with that.
usage:312 41 cached:256 written:0`},
		{File: "openai/responses-length.sse", Want: `
signed:rs_1\ngAAAA1
usage:312 41 cached:256 written:0
empty:the model reached the limit of its answer before it wrote anything`},
		{File: "openai/responses-filter.sse", Want: `
usage:312 41 cached:256 written:0
empty:the provider's content filter withheld the answer`},
		{File: "openai/responses-failed.sse", Want: `
text:The
usage:180 1
temporary:OpenAI broke off the answer: The server had an error while processing your request. Sorry about that!`},
		{File: "openai/responses-error.sse", Want: `
usage:180 0
temporary:OpenAI limits the rate of requests: Rate limit reached for gpt-5.6 on tokens per min (TPM).`},
		{File: "openai/responses-cut.sse", Want: `
text:The title
usage:180 3
temporary:OpenAI broke off the answer`},
	})
}

func TestRequestOfResponses(t *testing.T) {
	sent := send(t, "", ai.Request{
		Model: "gpt-5.6", System: "Be kind.", Conversation: "chat-1", MaxTokens: 5, Thinking: core.ThinkingLow,
		Messages: []ai.Message{
			{Role: ai.RoleUser, Briefing: "It is new.", Text: "Hi", Images: []ai.Image{{MediaType: "image/png", Data: []byte("\x89PNG")}}},
			{Role: ai.RoleAssistant, Text: "I look.", Thoughts: []ai.Thought{{Signature: "rs_1\ngAAAA1", Redacted: true}}, Calls: []ai.Call{
				{ID: "a", Tool: "read_file", Args: json.RawMessage(`{"path":"x"}`)},
			}},
			{Role: ai.RoleTool, CallID: "a", Tool: "read_file", Text: "content"},
			// Another vendor's thought stays with it.
			{Role: ai.RoleAssistant, Thoughts: []ai.Thought{{Text: "Hm.", Signature: "s"}, {}}, Calls: []ai.Call{{ID: "b", Tool: "read_file", Args: json.RawMessage(`"path x"`)}}},
			{Role: ai.RoleTool, CallID: "b", Tool: "read_file", Text: "no path", Failed: true},
		},
		Tools: []ai.Tool{{Name: "read_file", Description: "Reads.", Parameters: json.RawMessage(`{"type":"object"}`)}},
	})
	if sent.Target != "/v1/responses" || sent.Header.Get("Authorization") != "Bearer "+aitest.Key {
		t.Errorf("got %s with %q, want the Responses API with the key", sent.Target, sent.Header.Get("Authorization"))
	}
	var body map[string]any
	if err := json.Unmarshal([]byte(sent.Body), &body); err != nil {
		t.Fatal(err)
	}
	if key, _ := body["prompt_cache_key"].(string); key == "" || strings.Contains(key, "chat") {
		t.Errorf("got the cache key %q, want one that does not show the conversation", key)
	}
	delete(body, "prompt_cache_key")
	rest, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	aitest.SameJSON(t, string(rest), `{"model":"gpt-5.6","stream":true,"store":false,"include":["reasoning.encrypted_content"],"instructions":"Be kind.",
		"max_output_tokens":16,"reasoning":{"effort":"low"},"input":[
		{"type":"message","role":"user","content":[
			{"type":"input_image","image_url":"data:image/png;base64,iVBORw=="},{"type":"input_text","text":"It is new.\n\nHi"}]},
		{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAA1"},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]},
		{"type":"function_call","call_id":"a","name":"read_file","arguments":"{\"path\":\"x\"}"},
		{"type":"function_call_output","call_id":"a","output":"content"},
		{"type":"function_call","call_id":"b","name":"read_file","arguments":"{\"arguments\":\"path x\"}"},
		{"type":"function_call_output","call_id":"b","output":"Error: no path"}],
		"tools":[{"type":"function","name":"read_file","description":"Reads.","parameters":{"type":"object"},"strict":false}]}`)
}

func TestSchemaOfResponses(t *testing.T) {
	sent := send(t, "", ai.Request{
		Model: "gpt-4o", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`),
		Messages: []ai.Message{{Role: ai.RoleUser, Text: "Hi"}},
	})
	aitest.SameJSON(t, sent.Body, `{"model":"gpt-4o","stream":true,"store":false,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}],
		"text":{"format":{"type":"json_schema","name":"answer","strict":true,"schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}}}`)
}

// TestAModelThatDoesNotThinkIsAskedAgainWithoutThoughts: on Azure a name tells nothing.
func TestAModelThatDoesNotThinkIsAskedAgainWithoutThoughts(t *testing.T) {
	asked := 0
	vendor := &aitest.Recorder{Answer: func(_, body string) (int, string) {
		asked++
		if strings.Contains(body, "encrypted_content") {
			return http.StatusBadRequest, `{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}`
		}
		return http.StatusOK, read(t, "openai/responses-text.sse")
	}}
	provider, err := openai.New(vendor.Client(), ai.Settings{BaseURL: "https://me.openai.azure.com/openai/v1", Key: aitest.Key})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := provider.Generate(t.Context(), ai.Request{Model: "mine"}, func(ai.Chunk) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if asked != 3 {
		t.Errorf("got %d requests, want one refused and two answered", asked)
	}
}

func TestThoughtsThatAreRefusedAreNamed(t *testing.T) {
	for status, message := range map[int]string{
		http.StatusNotFound:   "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
		http.StatusBadRequest: "The encrypted content gAAA... could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
	} {
		vendor := &aitest.Recorder{Answer: func(string, string) (int, string) { return status, refusal(message) }}
		provider, err := openOpenAI(vendor.Client())
		if err != nil {
			t.Fatal(err)
		}
		_, err = provider.Generate(t.Context(), ai.Request{Model: "gpt-5.6"}, func(ai.Chunk) error { return nil })
		if failure, is := err.(*ai.Failure); !is || !failure.BadThoughts {
			t.Errorf("%d: got %v, want the thoughts refused", status, err)
		}
	}
}
