package openai_test

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/openai"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func openAt(client *http.Client) (ai.Provider, error) {
	return openai.New(client, ai.Settings{BaseURL: "http://vendor.test/v1", Key: aitest.Key})
}

func TestRecordedStreams(t *testing.T) {
	aitest.RunReplays(t, openAt, []aitest.Replay{
		{File: "openai/text.sse", Want: `
text:The title is blue.
usage:312 41 cached:256 written:0`},
		{File: "openai/calls.sse", Want: `
call:call_Rd1 read_file {"path":"src/App.tsx"}
call:call_Rd2 search_files {"maxResults":5,"query":"<h1>"}
usage:312 41 cached:256 written:0`},
		{File: "openai/refusal.sse", Want: `
text:I cannot help with that.
usage:312 41 cached:256 written:0`},
		{File: "openai/filter.sse", Want: `
usage:312 41 cached:256 written:0
empty:the provider's content filter withheld the answer`},
		{File: "openai/length.sse", Want: `
usage:312 41 cached:256 written:0
empty:the model reached the limit of its answer before it wrote anything`},
		{File: "openai/error-midstream.sse", Want: `
text:The
usage:155 1
temporary:the provider broke off the answer: The server had an error while processing your request. Sorry about that!`},
		{File: "ollama/openai-text.sse", Want: `
text:Hello! I am a tiny scripted model. Ask me to make the title blue.
usage:155 17`},
		{File: "ollama/openai-call.sse", Want: `
text:Sure, I will change the colour.\n
call:call_nqinygy0 set_style {"property":"color","selector":"h1","value":"blue"}
usage:222 27`},
		{File: "ollama/openai-calls.sse", Want: `
text:Reading both files.\n
call:call_32xwf4sh read_file {"path":"index.html"}
call:call_se5dber4 read_file {"path":"style.css"}
usage:155 20`},
		{File: "ollama/openai-reasoning.sse", Want: `
reasoning:The user wants a blue title. I should change the heading's colour.
text:Sure, I will change the colour.\n
signed:member:reasoning 5117dfd64f1084b2
call:call_hnka867y set_style {"property":"color","selector":"h1","value":"blue"}
usage:155 40`},
		{File: "ollama/openai-length.sse", Want: `
text:Hello! I
cut:
usage:155 2`},
		{File: "ollama/openai-unstreamed.json", Want: `
text:Reading both files.\n
call:call_syz7skx9 read_file {"path":"index.html"}
call:call_xulx3arp read_file {"path":"style.css"}
usage:222 25`},
		{File: "ollama/openai-call-swallowed.sse", Want: `
usage:155 0
empty:the model gave an empty answer`},
		{File: "ollama/openai-repeat-abort.sse", Want: `
text:ha ha ha ha 
usage:155 3
temporary:the provider broke off the answer`},
		{File: "ollama/openai-runner-killed.sse", Want: `
text:one two three four
usage:155 5
temporary:the provider broke off the answer`},
	})
}

func TestRecordedRefusals(t *testing.T) {
	aitest.RunReplays(t, openAt, []aitest.Replay{
		{File: "openai/error-key.json", Status: 401, Want: `
usage:0 0
final:the provider refused the key (401): Incorrect API key provided: sk-port****5968. You can find your API key at https://platform.openai.com/account/api-keys.`},
		{File: "openai/error-quota.json", Status: 429, Want: `
usage:0 0
final:the account at the provider has no credit left (429): You exceeded your current quota, please check your plan and billing details.`},
		{File: "openai/error-rate.json", Status: 429, Header: http.Header{"Retry-After-Ms": {"900"}}, Want: `
usage:0 0
temporary:the provider limits the rate of requests (429): Rate limit reached for gpt-5-mini in organization org-x on tokens per min (TPM): Limit 200000, Used 199000, Requested 4000. Please try again in 900ms. [retry after 900ms]`},
		{File: "openai/error-model.json", Status: 404, Want: "usage:0 0\nfinal:the provider has no model \"model-1\" (404): The model `model-1` does not exist or you do not have access to it."},
		{File: "openai/error-context.json", Status: 400, Want: `
usage:0 0
final:the provider refused the request (400): This model's maximum context length is 128000 tokens. However, your messages resulted in 130123 tokens.`},
		{File: "ollama/openai-error-no-model.json", Status: 404, Want: `
usage:0 0
final:the provider has no model "model-1" (404): model 'no-such-model' not found`},
		{File: "ollama/openai-error-no-tools.json", Status: 400, Want: `
usage:0 0
final:the provider refused the request (400): registry.ollama.ai/library/tiny-plain:latest does not support tools`},
	})
}

