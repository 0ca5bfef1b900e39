package anthropic_test

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/anthropic"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func openAt(client *http.Client) (ai.Provider, error) {
	return anthropic.New(client, ai.Settings{BaseURL: "http://vendor.test", Key: aitest.Key})
}

func TestRecordedStreams(t *testing.T) {
	aitest.RunReplays(t, openAt, []aitest.Replay{
		{File: "anthropic/text.sse", Want: `
text:The title is blue.
usage:1312 9 cached:1000 written:300`},
		{File: "anthropic/calls.sse", Want: `
text:I read both.
call:toolu_01A read_file {"path":"src/App.tsx"}
call:toolu_01B check_build {}
usage:1312 77 cached:1000 written:300`},
		{File: "anthropic/thinking.sse", Want: `
reasoning:The user wants blue.
signed:EqQBCgIYAhIM
signed:EmwKAhgB
text:Blue it is.
usage:1312 30 cached:1000 written:300`},
		{File: "anthropic/server-tool.sse", Want: `
text:Found.
usage:1312 30 cached:1000 written:300`},
		{File: "anthropic/overloaded.sse", Want: `
text:The
usage:1312 1 cached:1000 written:300
temporary:the provider failed: Overloaded`},
		{File: "anthropic/refusal.sse", Want: `
usage:1312 1 cached:1000 written:300
empty:the provider's content filter withheld the answer`},
		{File: "anthropic/length.sse", Want: `
call:toolu_01A write_file "{\"path\": \"a.html\", \"content\": \"<h1>"
cut:
usage:1312 8192 cached:1000 written:300`},
		{File: "ollama/anthropic-text.sse", Want: `
text:Hello! I am a tiny scripted model. Ask me to make the title blue.
usage:9 17`},
		{File: "ollama/anthropic-call.sse", Want: `
text:Sure, I will change the colour.\n
call:call_4a21jole set_style {"property":"color","selector":"h1","value":"blue"}
usage:222 27`},
		{File: "ollama/anthropic-calls.sse", Want: `
text:Reading both files.\n
call:call_yqpt2t56 read_file {"path":"index.html"}
call:call_e9kplxbt read_file {"path":"style.css"}
usage:222 25`},
		{File: "ollama/anthropic-thinking.sse", Want: `
reasoning:The user wants a blue title. I should change the heading's colour.
text:Sure, I will change the colour.\n
call:call_006k3jgi set_style {"property":"color","selector":"h1","value":"blue"}
usage:222 40`},
		{File: "ollama/anthropic-length.sse", Want: `
text:Hello! I
cut:
usage:9 3`},
		{File: "ollama/anthropic-unstreamed.json", Want: `
reasoning:The user wants a blue title. I should change the heading's colour.
text:Sure, I will change the colour.\n
call:call_ceaq9nm5 set_style {"property":"color","selector":"h1","value":"blue"}
usage:222 40`},
		{File: "ollama/anthropic-repeat-abort.sse", Want: `
text:ha ha ha 
usage:4 3
temporary:the provider broke off the answer`},
		{File: "ollama/anthropic-runner-killed.sse", Want: `
text:one two three nine
usage:4 5
temporary:the provider broke off the answer`},
	})
}

func TestRecordedRefusals(t *testing.T) {
	aitest.RunReplays(t, openAt, []aitest.Replay{
		{File: "anthropic/error-key.json", Status: 401, Want: `
usage:0 0
final:the provider refused the key (401): invalid x-api-key`},
		{File: "anthropic/error-model.json", Status: 404, Want: `
usage:0 0
final:the provider has no model "model-1" (404): model: model-1`},
		{File: "anthropic/error-rate.json", Status: 429, Header: http.Header{"Retry-After": {"23"}}, Want: `
usage:0 0
temporary:the provider limits the rate of requests (429): This request would exceed your organization's rate limit of 30,000 input tokens per minute. [retry after 23s]`},
		{File: "anthropic/error-overloaded.json", Status: 529, Want: `
usage:0 0
temporary:the provider failed (529): Overloaded`},
		{File: "anthropic/error-credit.json", Status: 400, Want: `
usage:0 0
final:the account at the provider has no credit left (400): Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.`},
		{File: "ollama/anthropic-error-no-model.json", Status: 404, Want: `
usage:0 0
final:the provider has no model "model-1" (404): model 'no-such-model' not found`},
		{File: "ollama/anthropic-error-no-tools.json", Status: 400, Want: `
usage:0 0
final:the provider refused the request (400): registry.ollama.ai/library/tiny-plain:latest does not support tools`},
	})
}

