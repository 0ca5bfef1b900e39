package ollama_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func TestASchemaIsTheFormat(t *testing.T) {
	recorded := read(t, "ollama/chat-format.ndjson")
	vendor := &aitest.Recorder{Answer: func(string, string) (int, string) { return http.StatusOK, recorded }}
	provider, err := openAt(vendor.Client())
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	_, err = provider.Generate(t.Context(), ai.Request{
		Model: "m", Schema: json.RawMessage(`{"type":"object"}`), Tools: []ai.Tool{{Name: "read_file"}},
	}, func(chunk ai.Chunk) error {
		said.WriteString(chunk.Text)
		return nil
	})
	if err != nil || said.String() != `{"colour": "blue", "count": 2}` {
		t.Errorf("got %q, %v, want the recorded object", said.String(), err)
	}
	aitest.SameJSON(t, vendor.Last(t).Body,
		`{"model":"m","messages":[],"stream":true,"truncate":false,"shift":false,"keep_alive":"30m0s","format":{"type":"object"},"options":{}}`)
}

func TestRefusalsSayWhatWasRefused(t *testing.T) {
	tools := []ai.Tool{{Name: "read_file"}}
	schema := json.RawMessage(`{"type":"object"}`)
	for name, c := range map[string]struct {
		req                        ai.Request
		status                     int
		answer                     string
		noTools, noSchema, tooLong bool
	}{
		"tools":                     {ai.Request{Tools: tools}, 400, read(t, "ollama/error-no-tools.json"), true, false, false},
		"tools that were not sent":  {ai.Request{}, 400, read(t, "ollama/error-no-tools.json"), false, false, false},
		"a prompt that is too long": {ai.Request{Tools: tools}, 400, read(t, "ollama/error-context.json"), false, false, true},
		"a format":                  {ai.Request{Schema: schema}, 500, `{"error":"failed to load model vocabulary required for format"}`, false, true, false},
		"a model that is not there": {ai.Request{Tools: tools, Schema: schema}, 404, read(t, "ollama/error-no-model.json"), false, false, false},
		"a runner that broke":       {ai.Request{Tools: tools}, 500, read(t, "ollama/error-runner.json"), false, false, false},
	} {
		_, err := send(t, c.req, func(string, string) (int, string) { return c.status, c.answer })
		var failure *ai.Failure
		if !errors.As(err, &failure) || failure.NoTools != c.noTools || failure.NoSchema != c.noSchema || failure.TooLong != c.tooLong {
			t.Errorf("%s: got %+v, want no tools %v, no schema %v, too long %v", name, failure, c.noTools, c.noSchema, c.tooLong)
		}
	}
}

// prompt is a request of a number of words, some of them in the newest message.
func prompt(window, words, newest int) ai.Request {
	return ai.Request{ContextTokens: window, Messages: []ai.Message{
		{Role: ai.RoleUser, Text: strings.Repeat("lorem ", words-newest)},
		{Role: ai.RoleAssistant, Text: ""},
		{Role: ai.RoleUser, Text: strings.Repeat("ipsum ", newest)},
	}}
}

func TestAPromptThatWasCutIsAFailure(t *testing.T) {
	for name, c := range map[string]struct {
		req     ai.Request
		counted int
		version string
		cut     bool
	}{
		"the recorded cut":                               {prompt(512, 244, 244), 0, "", true},
		"the whole prompt":                               {prompt(8192, 3000, 100), 4000, "0.9.0", false},
		"a full window":                                  {prompt(4096, 3000, 100), 4096, "", true},
		"more words than the window":                     {prompt(4096, 5000, 100), 4000, "", true},
		"an old server that dropped messages":            {prompt(16384, 8000, 100), 3000, "0.9.2", true},
		"an old server that counts what it had not read": {prompt(16384, 8000, 100), 300, "0.3.14", false},
		"a new server that did so for a time":            {prompt(16384, 8000, 100), 300, "0.30.1", false},
		"a server without a version, from its cache":     {prompt(16384, 8000, 100), 300, "", false},
		"a server that lost half of the newest message":  {prompt(16384, 8000, 7000), 3000, "", true},
		"a server that counts nothing":                   {prompt(4096, 8000, 100), -1, "0.9.2", false},
		"a short prompt":                                 {prompt(16384, 500, 500), 9, "0.9.2", false},
		"a server that takes no window":                  {prompt(0, 8000, 100), 9000, "0.9.2", false},
	} {
		answer := strings.Replace(done, `"prompt_eval_count":5`, fmt.Sprintf(`"prompt_eval_count":%d`, max(c.counted, 0)), 1)
		if c.counted == 0 {
			answer = read(t, "ollama/chat-cut.json")
		}
		_, err := send(t, c.req, func(path, _ string) (int, string) {
			switch {
			case path != "/api/version":
				return http.StatusOK, hello + answer
			case c.version == "":
				return http.StatusNotFound, "404 page not found"
			}
			return http.StatusOK, `{"version":"` + c.version + `"}`
		})
		var failure *ai.Failure
		if cut := errors.As(err, &failure); cut != c.cut || cut && (!failure.TooLong || failure.Temporary || !strings.Contains(failure.Err.Message, "truncated the prompt")) {
			t.Errorf("%s: got %v, want it cut: %v", name, err, c.cut)
		}
	}
}
