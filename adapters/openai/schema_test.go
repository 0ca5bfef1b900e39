package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func TestASchemaIsTheResponseFormat(t *testing.T) {
	open := `{"type":"object","properties":{"a":{"type":"string"}}}`
	closed := `{"type":"object","properties":{"a":{"type":"array","items":%s}},"required":["a"],"additionalProperties":false}`
	inner := `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}`
	for name, c := range map[string]struct {
		schema string
		strict bool
	}{
		"an open one":                {open, false},
		"a closed one":               {fmt.Sprintf(closed, inner), true},
		"one that is open inside":    {fmt.Sprintf(closed, open), false},
		"one that leaves a name out": {`{"type":"object","properties":{"a":{},"b":{}},"required":["a"],"additionalProperties":false}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			sent := send(t, "http://vendor.test/v1", ai.Request{Model: "m", Schema: json.RawMessage(c.schema)})
			aitest.SameJSON(t, sent.Body, fmt.Sprintf(`{"model":"m","messages":null,"stream":true,"stream_options":{"include_usage":true},
				"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":%v,"schema":%s}}}`, c.strict, c.schema))
		})
	}
	sent := send(t, "http://vendor.test/v1", ai.Request{Model: "m", Schema: json.RawMessage(open), Tools: []ai.Tool{{Name: "read_file"}}})
	if !strings.Contains(sent.Body, `"tool_choice":"none"`) {
		t.Errorf("got %s, want the tools not to be called", sent.Body)
	}
}

// TestRefusalsOfCompatibleServers: the words of vLLM, llama.cpp, OpenRouter, Groq,
// Ollama, and of servers without a word.
func TestRefusalsOfCompatibleServers(t *testing.T) {
	for name, c := range map[string]struct {
		status                     int
		text                       string
		noTools, noSchema, tooLong bool
	}{
		"vLLM":            {400, `\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`, true, false, false},
		"llama.cpp":       {500, "tools param requires --jinja flag", true, false, false},
		"OpenRouter":      {404, "No endpoints found that support tool use", true, false, false},
		"Ollama":          {400, "registry.ollama.ai/library/tiny-plain:latest does not support tools", true, false, false},
		"DeepSeek":        {400, "This response_format type is unavailable now", false, true, false},
		"an older OpenAI": {400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", false, true, false},
		"too long":        {400, "This model's maximum context length is 8192 tokens", false, false, true},
		"a rate limit":    {429, "tools are not supported at this rate", false, false, false},
		"a wrong key":     {401, "tools require a key", false, false, false},
		"something else":  {400, "no", false, false, false},
	} {
		_, err := refused(t, c.status, fmt.Sprintf(`{"error":{"message":"%s"}}`, c.text))
		var failure *ai.Failure
		if !errors.As(err, &failure) || failure.NoTools != c.noTools || failure.NoSchema != c.noSchema || failure.TooLong != c.tooLong {
			t.Errorf("%s: got %+v, want no tools %v, no schema %v, too long %v", name, failure, c.noTools, c.noSchema, c.tooLong)
		}
	}
	_, err := refused(t, 400, `{"error":{"message":"Failed to call a function. The tool is not supported.","code":"tool_use_failed"}}`)
	var failure *ai.Failure
	if !errors.As(err, &failure) || failure.NoTools {
		t.Errorf("got %+v, want a call that the model wrote wrong to be no refusal of tools", failure)
	}
}

func refused(t *testing.T, status int, answer string) (aitest.VendorRequest, error) {
	t.Helper()
	vendor := &aitest.Recorder{Answer: func(string, string) (int, string) { return status, answer }}
	provider, err := openAt(vendor.Client())
	if err != nil {
		t.Fatal(err)
	}
	_, err = provider.Generate(t.Context(), ai.Request{
		Model: "m", Tools: []ai.Tool{{Name: "read_file"}}, Schema: json.RawMessage(`{"type":"object"}`),
	}, func(ai.Chunk) error { return nil })
	return vendor.Last(t), err
}