// data writes server-sent events.
func data(events ...string) string {
	body := ""
	for _, event := range events {
		body += "data: " + event + "\n\n"
	}
	return body
}

func tool(call string) string {
	return `{"choices":[{"index":0,"delta":{"tool_calls":[` + call + `]}}]}`
}

const (
	done     = "[DONE]"
	finished = `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
	hello    = `{"choices":[{"index":0,"delta":{"content":"Hello"}}]}`
)

func TestMisbehavingServers(t *testing.T) {
	aitest.RunReplays(t, openAt, []aitest.Replay{
		{Name: "arguments in pieces without an index", Body: data(
			tool(`{"id":"a","function":{"name":"read_file","arguments":""}}`),
			tool(`{"function":{"arguments":"{\"path\":"}}`), tool(`{"function":{"arguments":"\"x\"}"}}`), finished, done), Want: `
call:a read_file {"path":"x"}
usage:155 6`},
		{Name: "two calls without an index, one id each", Body: data(
			tool(`{"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}`),
			tool(`{"id":"b","function":{"name":"read_file","arguments":"{\"path\":\"y\"}"}}`), finished, done), Want: `
call:a read_file {"path":"x"}
call:b read_file {"path":"y"}
usage:155 11`},
		{Name: "two calls in one event without index or id", Body: data(
			tool(`{"function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}},{"function":{"name":"read_file","arguments":"{\"path\":\"y\"}"}}`),
			finished, done), Want: `
call:* read_file {"path":"x"}
call:* read_file {"path":"y"}
usage:155 11`},
		{Name: "two calls that share an index and differ in id", Body: data(
			tool(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}`),
			tool(`{"index":0,"id":"b","function":{"name":"list_files","arguments":"{\"path\":"}}`),
			tool(`{"index":0,"function":{"arguments":"\"y\"}"}}`), finished, done), Want: `
call:a read_file {"path":"x"}
call:b list_files {"path":"y"}
usage:155 11`},
		{Name: "two calls that share an index and have no id", Body: data(
			tool(`{"index":0,"function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}`),
			tool(`{"index":0,"function":{"name":"read_file","arguments":"{\"path\":\"y\"}"}}`), finished, done), Want: `
call:* read_file {"path":"x"}
call:* read_file {"path":"y"}
usage:155 11`},
		{Name: "a second call whose head and tail differ in index", Body: data(
			tool(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}`),
			tool(`{"index":0,"id":"b","function":{"name":"read_file","arguments":""}}`),
			tool(`{"index":1,"function":{"arguments":"{\"path\":\"y\"}"}}`), finished, done), Want: `
call:a read_file {"path":"x"}
call:b read_file {"path":"y"}
usage:155 11`},
		{Name: "an index that begins at 7, and one that is text", Body: data(
			tool(`{"index":7,"id":"a","function":{"name":"read_file","arguments":"{}"}}`),
			tool(`{"index":"8","id":"b","function":{"name":"list_files","arguments":"{}"}}`), finished, done), Want: `
call:a read_file {}
call:b list_files {}
usage:155 6`},
		{Name: "id and name in every piece", Body: data(
			tool(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":"}}`),
			tool(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"\"x\"}"}}`), finished, done), Want: `
call:a read_file {"path":"x"}
usage:155 6`},
		{Name: "arguments before the name, without an index", Body: data(
			tool(`{"id":"a","function":{"arguments":"{\"path\":"}}`), tool(`{"id":"a","function":{"arguments":"\"x\"}"}}`),
			tool(`{"id":"a","function":{"name":"read_file"}}`), finished, done), Want: `
call:a read_file {"path":"x"}
usage:155 6`},
		{Name: "two pieces of different calls in turn", Body: data(
			tool(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":"}},{"index":1,"id":"b","function":{"name":"list_files","arguments":"{\"p"}}`),
			tool(`{"index":1,"function":{"arguments":"ath\":\"y\"}"}},{"index":0,"function":{"arguments":"\"x\"}"}}`), finished, done), Want: `
call:a read_file {"path":"x"}
call:b list_files {"path":"y"}
usage:155 11`},
		{Name: "one id for two calls", Body: data(
			tool(`{"index":0,"id":"","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}`),
			tool(`{"index":1,"id":"","function":{"name":"read_file","arguments":"{\"path\":\"y\"}"}}`), finished, done), Want: `
call:* read_file {"path":"x"}
call:* read_file {"path":"y"}
usage:155 11`},
		{Name: "arguments as an object", Body: data(
			tool(`{"index":0,"id":"a","function":{"name":"read_file","arguments":{"path":"x"}}}`), finished, done), Want: `
call:a read_file {"path":"x"}
usage:155 6`},
		{Name: "arguments that are no JSON, nothing, null", Body: data(
			tool(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\": \"x"}}`),
			tool(`{"index":1,"id":"b","function":{"name":"check_build","arguments":""}}`),
			tool(`{"index":2,"id":"c","function":{"name":"check_build","arguments":null}}`), finished, done), Want: `
call:a read_file "{\"path\": \"x"
call:b check_build {}
call:c check_build {}
usage:155 11`},
		{Name: "a tool that was not offered", Body: data(
			tool(`{"index":0,"id":"a","function":{"name":"launch_rocket","arguments":"{}"}}`), finished, done), Want: `
call:a launch_rocket {}
usage:155 4`},
		{Name: "reasoning under two names at once", Body: data(
			`{"choices":[{"index":0,"delta":{"reasoning":"Hm.","reasoning_content":"Hm."}}]}`,
			`{"choices":[{"index":0,"delta":{"thinking":"Yes."}}]}`, hello, finished, done), Want: `
reasoning:Hm.Yes.
text:Hello
signed:member:reasoning_content 5117dfd64f1084b2
usage:155 3`},
		{Name: "content in parts, with thoughts", Body: data(
			`{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"Hello"}]}}]}`,
			finished, done), Want: `
