package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/openai"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func openAtAddress(t *testing.T, vendor *aitest.Recorder, baseURL string) *openai.Provider {
	t.Helper()
	provider, err := openai.New(vendor.Client(), ai.Settings{BaseURL: baseURL, Key: aitest.Key})
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

// answerOf is the answer of a model at baseURL that sends the events.
func answerOf(t *testing.T, baseURL, model string, events ...string) ai.Message {
	t.Helper()
	vendor := &aitest.Recorder{Answer: func(string, string) (int, string) { return 200, data(append(events, finished, done)...) }}
	said := ai.Message{Role: ai.RoleAssistant}
	_, err := openAtAddress(t, vendor, baseURL).Generate(t.Context(), ai.Request{Model: model}, func(chunk ai.Chunk) error {
		if chunk.Signed != nil {
			said.Thoughts = append(said.Thoughts, *chunk.Signed)
		}
		if chunk.Call != nil {
			said.Calls = append(said.Calls, *chunk.Call)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// returned are the members of the answer in the next request.
func returned(t *testing.T, baseURL, model string, said ai.Message) map[string]json.RawMessage {
	t.Helper()
	var body struct{ Messages []map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(send(t, baseURL, ai.Request{Model: model, Messages: []ai.Message{said}}).Body), &body); err != nil {
		t.Fatal(err)
	}
	return body.Messages[0]
}

const (
	vllm      = "http://vllm.test:8000/v1"
	aReadFile = `{"index":0,"id":"a","function":{"name":"read_file","arguments":"{}"}}`
)

// TestThoughtsGoBackAsTheyCame: in the member in which they came, with calls only, and to no other server.
func TestThoughtsGoBackAsTheyCame(t *testing.T) {
	for _, member := range []string{"reasoning_content", "reasoning", "thinking"} {
		piece := func(text string) string { return `{"choices":[{"index":0,"delta":{"` + member + `":"` + text + `"}}]}` }
		said := answerOf(t, vllm, "glm", piece("Let me "), piece("think."), tool(aReadFile))
		got := returned(t, vllm, "glm", said)
		if string(got[member]) != `"Let me think."` {
			t.Errorf("%s: got %s, want the thought in it", member, got)
		}
		for _, other := range []string{"reasoning_content", "reasoning", "thinking", "reasoning_details"} {
			if other != member && got[other] != nil {
				t.Errorf("%s: got %s as well, want the member that the server sent alone", member, other)
			}
		}
		if got := returned(t, "http://other.test/v1", "glm", said); got[member] != nil {
			t.Errorf("%s: got %s at another server, want none", member, got[member])
		}
		said.Calls, said.Text = nil, "Done."
		if got := returned(t, vllm, "glm", said); got[member] != nil {
			t.Errorf("%s: got %s without calls, want none", member, got[member])
		}
	}
	said := answerOf(t, vllm, "mist", `{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]}}]}`, tool(aReadFile))
	if len(said.Thoughts) != 0 {
		t.Errorf("got %+v, want no thought of a server that sends it elsewhere", said.Thoughts)
	}
}

// TestForeignThoughtsAreNotSent: a server that demands the member gets it empty.
func TestForeignThoughtsAreNotSent(t *testing.T) {
	said := answerOf(t, vllm, "glm", `{"choices":[{"index":0,"delta":{"reasoning_content":"Hm."}}]}`, tool(aReadFile))
	said.Thoughts = append(said.Thoughts, ai.Thought{Text: "somebody's"}, ai.Thought{Text: "signed", Signature: "sig"})
	for baseURL, want := range map[string]string{"https://api.deepseek.com/v1": `""`, "https://api.moonshot.ai/v1": `""`, "https://api.together.xyz/v1": ""} {
		if got := returned(t, baseURL, "glm", said)["reasoning_content"]; string(got) != want {
			t.Errorf("%s: got %s, want %q", baseURL, got, want)
		}
	}
	if sent := send(t, "https://generativelanguage.googleapis.com/v1beta/openai", ai.Request{Model: "glm", Messages: []ai.Message{{Role: ai.RoleAssistant, Calls: said.Calls, Thoughts: said.Thoughts[:1]}}}).Body; !strings.Contains(sent, "skip_thought_signature_validator") {
		t.Errorf("got %s at Google's, want the placeholder", sent)
	}
	if sent := send(t, "", ai.Request{Model: "gpt-5.6", Messages: []ai.Message{said}}).Body; strings.Contains(sent, "encrypted_content\":") {
		t.Errorf("got %s at OpenAI's, want no thought", sent)
	}
}

// TestAServerThatRefusesThoughtsIsAskedWithout, and one that misses them is asked with an empty one. Both
// are remembered.
func TestAServerThatRefusesThoughtsIsAskedWithout(t *testing.T) {
	said := answerOf(t, vllm, "glm", `{"choices":[{"index":0,"delta":{"reasoning_content":"Hm."}}]}`, tool(aReadFile))
	foreign := ai.Message{Role: ai.RoleAssistant, Calls: said.Calls}
	for _, row := range []struct {
		name, refusal string
		said          ai.Message
		refuses       func(member *string) bool
		want          *string
	}{
		{"Groq's words", `{"error":{"message":"'messages.0' : for 'role:assistant' the following must be satisfied[('messages.0' : property 'reasoning_content' is unsupported)]","type":"invalid_request_error"}}`,
			said, func(member *string) bool { return member != nil }, nil},
		{"Pydantic's words", `{"error":{"message":"[{'type': 'extra_forbidden', 'loc': ('body', 'messages', 0, 'assistant', 'reasoning_content'), 'msg': 'Extra inputs are not permitted'}]","code":400}}`,
			said, func(member *string) bool { return member != nil }, nil},
		{"DeepSeek's words", `{"error":{"message":"The reasoning_content in the thinking mode must be passed back to the API.","type":"invalid_request_error"}}`,
			foreign, func(member *string) bool { return member == nil }, new(string)},
	} {
		var asked []*string
		vendor := &aitest.Recorder{Answer: func(_, body string) (int, string) {
			var in struct {
				Messages []struct {
					Reasoning *string `json:"reasoning_content"`
				}
			}
			if err := json.Unmarshal([]byte(body), &in); err != nil {
				t.Error(err)
			}
			asked = append(asked, in.Messages[0].Reasoning)
			if row.refuses(in.Messages[0].Reasoning) {
				return 400, row.refusal
			}
			return 200, data(hello, finished, done)
		}}
		var quirks openai.Quirks
		for range 2 {
			// A message opens its provider anew.
			provider, err := quirks.New(vendor.Client(), ai.Settings{BaseURL: vllm, Key: aitest.Key})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := provider.Generate(t.Context(), ai.Request{Model: "glm", Messages: []ai.Message{row.said}}, func(ai.Chunk) error { return nil }); err != nil {
				t.Fatalf("%s: got %v, want an answer", row.name, err)
			}
		}
		if len(asked) != 3 {
			t.Errorf("%s: got %d requests, want one refusal only", row.name, len(asked))
		}
		if last := asked[len(asked)-1]; (last == nil) != (row.want == nil) || last != nil && *last != *row.want {
			t.Errorf("%s: got %v, want %v", row.name, last, row.want)
		}
	}
}
