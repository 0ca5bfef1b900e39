package openai_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// TestEveryVendorsWordsForTooMuchAreUnderstood: numbers are those that the vendor names,
// 0 if it names none.
func TestEveryVendorsWordsForTooMuchAreUnderstood(t *testing.T) {
	type limits struct {
		tooLong                    bool
		window, counted, maxAnswer int
	}
	rows := map[string]struct {
		status int
		want   limits
	}{
		"anthropic-context": {400, limits{true, 200_000, 188_240, 0}},
		"anthropic-prompt":  {400, limits{true, 200_000, 202_128, 0}},
		"anthropic-size":    {413, limits{true, 0, 0, 0}},
		"anthropic-answer":  {400, limits{false, 0, 0, 8192}},
		"openai-context":    {400, limits{true, 8192, 64, 0}},
		"openai-answer":     {400, limits{false, 0, 0, 4096}},
		"openai-minute":     {429, limits{true, 30_000, 0, 0}},
		"deepseek-context":  {400, limits{true, 131_072, 123_137, 0}},
		"deepseek-answer":   {400, limits{false, 0, 0, 8192}},
		"gemini-context":    {400, limits{true, 1_048_576, 1_200_293, 0}},
		"gemini-answer":     {400, limits{false, 0, 0, 8192}},
		"xai-context":       {400, limits{true, 131_072, 136_973, 0}},
		"qwen-context":      {400, limits{true, 30_720, 0, 0}},
		"qwen-answer":       {400, limits{false, 0, 0, 8192}},
		"kimi-context":      {400, limits{true, 262_144, 0, 0}},
		"kimi-length":       {400, limits{true, 8192, 0, 0}},
		"glm-context":       {400, limits{true, 0, 0, 0}},
		"groq-context":      {400, limits{true, 0, 0, 0}},
		"groq-answer":       {400, limits{false, 0, 0, 8192}},
		"groq-minute":       {413, limits{true, 10_000, 0, 0}},
		"mistral-context":   {400, limits{true, 32_768, 40_122, 0}},
		"together-context":  {422, limits{true, 8193, 6204, 0}},
		"vllm-context":      {400, limits{true, 128_000, 62_466, 0}},
		"vllm-answer":       {400, limits{true, 8192, 4235, 0}},
		"llamacpp-context":  {400, limits{true, 4096, 5120, 0}},
		"bedrock-context":   {400, limits{true, 0, 0, 0}},
		"bedrock-answer":    {400, limits{false, 0, 0, 4096}},
		"volcano-context":   {400, limits{true, 202_752, 203_743, 0}},

		"openrouter-context":    {400, limits{true, 262_144, 262_897, 0}},
		"openrouter-gemini":     {400, limits{true, 1_048_576, 1_200_293, 0}},
		"openrouter-badgateway": {502, limits{true, 40_960, 41_200, 0}},
		"openrouter-answer":     {400, limits{false, 0, 0, 8192}},
		"vercel-context":        {400, limits{true, 40_960, 40_861, 0}},
		"litellm-context":       {400, limits{true, 200_000, 209_303, 0}},
		"portkey-context":       {400, limits{true, 128_000, 130_123, 0}},
		"cloudflare-context":    {400, limits{true, 131_072, 115_073, 0}},
	}
	files, err := filepath.Glob("../../testdata/refusals/*.json")
	if err != nil || len(files) != len(rows) {
		t.Fatalf("got %d files, %v, want one for each of %d rows", len(files), err, len(rows))
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join("../../testdata/refusals", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			failure := refusedAnswer(t, row.status, body)
			got := limits{failure.TooLong, failure.Window, failure.Counted, failure.MaxAnswer}
			if got != row.want || failure.Temporary {
				t.Errorf("got %+v (temporary %v), want %+v for good", got, failure.Temporary, row.want)
			}
		})
	}
}

// TestOtherRefusalsAreNoWordOnLength: a wrong key, a limit of the rate and an empty
// account ask for nothing shorter.
func TestOtherRefusalsAreNoWordOnLength(t *testing.T) {
	for _, row := range []struct {
		status int
		body   string
	}{
		{400, `{"error":{"message":"Invalid value for temperature: 16384"}}`},
		{401, `{"error":{"message":"max_tokens of 4096 need a key"}}`},
		{402, `{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 16384 tokens, but can only afford 1234."}}`},
		{429, `{"error":{"message":"Rate limit reached on tokens per min (TPM): Limit 200000, Used 199000, Requested 4000. Context length 4096."}}`},
		{500, `{"error":{"message":"max_tokens 4096"}}`},
		{400, `{"error":{"message":"max_tokens is required"}}`},
		{400, `{"error":{"message":"max_tokens must be at least 16, you sent 20000"}}`},
	} {
		if failure := refusedAnswer(t, row.status, []byte(row.body)); failure.TooLong || failure.MaxAnswer != 0 {
			t.Errorf("%d %s: got too long %v and %d tokens, want neither", row.status, row.body, failure.TooLong, failure.MaxAnswer)
		}
	}
}

// refusedAnswer asks for 16,384 tokens and returns how the answer is taken.
func refusedAnswer(t *testing.T, status int, body []byte) *ai.Failure {
	t.Helper()
	canned := aitest.CannedTransport{Status: status, Body: func(*http.Request) io.Reader { return bytes.NewReader(body) }}
	provider, err := openAt(canned.Client())
	if err != nil {
		t.Fatal(err)
	}
	_, err = provider.Generate(t.Context(), ai.Request{Model: "m", MaxTokens: 16_384}, func(ai.Chunk) error { return nil })
	var failure *ai.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("got %v, want a failure", err)
	}
	return failure
}