// data writes server-sent events without names, as some servers do.
func data(events ...string) string {
	body := ""
	for _, event := range events {
		body += "data: " + event + "\n\n"
	}
	return body
}

const (
	start = `{"type":"message_start","message":{"usage":{"input_tokens":5,"output_tokens":1}}}`
	hello = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`
	ended = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}`
	stop  = `{"type":"message_stop"}`
)

func toolUse(members string) string {
	return `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use",` + members + `}}`
}

func input(index, piece string) string {
	return `{"type":"content_block_delta","index":` + index + `,"delta":{"type":"input_json_delta","partial_json":` + piece + `}}`
}

func TestMisbehavingServers(t *testing.T) {
	aitest.RunReplays(t, openAt, []aitest.Replay{
		{Name: "no names, no start, no stop of the block", Body: data(hello, ended, stop), Want: `
text:Hello
usage:190 3`},
		{Name: "no message_stop", Body: data(start, hello, ended), Want: `
text:Hello
usage:5 3`},
		{Name: "only message_stop", Body: data(start, hello, stop), Want: `
text:Hello
usage:5 1`},
		{Name: "the input whole at the start of its block", Body: data(
			toolUse(`"id":"a","name":"read_file","input":{"path":"x"}`), `{"type":"content_block_stop","index":0}`, ended, stop), Want: `
call:a read_file {"path":"x"}
usage:190 3`},
		{Name: "a block that is never stopped", Body: data(
			toolUse(`"id":"a","name":"read_file","input":{}`), input("0", `"{\"path\":"`), input("0", `"\"x\"}"`), ended, stop), Want: `
call:a read_file {"path":"x"}
usage:190 3`},
		{Name: "two blocks under one index, without ids", Body: data(
			toolUse(`"name":"read_file","input":{}`), input("0", `"{\"path\":\"x\"}"`),
			toolUse(`"name":"list_files","input":{}`), input("0", `"{\"path\":\"y\"}"`), ended, stop), Want: `
call:* read_file {"path":"x"}
call:* list_files {"path":"y"}
usage:190 3`},
		{Name: "two blocks with one id", Body: data(
			toolUse(`"id":"a","name":"read_file","input":{}`), `{"type":"content_block_stop","index":0}`,
			toolUse(`"id":"a","name":"list_files","input":{}`), `{"type":"content_block_stop","index":0}`, ended, stop), Want: `
call:a read_file {}
call:* list_files {}
usage:190 3`},
		{Name: "input for a block that never began", Body: data(start, hello, input("4", `"{\"path\":\"x\"}"`), ended, stop), Want: `
text:Hello
usage:5 3`},
		{Name: "input that is no JSON", Body: data(
			toolUse(`"id":"a","name":"read_file"`), input("0", `"{\"path\": x}"`), ended, stop), Want: `
call:a read_file "{\"path\": x}"
usage:190 3`},
		{Name: "a tool that was not offered", Body: data(toolUse(`"id":"a","name":"launch_rocket","input":{}`), ended, stop), Want: `
call:a launch_rocket {}
usage:190 3`},
		{Name: "a stream that breaks off inside a call", Body: data(
			start, toolUse(`"id":"a","name":"read_file","input":{}`), input("0", `"{\"pa"`)), Want: `
usage:5 1
temporary:the provider broke off the answer`},
		{Name: "an empty answer", Body: data(start, ended, stop), Want: `
usage:5 3
empty:the model gave an empty answer`},
		{Name: "an error without a name", Body: data(start, hello, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`), Want: `
text:Hello
usage:5 2
temporary:the provider broke off the answer: Internal server error`},
		{Name: "an error that will not pass", Body: data(start, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}`), Want: `
usage:5 1
final:the provider refused the request: prompt is too long`},
		{Name: "an error in place of the stream", Body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Want: `
usage:190 0
temporary:the provider failed: Overloaded`},
		{Name: "impossible usage", Body: data(
			`{"type":"message_start","message":{"usage":{"input_tokens":9223372036854775807,"cache_read_input_tokens":9223372036854775807,"output_tokens":-1}}}`, hello, ended, stop), Want: `
text:Hello
usage:190 3`},
		{Name: "a web page", Body: "<html></html>", Want: `
usage:190 0
final:the provider answered with a web page: check the base URL`},
		{Name: "an event that is no JSON", Body: data(start, "{"), Want: `
usage:5 1
temporary:the provider sent an answer that is not JSON`},
		{Name: "nothing at all", Want: `
usage:190 0
temporary:the provider broke off the answer`},
	})
}
