package ollama_test

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/adapters/ollama"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func openAt(client *http.Client) (ai.Provider, error) {
	return ollama.New(client, ai.Settings{BaseURL: "http://vendor.test", Key: aitest.Key})
}

func TestRecordedStreams(t *testing.T) {
	aitest.RunReplays(t, openAt, []aitest.Replay{
		{File: "ollama/chat-text.ndjson", Want: `
text:Hello! I am a tiny scripted model. Ask me to make the title blue.
usage:9 17`},
		{File: "ollama/chat-unicode.ndjson", Want: `
text:Grüße aus Köln — 你好，世界! 👩‍👩‍👧 done.
usage:16 11`},
		{File: "ollama/chat-nothing.ndjson", Want: `
usage:9 1
empty:the model gave an empty answer`},
		{File: "ollama/chat-length.ndjson", Want: `
text:Hello! I am
cut:
usage:9 4`},
		{File: "ollama/chat-logprobs.ndjson", Want: `
text:Hello!
cut:
usage:9 2`},
		{File: "ollama/chat-unstreamed.json", Want: `
text:Hello! I am a tiny scripted model. Ask me to make the title blue.
usage:9 17`},
		{File: "ollama/chat-load.json", Want: `
usage:168 0
empty:the model gave an empty answer`},
		{File: "ollama/chat-call.ndjson", Want: `
text:Sure, I will change the colour.\n
call:call_z4ca8pfq set_style {"property":"color","selector":"h1","value":"blue"}
usage:222 27`},
		{File: "ollama/chat-calls.ndjson", Want: `
text:Reading both files.\n
call:call_ann0wxcz read_file {"path":"index.html"}
call:call_bh70xx0r read_file {"path":"style.css"}
usage:222 25`},
		{File: "ollama/chat-call-swallowed.ndjson", Want: `
usage:222 12
empty:the model gave an empty answer`},
		{File: "ollama/chat-call-cut.ndjson", Want: `
text:Sure, I will change the colour.\n
cut:
usage:222 15`},
		{File: "ollama/chat-thinking.ndjson", Want: `
reasoning:The user wants a blue title. I should change the heading's colour.
text:Sure, I will change the colour.\n
call:call_isgtgjec set_style {"property":"color","selector":"h1","value":"blue"}
signed:member:thinking 6abcd6757a4f10cd
usage:222 40`},
		{File: "ollama/chat-thinking-unstreamed.json", Want: `
reasoning:The user wants a blue title. I should change the heading's colour.
text:Sure, I will change the colour.\n
call:call_coh3ppps set_style {"property":"color","selector":"h1","value":"blue"}
signed:member:thinking 6abcd6757a4f10cd
usage:222 40`},
		{File: "ollama/chat-thinking-cut.ndjson", Want: `
reasoning:The user wants a blue title.
signed:member:thinking 6abcd6757a4f10cd
usage:9 6
empty:the model reached the limit of its answer before it wrote anything`},
		{File: "ollama/chat-repeat-abort.ndjson", Want: `
text:ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha 
usage:168 24
temporary:Ollama broke off the answer`},
		{File: "ollama/chat-repeat-abort-unstreamed.json", Want: `
text:ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha 
usage:168 24
temporary:Ollama broke off the answer`},
		{File: "ollama/chat-runner-killed.ndjson", Want: `
text:one two three four five six five
usage:168 8
temporary:Ollama broke off the answer: an error was encountered while running the model: unexpected EOF`},
	})
}

