package functions_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/demo"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/openai"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/functions"
)

const asks = `exports.default = async (req, ctx) => { try { return new Response(await ctx.ai(await req.text(), { system: "Be brief.", maxTokens: 50 })) } catch (e) { return new Response("refused: " + e.message) } }`

// withModels gives the workspace the platform's provider of a kind.
func (h *house) withModels(kind core.ProviderKind, provider ai.Provider) {
	h.models = models.NewProviders(models.Deps{
		Store: h.store, Factory: memory.NewFactory(map[core.ProviderKind]ai.Provider{kind: provider}),
		Platform: models.Platform{Kind: kind, Model: "gpt-4o", Key: "sk-vendor"}, Now: h.now,
	})
	h.t.Cleanup(h.models.Close)
}

func TestAFunctionAsksTheDemosModel(t *testing.T) {
	h := newHouse(t, map[string]string{"ask": asks})
	h.want(h.ask(core.DataTest, "POST", "/_fn/ask", "Greet Ada", nil), http.StatusOK, "refused: no AI provider is configured")
	h.withModels(core.ProviderDemo, demo.New())
	w := h.ask(core.DataTest, "POST", "/_fn/ask", "Greet Ada", nil)
	if w.Code != http.StatusOK || w.Body.Len() == 0 || strings.Contains(w.Body.String(), "refused") {
		t.Errorf("got %d %q, want the demo's answer", w.Code, w.Body)
	}
}

// vendor plays the side of an OpenAI-compatible server.
type vendor func(body string) (status int, answer string)

// RoundTrip implements http.RoundTripper.
func (v vendor) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	status, answer := v(string(body))
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
}

func (h *house) withVendor(play vendor) {
	provider, err := openai.New(&http.Client{Transport: play}, ai.Settings{BaseURL: "http://vendor.test/v1", Key: "sk-vendor"})
	h.must(err)
	h.withModels(core.ProviderOpenAI, provider)
}

const recorded = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"content":" Ada"},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":10000}}

data: [DONE]

`

func TestAFunctionAsksAVendorWithinTheCredit(t *testing.T) {
	h := newHouse(t, map[string]string{"ask": asks})
	var sent string
	h.withVendor(func(body string) (int, string) {
		sent = body
		return http.StatusOK, recorded
	})
	h.credit(0.15)
	h.want(h.ask(core.DataTest, "POST", "/_fn/ask", "Greet Ada", nil), http.StatusOK, "Hello Ada")
	for _, part := range []string{"Greet Ada", "Be brief.", ":50"} {
		if !strings.Contains(sent, part) {
			t.Errorf("got the request %s, want %s in it", sent, part)
		}
	}
	rows, err := h.store.Tables().Usage.List(t.Context(), h.space)
	h.must(err)
	if len(rows) != 1 || rows[0].Model != "gpt-4o" || rows[0].OutputTokens != 10_000 || rows[0].Cost < 0.1 {
		t.Errorf("got the use %+v, want what the vendor counted", rows)
	}
	h.want(h.ask(core.DataTest, "POST", "/_fn/ask", "Greet Ada", nil), http.StatusOK, "Hello Ada")
	h.want(h.ask(core.DataTest, "POST", "/_fn/ask", "Greet Ada", nil), http.StatusOK, "refused: the workspace's credit for AI is used up")
}

func TestAFunctionLearnsNothingOfAVendorsFailure(t *testing.T) {
	h := newHouse(t, map[string]string{"ask": asks})
	h.withVendor(func(string) (int, string) {
		return http.StatusUnauthorized, `{"error":{"message":"Incorrect API key provided: sk-vendor of org-1"}}`
	})
	h.want(h.ask(core.DataTest, "POST", "/_fn/ask", "Greet Ada", nil), http.StatusOK, "refused: the AI model did not answer: try again later")
}

func TestPromptsAreBounded(t *testing.T) {
	h := newHouse(t, map[string]string{
		"ask":  asks,
		"many": `exports.default = async (req, ctx) => { let n = 0; try { for (;; n++) await ctx.ai("Greet") } catch (e) { return new Response(n + " " + e.message) } }`,
		"odd":  `exports.default = async (req, ctx) => { const out = []; for (const [p, o] of [["", {}], ["x", { maxTokens: 1e6 }], ["x", { maxTokens: -1 }], ["x", { maxTokens: "many" }], ["x", { system: {} }], ["x", null]]) out.push(await ctx.ai(p, o).then(() => "answered", (e) => e.message)); return Response.json(out) }`,
	})
	h.withModels(core.ProviderDemo, demo.New())
	h.want(h.ask(core.DataTest, "POST", "/_fn/ask", strings.Repeat("x", functions.MaxPromptBytes), nil), http.StatusOK, "refused: a prompt has at most 64 KiB")
	h.want(h.ask(core.DataTest, "GET", "/_fn/many", "", nil), http.StatusOK, "10 a function asks the AI model at most 10 times")
	w := h.ask(core.DataTest, "GET", "/_fn/odd", "", nil)
	if w.Code != http.StatusOK || strings.Count(w.Body.String(), "answered") > 0 {
		t.Errorf("got %d %s, want every one refused", w.Code, w.Body)
	}
}
