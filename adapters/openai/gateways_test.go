package openai_test

import (
	"strconv"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// wrapped is how OpenRouter passes on what a vendor sent
// (https://openrouter.ai/docs/api/reference/errors-and-debugging).
func wrapped(status int, vendor, raw string) string {
	return `{"error":{"message":"Provider returned error","code":` + strconv.Itoa(status) + `,"metadata":{"raw":` + strconv.Quote(raw) + `,"provider_name":"` + vendor + `"}},"user_id":"user_x"}`
}

// Azure's own words for what its content filter holds back.
const azureFilter = `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":false,"severity":"safe"},"jailbreak":{"filtered":true,"detected":true},"violence":{"filtered":true,"severity":"medium"}}}}}`

func TestRefusalsThatGatewaysWrap(t *testing.T) {
	aitest.RunReplays(t, openAt, []aitest.Replay{
		{Name: "a text of the vendor", Status: 429, Body: wrapped(429, "BaseTen", "z-ai/glm is temporarily rate-limited upstream. Please retry shortly."), Want: `
usage:0 0
temporary:the provider (BaseTen) limits the rate of requests (429): z-ai/glm is temporarily rate-limited upstream. Please retry shortly.`},
		{Name: "JSON of the vendor", Status: 400, Body: wrapped(400, "Xiaomi", `{"error":{"code":"400","message":"Param Incorrect","param":"messages[2]","type":""}}`), Want: `
usage:0 0
final:the provider (Xiaomi) refused the request (400): Param Incorrect`},
		{Name: "a limit of the vendor's rate behind 502", Status: 502, Body: wrapped(502, "OpenAI", `{"error":{"message":"Slow down","code":429}}`), Want: `
usage:0 0
temporary:the provider (OpenAI) limits the rate of requests (429): Slow down`},
		{Name: "a vendor that fails, behind 400", Status: 400, Body: wrapped(400, "OpenAI", `{"error":{"message":"Deadline exceeded","code":504}}`), Want: `
usage:0 0
temporary:the provider (OpenAI) failed (504): Deadline exceeded`},
		{Name: "the credit at the vendor", Status: 400, Body: wrapped(400, "Anthropic", `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`), Want: `
usage:0 0
final:the account at the provider (Anthropic) has no credit left (400): Your credit balance is too low to access the Anthropic API.`},
		{Name: "moderation", Status: 403, Body: `{"error":{"code":403,"message":"Your input was flagged","metadata":{"reasons":["violence"],"flagged_input":"the maximum context length …","provider_name":"OpenAI","model_slug":"openai/gpt"}}}`, Want: `
usage:0 0
final:the content filter of the provider (OpenAI) refused the request because of violence (403): Your input was flagged`},
		{Name: "a model that is not there", Status: 400, Body: `{"error":{"message":"model-1 is not a valid model ID","code":400}}`, Want: `
usage:0 0
final:the provider has no model "model-1" (400): model-1 is not a valid model ID`},
		{Name: "a model that no vendor has", Status: 404, Body: `{"error":{"message":"No endpoints found for model-1.","code":404}}`, Want: `
usage:0 0
final:the provider has no model "model-1" (404): No endpoints found for model-1.`},
		{Name: "a request that no vendor takes", Status: 404, Body: `{"error":{"message":"No endpoints found that can handle the requested parameters.","code":404}}`, Want: `
usage:0 0
final:the provider refused the request (404): No endpoints found that can handle the requested parameters.`},
		{Name: "Azure's content filter", Status: 400, Body: azureFilter, Want: `
usage:0 0
final:the content filter of the provider refused the request because of jailbreak, violence (400): The response was filtered due to the prompt triggering Azure OpenAI's content management policy.`},
		{Name: "Azure's content filter behind OpenRouter", Status: 400, Body: wrapped(400, "Azure", azureFilter), Want: `
usage:0 0
final:the content filter of the provider (Azure) refused the request because of jailbreak, violence (400): The response was filtered due to the prompt triggering Azure OpenAI's content management policy.`},
		{Name: "Azure's content filter behind LiteLLM", Status: 400, Body: `{"error":{"message":"litellm.ContentPolicyViolationError: AzureException - The response was filtered.","type":null,"param":null,"code":"400","provider_specific_fields":{"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":true,"severity":"high"}}}}}}`, Want: `
usage:0 0
final:the content filter of the provider (Azure) refused the request because of hate (400): litellm.ContentPolicyViolationError: AzureException - The response was filtered.`},
		{Name: "a model that is not there, behind LiteLLM", Status: 404, Body: `{"error":{"message":"litellm.NotFoundError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\"not_found_error\",\"message\":\"model: model-1\"}}","type":null,"param":null,"code":"404"}}`, Want: `
usage:0 0
final:the provider (Anthropic) has no model "model-1" (404): model: model-1`},
		{Name: "Portkey", Status: 401, Body: `{"error":{"message":"openai error: Incorrect API key provided","type":"invalid_request_error","param":null,"code":"invalid_api_key"},"provider":"openai"}`, Want: `
usage:0 0
final:the provider (openai) refused the key (401): openai error: Incorrect API key provided`},
		{Name: "Cloudflare, whose vendor does not answer", Status: 400, Body: `{"success":false,"result":[],"messages":[],"error":[{"code":2005,"message":"Failed to get response from provider"}]}`, Want: `
usage:0 0
temporary:the provider failed (502): Failed to get response from provider`},
		{Name: "inside the stream", Body: data(hello, `{"id":"gen","error":{"code":502,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"overloaded\",\"type\":\"overloaded_error\"}}","provider_name":"Anthropic"}},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`), Want: `
text:Hello
usage:155 2
temporary:the provider (Anthropic) failed (502): overloaded`},
		{Name: "a cause without an end", Status: 400, Body: nested(20), Want: `
usage:0 0
final:the provider refused the request (400): layer 15`},
		{Name: "a web page of the vendor's", Status: 502, Body: wrapped(502, "Chutes", "<html><title>502 Bad Gateway</title></html>"), Want: `
usage:0 0
temporary:the provider (Chutes) failed (502): Provider returned error`},
		{Name: "a name that is none", Status: 400, Body: wrapped(400, "<script>", "no"), Want: `
usage:0 0
final:the provider refused the request (400): no`},
	})
}

// nested is an error whose causes are depth deep.
func nested(depth int) string {
	body := `{"message":"layer 0"}`
	for i := range depth {
		body = `{"message":"layer ` + strconv.Itoa(i+1) + `","error":` + body + `}`
	}
	return `{"error":` + body + `}`
}

// TestWhatPeopleCanDoAboutAWrappedRefusal: the cause is the one of the vendor behind the gateway.
func TestWhatPeopleCanDoAboutAWrappedRefusal(t *testing.T) {
	for _, row := range []struct {
		status int
		body   string
		cause  core.ModelFailure
	}{
		{429, wrapped(429, "BaseTen", "rate-limited upstream"), core.FailureRate},
		{502, wrapped(502, "OpenAI", `{"error":{"message":"Slow down","code":429}}`), core.FailureRate},
		{400, wrapped(400, "Anthropic", `{"error":{"message":"Your credit balance is too low"}}`), core.FailureCredit},
		{400, wrapped(400, "OpenAI", `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`), core.FailureCredit},
		{400, `{"error":{"message":"m is not a valid model ID","code":400}}`, core.FailureModel},
		{404, wrapped(404, "OpenAI", `{"error":{"message":"The model m does not exist","code":"model_not_found"}}`), core.FailureModel},
		{503, wrapped(503, "OpenAI", "no capacity"), core.FailureProvider},
		{403, wrapped(403, "Azure", azureFilter), ""},
	} {
		if failure := refusedAnswer(t, row.status, []byte(row.body)); failure.Cause != row.cause || failure.TooLong {
			t.Errorf("%s: got %q, want %q", row.body, failure.Cause, row.cause)
		}
	}
}