func TestRecordedRefusals(t *testing.T) {
	aitest.RunReplays(t, openAt, []aitest.Replay{
		{File: "ollama/error-no-model.json", Status: 404, Want: `
usage:0 0
final:Ollama has no model "model-1" (404): model 'no-such-model' not found`},
		{File: "ollama/error-no-tools.json", Status: 400, Want: `
usage:0 0
final:Ollama refused the request (400): registry.ollama.ai/library/tiny-plain:latest does not support tools`},
		{File: "ollama/error-context.json", Status: 400, Want: `
usage:0 0
final:Ollama refused the request (400): the input length exceeds the context length`},
		{File: "ollama/error-runner.json", Status: 500, Want: `
usage:0 0
temporary:Ollama failed (500): model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details`},
		{File: "ollama/error-busy.json", Status: 503, Want: `
usage:0 0
temporary:Ollama failed (503): server busy, please try again. maximum pending requests exceeded`},
		{Name: "nothing for 503", Status: 503, Want: `
usage:0 0
temporary:Ollama failed (503)`},
		{Name: "a path that is not there", Status: 404, Body: "404 page not found", Want: `
usage:0 0
final:Ollama has nothing at http://vendor.test: check the base URL (404): 404 page not found`},
	})
}

const (
	hello = `{"message":{"role":"assistant","content":"Hello"},"done":false}` + "\n"
	done  = `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":2}` + "\n"
)

func call(members string) string {
	return `{"message":{"role":"assistant","content":"","tool_calls":[` + members + `]},"done":false}` + "\n"
}

func TestMisbehavingServers(t *testing.T) {
	aitest.RunReplays(t, openAt, []aitest.Replay{
		{Name: "blank lines, carriage returns, no end of the last line", Body: "\n" + hello + "\r\n \n" + done[:len(done)-1], Want: `
text:Hello
usage:5 2`},
		{Name: "arguments as text, as nothing, as no JSON", Body: call(
			`{"function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}},{"function":{"name":"check_build"}},`+
				`{"function":{"name":"read_file","arguments":"path x"}}`) + done, Want: `
call:* read_file {"path":"x"}
call:* check_build {}
call:* read_file "path x"
usage:5 2`},
		{Name: "one id for two calls", Body: call(
			`{"id":"a","function":{"index":0,"name":"read_file","arguments":{"path":"x"}}},`+
				`{"id":"a","function":{"index":0,"name":"read_file","arguments":{"path":"y"}}}`) + done, Want: `
call:a read_file {"path":"x"}
call:* read_file {"path":"y"}
usage:5 2`},
		{Name: "a tool that was not offered", Body: call(`{"id":"a","function":{"name":"launch_rocket","arguments":{}}}`) + done, Want: `
call:a launch_rocket {}
usage:5 2`},
		{Name: "calls and text in the last line", Body: `{"message":{"content":"Hello","tool_calls":[{"id":"a","function":{"name":"read_file","arguments":{}}}]},"done":true}`, Want: `
text:Hello
call:a read_file {}
usage:168 4`},
		{Name: "unknown members, members of another type", Body: `{"message":{"content":"Hello","images":7,"novel":{}},"created_at":5,"done":false,"eval_count":"two"}` + "\n" + done, Want: `
text:Hello
usage:5 2`},
		{Name: "impossible usage", Body: hello + `{"done":true,"prompt_eval_count":1000000000000000000,"eval_count":-1}`, Want: `
text:Hello
usage:168 2`},
		{Name: "lines after the last", Body: hello + done + "rubbish\n", Want: `
text:Hello
usage:5 2`},
		{Name: "an error after some text", Body: hello + `{"error":"out of memory"}` + "\n", Want: `
text:Hello
usage:168 2
temporary:Ollama broke off the answer: out of memory`},
		{Name: "an error at once", Body: `{"error":{"message":"no"}}`, Want: `
usage:168 0
temporary:Ollama broke off the answer: no`},
		{Name: "a line that is no JSON", Body: hello + "hello?\n", Want: `
text:Hello
usage:168 2
temporary:Ollama sent an answer that is not JSON`},
		{Name: "a stream that breaks off inside a line", Body: hello + `{"message":{"con`, Want: `
text:Hello
usage:168 2
temporary:Ollama sent an answer that is not JSON`},
		{Name: "a stream without its last line", Body: hello, Want: `
text:Hello
usage:168 2
temporary:Ollama broke off the answer`},
		{Name: "a web page", Body: " \n<!doctype html>", Want: `
usage:168 0
final:Ollama answered with a web page: check the base URL`},
		{Name: "nothing at all", Want: `
usage:168 0
temporary:Ollama broke off the answer`},
	})
}