reasoning:Hm.
text:Hello
usage:155 2`},
		{Name: "no [DONE]", Body: data(hello, finished), Want: `
text:Hello
usage:155 2`},
		{Name: "[DONE] without a finish reason", Body: data(hello, done), Want: `
text:Hello
usage:155 2`},
		{Name: "the end of the last event is missing", Body: "data:" + hello + "\r\n\r\ndata: [DONE]", Want: `
text:Hello
usage:155 2`},
		{Name: "choices null in the usage event, usage in every event", Body: data(
			`{"choices":[{"index":0,"delta":{"content":"Hello"}}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`,
			finished, `{"choices":null,"usage":{"prompt_tokens":5,"completion_tokens":2}}`, done), Want: `
text:Hello
usage:5 2`},
		{Name: "cached tokens as OpenAI and OpenRouter count them", Body: data(hello, finished,
			`{"choices":[],"usage":{"prompt_tokens":3000,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":2000,"cache_write_tokens":900}}}`, done), Want: `
text:Hello
usage:3000 2 cached:2000 written:900`},
		{Name: "cached tokens as DeepSeek counts them", Body: data(hello, finished,
			`{"choices":[],"usage":{"prompt_tokens":3000,"completion_tokens":2,"prompt_cache_hit_tokens":2048,"prompt_cache_miss_tokens":952}}`, done), Want: `
text:Hello
usage:3000 2 cached:2048 written:0`},
		{Name: "cached tokens as Moonshot counts them", Body: data(hello, finished,
			`{"choices":[],"usage":{"prompt_tokens":3000,"completion_tokens":2,"cached_tokens":1024}}`, done), Want: `
text:Hello
usage:3000 2 cached:1024 written:0`},
		{Name: "more cached tokens than there are", Body: data(hello, finished,
			`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":101,"cache_write_tokens":-1}}}`, done), Want: `
text:Hello
usage:100 2 cached:100 written:0`},
		{Name: "impossible usage", Body: data(hello, finished,
			`{"choices":[],"usage":{"prompt_tokens":-5,"completion_tokens":1000000000000000000}}`, done), Want: `
text:Hello
usage:155 2`},
		{Name: "usage of another type, unknown members and events", Body: data(hello, `{"novel":{"a":[1]}}`, "",
			`{"choices":[{"index":0,"delta":{"content":"!","novel":1},"finish_reason":"novel"}],"usage":"many"}`, done), Want: `
text:Hello!
usage:155 2`},
		{Name: "a second choice", Body: data(hello,
			`{"choices":[{"index":1,"delta":{"content":"Goodbye"}}]}`, finished, done), Want: `
text:Hello
usage:155 2`},
		{Name: "a stream that breaks off inside an event", Body: data(hello) + `data: {"choices":[{"ind`, Want: `
text:Hello
usage:155 2
temporary:the provider sent an answer that is not JSON`},
		{Name: "a stream that breaks off inside a call", Body: data(
			tool(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"pa"}}`)), Want: `
usage:155 0
temporary:the provider broke off the answer`},
		{Name: "an event that is no JSON", Body: data(hello, "hello?", done), Want: `
text:Hello
usage:155 2
temporary:the provider sent an answer that is not JSON`},
		{Name: "an error in place of the stream", Body: `{"error":{"message":"no such deployment","code":"invalid_deployment"}}`, Want: `
usage:155 0
final:the provider refused the request: no such deployment`},
		{Name: "an error over several lines, in a list", Body: "[{\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"API key not valid.\",\n    \"status\": \"INVALID_ARGUMENT\"\n  }\n}]", Want: `
usage:155 0
final:the provider refused the request (400): API key not valid.`},
		{Name: "an error as text, inside the stream", Body: data(hello, `{"error":"out of memory"}`), Want: `
text:Hello
usage:155 2
temporary:the provider broke off the answer: out of memory`},
		{Name: "an error with a status, inside the stream", Body: data(hello,
			`{"id":"gen","error":{"code":429,"message":"Slow down"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`), Want: `
text:Hello
usage:155 2
temporary:the provider limits the rate of requests (429): Slow down`},
		{Name: "an error in a field of its own", Body: data(hello) + `error: {"code":500,"message":"slot unavailable","type":"server_error"}` + "\n\n", Want: `
text:Hello
usage:155 2
temporary:the provider failed (500): slot unavailable`},
		{Name: "an error as an event of that name", Body: data(hello) + "event: error\ndata: gone\n\n", Want: `
text:Hello
usage:155 2
temporary:the provider broke off the answer: gone`},
		{Name: "an error as a bare line", Body: data(hello) + `{"error":{"message":"worker died"}}` + "\n", Want: `
text:Hello
usage:155 2
temporary:the provider broke off the answer: worker died`},
		{Name: "the finish reason is error", Body: data(hello, `{"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}`), Want: `
text:Hello
usage:155 2
temporary:the provider broke off the answer`},
		{Name: "a web page", Body: "<!doctype html><title>Sign in</title>", Want: `
usage:155 0
final:the provider answered with a web page: check the base URL`},
		{Name: "JSON that is no answer", Body: `{"status":"ok"}`, Want: `
usage:155 0
temporary:the provider broke off the answer`},
		{Name: "nothing at all", Want: `
usage:155 0
temporary:the provider broke off the answer`},
		{Name: "only comments", Body: ": ping\n\n: ping\n\n", Want: `
usage:155 0
temporary:the provider broke off the answer`},
	})
}

func TestRefusalsOfOtherServers(t *testing.T) {
	aitest.RunReplays(t, openAt, []aitest.Replay{
		{Name: "a web page for 502", Status: 502, Body: "<html><h1>Bad Gateway</h1></html>", Want: `
usage:0 0
temporary:the provider failed (502)`},
		{Name: "nothing for 503", Status: 503, Header: http.Header{"Retry-After": {"86400000"}}, Want: `
usage:0 0
temporary:the provider failed (503) [retry after 24h0m0s]`},
		{Name: "a path that is not there", Status: 404, Body: "404 page not found", Want: `
usage:0 0
final:the provider has nothing at http://vendor.test/v1: check the base URL (404): 404 page not found`},
		{Name: "a detail", Status: 422, Body: `{"detail":[{"loc":["body","tools"],"msg":"extra inputs"}]}`, Want: `
usage:0 0
final:the provider refused the request (422): {"detail":[{"loc":["body","tools"],"msg":"extra inputs"}]}`},
		{Name: "a message without an error", Status: 403, Body: `{"message":"blocked by policy"}`, Want: `
usage:0 0
final:the provider refused access (403): blocked by policy`},
		{Name: "a redirect", Status: 302, Header: http.Header{"Location": {"https://elsewhere.test/v1"}}, Want: `
usage:0 0
final:the provider redirects to another address: use that as the base URL (302): https://elsewhere.test/v1`},
		{Name: "payment", Status: 402, Body: `{"error":{"message":"add credits","code":402}}`, Want: `
usage:0 0
final:the account at the provider has no credit left (402): add credits`},
		{Name: "not JSON at all", Status: 400, Body: "bad\nrequest\x00\xff", Want: `
usage:0 0
final:the provider refused the request (400): bad request`},
	})
}
