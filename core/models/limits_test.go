package models_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/ports/ai"
)

// answers opens a model of the workspace's own compatible server.
func (o *office) answers(t *testing.T, model string) (chosen ai.Provider, answer, window int) {
	t.Helper()
	choice, err := o.Choose(t.Context(), o.workspace, model)
	must(t, err)
	return choice.Provider, choice.AnswerTokens, choice.ContextTokens
}

// TestTheLongestAnswerIsLearntFromARefusal: the call is repeated once, and neither this
// run nor later ones ask for as much again.
func TestTheLongestAnswerIsLearntFromARefusal(t *testing.T) {
	o := newOffice(t, models.Platform{Kind: core.ProviderOpenAI, BaseURL: "https://models.example.com/v1"})
	model := memory.NewModel()
	o.mind(core.ProviderOpenAI, model)
	refusal := &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "max_tokens"), MaxAnswer: 6000}
	model.Fail(refusal).Say("Hello.").Say("Again.").Say("Other.")
	ask := func(id string) {
		provider, _, _ := o.answers(t, id)
		_, err := provider.Generate(t.Context(), ai.Request{Model: id, MaxTokens: 16_384}, func(ai.Chunk) error { return nil })
		must(t, err)
	}
	ask("mystery")
	ask("mystery")
	ask("other")
	for i, want := range []int{16_384, 6000, 6000, 16_384} {
		if got := model.Requests()[i].MaxTokens; got != want {
			t.Errorf("request %d: got %d tokens asked for, want %d", i, got, want)
		}
	}
	if _, answer, _ := o.answers(t, "mystery"); answer != 6000 {
		t.Errorf("got %d, want the next run to know", answer)
	}
	model.Fail(refusal).Fail(refusal)
	provider, _, _ := o.answers(t, "third")
	if _, err := provider.Generate(t.Context(), ai.Request{Model: "third", MaxTokens: 16_384}, func(ai.Chunk) error { return nil }); err == nil {
		t.Error("got no error, want one more try and no more")
	}
}

// TestAWindowIsLearntFromARefusal: a server that does not report windows names one in a
// refusal.
func TestAWindowIsLearntFromARefusal(t *testing.T) {
	o := newOffice(t, models.Platform{Kind: core.ProviderOpenAI, BaseURL: "https://models.example.com/v1"})
	model := memory.NewModel()
	o.mind(core.ProviderOpenAI, model)
	model.Fail(&ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "too long"), TooLong: true, Window: 8192})
	provider, _, window := o.answers(t, "mystery")
	_, _ = provider.Generate(t.Context(), ai.Request{Model: "mystery"}, func(ai.Chunk) error { return nil })
	if _, _, learnt := o.answers(t, "mystery"); window != 0 || learnt != 8192 {
		t.Errorf("got %d and then %d, want nothing known and then 8,192", window, learnt)
	}
}

// TestTheCatalogueKnowsTheCommonModels: windows only if the vendor, or a known host of
// its models, sets them; longest answers and prices for every host.
func TestTheCatalogueKnowsTheCommonModels(t *testing.T) {
	for _, c := range []struct {
		base, model    string
		window, answer int
		cost           float64
	}{
		{"", "gpt-4-turbo", 128_000, 4096, 40},
		{"", "gpt-4o-2024-11-20", 128_000, 16_384, 12.5},
		{"https://api.deepseek.com/v1", "deepseek-chat", 131_072, 8192, 0.7},
		{"https://generativelanguage.googleapis.com/v1beta/openai", "models/gemini-2.5-pro", 1_048_576, 65_536, 17.5},
		{"https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen3-coder-plus-2025-09-23", 1_000_000, 65_536, 18},
		{"https://api.moonshot.ai/v1", "kimi-k2.6", 262_144, 0, 4.95},
		{"https://api.z.ai/api/paas/v4", "glm-4.6", 204_800, 131_072, 2.8},
		{"https://api.x.ai/v1", "grok-code-fast-1", 256_000, 10_000, 1.7},
		{"https://api.mistral.ai/v1", "devstral-medium-latest", 131_072, 0, 2.4},
		{"https://api.groq.com/openai/v1", "openai/gpt-oss-120b", 131_072, 65_536, 0.75},
		{"https://api.together.xyz/v1", "deepseek-ai/DeepSeek-V3", 131_072, 8192, 2.3},
		{"https://proxy.example.com/v1", "deepseek-chat", 0, 8192, 0.7},
		{"https://proxy.example.com/v1", "mystery", 0, 0, 30},
	} {
		o := newOffice(t, models.Platform{Kind: core.ProviderOpenAI, BaseURL: c.base, Key: "key"})
		o.mind(core.ProviderOpenAI, memory.NewModel())
		_, answer, window := o.answers(t, c.model)
		if cost := costOf(t, nil, core.ProviderOpenAI, c.model); window != c.window || answer != c.answer || !same(cost, c.cost) {
			t.Errorf("%s at %q: got %d, %d tokens and %v USD, want %d, %d and %v", c.model, c.base, window, answer, cost, c.window, c.answer, c.cost)
		}
	}
}
